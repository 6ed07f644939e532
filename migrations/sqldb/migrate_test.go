package sqldb_test

import (
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestMigrationsOfTheBinaryAreApplied(t *testing.T) {
	sqldbtest.RunURL(t, func(t *testing.T, url string) {
		for range 2 { // the second time there is nothing to do
			db, err := sqldb.Open(t.Context(), url)
			if err != nil {
				t.Fatalf("Open: %v", err)
			}
			steps, err := db.Migrations(t.Context())
			if err != nil || len(steps) == 0 {
				t.Fatalf("Migrations = %v, %v", steps, err)
			}
			for _, m := range steps {
				if !m.Applied {
					t.Errorf("%04d_%s is not applied", m.Version, m.Name)
				}
			}
			db.Close()
		}
	})
}

func TestMigrationsGoForward(t *testing.T) {
	sqldbtest.RunURL(t, func(t *testing.T, url string) {
		files := fstest.MapFS{
			"0001_a.sql":          file(`CREATE TABLE a (id BIGINT NOT NULL); INSERT INTO a (id) VALUES (1);`),
			"0002_b.sqlite.sql":   file(`CREATE TABLE b (id BIGINT NOT NULL, here TEXT);`),
			"0002_b.postgres.sql": file(`CREATE TABLE b (id BIGINT NOT NULL, here TEXT);`),
		}
		openWith(t, url, files)
		files["0003_c.sql"] = file(`INSERT INTO a (id) VALUES (2); INSERT INTO b (id) VALUES (2);`)
		db := openWith(t, url, files)
		var n int
		if err := db.QueryRow(t.Context(), `SELECT COUNT(*) FROM a`).Scan(&n); err != nil || n != 2 {
			t.Errorf("%d rows, %v; want 2: each migration once", n, err)
		}
	})
}

func TestMigrationsThatDoNotFitAreRefused(t *testing.T) {
	sqldbtest.RunURL(t, func(t *testing.T, url string) {
		a, c := file(`CREATE TABLE a (id BIGINT NOT NULL);`), file(`CREATE TABLE c (id BIGINT NOT NULL);`)
		landed := fstest.MapFS{"0001_a.sql": a, "0003_c.sql": c}
		openWith(t, url, landed)
		for name, tt := range map[string]struct {
			files fstest.MapFS
			want  string
		}{
			"newer database":  {fstest.MapFS{"0001_a.sql": a}, "newer than this program"},
			"no migrations":   {fstest.MapFS{}, "newer than this program"},
			"edited":          {fstest.MapFS{"0001_a.sql": file(`CREATE TABLE a (id TEXT);`), "0003_c.sql": c}, "edited"},
			"between":         {fstest.MapFS{"0001_a.sql": a, "0002_b.sql": a, "0003_c.sql": c}, "numbered below"},
			"two of a number": {fstest.MapFS{"0001_a.sql": a, "0001_b.sql": c}, "two migrations"},
			"not a migration": {fstest.MapFS{"0001_a.sql": a, "notes.sql": c}, "not named"},
			"bad, and undone": {fstest.MapFS{"0001_a.sql": a, "0003_c.sql": c, "0004_d.sql": file(`CREATE TABLE d (id BIGINT); NONSENSE;`)}, "0004_d"},
		} {
			db, err := sqldb.OpenWith(t.Context(), url, tt.files)
			if err == nil {
				db.Close()
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: Open = %v, want an error with %q", name, err, tt.want)
			}
		}
		landed["0004_d.sql"] = file(`CREATE TABLE d (id BIGINT);`) // fails if the bad one left its table
		openWith(t, url, landed)
	})
}

func TestConcurrentOpensMigrateOnce(t *testing.T) {
	sqldbtest.RunURL(t, func(t *testing.T, url string) {
		files := fstest.MapFS{"0001_a.sql": file(`CREATE TABLE a (id BIGINT NOT NULL); INSERT INTO a (id) VALUES (1);`)}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				db, err := sqldb.OpenWith(t.Context(), url, files)
				if err != nil {
					t.Errorf("Open: %v", err)
					return
				}
				db.Close()
			})
		}
		wg.Wait()
		var n int
		if err := openWith(t, url, files).QueryRow(t.Context(), `SELECT COUNT(*) FROM a`).Scan(&n); err != nil || n != 1 {
			t.Errorf("%d rows, %v; want 1", n, err)
		}
	})
}
