package events

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/notelatch/notelatch/governance/internal/opaque"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/vault"
)

// Log is the events in a database.
type Log struct {
	db     *sqldb.DB
	random io.Reader
}

// New returns the events of db. Random must be cryptographic.
func New(db *sqldb.DB, random io.Reader) *Log { return &Log{db: db, random: random} }

// Append adds evs to the chains of their accounts inside the caller's transaction, and returns them as they were stored. They are
// in the log if, and only if, that transaction commits.
//
// Appenders to one account line up behind its head until their transactions end, so Append comes last in a transaction. Events of
// several accounts in one call are appended in the order of the accounts' ids, so that two callers never wait for each other.
func (l *Log) Append(ctx context.Context, tx *sqldb.Tx, evs []Event) ([]Event, error) {
	stored := slices.Clone(evs)
	order := make([]int, len(stored))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(stored[a].Account, stored[b].Account) })
	for len(order) > 0 {
		account := stored[order[0]].Account
		n := 1
		for n < len(order) && stored[order[n]].Account == account {
			n++
		}
		if err := l.extend(ctx, tx, account, stored, order[:n]); err != nil {
			return nil, fmt.Errorf("append events: %w", err)
		}
		order = order[n:]
	}
	return stored, nil
}

// extend appends evs[i], for each i of which, to the chain of account.
func (l *Log) extend(ctx context.Context, tx *sqldb.Tx, account string, evs []Event, which []int) error {
	last, previous, err := advance(ctx, tx, account, len(which))
	if errors.Is(err, sql.ErrNoRows) { // the first event of the account
		if _, err := tx.Exec(ctx, `
			INSERT INTO event_heads (account_id, sequence, hash)
			VALUES (?, 0, ?)
			ON CONFLICT DO NOTHING`, account, FirstHash); err != nil {
			return err
		}
		last, previous, err = advance(ctx, tx, account, len(which))
	}
	if err != nil {
		return err
	}
	for k, i := range which {
		e := &evs[i]
		id, err := opaque.ID(l.random, "evt_")
		if err != nil {
			return err
		}
		e.ID, e.Sequence, e.PreviousHash = id, last-int64(len(which)-1-k), previous
		e.clean()
		e.Hash = e.hash()
		previous = e.Hash
		if err := insert(ctx, tx, *e); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `
		UPDATE event_heads
		SET hash = ?
		WHERE account_id = ?`, previous, account)
	return err
}

// advance takes the next n numbers of the account, and with them a lock on its head until the transaction ends: no one else reads the
// hash that is about to be replaced.
func advance(ctx context.Context, tx *sqldb.Tx, account string, n int) (last int64, previous string, err error) {
	err = tx.QueryRow(ctx, `
		UPDATE event_heads
		SET sequence = sequence + ?
		WHERE account_id = ?
		RETURNING sequence, hash`, n, account).Scan(&last, &previous)
	return last, previous, err
}

const columns = `sequence, id, account_id, mapping_id, at, kind, path, client, tool, door, transaction_id,
		before_revision, after_revision, trash_id, reason, previous_hash, hash`

func insert(ctx context.Context, tx *sqldb.Tx, e Event) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO events (`+columns+`)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.Sequence, e.ID, e.Account, e.Mapping, e.At.UnixMilli(), string(e.Kind), pathBytes(e.Path), e.Client, e.Tool, e.Door, e.Transaction,
		string(e.Before), string(e.After), e.TrashID, e.Reason, e.PreviousHash, e.Hash)
	return err
}

// Filter narrows a list. The zero Filter is everything.
type Filter struct {
	Path   vault.Path
	Since  time.Time // inclusive
	Kinds  []Kind
	Before int64 // only events with a smaller sequence; 0 for no bound
	Limit  int   // 1 to 1,000; 0 is 100
}

const (
	usualLimit = 100
	mostEvents = 1000
)

// List returns events of an account, newest first: of one mapping, or of all if mapping is empty.
func (l *Log) List(ctx context.Context, account, mapping string, f Filter) ([]Event, error) {
	query := `
		SELECT ` + columns + `
		FROM events
		WHERE account_id = ?`
	args := []any{account}
	and := func(clause string, values ...any) {
		query += "\n\t\t\tAND " + clause
		args = append(args, values...)
	}
	if mapping != "" {
		and("mapping_id = ?", mapping)
	}
	if f.Path != "" {
		and("path = ?", pathBytes(f.Path))
	}
	if !f.Since.IsZero() {
		and("at >= ?", f.Since.UnixMilli())
	}
	if f.Before != 0 {
		and("sequence < ?", f.Before)
	}
	if len(f.Kinds) > 0 {
		kinds := make([]any, len(f.Kinds))
		for i, k := range f.Kinds {
			kinds[i] = string(k)
		}
		and("kind IN (?"+strings.Repeat(", ?", len(kinds)-1)+")", kinds...)
	}
	if f.Limit == 0 {
		f.Limit = usualLimit
	}
	query += "\n\t\tORDER BY sequence DESC\n\t\tLIMIT ?"
	return scan(l.db.Query(ctx, query, append(args, min(max(f.Limit, 1), mostEvents))...))
}

// Latest returns the last event about a note, or vault.NotFound. It tells where the stored state of the note came from.
func (l *Log) Latest(ctx context.Context, mapping string, p vault.Path) (Event, error) {
	e, err := scanOne(l.db.QueryRow(ctx, `
		SELECT `+columns+`
		FROM events
		WHERE mapping_id = ? AND path = ?
		ORDER BY sequence DESC
		LIMIT 1`, mapping, pathBytes(p)))
	if errors.Is(err, sql.ErrNoRows) {
		return Event{}, vault.Errorf(vault.NotFound, "nothing is recorded about this note")
	}
	return e, err
}

// Stored returns the last event that stored a revision, at whatever path, or vault.NotFound. Where revisions tell contents, it finds
// a note again that was renamed or copied outside.
func (l *Log) Stored(ctx context.Context, mapping string, r vault.Revision) (Event, error) {
	e, err := scanOne(l.db.QueryRow(ctx, `
		SELECT `+columns+`
		FROM events
		WHERE mapping_id = ? AND after_revision = ?
		ORDER BY sequence DESC
		LIMIT 1`, mapping, string(r)))
	if errors.Is(err, sql.ErrNoRows) {
		return Event{}, vault.Errorf(vault.NotFound, "nothing is recorded that stored this revision")
	}
	return e, err
}

func pathBytes(p vault.Path) []byte { return append([]byte{}, p...) }

func scan(rows *sql.Rows, err error) ([]Event, error) {
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	defer rows.Close() // its error is that of Err
	var evs []Event
	for rows.Next() {
		e, err := scanOne(rows)
		if err != nil {
			return nil, err
		}
		evs = append(evs, e)
	}
	return evs, rows.Err()
}

func scanOne(row interface{ Scan(...any) error }) (e Event, err error) {
	var at int64
	var path []byte
	if err := row.Scan(&e.Sequence, &e.ID, &e.Account, &e.Mapping, &at, &e.Kind, &path, &e.Client, &e.Tool, &e.Door, &e.Transaction,
		&e.Before, &e.After, &e.TrashID, &e.Reason, &e.PreviousHash, &e.Hash); err != nil {
		return Event{}, fmt.Errorf("read an event: %w", err)
	}
	e.Path, e.At = vault.Path(path), time.UnixMilli(at).UTC()
	return e, nil
}
