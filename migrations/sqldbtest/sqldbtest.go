// Package sqldbtest opens fresh databases for tests: SQLite in the test's folder, and PostgreSQL in a schema of its own.
package sqldbtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/notelatch/notelatch/migrations/sqldb"
)

// serverVariable names the PostgreSQL server of tests. Each test makes a schema there and drops it.
const serverVariable = "NOTELATCH_TEST_POSTGRES_URL"

// localServer is used where the variable is not set.
const localServer = "postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable"

// Run runs fn on each database, fresh and migrated, as the subtests "sqlite" and "postgres".
func Run(t *testing.T, fn func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	RunURL(t, func(t *testing.T, url string) { fn(t, open(t, url)) })
}

// RunURL is Run for tests that open the database themselves, perhaps several times. The URL names an empty database.
func RunURL(t *testing.T, fn func(t *testing.T, url string)) {
	t.Helper()
	t.Run(sqldb.SQLite, func(t *testing.T) { fn(t, SQLite(t)) })
	t.Run(sqldb.Postgres, func(t *testing.T) { fn(t, Postgres(t)) })
}

// Open returns a fresh, migrated SQLite database, closed when the test ends.
func Open(tb testing.TB) *sqldb.DB {
	tb.Helper()
	return open(tb, SQLite(tb))
}

// OpenPostgres is Open for PostgreSQL.
func OpenPostgres(tb testing.TB) *sqldb.DB {
	tb.Helper()
	return open(tb, Postgres(tb))
}

func open(tb testing.TB, url string) *sqldb.DB {
	tb.Helper()
	db, err := sqldb.Open(tb.Context(), url)
	if err != nil {
		tb.Fatalf("open a test database: %v", err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("close the test database: %v", err)
		}
	})
	return db
}

// SQLite returns the URL of an empty SQLite database.
func SQLite(tb testing.TB) string {
	tb.Helper()
	return "sqlite:" + filepath.Join(tb.TempDir(), "test.db")
}

// Postgres returns the URL of an empty schema on the PostgreSQL server of tests, dropped when the test ends.
func Postgres(tb testing.TB) string {
	tb.Helper()
	server := os.Getenv(serverVariable)
	if server == "" {
		server = localServer
	}
	admin, err := sql.Open("pgx", server)
	if err != nil {
		tb.Fatalf("%s: %v", serverVariable, err)
	}
	if err := admin.PingContext(tb.Context()); err != nil {
		tb.Fatalf("no PostgreSQL for tests: run `make test`, or set %s: %v", serverVariable, err)
	}
	schema := "test_" + strings.ToLower(rand.Text())
	if _, err := admin.ExecContext(tb.Context(), "CREATE SCHEMA "+schema); err != nil {
		tb.Fatalf("make a schema: %v", err)
	}
	tb.Cleanup(func() {
		if _, err := admin.ExecContext(context.Background(), "DROP SCHEMA "+schema+" CASCADE"); err != nil {
			tb.Errorf("drop the schema: %v", err)
		}
		if err := admin.Close(); err != nil {
			tb.Errorf("close the connection: %v", err)
		}
	})
	u, err := url.Parse(server)
	if err != nil {
		tb.Fatalf("%s: %v", serverVariable, err)
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}
