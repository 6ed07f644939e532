package txn_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/hosted"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

// hostedWorld is a world over a hosted vault with 1,000 notes of 2 KB, and nothing between it and the service.
func hostedWorld(b *testing.B, db *sqldb.DB) *world {
	b.Helper()
	now := func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }
	var n atomic.Int64
	newID := func() string { return fmt.Sprint("id", n.Add(1)) }
	id, err := hosted.Create(b.Context(), db, now, newID)
	if err != nil {
		b.Fatal(err)
	}
	d := hosted.Open(db, id, now, newID)
	w := newWorld(b, db, d)
	w.vault = providers.New(d)
	body := []byte("---\ntags: [log]\n---\n# Log\n\n" + strings.Repeat("- a line of a log that somebody keeps\n", 50))
	for i := range 10 {
		changes := make([]providers.Change, 100)
		for k := range changes {
			changes[k] = providers.Change{Path: notePath(100*i + k), Body: body, Pre: vault.MustBeAbsent(), Attempt: providers.Attempt{Transaction: newID()}}
		}
		if _, err := w.vault.Commit(b.Context(), changes); err != nil {
			b.Fatal(err)
		}
	}
	return w
}

func notePath(i int) vault.Path { return vault.Path(fmt.Sprintf("Log/%03d.md", i)) }

// BenchmarkAppendHosted is one durable append for each op: key, plan, write, events.
func BenchmarkAppendHosted(b *testing.B) {
	for name, open := range map[string]func(testing.TB) *sqldb.DB{sqldb.SQLite: sqldbtest.Open, sqldb.Postgres: sqldbtest.OpenPostgres} {
		b.Run(name, func(b *testing.B) {
			w := hostedWorld(b, open(b))
			access := w.access(b, w.caller(), vault.NeedApply)
			var n atomic.Int64
			b.SetParallelism(16) // of 2 processors: 32 writers
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					i := n.Add(1)
					r := plan.Request{Actions: []plan.Action{add(string(notePath(int(i)%1000)), "- one more")}, Key: fmt.Sprintf("key-%08d", i), Tool: "bench"}
					if _, err := w.service.Apply(b.Context(), access, r); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
		})
	}
}

// hundred is a transaction of 100 actions on 100 notes.
func hundred() []plan.Action {
	actions := make([]plan.Action, plan.MaxActions)
	for i := range actions {
		actions[i] = add(string(notePath(i)), "- one more")
	}
	return actions
}

func BenchmarkPreview100(b *testing.B) {
	w := hostedWorld(b, sqldbtest.Open(b))
	access := w.access(b, w.caller(), vault.NeedPropose)
	actions := hundred()
	for b.Loop() {
		if _, err := w.service.Preview(b.Context(), access, plan.Request{Actions: actions}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkApply100(b *testing.B) {
	w := hostedWorld(b, sqldbtest.Open(b))
	access := w.access(b, w.caller(), vault.NeedApply)
	actions, n := hundred(), 0
	for b.Loop() {
		n++
		if _, err := w.service.Apply(b.Context(), access, plan.Request{Actions: actions, Key: fmt.Sprintf("key-%08d", n)}); err != nil {
			b.Fatal(err)
		}
	}
}
