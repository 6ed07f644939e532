package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// Names of the databases, as Dialect returns them.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// Querier runs queries: *DB each on its own, *Tx inside a transaction.
type Querier interface {
	Exec(ctx context.Context, query string, args ...any) (rowsAffected int64, err error)
	Query(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) *sql.Row
}

// DB is an open database with the schema of this binary. It is safe for concurrent use.
type DB struct {
	engine  engine
	texts   sync.Map // query text to *statement
	queries atomic.Int64
	answers answerer
}

// engine is what differs between the two databases.
type engine interface {
	session
	dialect() string
	transact(ctx context.Context, fn func(session) error) error
	lockSchema(ctx context.Context, s session) error
	hasTable(ctx context.Context, name string) (bool, error)
	ping(ctx context.Context) error
	close() error
}

// session runs rewritten statements.
type session interface {
	exec(ctx context.Context, s *statement, args []any) (sql.Result, error)
	query(ctx context.Context, s *statement, args []any) (*sql.Rows, error)
	queryRow(ctx context.Context, s *statement, args []any) *sql.Row
	script(ctx context.Context, text string) error
}

// Open opens the database that url names, "sqlite:/path/file.db" or "postgres://…", and brings its schema up to that of this
// binary. Concurrent Opens, also of other processes, wait for each other. A database that is newer than the binary is refused.
func Open(ctx context.Context, url string) (*DB, error) {
	e, err := openEngine(ctx, url)
	if err != nil {
		return nil, err
	}
	db := &DB{engine: e, answers: newAnswerer()}
	if err := db.migrate(ctx); err != nil {
		return nil, fmt.Errorf("migrate the database: %w", closeAfter(e, err))
	}
	return db, nil
}

func openEngine(ctx context.Context, url string) (engine, error) {
	scheme, rest, _ := strings.Cut(url, ":")
	switch scheme {
	case "sqlite":
		return openSQLite(ctx, strings.TrimPrefix(rest, "//"))
	case "postgres", "postgresql":
		return openPostgres(ctx, url)
	}
	return nil, fmt.Errorf("the database URL must begin with sqlite: or postgres://, not with %q", scheme+":")
}

// closeAfter closes e because of err, which it returns.
func closeAfter(e engine, err error) error {
	e.close() // err is what the caller must hear of
	return err
}

// Exec runs a query that returns no rows, and tells how many rows it touched.
func (db *DB) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	db.queries.Add(1)
	return affected(db.engine.exec(ctx, db.statement(query), args))
}

// Query runs a query that returns rows. The caller closes them before it asks for anything else that could wait for them.
func (db *DB) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	db.queries.Add(1)
	return db.engine.query(ctx, db.statement(query), args)
}

// QueryRow runs a query that returns at most one row. Scan gives sql.ErrNoRows if there is none.
func (db *DB) QueryRow(ctx context.Context, query string, args ...any) *sql.Row {
	db.queries.Add(1)
	return db.engine.queryRow(ctx, db.statement(query), args)
}

// Queries is how many queries ran so far, those in transactions included. Tests count work with it.
func (db *DB) Queries() int64 { return db.queries.Load() }

// Dialect is SQLite or Postgres.
func (db *DB) Dialect() string { return db.engine.dialect() }

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.engine.ping(ctx) }

// Close closes the database. No query may be running.
func (db *DB) Close() error { return errors.Join(db.engine.close(), db.answers.close()) }

func affected(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}
