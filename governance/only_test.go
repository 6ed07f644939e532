package governance_test

import (
	"errors"
	"testing"

	"github.com/notelatch/notelatch/governance"
	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/vault"
)

func TestOnly(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		a := w.authority(governance.Options{})
		only := func(what string, c vault.Caller, want vault.Code) {
			t.Helper()
			before := w.db.Queries()
			access, err := a.Only(t.Context(), c, vault.NeedApply)
			if want != "" {
				if !errors.Is(err, want) {
					t.Errorf("%s: Only = %v, want %s", what, err, want)
				}
				return
			}
			if err != nil || access.Mapping.ID != w.m.ID || access.Vault != w.vault {
				t.Errorf("%s: Only = %+v, %v, want %s", what, access, err, w.m.ID)
			}
			if n := w.db.Queries() - before; n != 1 {
				t.Errorf("%s: %d queries, want 1", what, n)
			}
		}
		w.create(t, mapping.NewMapping{Account: w.other.ID, Name: "Theirs", Provider: mapping.Hosted, Root: "3"})
		only("one vault, and somebody else's", w.caller(), "")
		reader := w.caller()
		reader.Scopes = []vault.Scope{vault.ScopeRead}
		only("a reader who would apply", reader, vault.InsufficientScope)
		none := w.caller()
		none.Mappings = []string{}
		only("held to none", none, vault.NotFound)

		second := w.create(t, mapping.NewMapping{Account: w.owner.ID, Name: "Second", Provider: mapping.Hosted, Root: "1"})
		only("two vaults", w.caller(), vault.NotFound)
		held := w.caller()
		held.Mappings = []string{string(w.m.ID)}
		only("two vaults, held to one", held, "")
		if err := w.mappings.Remove(t.Context(), w.owner.ID, second.ID); err != nil {
			t.Fatal(err)
		}
		only("one vault again", w.caller(), "")
		w.set(t, w.mappings.SetWrites, false)
		only("writes are off", w.caller(), vault.WriteNotEnabled)
		w.status(t, account.Suspended)
		only("the account is suspended", w.caller(), vault.AccountInactive)
	})
}
