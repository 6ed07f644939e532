package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

const (
	sqliteReaders = 32   // open at once; each has a small page cache of its own
	sqliteIdle    = 8    // kept open
	sqliteKept    = 1000 // prepared statements that are kept; more shapes than that are prepared each time
)

// sqliteDSN is how each connection is set up. A commit is on the disk when it returns.
const sqliteDSN = "?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"

// sqliteDB is a SQLite file: one connection that writes, and some that only read.
type sqliteDB struct {
	writer  *sqliteWriter
	pool    *sql.DB // of the writer
	readers *sql.DB
	kept    stmts // of readers
}

func openSQLite(ctx context.Context, path string) (engine, error) {
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return nil, errors.New("the database URL must name a file, as sqlite:/path/notelatch.db")
	}
	// The file holds hashes of credentials; SQLite gives its companions the same permissions.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	dsn := "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path) + sqliteDSN
	d := &sqliteDB{}
	if d.pool, err = sql.Open("sqlite", dsn); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if d.readers, err = sql.Open("sqlite", dsn+"&_pragma=query_only(1)"); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, closeAfter(d, err))
	}
	d.readers.SetMaxOpenConns(sqliteReaders)
	d.readers.SetMaxIdleConns(sqliteIdle)
	conn, err := d.pool.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, closeAfter(d, err))
	}
	d.writer = &sqliteWriter{conn: conn, answers: newAnswerer()}
	return d, nil
}

func (d *sqliteDB) dialect() string { return SQLite }

func (d *sqliteDB) ping(ctx context.Context) error { return d.readers.PingContext(ctx) }

func (d *sqliteDB) close() error {
	var errs []error
	errs = append(errs, d.kept.close())
	if d.readers != nil {
		errs = append(errs, d.readers.Close())
	}
	if d.writer != nil { // the last connection to close folds the log into the file
		errs = append(errs, d.writer.kept.close(), d.writer.conn.Close(), d.writer.answers.close())
	}
	return errors.Join(append(errs, d.pool.Close())...)
}

func (d *sqliteDB) exec(ctx context.Context, s *statement, args []any) (r sql.Result, err error) {
	err = d.writer.transact(ctx, func(w session) error {
		r, err = w.exec(ctx, s, args)
		return err
	})
	return r, err
}

func (d *sqliteDB) query(ctx context.Context, s *statement, args []any) (*sql.Rows, error) {
	if s.writes {
		return nil, errors.New("rows of a write need a transaction on SQLite; use DB.Tx, or QueryRow for one row")
	}
	st, err := d.kept.prepare(ctx, d.readers, s.text)
	if err != nil {
		return nil, err
	}
	if st == nil {
		return d.readers.QueryContext(ctx, s.text, args...)
	}
	return st.QueryContext(ctx, args...)
}

// queryRow reads the row of a write before the next writer has its turn.
func (d *sqliteDB) queryRow(ctx context.Context, s *statement, args []any) *sql.Row {
	if s.writes {
		var a answer
		if err := d.writer.transact(ctx, func(w session) error {
			a = take(w.query(ctx, s, args))
			return a.err
		}); err != nil {
			a = answer{err: err}
		}
		return d.writer.answers.row(a)
	}
	st, err := d.kept.prepare(ctx, d.readers, s.text)
	if err != nil {
		return d.writer.answers.row(answer{err: err})
	}
	if st == nil {
		return d.readers.QueryRowContext(ctx, s.text, args...)
	}
	return st.QueryRowContext(ctx, args...)
}

func (d *sqliteDB) script(ctx context.Context, text string) error {
	return d.writer.transact(ctx, func(w session) error { return w.script(ctx, text) })
}

func (d *sqliteDB) transact(ctx context.Context, fn func(session) error) error {
	return d.writer.transact(ctx, fn)
}

// lockSchema does nothing: a transaction on SQLite is alone from its start.
func (d *sqliteDB) lockSchema(context.Context, session) error { return nil }

func (d *sqliteDB) hasTable(ctx context.Context, name string) (bool, error) {
	var n int
	err := d.readers.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = ?`, name).Scan(&n)
	return n > 0, err
}

// stmts are prepared statements by their text: preparing costs more than running a small query.
type stmts struct {
	mu   sync.RWMutex // guards held; not held while preparing
	held map[string]*sql.Stmt
}

// prepare returns the statement for text, or nil if too many are kept already.
func (k *stmts) prepare(ctx context.Context, on interface {
	PrepareContext(context.Context, string) (*sql.Stmt, error)
}, text string) (*sql.Stmt, error) {
	k.mu.RLock()
	st, n := k.held[text], len(k.held)
	k.mu.RUnlock()
	if st != nil || n >= sqliteKept {
		return st, nil
	}
	st, err := on.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if first := k.held[text]; first != nil {
		return first, st.Close()
	}
	if k.held == nil {
		k.held = make(map[string]*sql.Stmt)
	}
	k.held[text] = st
	return st, nil
}

func (k *stmts) close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var errs []error
	for _, st := range k.held {
		errs = append(errs, st.Close())
	}
	k.held = nil
	return errors.Join(errs...)
}
