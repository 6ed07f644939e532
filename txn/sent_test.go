package txn_test

import (
	"errors"
	"testing"

	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

// TestWhatWasSentIsWhatIsCompared: a tool that makes "today's note" of a request makes other actions of it tomorrow.
func TestWhatWasSentIsWhatIsCompared(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, nil)
		w.write(t, "monday.md", "one\n")
		w.write(t, "tuesday.md", "one\n")
		apply := func(sent, path string) (plan.Outcome, error) {
			return w.service.Apply(t.Context(), w.access(t, w.caller(), vault.NeedApply), plan.Request{
				Actions: []plan.Action{add(path, "two")}, Sent: sent, Key: "key-12345", Tool: "test",
			})
		}
		if o, err := apply("today", "monday.md"); err != nil || o.Replayed {
			t.Fatalf("Apply = %+v, %v", o, err)
		}
		if o, err := apply("today", "tuesday.md"); err != nil || !o.Replayed || o.Actions[0].Path != "monday.md" {
			t.Errorf("the same request a day later = %+v, %v; want a replay", o, err)
		}
		if _, err := apply("yesterday", "monday.md"); !errors.Is(err, vault.KeyReused) {
			t.Errorf("another request with the key: %v, want %v", err, vault.KeyReused)
		}
		if _, err := apply("", "monday.md"); !errors.Is(err, vault.KeyReused) {
			t.Errorf("the actions alone with the key: %v, want %v", err, vault.KeyReused)
		}
		if got := w.note(t, "tuesday.md"); got != "one\n" {
			t.Errorf("tuesday.md holds %q", got)
		}
	})
}
