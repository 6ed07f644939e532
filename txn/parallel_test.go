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

	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/txn"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

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

func TestBatchesThatMeet(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.driver.Before, w.driver.Reading = nil, nil
	w.write(t, "a.md", "0\n")
	w.write(t, "b.md", "0\n")
	access := w.access(t, w.caller(), vault.NeedApply)
	var wg sync.WaitGroup
	for i := range 20 {
		actions := []plan.Action{add("a.md", "x"), add("b.md", "x")}
		if i%2 == 0 {
			actions[0], actions[1] = actions[1], actions[0]
		}
		wg.Go(func() {
			if _, err := w.service.Apply(t.Context(), access, plan.Request{Actions: actions, Key: fmt.Sprintf("key-12345-%d", i)}); err != nil {
				t.Errorf("Apply: %v", err)
			}
		})
	}
	wg.Wait()
	for _, p := range []vault.Path{"a.md", "b.md"} {
		if got := strings.Count(w.note(t, p), "x\n"); got != 20 {
			t.Errorf("%d of 20 additions are in %s", got, p)
		}
	}
}
