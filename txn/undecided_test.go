package txn_test

import (
	"errors"
	"testing"
	"time"

	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// undecided is a world with a transaction whose answer was lost, and a vault that does not answer since.
func undecided(t *testing.T) *world {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.write(t, "a.md", "one\n")
	w.driver.Driver = blind{w.driver.Driver}
	w.driver.After = func([]providers.Change) error {
		w.driver.Reading = func(vault.Path) error { w.reads++; return errLost }
		return errLost
	}
	if _, err := w.apply(t, "key-12345", add("a.md", "two")); !errors.Is(err, vault.OutcomeUnknown) {
		t.Fatalf("Apply = %v, want %v", err, vault.OutcomeUnknown)
	}
	return w
}

// reconcile runs the background job as a server does for a while, and returns how often the vault was asked.
func (w *world) reconcile(t *testing.T, life time.Duration) (asked int) {
	w.reads = 0
	for past := time.Duration(0); past < life; past += 30 * time.Second {
		w.clock.move(30 * time.Second)
		if err := w.service.Reconcile(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return w.reads
}

// What cannot be decided is looked at more and more rarely, and in the end no more; operators hear of it twice. Its caller can still ask.
func TestWhatStaysUndecidedIsLeftInPeace(t *testing.T) {
	w := undecided(t)
	first, day, later := w.reconcile(t, time.Hour), w.reconcile(t, 24*time.Hour), w.reconcile(t, 24*time.Hour)
	if first < 5 || first > 15 || day < 24 || day > 150 || later != 0 {
		t.Errorf("the vault was asked %d times in an hour, %d in a day and %d in the next", first, day, later)
	}
	if told := w.logged.about("landed"); len(told) != 2 {
		t.Errorf("operators were told %q, want the beginning and the end", told)
	}
	if _, err := w.apply(t, "key-12345", add("a.md", "two")); !errors.Is(err, vault.OutcomeUnknown) {
		t.Errorf("Apply while the vault is silent = %v, want %v", err, vault.OutcomeUnknown)
	}
	w.count()
	w.writes = 0
	if _, err := w.apply(t, "key-12345", add("a.md", "two")); err != nil || w.writes != 0 || w.note(t, "a.md") != "one\ntwo\n" || len(w.events(t)) != 1 {
		t.Errorf("Apply once the vault answers = %v, %d writes, the note holds %q", err, w.writes, w.note(t, "a.md"))
	}
}

// A vault that answers again in time is asked in the background, and nothing more is said.
func TestWhatIsDecidedLaterIsAppliedOnce(t *testing.T) {
	w := undecided(t)
	w.reconcile(t, 10*time.Minute)
	w.count()
	w.writes = 0
	w.reconcile(t, 10*time.Minute)
	if w.writes != 0 || w.note(t, "a.md") != "one\ntwo\n" || len(w.events(t)) != 1 {
		t.Errorf("%d writes, the note holds %q, %d events", w.writes, w.note(t, "a.md"), len(w.events(t)))
	}
	if told := w.logged.about("landed"); len(told) != 1 {
		t.Errorf("operators were told %q, want one line", told)
	}
	if asked := w.reconcile(t, time.Hour); asked != 0 {
		t.Errorf("a transaction that has ended was looked at %d times", asked)
	}
}
