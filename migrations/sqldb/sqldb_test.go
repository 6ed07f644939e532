package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
)

const kinds = `
CREATE TABLE kinds (
	id BIGINT NOT NULL PRIMARY KEY,
	word TEXT NOT NULL,
	flag BOOLEAN NOT NULL,
	body BYTEA,
	ratio DOUBLE PRECISION NOT NULL
);
CREATE TABLE parts (
	id BIGINT NOT NULL PRIMARY KEY,
	kind BIGINT NOT NULL REFERENCES kinds (id)
);
`

// run runs fn on both databases with the tables above.
func run(t *testing.T, fn func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	sqldbtest.RunURL(t, func(t *testing.T, url string) {
		fn(t, openWith(t, url, fstest.MapFS{"0001_kinds.sql": {Data: []byte(kinds)}}))
	})
}

func openWith(t *testing.T, url string, files fstest.MapFS) *sqldb.DB {
	t.Helper()
	db, err := sqldb.OpenWith(t.Context(), url, files)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

type kind struct {
	ID    int64
	Word  string
	Flag  bool
	Body  []byte
	Ratio float64
}

func insert(t *testing.T, on sqldb.Querier, k kind) {
	t.Helper()
	n, err := on.Exec(t.Context(), `
		INSERT INTO kinds (id, word, flag, body, ratio)
		VALUES (?, ?, ?, ?, ?)`, k.ID, k.Word, k.Flag, k.Body, k.Ratio)
	if err != nil || n != 1 {
		t.Fatalf("insert %d = %d rows, %v; want 1", k.ID, n, err)
	}
}

func count(t *testing.T, on sqldb.Querier) int {
	t.Helper()
	var n int
	if err := on.QueryRow(t.Context(), `SELECT COUNT(*) FROM kinds`).Scan(&n); err != nil {
		t.Fatalf("count: %v", err)
	}
	return n
}

func TestValuesComeBackAsTheyWere(t *testing.T) {
	run(t, func(t *testing.T, db *sqldb.DB) {
		want := []kind{
			{1, "", false, []byte{}, 0},
			{2, "007", true, []byte("12"), 0.5},
			{3, "ä\n'\"", true, []byte{0, 255, 0}, -1e300},
			{-1 << 63, "x", false, []byte(strings.Repeat("y", 1<<16)), 1},
		}
		for _, k := range want {
			insert(t, db, k)
		}
		for _, w := range want {
			var got kind
			err := db.QueryRow(t.Context(), `
				SELECT id, word, flag, body, ratio
				FROM kinds
				WHERE id = ? AND flag = ?`, w.ID, w.Flag).Scan(&got.ID, &got.Word, &got.Flag, &got.Body, &got.Ratio)
			if err != nil {
				t.Fatalf("read %d: %v", w.ID, err)
			}
			if d := cmp.Diff(w, got, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("row %d (-want +got):\n%s", w.ID, d)
			}
		}
		var null sql.Null[[]byte]
		if err := db.QueryRow(t.Context(), `
			UPDATE kinds
			SET body = NULL
			WHERE id = 1
			RETURNING body`).Scan(&null); err != nil || null.Valid {
			t.Errorf("a null body = %q, %v", null.V, err)
		}
	})
}

func TestOneRowOfAWrite(t *testing.T) {
	run(t, func(t *testing.T, db *sqldb.DB) {
		insert(t, db, kind{ID: 1, Word: "a", Flag: true})
		var word string
		var flag bool
		const update = `
			UPDATE kinds
			SET word = word || ?
			WHERE id = ?
			RETURNING word, flag`
		if err := db.QueryRow(t.Context(), update, "b", 1).Scan(&word, &flag); err != nil || word != "ab" || !flag {
			t.Errorf("update = %q, %v, %v; want ab, true", word, flag, err)
		}
		if err := db.QueryRow(t.Context(), update, "b", 2).Scan(&word, &flag); !errors.Is(err, sql.ErrNoRows) {
			t.Errorf("update of nothing = %v, want ErrNoRows", err)
		}
		err := db.QueryRow(t.Context(), `
			INSERT INTO kinds (id, word, flag, ratio)
			VALUES (1, 'c', FALSE, 0)
			RETURNING word`).Scan(&word)
		if !sqldb.IsUnique(err) {
			t.Errorf("a second row 1 = %v, want a unique violation", err)
		}
	})
}

func TestUniqueAndOtherViolationsDiffer(t *testing.T) {
	run(t, func(t *testing.T, db *sqldb.DB) {
		insert(t, db, kind{ID: 1})
		_, err := db.Exec(t.Context(), `INSERT INTO kinds (id, word, flag, ratio) VALUES (1, '', FALSE, 0)`)
		if !sqldb.IsUnique(err) {
			t.Errorf("IsUnique(%v) = false", err)
		}
		_, err = db.Exec(t.Context(), `INSERT INTO parts (id, kind) VALUES (1, 2)`)
		if err == nil || sqldb.IsUnique(err) {
			t.Errorf("a part of no kind = %v, want a foreign key violation", err)
		}
		if _, err = db.Exec(t.Context(), `INSERT INTO parts (id, kind) VALUES (1, 1)`); err != nil {
			t.Errorf("a part of a kind: %v", err)
		}
	})
}

func TestTxStoresAllOrNothing(t *testing.T) {
	run(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Tx(t.Context(), func(tx *sqldb.Tx) error {
			insert(t, tx, kind{ID: 1})
			insert(t, tx, kind{ID: 2})
			if n := count(t, tx); n != 2 {
				t.Errorf("inside: %d rows, want 2", n)
			}
			return nil
		}); err != nil {
			t.Fatalf("Tx: %v", err)
		}
		if n := count(t, db); n != 2 {
			t.Errorf("after commit: %d rows, want 2", n)
		}
		why := errors.New("changed my mind")
		if err := db.Tx(t.Context(), func(tx *sqldb.Tx) error {
			insert(t, tx, kind{ID: 3})
			return why
		}); !errors.Is(err, why) {
			t.Errorf("Tx = %v, want %v", err, why)
		}
		func() {
			defer func() { recover() }()
			db.Tx(t.Context(), func(tx *sqldb.Tx) error {
				insert(t, tx, kind{ID: 4})
				panic("bug")
			})
		}()
		if n := count(t, db); n != 2 {
			t.Errorf("after rollbacks: %d rows, want 2", n)
		}
		insert(t, db, kind{ID: 5}) // the writer is free again
	})
}

func TestAFailedStatementEndsTheTransaction(t *testing.T) {
	run(t, func(t *testing.T, db *sqldb.DB) {
		insert(t, db, kind{ID: 1})
		err := db.Tx(t.Context(), func(tx *sqldb.Tx) error {
			insert(t, tx, kind{ID: 2})
			_, first := tx.Exec(t.Context(), `INSERT INTO kinds (id, word, flag, ratio) VALUES (1, '', FALSE, 0)`)
			if !sqldb.IsUnique(first) {
				t.Errorf("duplicate = %v", first)
			}
			var n int
			if err := tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM kinds`).Scan(&n); !sqldb.IsUnique(err) {
				t.Errorf("a query after the failure = %v, want the failure", err)
			}
			return nil // forgets the failure
		})
		if !sqldb.IsUnique(err) {
			t.Errorf("Tx = %v, want the failure", err)
		}
		if n := count(t, db); n != 1 {
			t.Errorf("%d rows, want 1", n)
		}
	})
}

func TestACancelledTransactionLeavesNothing(t *testing.T) {
	run(t, func(t *testing.T, db *sqldb.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		err := db.Tx(ctx, func(tx *sqldb.Tx) error {
			insert(t, tx, kind{ID: 1})
			cancel()
			_, err := tx.Exec(ctx, `INSERT INTO kinds (id, word, flag, ratio) VALUES (2, '', FALSE, 0)`)
			return err
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Tx = %v, want context.Canceled", err)
		}
		if n := count(t, db); n != 0 {
			t.Errorf("%d rows, want 0", n)
		}
		insert(t, db, kind{ID: 3})
	})
}

// Increments of one row by many writers, some of them through a second handle, as another process would have.
func TestConcurrentWritersLoseNothing(t *testing.T) {
	sqldbtest.RunURL(t, func(t *testing.T, url string) {
		files := fstest.MapFS{"0001_kinds.sql": {Data: []byte(kinds)}}
		handles := []*sqldb.DB{openWith(t, url, files), openWith(t, url, files)}
		insert(t, handles[0], kind{ID: 1})
		const writers, each = 8, 10
		var wg sync.WaitGroup
		for i := range writers {
			db := handles[i%len(handles)]
			wg.Go(func() {
				for range each {
					if err := db.Tx(t.Context(), func(tx *sqldb.Tx) error {
						var ratio float64
						if err := tx.QueryRow(t.Context(), `
							UPDATE kinds
							SET ratio = ratio + 1
							WHERE id = 1
							RETURNING ratio`).Scan(&ratio); err != nil {
							return err
						}
						_, err := tx.Exec(t.Context(), `
							INSERT INTO kinds (id, word, flag, ratio)
							VALUES (?, '', FALSE, 0)`, 1+int64(ratio))
						return err
					}); err != nil {
						t.Errorf("Tx: %v", err)
					}
				}
			})
		}
		wg.Wait()
		if n := count(t, handles[1]); n != 1+writers*each {
			t.Errorf("%d rows, want %d", n, 1+writers*each)
		}
	})
}

func TestReadersDoNotWaitForTheWriter(t *testing.T) {
	run(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Tx(t.Context(), func(tx *sqldb.Tx) error {
			insert(t, tx, kind{ID: 1})
			if n := count(t, db); n != 0 {
				t.Errorf("beside the transaction: %d rows, want 0", n)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if n := count(t, db); n != 1 {
			t.Errorf("after it: %d rows, want 1", n)
		}
	})
}

func TestQueriesAreCounted(t *testing.T) {
	run(t, func(t *testing.T, db *sqldb.DB) {
		before := db.Queries()
		insert(t, db, kind{ID: 1})
		count(t, db)
		rows, err := db.Query(t.Context(), `WITH w AS (SELECT id FROM kinds) SELECT id FROM w`)
		if err != nil {
			t.Fatal(err)
		}
		rows.Close()
		if err := db.Tx(t.Context(), func(tx *sqldb.Tx) error {
			count(t, tx)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if n := db.Queries() - before; n != 4 {
			t.Errorf("counted %d queries, want 4", n)
		}
	})
}

func TestOpenNamesWhatItCannotOpen(t *testing.T) {
	for _, url := range []string{"", "mysql://x", "sqlite:", "sqlite::memory:", "notes.db"} {
		if db, err := sqldb.Open(t.Context(), url); err == nil {
			db.Close()
			t.Errorf("Open(%q) succeeded", url)
		}
	}
	file := filepath.Join(t.TempDir(), "odd ?#%41 name.db")
	db, err := sqldb.Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v; want one with content, for its owner alone", info, err)
	}
}
