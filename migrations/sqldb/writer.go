package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// sqliteWriter is the one connection of the process that writes. Statements on it are not interrupted: they are short, and SQLite
// answers an interrupted write by giving up the transaction around it, unasked.
type sqliteWriter struct {
	turn    chan struct{} // holds one token while somebody writes
	conn    *sql.Conn
	kept    stmts // of conn
	answers answerer
}

// alone runs fn, one statement outside of a transaction, when no one else writes.
func (w *sqliteWriter) alone(ctx context.Context, fn func(session) error) error {
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-w.turn }()
	return fn(w)
}

// transact runs fn in a transaction that has the write lock from its start.
func (w *sqliteWriter) transact(ctx context.Context, fn func(session) error) error {
	return w.alone(ctx, func(session) (err error) {
		if _, err := w.run(ctx, "BEGIN IMMEDIATE"); err != nil {
			return fmt.Errorf("begin a transaction: %w", err)
		}
		open := true
		defer func() {
			if open { // fn failed, or panicked
				_, rollback := w.run(ctx, "ROLLBACK")
				err = errors.Join(err, rollback)
			}
		}()
		if err := fn(w); err != nil {
			return err
		}
		if _, err := w.run(ctx, "COMMIT"); err != nil {
			return fmt.Errorf("commit: %w", err)
		}
		open = false
		return nil
	})
}

func (w *sqliteWriter) run(ctx context.Context, text string) (sql.Result, error) {
	return w.exec(ctx, &statement{text: text}, nil)
}

func (w *sqliteWriter) exec(ctx context.Context, s *statement, args []any) (sql.Result, error) {
	ctx = context.WithoutCancel(ctx)
	st, err := w.kept.prepare(ctx, w.conn, s.text)
	if err != nil {
		return nil, err
	}
	if st == nil {
		return w.conn.ExecContext(ctx, s.text, args...)
	}
	return st.ExecContext(ctx, args...)
}

func (w *sqliteWriter) query(ctx context.Context, s *statement, args []any) (*sql.Rows, error) {
	ctx = context.WithoutCancel(ctx)
	st, err := w.kept.prepare(ctx, w.conn, s.text)
	if err != nil {
		return nil, err
	}
	if st == nil {
		return w.conn.QueryContext(ctx, s.text, args...)
	}
	return st.QueryContext(ctx, args...)
}

func (w *sqliteWriter) queryRow(ctx context.Context, s *statement, args []any) *sql.Row {
	ctx = context.WithoutCancel(ctx)
	st, err := w.kept.prepare(ctx, w.conn, s.text)
	if err != nil {
		return w.answers.row(answer{err: err})
	}
	if st == nil {
		return w.conn.QueryRowContext(ctx, s.text, args...)
	}
	return st.QueryRowContext(ctx, args...)
}

func (w *sqliteWriter) script(ctx context.Context, text string) error {
	_, err := w.conn.ExecContext(context.WithoutCancel(ctx), text)
	return err
}
