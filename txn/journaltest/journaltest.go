// Package journaltest is the contract of txn.Journal, as tests.
package journaltest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/txn"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// record is a reserved one of an account that exists.
func record(account, key string) txn.Record {
	return txn.Record{
		Account: account, Mapping: "map_1", Key: key, ID: "txn_" + key, Fingerprint: "f-" + key, State: txn.Reserved,
		Holder: txn.Holder{Instance: "one", Run: "first"}, LeaseUntil: start.Add(10 * time.Second),
		Origin: txn.Origin{Client: "Codex", Door: "mcp", Tool: "test", Reason: "because"}, CreatedAt: start, UpdatedAt: start,
	}
}

func planned() plan.Plan {
	text := "x"
	return plan.Plan{
		Actions: []plan.Action{{Kind: plan.Append, Path: "a.md", Content: &text}},
		Steps:   []plan.ActionOutcome{{Kind: plan.Append, Path: "a.md", Effect: plan.EffectChanged, After: &plan.State{SizeBytes: 3}}},
		Changes: []plan.Change{{Path: "a.md", Body: []byte("a\xff\x00"), Hash: "h", Before: "r1", BeforeHash: "g"}},
	}
}

// Run runs the contract on journals that open makes, each new and empty. Account is one that events can be about.
func Run(t *testing.T, open func(t *testing.T) (j txn.Journal, log *events.Log, account string)) {
	tests := map[string]func(t *testing.T, j txn.Journal, log *events.Log, account string){
		"ReserveIsForOne":      reserveIsForOne,
		"KeysAreSeparate":      keysAreSeparate,
		"FreeKeysAreTaken":     freeKeysAreTaken,
		"SaveComparesAndSwaps": saveComparesAndSwaps,
		"Renew":                renew,
		"FinishIsBothOrNone":   finishIsBothOrNone,
		"OpenAndFree":          openAndFree,
		"Previews":             previews,
		"ManyPreviews":         manyPreviews,
		"Purge":                purge,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			j, log, account := open(t)
			test(t, j, log, account)
		})
	}
}

func reserve(t *testing.T, j txn.Journal, r txn.Record) txn.Record {
	t.Helper()
	held, mine, err := j.Reserve(t.Context(), r)
	if err != nil || !mine {
		t.Fatalf("Reserve(%s) = %v, %v", r.Key, mine, err)
	}
	return held
}

func reserveIsForOne(t *testing.T, j txn.Journal, _ *events.Log, account string) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		mine  int
		ids   = make(map[string]bool)
		wants = record(account, "key")
	)
	for i := range 20 {
		r := wants
		r.ID = fmt.Sprintf("txn_%d", i)
		wg.Go(func() {
			held, got, err := j.Reserve(t.Context(), r)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("Reserve: %v", err)
			}
			if got {
				mine++
			}
			ids[held.ID] = true
		})
	}
	wg.Wait()
	if mine != 1 || len(ids) != 1 {
		t.Errorf("%d of 20 got the key, and they were told of %v", mine, ids)
	}
}

func keysAreSeparate(t *testing.T, j txn.Journal, _ *events.Log, account string) {
	r := record(account, "key")
	held := reserve(t, j, r)
	r.Version = held.Version
	if d := cmp.Diff(r, held); d != "" {
		t.Errorf("the record changed (-given +held):\n%s", d)
	}
	other := r
	other.Mapping = "map_2"
	reserve(t, j, other)
	other.Account = "another"
	reserve(t, j, other)
	reserve(t, j, record(account, "another key"))
}

func freeKeysAreTaken(t *testing.T, j txn.Journal, _ *events.Log, account string) {
	old := reserve(t, j, record(account, "key"))
	failed := old
	failed.State = txn.Failed
	failed, err := j.Save(t.Context(), failed)
	if err != nil {
		t.Fatal(err)
	}
	next := record(account, "key")
	next.ID, next.Fingerprint = "txn_next", "another"
	held := reserve(t, j, next)
	if held.ID != "txn_next" || held.Fingerprint != "another" || held.Version <= failed.Version {
		t.Errorf("held = %+v, after version %d", held, failed.Version)
	}
	if _, err := j.Save(t.Context(), failed); !errors.Is(err, txn.ErrStale) {
		t.Errorf("the holder from before saves: %v, want %v", err, txn.ErrStale)
	}
}

func saveComparesAndSwaps(t *testing.T, j txn.Journal, _ *events.Log, account string) {
	r := reserve(t, j, record(account, "key"))
	next := r
	next.State, next.Plan, next.Attempts = txn.Applying, planned(), 3
	saved, err := j.Save(t.Context(), next)
	if err != nil || saved.Version <= r.Version {
		t.Fatalf("Save = %+v, %v", saved, err)
	}
	if _, err := j.Save(t.Context(), next); !errors.Is(err, txn.ErrStale) {
		t.Errorf("Save of what is out of date: %v, want %v", err, txn.ErrStale)
	}
	held, mine, err := j.Reserve(t.Context(), record(account, "key"))
	if err != nil || mine {
		t.Fatalf("Reserve = %v, %v", mine, err)
	}
	if d := cmp.Diff(saved, held); d != "" {
		t.Errorf("the record changed (-saved +held):\n%s", d)
	}
}

func renew(t *testing.T, j txn.Journal, _ *events.Log, account string) {
	r := reserve(t, j, record(account, "key"))
	later := start.Add(time.Minute)
	if err := j.Renew(t.Context(), r, later); err != nil {
		t.Fatal(err)
	}
	if open, err := j.Open(t.Context(), later.Add(-time.Second)); err != nil || len(open) != 0 {
		t.Errorf("before the new lease ends, open are %+v, %v", open, err)
	}
	saved, err := j.Save(t.Context(), r)
	if err != nil {
		t.Fatalf("a renewed record cannot be saved: %v", err)
	}
	if err := j.Renew(t.Context(), r, later); !errors.Is(err, txn.ErrStale) {
		t.Errorf("Renew of what is out of date: %v, want %v", err, txn.ErrStale)
	}
	if err := j.Renew(t.Context(), saved, later); err != nil {
		t.Errorf("Renew of what is up to date: %v", err)
	}
}

func finishIsBothOrNone(t *testing.T, j txn.Journal, log *events.Log, account string) {
	r := reserve(t, j, record(account, "key"))
	r.State, r.Plan = txn.Applying, planned()
	r, err := j.Save(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	stale := r
	stale.Version--
	done := func(r txn.Record) (txn.Record, error) {
		r.State = txn.Applied
		r.Outcome = plan.Outcome{Summary: "Written", Transaction: r.ID, Status: plan.StatusApplied, Receipt: &plan.Receipt{Transaction: r.ID, AppliedAt: start}}
		return j.Finish(t.Context(), r, []events.Event{
			{Account: account, Mapping: r.Mapping, At: start, Kind: events.NoteChanged, Path: "a.md", Transaction: r.ID},
			{Account: account, Mapping: r.Mapping, At: start, Kind: events.NoteDeleted, Path: "b.md", Transaction: r.ID},
		})
	}
	if _, err := done(stale); !errors.Is(err, txn.ErrStale) {
		t.Errorf("Finish of what is out of date: %v, want %v", err, txn.ErrStale)
	}
	if evs, err := log.List(t.Context(), account, "", events.Filter{}); err != nil || len(evs) != 0 {
		t.Errorf("it left %d events, %v", len(evs), err)
	}
	finished, err := done(r)
	if err != nil {
		t.Fatal(err)
	}
	evs, err := log.List(t.Context(), account, "", events.Filter{})
	if err != nil || len(evs) != 2 || evs[0].Hash != finished.Outcome.Receipt.EventHash || evs[1].PreviousHash != finished.Outcome.Receipt.PreviousHash {
		t.Errorf("events = %+v, %v, receipt %+v", evs, err, finished.Outcome.Receipt)
	}
	held, mine, err := j.Reserve(t.Context(), record(account, "key"))
	if err != nil || mine || held.Plan.Changes[0].Body != nil || held.Plan.Changes[0].Hash != "h" {
		t.Errorf("held = %+v, %v, %v: an applied record keeps its key and not its bodies", held, mine, err)
	}
	if d := cmp.Diff(finished, held); d != "" {
		t.Errorf("the record changed (-finished +held):\n%s", d)
	}
}

func openAndFree(t *testing.T, j txn.Journal, _ *events.Log, account string) {
	mine := reserve(t, j, record(account, "mine"))
	earlier, others := record(account, "earlier"), record(account, "others")
	earlier.Holder.Run, others.Holder.Instance = "zeroth", "two"
	reserve(t, j, earlier)
	reserve(t, j, others)
	closed := reserve(t, j, record(account, "closed"))
	closed.State = txn.Released
	if _, err := j.Save(t.Context(), closed); err != nil {
		t.Fatal(err)
	}
	keys := func(before time.Time) []string {
		open, err := j.Open(t.Context(), before)
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, r := range open {
			keys = append(keys, r.Key)
		}
		return keys
	}
	if got := keys(start); got != nil {
		t.Errorf("while all leases live, open are %q", got)
	}
	if err := j.Free(t.Context(), mine.Holder); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"earlier"}, keys(start)); d != "" {
		t.Errorf("after a new run started, open are (-want +got):\n%s", d)
	}
	if got := keys(start.Add(10 * time.Second)); len(got) != 3 || got[0] != "earlier" {
		t.Errorf("when the leases have ended, open are %q", got)
	}
}

func previews(t *testing.T, j txn.Journal, _ *events.Log, account string) {
	if _, err := j.Preview(t.Context(), "txn_none"); !errors.Is(err, vault.NotFound) {
		t.Errorf("Preview of none: %v, want %v", err, vault.NotFound)
	}
	p := txn.Preview{ID: "txn_1", Account: account, Mapping: "map_1", Client: "Codex", Reason: "because", Plan: planned(), ExpiresAt: start.Add(time.Hour)}
	if err := j.SavePreview(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	got, err := j.Preview(t.Context(), "txn_1")
	p.Plan = p.Plan.WithoutBodies()
	if d := cmp.Diff(p, got); err != nil || d != "" {
		t.Errorf("Preview: %v (-saved +got):\n%s", err, d)
	}
}

func manyPreviews(t *testing.T, j txn.Journal, _ *events.Log, account string) {
	save := func(id, account string, at int) {
		t.Helper()
		p := txn.Preview{ID: id, Account: account, Plan: planned(), ExpiresAt: start.Add(time.Duration(at) * time.Second)}
		if err := j.SavePreview(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	save("txn_other", account+"2", 0)
	for i := range txn.MaxPreviews + 1 {
		save(fmt.Sprintf("txn_%d", i), account, i)
	}
	for id, want := range map[string]bool{"txn_0": false, "txn_1": true, fmt.Sprintf("txn_%d", txn.MaxPreviews): true, "txn_other": true} {
		if _, err := j.Preview(t.Context(), id); (err == nil) != want {
			t.Errorf("Preview(%s) = %v after %d previews, want it kept: %v", id, err, txn.MaxPreviews+1, want)
		}
	}
}

func purge(t *testing.T, j txn.Journal, _ *events.Log, account string) {
	for i, id := range []string{"txn_old", "txn_new"} {
		p := txn.Preview{ID: id, Account: account, Plan: planned(), ExpiresAt: start.Add(time.Duration(i) * time.Hour)}
		if err := j.SavePreview(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	ended := reserve(t, j, record(account, "ended"))
	ended.State = txn.Failed
	if _, err := j.Save(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	reserve(t, j, record(account, "open"))
	done := reserve(t, j, record(account, "done"))
	done.State = txn.Applied
	if _, err := j.Save(t.Context(), done); err != nil {
		t.Fatal(err)
	}
	if err := j.Purge(t.Context(), start.Add(time.Minute), start); err != nil {
		t.Fatal(err)
	}
	_, old := j.Preview(t.Context(), "txn_old")
	_, young := j.Preview(t.Context(), "txn_new")
	if !errors.Is(old, vault.NotFound) || young != nil {
		t.Errorf("the expired preview: %v, the other: %v", old, young)
	}
	if _, mine, err := j.Reserve(t.Context(), record(account, "done")); mine || err != nil {
		t.Errorf("a young record is gone: %v", err)
	}
	if err := j.Purge(t.Context(), start, start.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, mine, err := j.Reserve(t.Context(), record(account, "open")); mine || err != nil {
		t.Errorf("an open record is gone: %v", err)
	}
	if _, mine, err := j.Reserve(t.Context(), record(account, "done")); !mine || err != nil {
		t.Errorf("an old record stays: %v", err)
	}
}
