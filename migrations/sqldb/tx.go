package sqldb

import (
	"context"
	"database/sql"
	"fmt"
)

// maxAttempts is how often a transaction is tried that the database gave up for the sake of another one.
const maxAttempts = 20

// Tx is a transaction. It belongs to the goroutine of the function that it was given to, and ends with it. Rows must be closed
// before the next query.
//
// The first query that fails ends it, on both databases: later ones are refused, and nothing is stored even if the function returns
// nil. Use ON CONFLICT rather than an error to find out what is there.
type Tx struct {
	db     *DB
	on     session
	failed error
}

// Tx runs fn in a transaction and commits it if fn returns nil. On SQLite no one else writes meanwhile; on PostgreSQL the isolation
// is read committed, so rows that are fought over need a compare-and-swap on both. fn may be called several times, because the
// database may give up one of two transactions that wait for each other; it must use the Tx for every write, and be brief.
func (db *DB) Tx(ctx context.Context, fn func(tx *Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := db.engine.transact(ctx, func(s session) error {
			tx := &Tx{db: db, on: s}
			if err := fn(tx); err != nil {
				return err
			}
			return tx.failed
		})
		if err == nil || !isSerialization(err) || ctx.Err() != nil {
			return err
		}
		if attempt == maxAttempts {
			return fmt.Errorf("gave up after %d attempts: %w", attempt, err)
		}
	}
}

// Exec is DB.Exec inside the transaction.
func (tx *Tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	if err := tx.usable(ctx); err != nil {
		return 0, err
	}
	n, err := affected(tx.on.exec(ctx, tx.db.statement(query), args))
	tx.note(err)
	return n, err
}

// Query is DB.Query inside the transaction.
func (tx *Tx) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := tx.usable(ctx); err != nil {
		return nil, err
	}
	rows, err := tx.on.query(ctx, tx.db.statement(query), args)
	tx.note(err)
	return rows, err
}

// QueryRow is DB.QueryRow inside the transaction.
func (tx *Tx) QueryRow(ctx context.Context, query string, args ...any) *sql.Row {
	if err := tx.usable(ctx); err != nil {
		return tx.db.answers.row(answer{err: err})
	}
	row := tx.on.queryRow(ctx, tx.db.statement(query), args)
	tx.note(row.Err())
	return row
}

func (tx *Tx) usable(ctx context.Context) error {
	if tx.failed != nil {
		return fmt.Errorf("the transaction has failed: %w", tx.failed)
	}
	if err := ctx.Err(); err != nil {
		tx.failed = err
		return err
	}
	tx.db.queries.Add(1)
	return nil
}

func (tx *Tx) note(err error) {
	if err != nil {
		tx.failed = err
	}
}
