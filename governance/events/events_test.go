package events_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/vault"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

type fixture struct {
	log      *events.Log
	db       *sqldb.DB
	accounts [2]string
}

func run(t *testing.T, fn func(t *testing.T, f fixture)) {
	t.Helper()
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		f := fixture{log: events.New(db, rand.Reader), db: db}
		s := account.New(db, func() time.Time { return noon }, rand.Reader)
		for i := range f.accounts {
			a, err := s.Create(t.Context(), fmt.Sprintf("Account %d", i))
			if err != nil {
				t.Fatal(err)
			}
			f.accounts[i] = a.ID
		}
		fn(t, f)
	})
}

func (f fixture) append(ctx context.Context, evs ...events.Event) (stored []events.Event, err error) {
	err = f.db.Tx(ctx, func(tx *sqldb.Tx) error {
		stored, err = f.log.Append(ctx, tx, evs)
		return err
	})
	return stored, err
}

func (f fixture) mustAppend(t *testing.T, evs ...events.Event) []events.Event {
	t.Helper()
	stored, err := f.append(t.Context(), evs...)
	if err != nil {
		t.Fatalf("Append: %v", err)
	}
	return stored
}

// note returns the nth event of a story in which account i changes notes of two vaults.
func (f fixture) note(i, n int) events.Event {
	return events.Event{
		Account: f.accounts[i], Mapping: fmt.Sprintf("map_%d", n%2), At: noon.Add(time.Duration(n) * time.Minute), Kind: events.NoteChanged,
		Path: vault.Path(fmt.Sprintf("Projects/ä %d.md", n%3)), Client: "Codex", Tool: "apply_note_transaction", Door: "mcp",
		Transaction: fmt.Sprintf("txn_%d", n), Before: "r1", After: "r2", Reason: "tidy\n\"up\"",
	}
}

func (f fixture) story(t *testing.T, i, n int) []events.Event {
	t.Helper()
	var all []events.Event
	for k := range n {
		all = append(all, f.mustAppend(t, f.note(i, k))...)
	}
	return all
}

func TestEventsAreChainedForEachAccount(t *testing.T) {
	run(t, func(t *testing.T, f fixture) {
		a := f.mustAppend(t, f.note(0, 0), f.note(1, 1), f.note(0, 2))
		b := f.mustAppend(t, f.note(1, 3), f.note(0, 4))
		for _, tt := range []struct {
			e        events.Event
			sequence int64
			previous string
		}{{a[0], 1, events.FirstHash}, {a[2], 2, a[0].Hash}, {b[1], 3, a[2].Hash}, {a[1], 1, events.FirstHash}, {b[0], 2, a[1].Hash}} {
			if tt.e.Sequence != tt.sequence || tt.e.PreviousHash != tt.previous || len(tt.e.Hash) != 64 || !strings.HasPrefix(tt.e.ID, "evt_") {
				t.Errorf("%+v; want sequence %d after %s", tt.e, tt.sequence, tt.previous)
			}
		}
		for i, last := range []events.Event{b[1], b[0]} {
			head, err := f.log.Verify(t.Context(), f.accounts[i])
			if err != nil || head != (events.Head{Sequence: last.Sequence, Hash: last.Hash}) {
				t.Errorf("Verify(account %d) = %+v, %v; want %d %s", i, head, err, last.Sequence, last.Hash)
			}
		}
		if head, err := f.log.Verify(t.Context(), "acc_other"); err != nil || head.Sequence != 0 || head.Hash != events.FirstHash {
			t.Errorf("Verify of an account without events = %+v, %v", head, err)
		}
	})
}

func TestAnEventThatIsNotCommittedNeverWas(t *testing.T) {
	run(t, func(t *testing.T, f fixture) {
		first := f.story(t, 0, 1)[0]
		why := errors.New("provider said no")
		if err := f.db.Tx(t.Context(), func(tx *sqldb.Tx) error {
			if _, err := f.log.Append(t.Context(), tx, []events.Event{f.note(0, 1)}); err != nil {
				return err
			}
			return why
		}); !errors.Is(err, why) {
			t.Fatalf("Tx = %v, want %v", err, why)
		}
		second := f.mustAppend(t, f.note(0, 2))[0]
		if second.Sequence != 2 || second.PreviousHash != first.Hash {
			t.Errorf("after a rollback: %+v; want sequence 2 after %s", second, first.Hash)
		}
		if _, err := f.log.Verify(t.Context(), f.accounts[0]); err != nil {
			t.Errorf("Verify: %v", err)
		}
	})
}

func TestEventsComeBackAsTheyWereStored(t *testing.T) {
	run(t, func(t *testing.T, f fixture) {
		odd := f.note(0, 0)
		odd.At = odd.At.Add(1234567 * time.Nanosecond)
		odd.Client, odd.Reason = "bad\x00\xff", ""
		stored := append(f.mustAppend(t, odd), f.story(t, 0, 4)...)
		if stored[0].Client != "bad\uFFFD" || !stored[0].At.Equal(noon.Add(time.Millisecond)) {
			t.Errorf("stored %+v", stored[0])
		}
		got, err := f.log.List(t.Context(), f.accounts[0], "", events.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range got { // newest first
			if d := cmp.Diff(stored[len(stored)-1-i], e); d != "" {
				t.Errorf("event %d (-want +got):\n%s", e.Sequence, d)
			}
		}
		if len(got) != len(stored) {
			t.Errorf("List = %d events, want %d", len(got), len(stored))
		}
	})
}

func TestListFilters(t *testing.T) {
	run(t, func(t *testing.T, f fixture) {
		f.story(t, 0, 6)
		f.story(t, 1, 6)
		deleted := f.note(0, 6)
		deleted.Kind = events.NoteDeleted
		f.mustAppend(t, deleted)
		for name, tt := range map[string]struct {
			mapping string
			filter  events.Filter
			want    []int64
		}{
			"all":     {"", events.Filter{}, []int64{7, 6, 5, 4, 3, 2, 1}},
			"mapping": {"map_1", events.Filter{}, []int64{6, 4, 2}},
			"path":    {"", events.Filter{Path: "Projects/ä 0.md"}, []int64{7, 4, 1}},
			"since":   {"", events.Filter{Since: noon.Add(5 * time.Minute)}, []int64{7, 6}},
			"kinds":   {"", events.Filter{Kinds: []events.Kind{events.NoteDeleted, events.NoteCreated}}, []int64{7}},
			"before":  {"", events.Filter{Before: 3}, []int64{2, 1}},
			"limit":   {"", events.Filter{Before: 6, Limit: 2}, []int64{5, 4}},
			"several": {"map_0", events.Filter{Path: "Projects/ä 0.md", Since: noon, Kinds: []events.Kind{events.NoteChanged}, Before: 9}, []int64{1}},
			"nothing": {"map_9", events.Filter{}, nil},
		} {
			got, err := f.log.List(t.Context(), f.accounts[0], tt.mapping, tt.filter)
			var sequences []int64
			for _, e := range got {
				sequences = append(sequences, e.Sequence)
				if e.Account != f.accounts[0] {
					t.Errorf("%s: an event of %s", name, e.Account)
				}
			}
			if err != nil || !cmp.Equal(sequences, tt.want) {
				t.Errorf("%s: List = %v, %v; want %v", name, sequences, err, tt.want)
			}
		}
	})
}

func TestStored(t *testing.T) {
	run(t, func(t *testing.T, f fixture) {
		all := f.story(t, 0, 7)
		last := all[6]
		e, err := f.log.Stored(t.Context(), last.Mapping, last.After)
		if err != nil || e.After != last.After {
			t.Errorf("Stored(%s) = %+v, %v; want an event that stored it", last.After, e, err)
		}
		if e, err := f.log.Stored(t.Context(), last.Mapping, "r1other"); !errors.Is(err, vault.NotFound) {
			t.Errorf("Stored of another revision = %+v, %v; want not_found", e, err)
		}
		if e, err := f.log.Stored(t.Context(), "map_other", last.After); !errors.Is(err, vault.NotFound) {
			t.Errorf("Stored in another vault = %+v, %v; want not_found", e, err)
		}
	})
}

func TestLatest(t *testing.T) {
	run(t, func(t *testing.T, f fixture) {
		all := f.story(t, 0, 7)
		e, err := f.log.Latest(t.Context(), "map_0", "Projects/ä 0.md")
		if err != nil || e != all[6] {
			t.Errorf("Latest = %+v, %v; want %+v", e, err, all[6])
		}
		if e, err := f.log.Latest(t.Context(), "map_0", "Projects/b.md"); !errors.Is(err, vault.NotFound) {
			t.Errorf("Latest of another note = %+v, %v; want not_found", e, err)
		}
	})
}

func TestTamperingIsFound(t *testing.T) {
	for name, tt := range map[string]struct {
		statements string // on the chain 1…6
		sequence   int64  // that is named; 0 for an intact chain
	}{
		"nothing":          {`UPDATE events SET reason = reason WHERE account_id = ?`, 0},
		"a changed row":    {`UPDATE events SET reason = 'other' WHERE account_id = ? AND sequence = 3`, 3},
		"a changed time":   {`UPDATE events SET at = at + 1 WHERE account_id = ? AND sequence = 1`, 1},
		"a moved boundary": {`UPDATE events SET client = client || 'a', tool = SUBSTR(tool, 2) WHERE account_id = ? AND sequence = 2`, 2},
		"a changed hash":   {`UPDATE events SET hash = previous_hash WHERE account_id = ? AND sequence = 4`, 4},
		"a removed row":    {`DELETE FROM events WHERE account_id = ? AND sequence = 3`, 3},
		"a removed first":  {`DELETE FROM events WHERE account_id = ? AND sequence = 1`, 1},
		"a removed last":   {`DELETE FROM events WHERE account_id = ? AND sequence = 6`, 6},
		"all removed":      {`DELETE FROM events WHERE account_id = ?`, 1},
		"a closed gap": {`DELETE FROM events WHERE account_id = ? AND sequence = 3;
			UPDATE events SET sequence = sequence + 99 WHERE account_id = ? AND sequence > 3;
			UPDATE events SET sequence = sequence - 100 WHERE account_id = ? AND sequence > 99;
			UPDATE event_heads SET sequence = 5 WHERE account_id = ?`, 3},
		"a swapped pair": {`UPDATE events SET sequence = sequence + 100 WHERE account_id = ? AND sequence IN (2, 5);
			UPDATE events SET sequence = 107 - sequence WHERE account_id = ? AND sequence > 100`, 2},
		"another head":      {`UPDATE event_heads SET hash = 'x' WHERE account_id = ?`, 6},
		"a head moved back": {`UPDATE event_heads SET sequence = 5, hash = (SELECT e.hash FROM events e WHERE e.account_id = event_heads.account_id AND e.sequence = 5) WHERE account_id = ?`, 6},
		"a removed head":    {`DELETE FROM event_heads WHERE account_id = ?`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, f fixture) {
				f.story(t, 0, 6)
				f.story(t, 1, 6)
				for s := range strings.SplitSeq(tt.statements, ";") {
					if n, err := f.db.Exec(t.Context(), s, f.accounts[0]); err != nil || n == 0 {
						t.Fatalf("%s = %d rows, %v", s, n, err)
					}
				}
				_, err := f.log.Verify(t.Context(), f.accounts[0])
				broken, ok := errors.AsType[*events.BrokenLink](err)
				if tt.sequence == 0 && err != nil || tt.sequence != 0 && (!ok || broken.Sequence != tt.sequence) {
					t.Errorf("Verify = %v, want a broken link at %d", err, tt.sequence)
				}
				if _, err := f.log.Verify(t.Context(), f.accounts[1]); err != nil {
					t.Errorf("Verify of the other account: %v", err)
				}
			})
		})
	}
}

func TestConcurrentAppendersMakeOneChain(t *testing.T) {
	run(t, func(t *testing.T, f fixture) {
		const appenders, each = 8, 5
		var wg sync.WaitGroup
		for range appenders {
			wg.Go(func() {
				for n := range each {
					if _, err := f.append(t.Context(), f.note(0, n), f.note(1, n), f.note(0, n)); err != nil {
						t.Errorf("Append: %v", err)
					}
				}
			})
		}
		wg.Wait()
		for i, want := range []int64{2 * appenders * each, appenders * each} {
			if head, err := f.log.Verify(t.Context(), f.accounts[i]); err != nil || head.Sequence != want {
				t.Errorf("Verify(account %d) = %+v, %v; want %d events", i, head, err, want)
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	db := sqldbtest.Open(b)
	a, err := account.New(db, func() time.Time { return noon }, rand.Reader).EnsureOwner(b.Context(), "Owner")
	if err != nil {
		b.Fatal(err)
	}
	f := fixture{log: events.New(db, rand.Reader), db: db, accounts: [2]string{a.ID}}
	for b.Loop() {
		if _, err := f.append(b.Context(), f.note(0, 1)); err != nil {
			b.Fatal(err)
		}
	}
}
