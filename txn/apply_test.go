package txn_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/txn"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

func TestReplayAsksNoProvider(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, nil)
		w.write(t, "a.md", "one\n")
		first, err := w.apply(t, "key-12345", add("a.md", "two"))
		if err != nil || first.Status != plan.StatusApplied || first.Replayed || first.Summary != "Written: 1 note." {
			t.Fatalf("Apply = %+v, %v", first, err)
		}
		if w.reads == 0 || w.writes != 1 {
			t.Errorf("the provider was read %d times and written %d times", w.reads, w.writes)
		}
		w.reads, w.writes = 0, 0
		w.restart(t)
		again, err := w.apply(t, "key-12345", add("a.md", "two"))
		if err != nil || !again.Replayed || w.reads+w.writes != 0 {
			t.Errorf("again = %+v, %v, after %d reads and %d writes", again, err, w.reads, w.writes)
		}
		again.Replayed = false
		if d := cmp.Diff(first, again, cmpopts.EquateApproxTime(time.Millisecond)); d != "" {
			t.Errorf("the stored result differs (-first +again):\n%s", d)
		}
		if _, err := w.apply(t, "key-12345", add("a.md", "three")); !errors.Is(err, vault.KeyReused) {
			t.Errorf("another request with the key: %v, want %v", err, vault.KeyReused)
		}
		if _, err := w.apply(t, "key-12346", add("a.md", "three")); err != nil {
			t.Errorf("another request with its own key: %v", err)
		}
		if got := w.note(t, "a.md"); got != "one\ntwo\nthree\n" {
			t.Errorf("the note holds %q", got)
		}
	})
}

func TestKeysOfTwoVaultsAreIndependent(t *testing.T) {
	db := sqldbtest.Open(t)
	for range 2 {
		w := newWorld(t, db, nil)
		w.write(t, "a.md", "one\n")
		if o, err := w.apply(t, "key-12345", add("a.md", "two")); err != nil || o.Replayed || w.note(t, "a.md") != "one\ntwo\n" {
			t.Errorf("Apply = %+v, %v", o, err)
		}
	}
}

func TestApplyForms(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.write(t, "a.md", "one\n")
	access := w.access(t, w.caller(), vault.NeedApply)
	one := []plan.Action{add("a.md", "x")}
	for _, tt := range []struct {
		name string
		r    plan.Request
		want vault.Code
	}{
		{"nothing", plan.Request{}, vault.InvalidArgument},
		{"no key", plan.Request{Actions: one}, vault.KeyRequired},
		{"a short key", plan.Request{Actions: one, Key: "1234567"}, vault.InvalidArgument},
		{"a long key", plan.Request{Actions: one, Key: strings.Repeat("k", 129)}, vault.InvalidArgument},
		{"a key with a blank", plan.Request{Actions: one, Key: "1234 5678"}, vault.InvalidArgument},
		{"a key that is not ASCII", plan.Request{Actions: one, Key: "1234567ü"}, vault.InvalidArgument},
		{"both forms", plan.Request{Actions: one, Key: "12345678", Transaction: "txn_x", Paths: []vault.Path{"a.md"}}, vault.InvalidArgument},
		{"a preview without paths", plan.Request{Transaction: "txn_x"}, vault.InvalidArgument},
		{"too many actions, told before the key", plan.Request{Actions: make([]plan.Action, 101)}, vault.TooManyActions},
		{"a bad path, told before the key", plan.Request{Actions: []plan.Action{add("../a.md", "x")}}, vault.InvalidArgument},
		{"a replace without a revision", plan.Request{Actions: []plan.Action{{Kind: plan.Replace, Path: "a.md", Content: text("x")}}, Key: "12345678"}, vault.InvalidArgument},
		{"a long reason", plan.Request{Actions: one, Key: "12345678", Reason: strings.Repeat("r", 1001)}, vault.InvalidArgument},
	} {
		if _, err := w.service.Apply(t.Context(), access, tt.r); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if w.writes != 0 || len(w.events(t)) != 0 {
		t.Errorf("%d writes, %d events", w.writes, len(w.events(t)))
	}
	for _, key := range []string{"12345678", strings.Repeat("k", 128)} {
		if _, err := w.apply(t, key, one...); err != nil {
			t.Errorf("the key %q: %v", key, err)
		}
	}
}

func TestUnchangedWritesNothing(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	r := w.write(t, "a.md", "one\n")
	same := plan.Action{Kind: plan.Replace, Path: "a.md", Content: text("one\n"), ExpectedRevision: r}
	o, err := w.apply(t, "key-12345", same)
	if err != nil || o.Status != plan.StatusUnchanged || o.Actions[0].Effect != plan.EffectUnchanged || w.writes != 0 || len(w.events(t)) != 0 {
		t.Errorf("Apply = %+v, %v, %d writes", o, err, w.writes)
	}
	if again, err := w.apply(t, "key-12345", same); err != nil || !again.Replayed {
		t.Errorf("again = %+v, %v", again, err)
	}
}

func TestEveryKindOfAction(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, nil)
		r := w.write(t, "old.md", "to go\n")
		r2 := w.write(t, "text.md", "some text\n")
		o, err := w.apply(t, "key-12345",
			plan.Action{Kind: plan.Create, Path: "new.md", Content: text("x\n"), Properties: map[string]any{"k": "v"}},
			add("new.md", "y"),
			plan.Action{Kind: plan.CreateOrAppend, Path: "log.md", Content: text("entry\n")},
			plan.Action{Kind: plan.Replace, Path: "text.md", Content: text("other text\n"), ExpectedRevision: r2},
			plan.Action{Kind: plan.Delete, Path: "old.md", ExpectedRevision: r})
		if err != nil || o.Summary != "Written: 4 notes." {
			t.Fatalf("Apply = %+v, %v", o, err)
		}
		for p, want := range map[vault.Path]string{"new.md": "---\nk: v\n---\nx\ny\n", "log.md": "entry\n", "text.md": "other text\n", "old.md": "(none)"} {
			if got := w.note(t, p); got != want {
				t.Errorf("%s holds %q, want %q", p, got, want)
			}
		}
		var kinds []events.Kind
		for _, e := range w.events(t) {
			kinds = append(kinds, e.Kind)
		}
		if d := cmp.Diff([]events.Kind{events.NoteDeleted, events.NoteChanged, events.NoteCreated, events.NoteCreated}, kinds); d != "" {
			t.Errorf("events, newest first (-want +got):\n%s", d)
		}
		if o.Actions[0].After.Revision != "" || o.Actions[1].After.Revision == "" || o.Actions[4].After != nil {
			t.Errorf("only the last action on a note has its revision: %+v", o.Actions)
		}
	})
}

func TestBatchIsAllOrNone(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.write(t, "a.md", "a\n")
	w.driver.Before = func([]providers.Change) error { // an editor is faster than the provider
		w.driver.Before = nil
		w.write(t, "new.md", "editor\n")
		return nil
	}
	create := plan.Action{Kind: plan.Create, Path: "new.md", Content: text("x\n")}
	if _, err := w.apply(t, "key-12345", add("a.md", "x"), create); !errors.Is(err, vault.AlreadyExists) {
		t.Errorf("Apply = %v, want %v", err, vault.AlreadyExists)
	}
	if w.note(t, "a.md") != "a\n" || w.note(t, "new.md") != "editor\n" || len(w.events(t)) != 0 {
		t.Errorf("a.md holds %q, new.md %q", w.note(t, "a.md"), w.note(t, "new.md"))
	}
	create.Path = "free.md"
	if _, err := w.apply(t, "key-12345", add("a.md", "x"), create); err != nil || w.note(t, "a.md") != "a\nx\n" || w.note(t, "free.md") != "x\n" {
		t.Errorf("with a free path: %v", err)
	}
}

func TestEditorBetweenPlanAndWrite(t *testing.T) {
	t.Run("an addition goes onto the editor's text", func(t *testing.T) {
		w := newWorld(t, sqldbtest.Open(t), nil)
		w.write(t, "a.md", "one\n")
		saves := 0
		w.driver.Before = func([]providers.Change) error {
			if saves++; saves <= 3 {
				w.write(t, "a.md", w.note(t, "a.md")+"editor\n")
			}
			return nil
		}
		o, err := w.apply(t, "key-12345", add("a.md", "two"))
		if err != nil || !o.Actions[0].Rebased || w.note(t, "a.md") != "one\neditor\neditor\neditor\ntwo\n" {
			t.Errorf("Apply = %+v, %v, the note holds %q", o, err, w.note(t, "a.md"))
		}
	})
	t.Run("a replacement does not", func(t *testing.T) {
		w := newWorld(t, sqldbtest.Open(t), nil)
		r := w.write(t, "a.md", "one\n")
		w.driver.Before = func([]providers.Change) error { w.driver.Before = nil; w.write(t, "a.md", "editor\n"); return nil }
		_, err := w.apply(t, "key-12345", plan.Action{Kind: plan.Replace, Path: "a.md", Content: text("mine\n"), ExpectedRevision: r})
		e := vault.AsError(err)
		if e.Code != vault.RevisionConflict || e.Details["preview"] == nil || w.note(t, "a.md") != "editor\n" || len(w.events(t)) != 0 {
			t.Errorf("Apply = %+v, the note holds %q", e, w.note(t, "a.md"))
		}
	})
	t.Run("an editor that never stops is a conflict", func(t *testing.T) {
		w := newWorld(t, sqldbtest.Open(t), nil)
		w.write(t, "a.md", "one\n")
		w.driver.Before = func([]providers.Change) error { w.write(t, "a.md", w.note(t, "a.md")+"e\n"); return nil }
		if _, err := w.apply(t, "key-12345", add("a.md", "two")); !errors.Is(err, vault.RevisionConflict) {
			t.Errorf("Apply = %v, want %v", err, vault.RevisionConflict)
		}
		if strings.Contains(w.note(t, "a.md"), "two") {
			t.Errorf("the note holds %q", w.note(t, "a.md"))
		}
	})
}

var errLost = errors.New("the connection broke")

func TestLostAnswer(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after int // how many attempts fail there
		editor        bool
		driver        func(providers.Driver) providers.Driver
		want          string
		err           error
	}{
		{name: "of a write that landed", after: 1, want: "one\ntwo\n"},
		{name: "of a write that did not", before: 1, want: "one\ntwo\n"},
		{name: "of two writes that did not", before: 2, want: "one\ntwo\n"},
		{name: "of every write", before: 99, want: "one\n", err: vault.ProviderUnavailable},
		{name: "of every write far away", before: 99, want: "one\n", driver: func(d providers.Driver) providers.Driver { return far{d} }, err: vault.OutcomeUnknown},
		{name: "of a write that landed, and was written over", after: 1, editor: true, want: "one\ntwo\neditor\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, sqldbtest.Open(t), nil)
			w.write(t, "a.md", "one\n")
			if tt.driver != nil {
				w.driver.Driver = tt.driver(w.driver.Driver)
				w.vault = providers.New(w.driver)
			}
			w.driver.Before = func([]providers.Change) error {
				if tt.before--; tt.before >= 0 {
					return errLost
				}
				return nil
			}
			w.driver.After = func([]providers.Change) error {
				if tt.editor {
					w.driver.After = nil
					w.write(t, "a.md", w.note(t, "a.md")+"editor\n")
				}
				if tt.after--; tt.after >= 0 {
					return errLost
				}
				return nil
			}
			_, err := w.apply(t, "key-12345", add("a.md", "two"))
			if !errors.Is(err, tt.err) || w.note(t, "a.md") != tt.want {
				t.Fatalf("Apply = %v, the note holds %q, want %v and %q", err, w.note(t, "a.md"), tt.err, tt.want)
			}
			if tt.err == nil {
				if n := len(w.events(t)); n != 1 {
					t.Errorf("%d events", n)
				}
				return
			}
			// Once the provider is back, the same call settles it.
			w.count()
			o, err := w.apply(t, "key-12345", add("a.md", "two"))
			if err != nil || o.Status != plan.StatusApplied || w.note(t, "a.md") != "one\ntwo\n" || len(w.events(t)) != 1 {
				t.Errorf("Apply afterwards = %+v, %v, the note holds %q", o, err, w.note(t, "a.md"))
			}
		})
	}
}

// far is a driver whose writes may still be under way when their answer is lost.
type far struct{ providers.Driver }

func (f far) Capabilities() providers.Capabilities {
	c := f.Driver.Capabilities()
	c.Live = false
	return c
}

// TestContested: the answer is lost, an editor saves, and nobody can tell from the note whether ours was there before.
func TestContested(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.write(t, "a.md", "one\n")
	w.driver.Driver = blind{w.driver.Driver}
	w.driver.After = func([]providers.Change) error {
		w.driver.After = nil
		w.write(t, "a.md", "one\neditor\n")
		w.driver.Reading = func(vault.Path) error { return errLost }
		return errLost
	}
	if _, err := w.apply(t, "key-12345", add("a.md", "two")); !errors.Is(err, vault.OutcomeUnknown) {
		t.Fatalf("Apply = %v, want %v", err, vault.OutcomeUnknown)
	}
	w.count()
	w.writes = 0
	if err := w.service.Reconcile(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := w.apply(t, "key-12345", add("a.md", "two"))
	e := vault.AsError(err)
	if e.Code != vault.RevisionConflict || e.Details["preview"] != nil || w.writes != 0 || w.note(t, "a.md") != "one\neditor\n" || len(w.events(t)) != 0 {
		t.Errorf("the next call = %+v, %d writes, the note holds %q", e, w.writes, w.note(t, "a.md"))
	}
	if _, err := w.apply(t, "key-12345", add("a.md", "two")); err != nil || w.note(t, "a.md") != "one\neditor\ntwo\n" {
		t.Errorf("sent again knowingly: %v, the note holds %q", err, w.note(t, "a.md"))
	}
}

func TestLostAnswerIsReconciledInTheBackground(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.write(t, "a.md", "one\n")
	w.driver.After = func([]providers.Change) error {
		w.driver.Reading = func(vault.Path) error { return errLost }
		return errLost
	}
	w.driver.Driver = blind{w.driver.Driver}
	_, err := w.apply(t, "key-12345", add("a.md", "two"))
	if !errors.Is(err, vault.OutcomeUnknown) || len(w.events(t)) != 0 {
		t.Fatalf("Apply = %v, want %v", err, vault.OutcomeUnknown)
	}
	w.count()
	w.writes = 0
	if err := w.service.Reconcile(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w.note(t, "a.md") != "one\ntwo\n" || len(w.events(t)) != 1 || w.writes != 0 {
		t.Errorf("the note holds %q, %d events, %d writes", w.note(t, "a.md"), len(w.events(t)), w.writes)
	}
	if o, err := w.apply(t, "key-12345", add("a.md", "two")); err != nil || !o.Replayed {
		t.Errorf("Apply afterwards = %+v, %v", o, err)
	}
}

// blind is a driver that knows no attempts, so that what is stored is all the evidence.
type blind struct{ providers.Driver }

func TestManyCallsWithOneKey(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, nil)
		w.driver.Before, w.driver.Reading = nil, nil // the counters are not for parallel calls
		w.write(t, "a.md", "one\n")
		second := w.serve(w.journal, "another process")
		var (
			wg      sync.WaitGroup
			mu      sync.Mutex
			answers = make(map[string]int)
			fresh   int
		)
		access := w.access(t, w.caller(), vault.NeedApply)
		for i := range 50 {
			s := w.service
			if i%2 == 0 {
				s = second
			}
			wg.Go(func() {
				o, err := s.Apply(t.Context(), access, plan.Request{Actions: []plan.Action{add("a.md", "two")}, Key: "key-12345"})
				for errors.Is(err, vault.KeyInProgress) {
					o, err = s.Apply(t.Context(), access, plan.Request{Actions: []plan.Action{add("a.md", "two")}, Key: "key-12345"})
				}
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Errorf("Apply: %v", err)
					return
				}
				if !o.Replayed {
					fresh++
				}
				answers[o.Transaction+" "+o.Receipt.EventHash+" "+string(o.Actions[0].After.Revision)]++
			})
		}
		wg.Wait()
		if w.note(t, "a.md") != "one\ntwo\n" || len(w.events(t)) != 1 || len(answers) != 1 || fresh != 1 {
			t.Errorf("the note holds %q, %d events, answers %v, %d fresh", w.note(t, "a.md"), len(w.events(t)), answers, fresh)
		}
	})
}

func TestManyWritersOfOneNote(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.driver.Before, w.driver.Reading = nil, nil
	w.write(t, "a.md", "0\n")
	access := w.access(t, w.caller(), vault.NeedApply)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if _, err := w.service.Apply(t.Context(), access, plan.Request{Actions: []plan.Action{add("a.md", "x")}, Key: fmt.Sprintf("key-12345-%d", i)}); err != nil {
				t.Errorf("Apply: %v", err)
			}
		})
	}
	wg.Wait()
	if got := strings.Count(w.note(t, "a.md"), "x\n"); got != 40 || len(w.events(t)) != 40 {
		t.Errorf("%d of 40 additions are there, %d events", got, len(w.events(t)))
	}
}

func TestCancelledWhileAnotherWrites(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.write(t, "a.md", "one\n")
	w.driver.Before = func([]providers.Change) error {
		w.driver.Before = nil
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		access := w.access(t, w.caller(), vault.NeedApply)
		if _, err := w.service.Apply(ctx, access, plan.Request{Actions: []plan.Action{add("a.md", "x")}, Key: "key-other"}); !errors.Is(err, context.Canceled) {
			t.Errorf("the one that waits: %v, want %v", err, context.Canceled)
		}
		return nil
	}
	if _, err := w.apply(t, "key-12345", add("a.md", "two")); err != nil || w.note(t, "a.md") != "one\ntwo\n" {
		t.Errorf("Apply = %v, the note holds %q", err, w.note(t, "a.md"))
	}
	if _, err := w.apply(t, "key-other", add("a.md", "x")); err != nil {
		t.Errorf("the one that waited, again: %v", err)
	}
}

func TestInFlightElsewhere(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, nil)
		w.write(t, "a.md", "one\n")
		second := txnElsewhere(w)
		asked := false
		w.driver.Before = func([]providers.Change) error {
			w.driver.Before, asked = nil, true
			access := w.access(t, w.caller(), vault.NeedApply)
			_, err := second.Apply(t.Context(), access, plan.Request{Actions: []plan.Action{add("a.md", "two")}, Key: "key-12345", Tool: "test"})
			if !errors.Is(err, vault.KeyInProgress) || !vault.AsError(err).Code.Retryable() {
				t.Errorf("the other process: %v, want %v", err, vault.KeyInProgress)
			}
			_, err = second.Apply(t.Context(), access, plan.Request{Actions: []plan.Action{add("a.md", "three")}, Key: "key-12345", Tool: "test"})
			if !errors.Is(err, vault.KeyReused) {
				t.Errorf("the other process with another request: %v, want %v", err, vault.KeyReused)
			}
			if err := second.Reconcile(t.Context()); err != nil {
				t.Error(err)
			}
			return nil
		}
		if _, err := w.apply(t, "key-12345", add("a.md", "two")); err != nil || !asked || w.note(t, "a.md") != "one\ntwo\n" {
			t.Errorf("Apply = %v, the note holds %q", err, w.note(t, "a.md"))
		}
	})
}

// renewals is a journal that tells of renewed leases.
type renewals struct {
	txn.Journal
	until chan time.Time
}

func (r renewals) Renew(ctx context.Context, rec txn.Record, until time.Time) error {
	err := r.Journal.Renew(ctx, rec, until)
	r.until <- until
	return err
}

func TestLeaseIsRenewedWhileTheProviderWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, sqldbtest.Open(t), nil)
		w.write(t, "a.md", "one\n")
		j := renewals{w.journal, make(chan time.Time, 10)}
		w.service = w.serve(j, "slow")
		other := w.serve(w.journal, "another")
		w.driver.Before = func([]providers.Change) error {
			w.clock.move(9 * time.Second)
			if until := <-j.until; !until.Equal(w.clock.now().Add(10 * time.Second)) { // the timer of the bubble runs ahead while we wait
				t.Errorf("the lease was renewed until %v", until)
			}
			w.clock.move(9 * time.Second)
			return other.Reconcile(t.Context()) // finds nothing that it may take
		}
		if o, err := w.apply(t, "key-12345", add("a.md", "two")); err != nil || o.Replayed || w.note(t, "a.md") != "one\ntwo\n" {
			t.Errorf("Apply = %+v, %v", o, err)
		}
	})
}

// txnElsewhere is a service of another process: it shares the database and the vault.
func txnElsewhere(w *world) *txn.Service { return w.serve(w.journal, "elsewhere") }
