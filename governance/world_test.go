package governance_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/notelatch/notelatch/governance"
	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/memory"
	"github.com/notelatch/notelatch/vault"
)

func now() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// world is a database with two accounts and a vault, and what opening vaults came to.
type world struct {
	db       *sqldb.DB
	accounts *account.Store
	mappings *mapping.Store
	owner    account.Account
	other    account.Account
	m        mapping.Mapping // the owner's folder, writes on

	vault  *providers.Vault
	opened int
	refuse error
}

func newWorld(t testing.TB, db *sqldb.DB) *world {
	t.Helper()
	w := &world{db: db, accounts: account.New(db, now, rand.Reader), mappings: mapping.New(db, now, rand.Reader), vault: providers.New(memory.New(now))}
	var err error
	if w.owner, err = w.accounts.EnsureOwner(t.Context(), "Owner"); err != nil {
		t.Fatal(err)
	}
	if w.other, err = w.accounts.Create(t.Context(), "Other"); err != nil {
		t.Fatal(err)
	}
	w.m = w.create(t, mapping.NewMapping{Account: w.owner.ID, Name: "Notes", Provider: mapping.Folder, Root: "/notes"})
	if err := w.mappings.SetWrites(t.Context(), w.owner.ID, w.m.ID, true); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) create(t testing.TB, n mapping.NewMapping) mapping.Mapping {
	t.Helper()
	m, err := w.mappings.Create(t.Context(), n)
	if err != nil {
		t.Fatalf("Create(%+v): %v", n, err)
	}
	return m
}

func (w *world) authority(o governance.Options) *governance.Authority {
	return governance.New(w.accounts, w.mappings, func(context.Context, mapping.Mapping, mapping.Connection) (*providers.Vault, error) {
		w.opened++
		return w.vault, w.refuse
	}, o)
}

func (w *world) caller() vault.Caller {
	return vault.Caller{Account: w.owner.ID, Client: "Codex", Token: "tok_1", Door: "mcp", Scopes: []vault.Scope{vault.ScopeWrite}}
}

// connection changes the connection of w.m.
func (w *world) connection(t *testing.T, change func(*mapping.Connection)) {
	t.Helper()
	j, err := w.mappings.Joined(t.Context(), w.owner.ID, w.m.ID)
	if err != nil {
		t.Fatal(err)
	}
	change(&j.Connection)
	if _, err := w.mappings.SaveConnection(t.Context(), j.Connection); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, fn func(t *testing.T, w *world)) {
	t.Helper()
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) { fn(t, newWorld(t, db)) })
}

func (w *world) status(t *testing.T, s account.Status) {
	t.Helper()
	if err := w.accounts.SetStatus(t.Context(), w.owner.ID, s); err != nil {
		t.Fatal(err)
	}
}

func (w *world) set(t *testing.T, how func(context.Context, string, mapping.ID, bool) error, on bool) {
	t.Helper()
	if err := how(t.Context(), w.owner.ID, w.m.ID, on); err != nil {
		t.Fatal(err)
	}
}

func (w *world) encryption(t *testing.T, kind string) {
	t.Helper()
	if _, err := w.db.Exec(t.Context(), `
		UPDATE mappings
		SET encryption = ?
		WHERE id = ?`, kind, string(w.m.ID)); err != nil {
		t.Fatal(err)
	}
}

// frozen is a driver that cannot write.
type frozen struct{ *memory.Driver }

func (f frozen) Capabilities() providers.Capabilities {
	c := f.Driver.Capabilities()
	c.Write = false
	return c
}
