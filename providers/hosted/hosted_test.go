package hosted_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/hosted"
	"github.com/notelatch/notelatch/providers/providertest"
	"github.com/notelatch/notelatch/vault"
)

func clock() time.Time { return time.Date(2026, time.December, 1, 9, 0, 0, 0, time.UTC) }

// ids returns a source of ids that are never the same.
func ids() func() string {
	var n atomic.Int64
	return func() string { return "id" + strconv.FormatInt(n.Add(1), 10) }
}

func create(t testing.TB, db *sqldb.DB, clock func() time.Time, newID func() string) *hosted.Driver {
	t.Helper()
	id, err := hosted.Create(t.Context(), db, clock, newID)
	if err != nil {
		t.Fatal(err)
	}
	return hosted.Open(db, id, clock, newID)
}

func TestDriver(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		newID := ids()
		providertest.Run(t, func(t *testing.T) providers.Driver { return create(t, db, clock, newID) })
	})
}

func put(t testing.TB, d providers.Driver, p vault.Path, body string, pre vault.Precondition) vault.Entry {
	t.Helper()
	e, err := d.Write(t.Context(), providers.Change{Path: p, Body: []byte(body), Pre: pre})
	if err != nil {
		t.Fatalf("Write(%q) = %v", p, err)
	}
	return e
}

func count[T any](t testing.TB, all iter.Seq2[T, error]) (n int) {
	t.Helper()
	for _, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func TestVaultsAreApart(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		newID := ids()
		one, two := create(t, db, clock, newID), create(t, db, clock, newID)
		e := put(t, one, "a.md", "one", vault.MustBeAbsent())
		put(t, two, "a.md", "two", vault.MustBeAbsent())
		if err := one.Delete(t.Context(), providers.Change{Path: "a.md", Pre: vault.MustBe(e.Revision)}); err != nil {
			t.Fatal(err)
		}
		if f, err := two.Read(t.Context(), "a.md"); err != nil || string(f.Body) != "two" {
			t.Errorf("Read = %q, %v, want the other vault's note", f.Body, err)
		}
		for deleted, err := range one.Trash(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if _, err := two.Restore(t.Context(), deleted.ID, "stolen.md"); !errors.Is(err, vault.NotFound) {
				t.Errorf("Restore from another vault's trash = %v, want %s", err, vault.NotFound)
			}
		}
		if _, err := two.ReadRevision(t.Context(), "a.md", e.Revision); !errors.Is(err, vault.NotFound) {
			t.Errorf("ReadRevision of another vault = %v, want %s", err, vault.NotFound)
		}
	})
}

func TestAVaultThatIsNotThereIsNotFound(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		d := hosted.Open(db, "nowhere", clock, ids())
		_, write := d.Write(t.Context(), providers.Change{Path: "a.md", Pre: vault.MustBeAbsent()})
		_, changes := d.Changes(t.Context(), "")
		_, read := d.Read(t.Context(), "a.md")
		for what, err := range map[string]error{"Write": write, "Changes": changes, "Read": read} {
			if !errors.Is(err, vault.NotFound) {
				t.Errorf("%s = %v, want %s", what, err, vault.NotFound)
			}
		}
	})
}

func TestPruneForgetsWhatIsOldAndNeitherStoredNorInTheTrash(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		now := clock()
		d := create(t, db, func() time.Time { return now }, ids())
		first := put(t, d, "kept.md", "first", vault.MustBeAbsent())
		put(t, d, "kept.md", "second", vault.MustBe(first.Revision))
		gone := put(t, d, "gone.md", "gone", vault.MustBeAbsent())
		early, err := d.Changes(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		now = now.AddDate(0, 0, 80)
		if err := d.Delete(t.Context(), providers.Change{Path: "gone.md", Pre: vault.MustBe(gone.Revision)}); err != nil {
			t.Fatal(err)
		}
		prune := func() {
			t.Helper()
			if err := hosted.Prune(t.Context(), db, now); err != nil {
				t.Fatal(err)
			}
		}
		prune()
		if n := count(t, d.Revisions(t.Context(), "kept.md")); n != 2 {
			t.Errorf("after 80 days %d revisions are left, want 2", n)
		}
		now = now.AddDate(0, 0, 20)
		prune()
		if n := count(t, d.Revisions(t.Context(), "kept.md")); n != 1 {
			t.Errorf("after 100 days %d revisions are left, want 1", n)
		}
		if f, err := d.Read(t.Context(), "kept.md"); err != nil || string(f.Body) != "second" {
			t.Errorf("after 100 days Read = %q, %v", f.Body, err)
		}
		if n := count(t, d.Trash(t.Context())); n != 1 {
			t.Fatalf("20 days after the deletion the trash holds %d notes, want 1", n)
		}
		page, err := d.Changes(t.Context(), early.Next)
		if err != nil || page.Reset || !slices.Equal(page.Deleted, []vault.Path{"gone.md"}) {
			t.Errorf("a cursor after which nothing was forgotten tells %+v, %v", page, err)
		}
		now = now.AddDate(0, 0, 11)
		if n := count(t, d.Trash(t.Context())); n != 0 {
			t.Errorf("31 days after the deletion the trash holds %d notes", n)
		}
		now = now.AddDate(0, 0, 90)
		prune()
		if page, err := d.Changes(t.Context(), early.Next); err != nil || !page.Reset || len(page.Changed) != 1 {
			t.Errorf("a cursor after which changes were forgotten tells %+v, %v; want a reset", page, err)
		}
	})
}

func TestTheFeedComesInPages(t *testing.T) {
	db := sqldbtest.Open(t)
	d := create(t, db, clock, ids())
	start, err := d.Changes(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	const notes = 5300
	for at := 0; at < notes; at += 100 {
		changes := make([]providers.Change, 100)
		for i := range changes {
			changes[i] = providers.Change{Path: vault.Path(fmt.Sprintf("n%d.md", at+i)), Pre: vault.MustBeAbsent()}
		}
		if _, err := d.Commit(t.Context(), changes); err != nil {
			t.Fatal(err)
		}
	}
	seen := make(map[vault.Path]bool)
	pages := 0
	for cursor := start.Next; ; pages++ {
		page, err := d.Changes(t.Context(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Changed {
			seen[e.Path] = true
		}
		if cursor = page.Next; !page.More {
			break
		}
	}
	if len(seen) != notes || pages == 0 {
		t.Errorf("%d more pages tell of %d notes, want %d in at least 2", pages, len(seen), notes)
	}
	before := db.Queries()
	if _, err := d.Changes(t.Context(), providers.Cursor(strings.Replace(string(start.Next), ".0", ".5300", 1))); err != nil {
		t.Fatal(err)
	}
	if n := db.Queries() - before; n != 1 {
		t.Errorf("asking when nothing changed took %d queries, want 1", n)
	}
}

// One writer's refusal is not the others', though they share a database transaction; and each that was told it won is stored.
func TestWritersThatShareATransactionFailAlone(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		d := create(t, db, clock, ids())
		const writers = 64
		errs := make([]error, writers)
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() {
				c := providers.Change{Path: vault.Path(fmt.Sprintf("n%d.md", i)), Body: []byte{byte(i)}, Pre: vault.MustBeAbsent()}
				if i%4 == 0 {
					c.Pre = vault.MustBe("r1never")
				}
				_, errs[i] = d.Write(t.Context(), c)
			})
		}
		wg.Wait()
		for i, err := range errs {
			p := vault.Path(fmt.Sprintf("n%d.md", i))
			f, read := d.Read(t.Context(), p)
			if i%4 == 0 {
				if !errors.Is(err, vault.RevisionConflict) || !errors.Is(read, vault.NotFound) {
					t.Errorf("writer %d: %v, then Read = %v", i, err, read)
				}
				continue
			}
			if err != nil || read != nil || !bytes.Equal(f.Body, []byte{byte(i)}) {
				t.Errorf("writer %d: %v, then Read = %v, %v", i, err, f.Body, read)
			}
		}
	})
}

// BenchmarkAppend is 32 writers that each append to a note of their own, durably.
func BenchmarkAppend(b *testing.B) {
	for _, test := range []struct {
		name string
		db   func(testing.TB) *sqldb.DB
	}{{"sqlite", sqldbtest.Open}, {"postgres", sqldbtest.OpenPostgres}} {
		b.Run(test.name, func(b *testing.B) {
			d := create(b, test.db(b), clock, ids())
			body := strings.Repeat("A line of a note that is of a usual length.\n", 40)
			var n atomic.Int64
			b.SetParallelism(32 / runtime.GOMAXPROCS(0))
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				p := vault.Path(fmt.Sprintf("n%d.md", n.Add(1)))
				last, err := d.Write(b.Context(), providers.Change{Path: p, Body: []byte(body), Pre: vault.MustBeAbsent()})
				for i := 0; pb.Next() && err == nil; i++ {
					f, failed := d.Read(b.Context(), p)
					if failed != nil {
						b.Error(failed)
						return
					}
					next := append(f.Body[:len(body):len(body)], strconv.Itoa(i)...)
					last, err = d.Write(b.Context(), providers.Change{Path: p, Body: next, Pre: vault.MustBe(last.Revision)})
				}
				if err != nil {
					b.Error(err)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
		})
	}
}
