package sqldb_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
)

func openKinds(tb testing.TB) *sqldb.DB {
	tb.Helper()
	db, err := sqldb.OpenWith(tb.Context(), sqldbtest.SQLite(tb), fstest.MapFS{"0001_kinds.sql": file(kinds)})
	if err != nil {
		tb.Fatalf("Open: %v", err)
	}
	tb.Cleanup(func() { db.Close() })
	return db
}

// queue runs the functions as transactions that take their turns in order: none starts before all of them wait. It returns the error
// of each.
func queue(t *testing.T, db *sqldb.DB, fns ...func(ctx context.Context, tx *sqldb.Tx) error) []error {
	t.Helper()
	start := make(chan struct{})
	errs := make([]error, len(fns))
	var wg sync.WaitGroup
	holds := make(chan struct{})
	var once sync.Once // a transaction may be run again
	for i, fn := range fns {
		wg.Go(func() {
			errs[i] = errors.New("ended its goroutine, or panicked")
			defer func() { recover() }()
			errs[i] = db.Tx(t.Context(), func(tx *sqldb.Tx) error {
				if i == 0 {
					once.Do(func() { close(holds) })
					<-start
				}
				return fn(t.Context(), tx)
			})
		})
		if i == 0 {
			<-holds
		}
		for db.Waiting() < i {
			runtime.Gosched()
		}
	}
	close(start)
	wg.Wait()
	return errs
}

// adds returns a transaction that inserts a row, and then returns err.
func adds(id int64, err error) func(context.Context, *sqldb.Tx) error {
	return func(ctx context.Context, tx *sqldb.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO kinds (id, word, flag, ratio) VALUES (?, '', FALSE, 0)`, id); err != nil {
			return err
		}
		return err
	}
}

func ids(t *testing.T, db *sqldb.DB) (all []int64) {
	t.Helper()
	rows, err := db.Query(t.Context(), `SELECT id FROM kinds ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		all = append(all, id)
	}
	return all
}

func TestWaitingTransactionsShareACommit(t *testing.T) {
	db := openKinds(t)
	errs := queue(t, db, adds(1, nil), adds(2, nil), func(ctx context.Context, tx *sqldb.Tx) error {
		if n := count(t, tx); n != 2 {
			t.Errorf("the third sees %d rows, want those of the two before it", n)
		}
		if n := count(t, db); n != 0 {
			t.Errorf("readers see %d rows before the commit", n)
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff([]int64{1, 2}, ids(t, db)); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
}

func TestAFailedTransactionTakesNoneWithIt(t *testing.T) {
	why := errors.New("changed my mind")
	for name, bad := range map[string]func(context.Context, *sqldb.Tx) error{
		"error":      adds(9, why),
		"constraint": adds(1, nil),
		"panic":      func(ctx context.Context, tx *sqldb.Tx) error { adds(9, nil)(ctx, tx); panic("bug") },
		"goexit":     func(ctx context.Context, tx *sqldb.Tx) error { adds(9, nil)(ctx, tx); runtime.Goexit(); return nil },
		// As SQLite itself does when the disk is full.
		"rolled back": func(ctx context.Context, tx *sqldb.Tx) error { tx.Exec(ctx, `ROLLBACK`); return why },
	} {
		t.Run(name, func(t *testing.T) {
			db := openKinds(t)
			insert(t, db, kind{ID: 1})
			errs := queue(t, db, adds(2, nil), adds(3, nil), bad, adds(4, nil))
			for i, err := range errs {
				if (err != nil) != (i == 2) {
					t.Errorf("transaction %d: %v", i, err)
				}
			}
			if d := cmp.Diff([]int64{1, 2, 3, 4}, ids(t, db)); d != "" {
				t.Errorf("rows (-want +got):\n%s", d)
			}
		})
		t.Run(name+" first", func(t *testing.T) {
			db := openKinds(t)
			insert(t, db, kind{ID: 1})
			errs := queue(t, db, bad, adds(2, nil), adds(3, nil))
			for i, err := range errs {
				if (err != nil) != (i == 0) {
					t.Errorf("transaction %d: %v", i, err)
				}
			}
			if d := cmp.Diff([]int64{1, 2, 3}, ids(t, db)); d != "" {
				t.Errorf("rows (-want +got):\n%s", d)
			}
		})
	}
}

func TestOneThatStopsWaitingHoldsNobodyUp(t *testing.T) {
	db := openKinds(t)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	if err := db.Tx(t.Context(), func(tx *sqldb.Tx) error {
		wg.Go(func() {
			if err := db.Tx(ctx, func(tx *sqldb.Tx) error { return adds(2, nil)(ctx, tx) }); !errors.Is(err, context.Canceled) {
				t.Errorf("Tx = %v, want context.Canceled", err)
			}
		})
		for db.Waiting() == 0 {
			runtime.Gosched()
		}
		cancel()
		wg.Wait()
		return adds(1, nil)(t.Context(), tx)
	}); err != nil {
		t.Fatal(err)
	}
	insert(t, db, kind{ID: 3})
	if d := cmp.Diff([]int64{1, 3}, ids(t, db)); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
}

func BenchmarkTx(b *testing.B) {
	for _, bb := range []struct {
		name    string
		writers int
	}{{"one writer", 1}, {"64 writers", 64}} {
		b.Run(bb.name, func(b *testing.B) {
			db := openKinds(b)
			var mu sync.Mutex // guards id
			var id int64
			b.SetParallelism(max(1, bb.writers/runtime.GOMAXPROCS(0)))
			work := func() {
				mu.Lock()
				id++
				mine := id
				mu.Unlock()
				if err := db.Tx(b.Context(), func(tx *sqldb.Tx) error { return adds(mine, nil)(b.Context(), tx) }); err != nil {
					b.Error(err)
				}
			}
			if bb.writers == 1 {
				for b.Loop() {
					work()
				}
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					work()
				}
			})
		})
	}
}
