package sqldb_test

import (
	"os"
	"os/exec"
	"testing"
	"testing/fstest"

	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
)

// childVariable makes the test below the other process: it holds the database's URL.
const childVariable = "SQLDB_TEST_CHILD"

// A command works beside a running server: both write to one file, and no write of either is lost or refused.
func TestTwoProcessesShareAFile(t *testing.T) {
	const each = 100
	bump := func(db *sqldb.DB) {
		for range each {
			if err := db.Tx(t.Context(), func(tx *sqldb.Tx) error {
				var ratio float64
				if err := tx.QueryRow(t.Context(), `SELECT ratio FROM kinds WHERE id = 1`).Scan(&ratio); err != nil {
					return err
				}
				_, err := tx.Exec(t.Context(), `UPDATE kinds SET ratio = ? WHERE id = 1`, ratio+1)
				return err
			}); err != nil {
				t.Fatalf("Tx: %v", err)
			}
		}
	}
	files := fstest.MapFS{"0001_kinds.sql": file(kinds)}
	if url := os.Getenv(childVariable); url != "" {
		bump(openWith(t, url, files))
		return
	}
	url := sqldbtest.SQLite(t)
	db := openWith(t, url, files)
	insert(t, db, kind{ID: 1})
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTwoProcessesShareAFile$")
	child.Env = append(os.Environ(), childVariable+"="+url)
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	bump(db)
	if err := child.Wait(); err != nil {
		t.Errorf("the other process: %v", err)
	}
	var ratio float64
	if err := db.QueryRow(t.Context(), `SELECT ratio FROM kinds WHERE id = 1`).Scan(&ratio); err != nil || ratio != 2*each {
		t.Errorf("counted to %v, %v; want %d", ratio, err, 2*each)
	}
}
