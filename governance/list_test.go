package governance_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/governance"
	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/vault"
)

func TestList(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		hosted := w.create(t, mapping.NewMapping{Account: w.owner.ID, Name: "Hosted", Provider: mapping.Hosted, Root: "1"})
		closed := w.create(t, mapping.NewMapping{Account: w.owner.ID, Name: "Closed", Provider: mapping.Folder, Root: "/closed"})
		pull := w.create(t, mapping.NewMapping{Account: w.owner.ID, Name: "Pull", Provider: mapping.Hosted, Root: "2", PullOnly: true})
		w.create(t, mapping.NewMapping{Account: w.other.ID, Name: "Theirs", Provider: mapping.Hosted, Root: "3"})
		type row struct {
			Access  string
			Refusal vault.Code
		}
		list := func(c vault.Caller, o governance.Options) map[mapping.ID]row {
			t.Helper()
			before := w.db.Queries()
			rows, err := w.authority(o).List(t.Context(), c)
			if err != nil {
				t.Fatalf("List: %v", err)
			}
			if n := w.db.Queries() - before; n != 1 {
				t.Errorf("List took %d queries, want 1", n)
			}
			got := map[mapping.ID]row{}
			for _, r := range rows {
				var refusal vault.Code
				if r.Refusal != nil {
					refusal = r.Refusal.Code
				}
				got[r.Mapping.ID] = row{r.WriteAccess, refusal}
				if r.Unavailable != nil || r.Vault != w.vault {
					t.Errorf("%s is not available: %v", r.Mapping.Name, r.Unavailable)
				}
			}
			return got
		}
		reader, held := w.caller(), w.caller()
		reader.Scopes = []vault.Scope{vault.ScopeRead}
		held.Mappings = []string{string(closed.ID)}
		apply, off, pullOnly := row{governance.WriteApply, ""}, row{governance.WritePropose, vault.WriteNotEnabled}, row{governance.WriteNone, vault.PullOnly}
		scope, disabled := row{governance.WritePropose, vault.InsufficientScope}, row{governance.WritePropose, vault.WritesDisabled}
		for name, tt := range map[string]struct {
			c    vault.Caller
			o    governance.Options
			want map[mapping.ID]row
		}{
			"writer":   {w.caller(), governance.Options{}, map[mapping.ID]row{w.m.ID: apply, hosted.ID: apply, closed.ID: off, pull.ID: pullOnly}},
			"reader":   {reader, governance.Options{}, map[mapping.ID]row{w.m.ID: scope, hosted.ID: scope, closed.ID: scope, pull.ID: scope}},
			"disabled": {w.caller(), governance.Options{WritesDisabled: true}, map[mapping.ID]row{w.m.ID: disabled, hosted.ID: disabled, closed.ID: disabled, pull.ID: disabled}},
			"held":     {held, governance.Options{}, map[mapping.ID]row{closed.ID: off}},
			"some":     {w.caller(), governance.Options{WritesOnlyTo: []string{string(hosted.ID)}}, map[mapping.ID]row{w.m.ID: disabled, hosted.ID: apply, closed.ID: disabled, pull.ID: disabled}},
		} {
			if d := cmp.Diff(tt.want, list(tt.c, tt.o)); d != "" {
				t.Errorf("%s: List (-want +got):\n%s", name, d)
			}
		}
		none := w.caller()
		none.Scopes = nil
		if _, err := w.authority(governance.Options{}).List(t.Context(), none); !errors.Is(err, vault.InsufficientScope) {
			t.Errorf("List without scope = %v", err)
		}
		w.status(t, account.Closed)
		if _, err := w.authority(governance.Options{}).List(t.Context(), w.caller()); !errors.Is(err, vault.AccountInactive) {
			t.Errorf("List of a closed account = %v", err)
		}
	})
}

func TestListOfAnAccountWithoutVaults(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		c := w.caller()
		c.Account = w.other.ID
		a := w.authority(governance.Options{})
		if rows, err := a.List(t.Context(), c); err != nil || len(rows) != 0 {
			t.Errorf("List = %+v, %v; want none", rows, err)
		}
		if err := w.accounts.SetStatus(t.Context(), c.Account, account.Suspended); err != nil {
			t.Fatal(err)
		}
		if _, err := a.List(t.Context(), c); !errors.Is(err, vault.AccountInactive) {
			t.Errorf("List of a suspended account = %v", err)
		}
	})
}
