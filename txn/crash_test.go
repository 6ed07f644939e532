package txn_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/folder"
	"github.com/notelatch/notelatch/providers/hosted"
	"github.com/notelatch/notelatch/providers/memory"
	"github.com/notelatch/notelatch/txn"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

// killed is what a crash is here: a panic that goes through the service at a step, after which nothing of that process does anything.
type killed struct{ step string }

// killer counts the steps of a process and kills it at one of them.
type killer struct {
	at    int // 0 never
	count int
	steps []string
}

func (k *killer) step(name string) {
	k.count++
	k.steps = append(k.steps, name)
	if k.at > 0 && k.count >= k.at {
		panic(killed{name})
	}
}

// mortal is a journal whose process is killed before or after a write.
type mortal struct {
	txn.Journal
	k *killer
}

func (m mortal) Reserve(ctx context.Context, r txn.Record) (txn.Record, bool, error) {
	m.k.step("before reserve")
	held, mine, err := m.Journal.Reserve(ctx, r)
	m.k.step("after reserve")
	return held, mine, err
}

func (m mortal) Save(ctx context.Context, r txn.Record) (txn.Record, error) {
	m.k.step("before save " + string(r.State))
	saved, err := m.Journal.Save(ctx, r)
	m.k.step("after save " + string(r.State))
	return saved, err
}

func (m mortal) Finish(ctx context.Context, r txn.Record, evs []events.Event) (txn.Record, error) {
	m.k.step("before finish")
	done, err := m.Journal.Finish(ctx, r, evs)
	m.k.step("after finish")
	return done, err
}

// run runs fn as a process that k kills, and returns the step at which it died.
func run(k *killer, fn func()) (died string) {
	defer func() {
		if r := recover(); r != nil {
			dead, ok := r.(killed)
			if !ok {
				panic(r)
			}
			died = dead.step
		}
	}()
	fn()
	return ""
}

// places are the vaults that the crash test runs on.
func places(db *sqldb.DB) map[string]func(t *testing.T) providers.Driver {
	now := func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }
	return map[string]func(t *testing.T) providers.Driver{
		"memory": func(*testing.T) providers.Driver { return memory.New(now) },
		"blind":  func(*testing.T) providers.Driver { return blind{memory.New(now)} },
		"hosted": func(t *testing.T) providers.Driver {
			n := 0
			id, err := hosted.Create(t.Context(), db, now, func() string { return "vault" + t.Name() })
			if err != nil {
				t.Fatal(err)
			}
			return hosted.Open(db, id, now, func() string { n++; return fmt.Sprintf("%s/%d", t.Name(), n) })
		},
		"folder": func(t *testing.T) providers.Driver {
			dir, err := os.MkdirTemp(t.TempDir(), "vault")
			if err != nil {
				t.Fatal(err)
			}
			d, err := folder.Open(t.Context(), dir, now)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			})
			return d
		},
	}
}

// crash is one transaction that is to survive: the notes before and after it.
type crash struct {
	actions func(revision vault.Revision) []plan.Action // on a.md, which holds "one\n"
	after   map[vault.Path]string
	several bool // needs a vault that is atomic
}

var crashes = map[string]crash{
	"append": {actions: func(vault.Revision) []plan.Action { return []plan.Action{add("a.md", "two")} }, after: map[vault.Path]string{"a.md": "one\ntwo\n"}},
	"create": {actions: func(vault.Revision) []plan.Action {
		return []plan.Action{{Kind: plan.Create, Path: "b.md", Content: text("new\n")}}
	}, after: map[vault.Path]string{"a.md": "one\n", "b.md": "new\n"}},
	"replace": {actions: func(r vault.Revision) []plan.Action {
		return []plan.Action{{Kind: plan.Replace, Path: "a.md", Content: text("other\n"), ExpectedRevision: r}}
	}, after: map[vault.Path]string{"a.md": "other\n"}},
	"delete": {actions: func(r vault.Revision) []plan.Action {
		return []plan.Action{{Kind: plan.Delete, Path: "a.md", ExpectedRevision: r}}
	}, after: map[vault.Path]string{"a.md": "(none)"}},
	"batch": {actions: func(r vault.Revision) []plan.Action {
		return []plan.Action{{Kind: plan.Delete, Path: "a.md", ExpectedRevision: r}, {Kind: plan.Create, Path: "b.md", Content: text("new\n")},
			{Kind: plan.CreateOrAppend, Path: "c.md", Content: text("log\n")}}
	}, after: map[vault.Path]string{"a.md": "(none)", "b.md": "new\n", "c.md": "log\n"}, several: true},
}

func TestCrash(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		for place, open := range places(db) {
			for name, c := range crashes {
				if c.several && (place == "folder" || place == "blind") {
					continue
				}
				t.Run(place+" "+name, func(t *testing.T) { c.everywhere(t, db, open) })
			}
		}
	})
}

// everywhere kills the transaction at its first step, at its second, and so on until it lives.
func (c crash) everywhere(t *testing.T, db *sqldb.DB, open func(t *testing.T) providers.Driver) {
	seen := make(map[string]bool)
	for at := 1; ; at++ {
		lived := false
		t.Run(fmt.Sprintf("step %d", at), func(t *testing.T) {
			step := c.once(t, newWorld(t, db, open(t)), at)
			lived = step == ""
			seen[step] = true
		})
		if lived || t.Failed() || at > 50 {
			break
		}
	}
	for _, step := range []string{
		"before reserve", "after reserve", "before save applying", "after save applying", "before write", "after write", "before finish", "after finish", "",
	} {
		if !seen[step] {
			t.Errorf("no process was killed at %q; there were %q", step, slices.Sorted(maps.Keys(seen)))
		}
	}
}

// once kills one process at a step, starts another, and looks at what there is. It returns the step.
func (c crash) once(t *testing.T, w *world, at int) (died string) {
	actions := c.actions(w.write(t, "a.md", "one\n"))
	before := make(map[vault.Path]string)
	for p := range c.after {
		before[p] = w.note(t, p)
	}
	k := &killer{at: at}
	mortalService := w.serve(mortal{w.journal, k}, "doomed")
	w.driver.Before = func([]providers.Change) error { k.step("before write"); return nil }
	w.driver.After = func([]providers.Change) error { k.step("after write"); return nil }
	access := w.access(t, w.caller(), vault.NeedApply)
	request := plan.Request{Actions: actions, Key: "key-12345", Tool: "test"}
	died = run(k, func() {
		if _, err := mortalService.Apply(t.Context(), access, request); err != nil {
			t.Errorf("Apply: %v", err)
		}
	})
	if at <= len(k.steps) && died != k.steps[len(k.steps)-1] {
		t.Fatalf("the process was to die at step %d of %q, and died at %q", at, k.steps, died)
	}

	// A new process, on the same database and vault.
	w.count()
	w.restart(t)
	if err := w.service.Reconcile(t.Context()); err != nil {
		t.Fatalf("Reconcile: %v", err)
	}
	whole, absent := w.holds(t, c.after), w.holds(t, before)
	if !whole && !absent {
		t.Errorf("killed at %q, the notes are neither whole nor absent", died)
	}
	evs := len(w.events(t))
	if whole != (evs > 0) || absent != (evs == 0) {
		t.Errorf("killed at %q: whole %v, absent %v, %d events", died, whole, absent, evs)
	}
	if open, err := w.journal.Open(t.Context(), w.clock.now().Add(time.Hour)); err != nil || len(open) > 0 {
		t.Errorf("killed at %q, %d transactions stay open: %+v, %v", died, len(open), open, err)
	}

	o, err := w.service.Apply(t.Context(), access, request)
	if err != nil || o.Status != plan.StatusApplied || o.Replayed != whole {
		t.Errorf("killed at %q, the same call answers %+v, %v; it had landed: %v", died, o, err, whole)
	}
	if !w.holds(t, c.after) {
		t.Errorf("killed at %q, after the same call the notes are not as wanted", died)
	}
	changes := len(w.events(t))
	w.reads, w.writes = 0, 0
	if o, err := w.service.Apply(t.Context(), access, request); err != nil || !o.Replayed || w.reads+w.writes > 0 {
		t.Errorf("killed at %q, a third call answers %+v, %v, after %d reads and %d writes", died, o, err, w.reads, w.writes)
	}
	if n := len(w.events(t)); n != changes || n != c.changes(before) {
		t.Errorf("killed at %q, there are %d events for %d changed notes", died, n, c.changes(before))
	}
	return died
}

func (c crash) changes(before map[vault.Path]string) (n int) {
	for p, want := range c.after {
		if before[p] != want {
			n++
		}
	}
	return n
}

func (w *world) holds(t *testing.T, notes map[vault.Path]string) bool {
	for p, want := range notes {
		if w.note(t, p) != want {
			return false
		}
	}
	return true
}

// TestCrashThenAnotherClient: what a crash left is settled by the next call with the key, too, and not only in the background.
func TestCrashThenTheNextCallSettles(t *testing.T) {
	for _, step := range []string{"after reserve", "after save applying", "before write", "after write", "before finish"} {
		t.Run(step, func(t *testing.T) {
			w := newWorld(t, sqldbtest.Open(t), nil)
			w.write(t, "a.md", "one\n")
			k := &killer{}
			doomed := w.serve(mortal{w.journal, k}, "doomed")
			k.at = 1 + slices.Index([]string{"before reserve", "after reserve", "before save applying", "after save applying", "before write", "after write", "before finish"}, step)
			w.driver.Before = func([]providers.Change) error { k.step("before write"); return nil }
			w.driver.After = func([]providers.Change) error { k.step("after write"); return nil }
			access := w.access(t, w.caller(), vault.NeedApply)
			request := plan.Request{Actions: []plan.Action{add("a.md", "two")}, Key: "key-12345", Tool: "test"}
			died := run(k, func() { _, _ = doomed.Apply(t.Context(), access, request) })
			if died != step {
				t.Fatalf("died at %q", died)
			}
			w.count()
			other := w.serve(w.journal, "another")
			if _, err := other.Apply(t.Context(), access, request); vault.AsError(err).Code != vault.KeyInProgress {
				t.Errorf("while the lease lives: %v, want %v", err, vault.KeyInProgress)
			}
			w.clock.move(11 * time.Second)
			if o, err := other.Apply(t.Context(), access, request); err != nil || o.Status != plan.StatusApplied {
				t.Errorf("after the lease: %+v, %v", o, err)
			}
			if w.note(t, "a.md") != "one\ntwo\n" || len(w.events(t)) != 1 {
				t.Errorf("the note holds %q, %d events", w.note(t, "a.md"), len(w.events(t)))
			}
		})
	}
}

// TestStaleHolder: a process that was only slow finds its record taken over, and adds nothing.
func TestStaleHolder(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, nil)
		w.write(t, "a.md", "one\n")
		other := w.serve(w.journal, "another")
		w.driver.After = func([]providers.Change) error {
			w.driver.After = nil
			w.clock.move(11 * time.Second)
			return other.Reconcile(t.Context())
		}
		_, err := w.apply(t, "key-12345", add("a.md", "two"))
		if vault.AsError(err).Code != vault.KeyInProgress {
			t.Errorf("the slow one: %v, want %v", err, vault.KeyInProgress)
		}
		if o, err := w.apply(t, "key-12345", add("a.md", "two")); err != nil || !o.Replayed {
			t.Errorf("its next call: %+v, %v", o, err)
		}
		if w.note(t, "a.md") != "one\ntwo\n" || len(w.events(t)) != 1 {
			t.Errorf("the note holds %q, %d events", w.note(t, "a.md"), len(w.events(t)))
		}
	})
}
