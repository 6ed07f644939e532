package governance_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/governance"
	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/memory"
	"github.com/notelatch/notelatch/vault"
)

var needs = []vault.Need{vault.NeedRead, vault.NeedPropose, vault.NeedApply}

func TestAccessIsOneQuery(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		a := w.authority(governance.Options{})
		for _, need := range needs {
			before := w.db.Queries()
			access, err := a.Access(t.Context(), w.caller(), w.m.ID, need)
			if err != nil {
				t.Fatalf("Access(%d): %v", need, err)
			}
			if n := w.db.Queries() - before; n != 1 {
				t.Errorf("Access(%d) took %d queries, want 1", need, n)
			}
			if access.Mapping.ID != w.m.ID || access.Connection.ID != w.m.ConnectionID || access.Vault != w.vault || access.Need != need ||
				access.Caller.Token != "tok_1" || access.Writable() != nil {
				t.Errorf("Access(%d) = %+v, %v", need, access, access.Writable())
			}
		}
		if _, err := a.Access(t.Context(), w.caller(), w.m.ID, 0); err == nil {
			t.Error("Access without a need succeeded")
		}
	})
}

// What may not be known of is not found, in the same words, and no vault is opened.
func TestTheInvisibleIsNotFound(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		second := w.create(t, mapping.NewMapping{Account: w.owner.ID, Name: "Second", Provider: mapping.Hosted, Root: "2"})
		removed := w.create(t, mapping.NewMapping{Account: w.owner.ID, Name: "Removed", Provider: mapping.Hosted, Root: "3"})
		theirs := w.create(t, mapping.NewMapping{Account: w.other.ID, Name: "Theirs", Provider: mapping.Hosted, Root: "4"})
		if err := w.mappings.Remove(t.Context(), w.owner.ID, removed.ID); err != nil {
			t.Fatal(err)
		}
		held := w.caller()
		held.Mappings = []string{string(w.m.ID), string(theirs.ID)}
		to := func(account string) vault.Caller { c := w.caller(); c.Account = account; return c }
		none := w.caller()
		none.Mappings = []string{}
		a := w.authority(governance.Options{})
		var want error = vault.Errorf(vault.NotFound, "there is no such vault").Next("call list_vaults for the vaults that you can use")
		for name, tt := range map[string]struct {
			caller vault.Caller
			id     mapping.ID
		}{
			"empty":                             {w.caller(), ""},
			"malformed":                         {w.caller(), "map_1"},
			"a name":                            {w.caller(), "Notes"},
			"unknown":                           {w.caller(), "map_0123456789abcdefghjkmnpqrs"},
			"removed":                           {w.caller(), removed.ID},
			"somebody else's":                   {w.caller(), theirs.ID},
			"ours, asked by somebody else":      {to(w.other.ID), w.m.ID},
			"ours, asked by nobody":             {to(""), w.m.ID},
			"not in the token":                  {held, second.ID},
			"in the token, but somebody else's": {held, theirs.ID},
			"any, with a token for none":        {none, w.m.ID},
		} {
			for _, need := range needs {
				_, err := a.Access(t.Context(), tt.caller, tt.id, need)
				if d := cmp.Diff(want, err); d != "" {
					t.Errorf("%s: Access(%d) (-want +got):\n%s", name, need, d)
				}
			}
		}
		if w.opened != 0 {
			t.Errorf("%d vaults were opened", w.opened)
		}
		for name, tt := range map[string]struct {
			caller vault.Caller
			id     mapping.ID
		}{
			"ours": {w.caller(), second.ID}, "in the token": {held, w.m.ID}, "theirs": {to(w.other.ID), theirs.ID},
		} {
			for _, need := range needs {
				if _, err := a.Access(t.Context(), tt.caller, tt.id, need); err != nil {
					t.Errorf("%s: Access(%d) = %v", name, need, err)
				}
			}
		}
	})
}

// Each check, with its own refusal for each need; and again without what broke it.
func TestEachCheckRefuses(t *testing.T) {
	const ok = vault.Code("")
	for name, tt := range map[string]struct {
		options              governance.Options
		scopes               []vault.Scope
		breaks, mends        func(t *testing.T, w *world)
		read, propose, apply vault.Code
		next                 string // part of the hint for the last need
	}{
		"no scope":      {scopes: []vault.Scope{}, read: vault.InsufficientScope, propose: vault.InsufficientScope, apply: vault.InsufficientScope, next: "mcp:write"},
		"read scope":    {scopes: []vault.Scope{vault.ScopeRead}, read: ok, propose: ok, apply: vault.InsufficientScope, next: "mcp:write"},
		"server switch": {options: governance.Options{WritesDisabled: true}, read: ok, propose: ok, apply: vault.WritesDisabled, next: "operator"},
		"writes held to another vault": {
			options: governance.Options{WritesOnlyTo: []string{"map_0123456789abcdefghjkmnpqrs"}}, read: ok, propose: ok, apply: vault.WritesDisabled, next: "operator",
		},
		"suspended account": {
			breaks: func(t *testing.T, w *world) { w.status(t, account.Suspended) },
			mends:  func(t *testing.T, w *world) { w.status(t, account.Active) },
			read:   vault.AccountInactive, propose: vault.AccountInactive, apply: vault.AccountInactive, next: "operator",
		},
		"revoked connection": {
			breaks: func(t *testing.T, w *world) {
				w.connection(t, func(c *mapping.Connection) { c.Status = mapping.Revoked })
			},
			mends: func(t *testing.T, w *world) {
				w.connection(t, func(c *mapping.Connection) { c.Status = mapping.Active })
			},
			read: vault.ConnectionRevoked, propose: vault.ConnectionRevoked, apply: vault.ConnectionRevoked, next: "connects it again",
		},
		"expired connection": {
			breaks: func(t *testing.T, w *world) {
				w.connection(t, func(c *mapping.Connection) { c.Status = mapping.Expired })
			},
			mends: func(t *testing.T, w *world) {
				w.connection(t, func(c *mapping.Connection) { c.Status = mapping.Active })
			},
			read: vault.ConnectionExpired, propose: vault.ConnectionExpired, apply: vault.ConnectionExpired, next: "connects it again",
		},
		"connection that cannot read": {
			breaks: func(t *testing.T, w *world) {
				w.connection(t, func(c *mapping.Connection) { c.Capabilities = []string{mapping.FilesWrite} })
			},
			mends: func(t *testing.T, w *world) {
				w.connection(t, func(c *mapping.Connection) { c.Capabilities = []string{mapping.FilesRead, mapping.FilesWrite} })
			},
			read: vault.CapabilityMissing, propose: vault.CapabilityMissing, apply: vault.CapabilityMissing, next: "reading",
		},
		"connection that cannot write": {
			breaks: func(t *testing.T, w *world) {
				w.connection(t, func(c *mapping.Connection) { c.Capabilities = []string{mapping.FilesRead} })
			},
			mends: func(t *testing.T, w *world) {
				w.connection(t, func(c *mapping.Connection) { c.Capabilities = []string{mapping.FilesRead, mapping.FilesWrite} })
			},
			read: ok, propose: ok, apply: vault.CapabilityMissing, next: "writing",
		},
		"pull only": {
			breaks: func(t *testing.T, w *world) { w.set(t, w.mappings.SetPullOnly, true) },
			mends:  func(t *testing.T, w *world) { w.set(t, w.mappings.SetPullOnly, false) },
			read:   ok, propose: ok, apply: vault.PullOnly, next: "--pull-only off",
		},
		"writes off": {
			breaks: func(t *testing.T, w *world) { w.set(t, w.mappings.SetWrites, false) },
			mends:  func(t *testing.T, w *world) { w.set(t, w.mappings.SetWrites, true) },
			read:   ok, propose: ok, apply: vault.WriteNotEnabled, next: "notelatch vault set MAPPING --writes on",
		},
		"driver that cannot write": {
			breaks: func(_ *testing.T, w *world) { w.vault = providers.New(frozen{memory.New(now)}) },
			mends:  func(_ *testing.T, w *world) { w.vault = providers.New(memory.New(now)) },
			read:   ok, propose: ok, apply: vault.CapabilityMissing,
		},
		"encrypted": {
			breaks: func(t *testing.T, w *world) { w.encryption(t, "meld") },
			mends:  func(t *testing.T, w *world) { w.encryption(t, mapping.Unencrypted) },
			read:   ok, propose: ok, apply: vault.EncryptedVault, next: "key",
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, w *world) {
				c := w.caller()
				if tt.scopes != nil {
					c.Scopes = tt.scopes
				}
				if tt.breaks != nil {
					tt.breaks(t, w)
				}
				a := w.authority(tt.options)
				for i, want := range []vault.Code{tt.read, tt.propose, tt.apply} {
					access, err := a.Access(t.Context(), c, w.m.ID, needs[i])
					if want == ok && err != nil || want != ok && !errors.Is(err, want) {
						t.Errorf("Access(%d) = %v, want %q", needs[i], err, want)
					}
					if want == ok {
						// Whatever opens says itself why an apply would be refused.
						if w := access.Writable(); w == nil || w.Code != tt.apply {
							t.Errorf("Writable after Access(%d) = %v, want %q", needs[i], w, tt.apply)
						}
					}
					if next := strings.ReplaceAll(tt.next, "MAPPING", string(w.m.ID)); i == 2 && !strings.Contains(vault.AsError(err).Hint, next) {
						t.Errorf("the hint is %q, want %q in it", vault.AsError(err).Hint, next)
					}
				}
				if tt.mends != nil {
					tt.mends(t, w)
				}
				for _, need := range needs {
					if _, err := w.authority(governance.Options{}).Access(t.Context(), w.caller(), w.m.ID, need); err != nil {
						t.Errorf("mended: Access(%d) = %v", need, err)
					}
				}
			})
		})
	}
}

// The refusals come in the order of the contract: with everything broken, mending one shows the next.
func TestRefusalsHaveAnOrder(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.set(t, w.mappings.SetPullOnly, true)
		w.set(t, w.mappings.SetWrites, false)
		w.connection(t, func(c *mapping.Connection) { c.Capabilities = []string{mapping.FilesRead} })
		w.encryption(t, "meld")
		w.vault = providers.New(frozen{memory.New(now)})
		c, o := w.caller(), governance.Options{WritesDisabled: true}
		c.Scopes = []vault.Scope{vault.ScopeRead}
		for _, step := range []struct {
			want vault.Code
			mend func()
		}{
			{vault.InsufficientScope, func() { c.Scopes = []vault.Scope{vault.ScopeWrite} }},
			{vault.WritesDisabled, func() { o.WritesDisabled = false }},
			{vault.PullOnly, func() { w.set(t, w.mappings.SetPullOnly, false) }},
			{vault.WriteNotEnabled, func() { w.set(t, w.mappings.SetWrites, true) }},
			{vault.CapabilityMissing, func() {
				w.connection(t, func(c *mapping.Connection) { c.Capabilities = []string{mapping.FilesRead, mapping.FilesWrite} })
			}},
			{vault.CapabilityMissing, func() { w.vault = providers.New(memory.New(now)) }},
			{vault.EncryptedVault, func() { w.encryption(t, mapping.Unencrypted) }},
		} {
			access, err := w.authority(o).Access(t.Context(), c, w.m.ID, vault.NeedPropose)
			if err != nil || access.Writable() == nil || access.Writable().Code != step.want {
				t.Errorf("Access to propose = %v; Writable = %v, want %q", err, access.Writable(), step.want)
			}
			if _, err := w.authority(o).Access(t.Context(), c, w.m.ID, vault.NeedApply); !errors.Is(err, step.want) {
				t.Errorf("Access to apply = %v, want %q", err, step.want)
			}
			step.mend()
		}
		if _, err := w.authority(o).Access(t.Context(), c, w.m.ID, vault.NeedApply); err != nil {
			t.Errorf("all mended: Access to apply = %v", err)
		}
	})
}

func TestAFailureToOpenIsTold(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.refuse = vault.Errorf(vault.ProviderUnavailable, "the folder is not there")
		a := w.authority(governance.Options{})
		for _, need := range needs {
			if _, err := a.Access(t.Context(), w.caller(), w.m.ID, need); !errors.Is(err, vault.ProviderUnavailable) {
				t.Errorf("Access(%d) = %v, want provider_unavailable", need, err)
			}
		}
		rows, err := a.List(t.Context(), w.caller())
		if err != nil || len(rows) != 1 || !errors.Is(rows[0].Unavailable, vault.ProviderUnavailable) || rows[0].WriteAccess != governance.WriteNone {
			t.Errorf("List = %+v, %v; want one row that is not available", rows, err)
		}
	})
}

func BenchmarkAccess(b *testing.B) {
	for _, open := range []struct {
		name string
		db   func(testing.TB) *sqldb.DB
	}{{sqldb.SQLite, sqldbtest.Open}, {sqldb.Postgres, sqldbtest.OpenPostgres}} {
		b.Run(open.name, func(b *testing.B) {
			w := newWorld(b, open.db(b))
			a := w.authority(governance.Options{})
			for b.Loop() {
				if _, err := a.Access(b.Context(), w.caller(), w.m.ID, vault.NeedApply); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
