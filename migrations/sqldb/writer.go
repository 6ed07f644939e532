package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// maxBatch is how many transactions share one commit at most.
const maxBatch = 64

// sqliteWriter is the one connection of the process that writes. Statements on it are not interrupted: they are short, and SQLite
// answers an interrupted write by giving up the transaction around it, unasked.
//
// A commit waits for the disk, and that is most of what a small write costs. So transactions that wait for their turn meanwhile are
// run one after the other inside one transaction of SQLite, each after the first in a savepoint of its own, and are committed
// together: a batch. Each runs in its own goroutine, alone, and returns when the batch is on the disk.
type sqliteWriter struct {
	conn    *sql.Conn
	kept    stmts // of conn
	answers answerer

	mu      sync.Mutex // guards busy and waiting; never held while a statement runs
	busy    bool       // somebody has the turn
	waiting []chan *batch
}

// batch is an open transaction of SQLite. Whoever has the turn has the batch.
type batch struct {
	size int
	done chan struct{} // closed when the batch has ended
	err  error         // how; set before done is closed
}

// errLost is the end of a batch that was given up for the sake of one member: the others are run again.
var errLost = errors.New("the transaction was lost with another one")

// transact runs fn in a transaction that has the write lock from its start.
func (w *sqliteWriter) transact(ctx context.Context, fn func(session) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.join(ctx, fn); err != errLost {
			return err
		}
	}
}

func (w *sqliteWriter) join(ctx context.Context, fn func(session) error) error {
	b, err := w.take(ctx)
	if err != nil {
		return err
	}
	first := b == nil
	if first {
		b = &batch{done: make(chan struct{})}
		if err := w.run(ctx, "BEGIN IMMEDIATE"); err != nil {
			w.give(nil)
			return fmt.Errorf("begin a transaction: %w", err)
		}
	} else if err := w.run(ctx, "SAVEPOINT member"); err != nil {
		w.abandon(ctx, b)
		return fmt.Errorf("begin a transaction: %w", err)
	}
	b.size++
	stored := false
	defer func() {
		if !stored { // fn failed, panicked, or ended its goroutine
			w.undo(ctx, b, first)
		}
	}()
	if err := fn(w); err != nil {
		return err
	}
	if !first {
		if err := w.run(ctx, "RELEASE member"); err != nil {
			return fmt.Errorf("end a transaction: %w", err)
		}
	}
	stored = true
	w.pass(ctx, b)
	<-b.done
	return b.err
}

// undo takes back what one member did, and nothing of the others.
func (w *sqliteWriter) undo(ctx context.Context, b *batch, first bool) {
	if first {
		w.abandon(ctx, b)
		return
	}
	// Some errors make SQLite give up the transaction around the savepoint, and then there is none to go back to.
	if w.run(ctx, "ROLLBACK TO member") != nil || w.run(ctx, "RELEASE member") != nil {
		w.abandon(ctx, b)
		return
	}
	w.pass(ctx, b)
}

// abandon ends a batch without storing anything, and gives the turn away.
func (w *sqliteWriter) abandon(ctx context.Context, b *batch) {
	_ = w.run(ctx, "ROLLBACK") // fails if SQLite did it already
	b.err = errLost
	close(b.done)
	w.give(nil)
}

// pass lets the next transaction join the batch, or commits it.
func (w *sqliteWriter) pass(ctx context.Context, b *batch) {
	if b.size < maxBatch && w.give(b) {
		return
	}
	if err := w.run(ctx, "COMMIT"); err != nil {
		b.err = errors.Join(fmt.Errorf("commit: %w", err), w.run(ctx, "ROLLBACK"))
	}
	close(b.done)
	w.give(nil)
}

// take waits for the turn. With it may come a batch to join.
func (w *sqliteWriter) take(ctx context.Context) (*batch, error) {
	w.mu.Lock()
	if !w.busy {
		w.busy = true
		w.mu.Unlock()
		return nil, nil
	}
	mine := make(chan *batch, 1)
	w.waiting = append(w.waiting, mine)
	w.mu.Unlock()
	select {
	case b := <-mine:
		return b, nil
	case <-ctx.Done():
	}
	w.mu.Lock()
	at := slices.Index(w.waiting, mine)
	if at >= 0 {
		w.waiting = slices.Delete(w.waiting, at, at+1)
	}
	w.mu.Unlock()
	if at < 0 { // the turn came at the same moment, and goes on to the next
		if b := <-mine; b != nil {
			w.pass(ctx, b)
		} else {
			w.give(nil)
		}
	}
	return nil, ctx.Err()
}

// give hands the turn to the next that waits, with the batch b to join, if any. It reports whether there was one; if not, and without
// a batch, the turn is free.
func (w *sqliteWriter) give(b *batch) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) == 0 {
		w.busy = b != nil
		return false
	}
	w.waiting[0] <- b
	w.waiting = slices.Delete(w.waiting, 0, 1)
	return true
}

func (w *sqliteWriter) run(ctx context.Context, text string) error {
	_, err := w.exec(ctx, &statement{text: text}, nil)
	return err
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
