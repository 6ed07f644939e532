package txn_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/notelatch/notelatch/governance"
	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/memory"
	"github.com/notelatch/notelatch/providers/providertest"
	"github.com/notelatch/notelatch/txn"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex // guards at
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// world is a database with an account, and one vault in it, as a running server has them.
type world struct {
	db        *sqldb.DB
	clock     *clock
	log       *events.Log
	mappings  *mapping.Store
	owner     account.Account
	m         mapping.Mapping
	driver    *providertest.Faulty
	vault     *providers.Vault
	authority *governance.Authority
	journal   txn.Journal
	service   *txn.Service
	logged    lines
	runs      int
	reads     int // of notes, by the provider
	writes    int
}

// lines is what an operator sees.
type lines struct {
	mu  sync.Mutex // guards all
	all []string
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(line))
	return len(line), nil
}

// about are the lines since the last time that hold a word.
func (l *lines) about(word string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.all {
		if strings.Contains(line, word) {
			found = append(found, line)
		}
	}
	l.all = nil
	return found
}

var (
	mu    sync.Mutex // guards roots
	roots int
)

// newWorld makes a vault over a driver, which is memory if it is nil. Several worlds can share a database.
func newWorld(t testing.TB, db *sqldb.DB, driver providers.Driver) *world {
	t.Helper()
	w := &world{db: db, clock: &clock{at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}}
	if driver == nil {
		driver = memory.New(w.clock.now)
	}
	accounts := account.New(db, w.clock.now, rand.Reader)
	w.mappings = mapping.New(db, w.clock.now, rand.Reader)
	w.log = events.New(db, rand.Reader)
	var err error
	if w.owner, err = accounts.EnsureOwner(t.Context(), "Owner"); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	roots++
	root := fmt.Sprintf("/vaults/%d", roots)
	mu.Unlock()
	if w.m, err = w.mappings.Create(t.Context(), mapping.NewMapping{Account: w.owner.ID, Name: "Notes", Provider: mapping.Hosted, Root: root}); err != nil {
		t.Fatal(err)
	}
	w.driver = &providertest.Faulty{Driver: driver}
	w.vault = providers.New(w.driver)
	w.authority = governance.New(accounts, w.mappings, func(context.Context, mapping.Mapping, mapping.Connection) (*providers.Vault, error) {
		return w.vault, nil
	}, governance.Options{})
	w.journal = txn.NewSQLJournal(db, w.log)
	w.count()
	w.restart(t)
	return w
}

// count lets the provider work, and counts what it is asked for.
func (w *world) count() {
	w.driver.Before = func([]providers.Change) error { w.writes++; return nil }
	w.driver.After = nil
	w.driver.Reading = func(vault.Path) error { w.reads++; return nil }
}

// restart makes a new service over the same state, as a new process does.
func (w *world) restart(t testing.TB) {
	t.Helper()
	w.runs++
	w.service = w.serve(w.journal, fmt.Sprintf("run %d", w.runs))
	if err := w.service.Start(t.Context()); err != nil {
		t.Fatalf("Start: %v", err)
	}
}

func (w *world) serve(j txn.Journal, run string) *txn.Service {
	open := func(_ context.Context, account, id string) (*providers.Vault, error) {
		if account != w.owner.ID || id != string(w.m.ID) {
			return nil, fmt.Errorf("the service asked for vault %s of %s", id, account)
		}
		return w.vault, nil
	}
	return txn.New(j, open, txn.Holder{Instance: "test", Run: run}, w.clock.now, rand.Reader, slog.New(slog.NewTextHandler(&w.logged, nil)))
}

func (w *world) caller() vault.Caller {
	return vault.Caller{Account: w.owner.ID, Client: "Codex", Token: "tok_1", Door: "mcp", Scopes: []vault.Scope{vault.ScopeWrite}}
}

func (w *world) access(t testing.TB, c vault.Caller, need vault.Need) governance.Access {
	t.Helper()
	a, err := w.authority.Access(t.Context(), c, w.m.ID, need)
	if err != nil {
		t.Fatalf("Access: %v", err)
	}
	return a
}

func (w *world) preview(t testing.TB, actions ...plan.Action) (plan.Outcome, error) {
	t.Helper()
	return w.service.Preview(t.Context(), w.access(t, w.caller(), vault.NeedPropose), plan.Request{Actions: actions, Tool: "test"})
}

func (w *world) apply(t testing.TB, key string, actions ...plan.Action) (plan.Outcome, error) {
	t.Helper()
	return w.service.Apply(t.Context(), w.access(t, w.caller(), vault.NeedApply), plan.Request{Actions: actions, Key: key, Tool: "test"})
}

func (w *world) applyPreview(t testing.TB, id string, paths ...vault.Path) (plan.Outcome, error) {
	t.Helper()
	return w.service.Apply(t.Context(), w.access(t, w.caller(), vault.NeedApply), plan.Request{Transaction: id, Paths: paths, Tool: "test"})
}

// write stores a note past the service, as an editor does.
func (w *world) write(t testing.TB, p vault.Path, body string) vault.Revision {
	t.Helper()
	pre := vault.MustBeAbsent()
	if f, err := w.driver.Driver.Read(t.Context(), p); err == nil {
		pre = vault.MustBe(f.Revision)
	}
	e, err := w.driver.Driver.Write(t.Context(), providers.Change{Path: p, Body: []byte(body), Pre: pre, Attempt: providers.Attempt{Transaction: "editor" + rand.Text()}})
	if err != nil {
		t.Fatalf("write %s: %v", p, err)
	}
	return e.Revision
}

// note is what is stored, or "(none)".
func (w *world) note(t testing.TB, p vault.Path) string {
	t.Helper()
	f, err := w.driver.Driver.Read(t.Context(), p)
	if err != nil {
		return "(none)"
	}
	return string(f.Body)
}

// events are the events about the vault, after the chain was verified.
func (w *world) events(t testing.TB) []events.Event {
	t.Helper()
	if _, err := w.log.Verify(t.Context(), w.owner.ID); err != nil {
		t.Errorf("the chain of events is broken: %v", err)
	}
	evs, err := w.log.List(t.Context(), w.owner.ID, string(w.m.ID), events.Filter{Kinds: []events.Kind{events.NoteCreated, events.NoteChanged, events.NoteDeleted}})
	if err != nil {
		t.Fatal(err)
	}
	return evs
}

func text(s string) *string { return &s }

func add(p, s string) plan.Action { return plan.Action{Kind: plan.Append, Path: p, Content: text(s)} }
