// Package hosted keeps vaults in Notelatch's own database: every revision of every note, with the transaction that made it.
//
// A change takes the next number of its vault under the lock of the vault's row, in one database transaction with all else that it
// does. That makes a batch atomic, the witness exact, and the feed one number to compare.
package hosted

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// Driver is one hosted vault.
type Driver struct {
	db    *sqldb.DB
	id    string
	clock func() time.Time
	newID func() string
	group group
}

// Create makes an empty vault and returns its id, which is newID's.
func Create(ctx context.Context, db sqldb.Querier, clock func() time.Time, newID func() string) (string, error) {
	id := newID()
	_, err := db.Exec(ctx, `INSERT INTO hosted_vaults (id, seq, pruned, created_at) VALUES (?, 0, 0, ?)`, id, clock().UnixMilli())
	if err != nil {
		return "", fmt.Errorf("create a hosted vault: %w", err)
	}
	return id, nil
}

// Open returns the vault that Create made. It asks the database nothing: a vault that is not there answers vault.NotFound.
func Open(db *sqldb.DB, vaultID string, clock func() time.Time, newID func() string) *Driver {
	return &Driver{db: db, id: vaultID, clock: clock, newID: newID}
}

// Opener opens hosted vaults by their ids.
func Opener(db *sqldb.DB, clock func() time.Time, newID func() string) providers.Opener {
	return func(_ context.Context, vaultID string) (providers.Driver, error) {
		return Open(db, vaultID, clock, newID), nil
	}
}

// Capabilities are the same for every hosted vault.
func (d *Driver) Capabilities() providers.Capabilities {
	return providers.Capabilities{
		Provider: "hosted", Write: true, MaxBatch: providers.MaxBatch, Atomicity: "atomic", Trash: true, History: true, Live: true,
		Replace: "transaction", Freshness: "counter", MaxRead: providers.MaxRead, MaxWrite: providers.MaxWrite,
	}
}

const noteColumns = `n.path, n.seq, n.revision, n.size, n.created_at, n.modified_at`

// row reads what noteColumns selects, with more columns after.
func row(scan func(...any) error, more ...any) (vault.Entry, error) {
	var e vault.Entry
	var seq, created, modified int64
	err := scan(append([]any{&e.Path, &seq, &e.Revision, &e.Size, &created, &modified}, more...)...)
	e.Stamp = strconv.FormatInt(seq, 10)
	e.CreatedAt, e.ModifiedAt = time.UnixMilli(created).UTC(), time.UnixMilli(modified).UTC()
	return e, err
}

// entries runs a query of noteColumns.
func (d *Driver) entries(ctx context.Context, query string, args ...any) (entries []vault.Entry, err error) {
	rows, err := d.db.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		e, err := row(rows.Scan)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, rows.Err()
}

// List yields the notes at or below dir as they were at one moment.
func (d *Driver) List(ctx context.Context, dir vault.Path) iter.Seq2[vault.Entry, error] {
	return func(yield func(vault.Entry, error) bool) {
		entries, err := d.list(ctx, dir)
		if err != nil {
			yield(vault.Entry{}, fmt.Errorf("list a hosted vault: %w", err))
			return
		}
		for _, e := range entries {
			if e.Path.In(dir) && !yield(e, nil) {
				return
			}
		}
	}
}

func (d *Driver) list(ctx context.Context, dir vault.Path) ([]vault.Entry, error) {
	if dir == "" {
		return d.entries(ctx, `SELECT `+noteColumns+` FROM hosted_notes n WHERE n.vault_id = ?`, d.id)
	}
	key := dir.Key()
	return d.entries(ctx,
		`SELECT `+noteColumns+` FROM hosted_notes n
		WHERE n.vault_id = ? AND (n.path_key = ? OR n.path_key > ? AND n.path_key < ?)`,
		d.id, []byte(key), []byte(key+"/"), []byte(key+"0")) // "0" is what follows "/"
}

// Read returns the note at p.
func (d *Driver) Read(ctx context.Context, p vault.Path) (vault.File, error) {
	if p == "" || p.Hidden() {
		return vault.File{}, providers.Missing(p)
	}
	var f vault.File
	e, err := row(d.db.QueryRow(ctx,
		`SELECT `+noteColumns+`, r.body FROM hosted_notes n
		JOIN hosted_revisions r ON r.vault_id = n.vault_id AND r.seq = n.seq
		WHERE n.vault_id = ? AND n.path_key = ?`,
		d.id, []byte(p.Key())).Scan, &f.Body)
	if errors.Is(err, sql.ErrNoRows) || err == nil && e.Path != p {
		return vault.File{}, providers.Missing(p)
	}
	if err != nil {
		return vault.File{}, fmt.Errorf("read a hosted note: %w", err)
	}
	f.Entry = e
	return f, nil
}

// Write stores one note.
func (d *Driver) Write(ctx context.Context, c providers.Change) (vault.Entry, error) {
	entries, err := d.Commit(ctx, []providers.Change{c})
	if err != nil {
		return vault.Entry{}, err
	}
	return entries[0], nil
}

// Delete moves one note to the trash.
func (d *Driver) Delete(ctx context.Context, c providers.Change) error {
	c.Delete = true
	_, err := d.Commit(ctx, []providers.Change{c})
	return err
}

// Commit makes all the changes in one database transaction. Single changes that arrive together share one, and fail alone.
func (d *Driver) Commit(ctx context.Context, changes []providers.Change) ([]vault.Entry, error) {
	for _, c := range changes {
		if err := c.Check(providers.MaxWrite); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(changes) == 1 {
		e, err := d.group.commit(ctx, d, changes[0])
		return []vault.Entry{e}, err
	}
	var entries []vault.Entry
	err := d.db.Tx(ctx, func(tx *sqldb.Tx) error {
		entries = make([]vault.Entry, len(changes))
		b, err := d.begin(ctx, tx, len(changes))
		if err != nil {
			return err
		}
		for i, c := range changes {
			if entries[i], err = b.apply(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("commit to a hosted vault: %w", err)
	}
	return entries, nil
}
