package hosted

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// revisionColumns are noteColumns of hosted_revisions.
const revisionColumns = `r.path, r.seq, r.revision, r.size, r.created_at, r.modified_at`

// Landed tells exactly whether an attempt landed: its row carries the transaction.
func (d *Driver) Landed(ctx context.Context, c providers.Change) (vault.Entry, bool, error) {
	e, err := row(d.db.QueryRow(ctx,
		`SELECT `+revisionColumns+` FROM hosted_revisions r
		WHERE r.vault_id = ? AND r.transaction_id = ? AND r.change_index = ? AND r.path = ?`,
		d.id, c.Attempt.Transaction, c.Attempt.Index, string(c.Path)).Scan)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return vault.Entry{}, false, nil
	case err != nil:
		return vault.Entry{}, false, fmt.Errorf("look for a hosted transaction: %w", err)
	case e.Revision == "":
		return vault.Entry{}, true, nil
	}
	return e, true, nil
}

// Revisions yields what was written at p, the newest first.
func (d *Driver) Revisions(ctx context.Context, p vault.Path) iter.Seq2[vault.Entry, error] {
	return func(yield func(vault.Entry, error) bool) {
		entries, err := d.entries(ctx,
			`SELECT `+revisionColumns+` FROM hosted_revisions r
			WHERE r.vault_id = ? AND r.path_key = ? AND r.path = ? AND r.revision <> ''
			ORDER BY r.seq DESC`,
			d.id, []byte(p.Key()), string(p))
		if err == nil && len(entries) == 0 {
			err = providers.Missing(p)
		}
		if err != nil {
			yield(vault.Entry{}, err)
			return
		}
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// ReadRevision returns the note at p as it was at r.
func (d *Driver) ReadRevision(ctx context.Context, p vault.Path, r vault.Revision) (vault.File, error) {
	var f vault.File
	e, err := row(d.db.QueryRow(ctx,
		`SELECT `+revisionColumns+`, r.body FROM hosted_revisions r
		WHERE r.vault_id = ? AND r.path_key = ? AND r.path = ? AND r.revision = ? AND r.revision <> ''
		ORDER BY r.seq DESC
		LIMIT 1`,
		d.id, []byte(p.Key()), string(p), string(r)).Scan, &f.Body)
	if errors.Is(err, sql.ErrNoRows) {
		return vault.File{}, vault.Errorf(vault.NotFound, "%s has no revision %s", p, r).With("missing", "revision")
	}
	if err != nil {
		return vault.File{}, fmt.Errorf("read a hosted revision: %w", err)
	}
	f.Entry = e
	return f, nil
}

// Trash yields what was deleted in the last 30 days, the newest first.
func (d *Driver) Trash(ctx context.Context) iter.Seq2[providers.Trashed, error] {
	return func(yield func(providers.Trashed, error) bool) {
		all, err := d.trashed(ctx)
		if err != nil {
			yield(providers.Trashed{}, fmt.Errorf("list a hosted trash: %w", err))
			return
		}
		for _, t := range all {
			if !yield(t, nil) {
				return
			}
		}
	}
}

func (d *Driver) trashed(ctx context.Context) (all []providers.Trashed, err error) {
	rows, err := d.db.Query(ctx,
		`SELECT `+revisionColumns+`, t.id, t.deleted_at FROM hosted_trash t
		JOIN hosted_revisions r ON r.vault_id = t.vault_id AND r.seq = t.seq
		WHERE t.vault_id = ? AND t.deleted_at > ?
		ORDER BY t.deleted_at DESC, t.seq DESC`,
		d.id, d.clock().Add(-keepTrash).UnixMilli())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var t providers.Trashed
		var at int64
		if t.Entry, err = row(rows.Scan, &t.ID, &at); err != nil {
			return nil, err
		}
		t.DeletedAt = time.UnixMilli(at).UTC()
		all = append(all, t)
	}
	return all, rows.Err()
}

// Restore writes a deleted note anew and takes it out of the trash, in one database transaction.
func (d *Driver) Restore(ctx context.Context, id providers.TrashID, to vault.Path) (e vault.Entry, err error) {
	if strings.ContainsRune(string(id), 0) {
		return e, notInTrash()
	}
	err = d.db.Tx(ctx, func(tx *sqldb.Tx) error {
		b, err := d.begin(ctx, tx, 1)
		if err != nil {
			return err
		}
		c := providers.Change{Path: to, Pre: vault.MustBeAbsent()}
		was, err := row(tx.QueryRow(ctx,
			`SELECT `+revisionColumns+`, r.body FROM hosted_trash t
			JOIN hosted_revisions r ON r.vault_id = t.vault_id AND r.seq = t.seq
			WHERE t.vault_id = ? AND t.id = ? AND t.deleted_at > ?`,
			d.id, string(id), d.clock().Add(-keepTrash).UnixMilli()).Scan, &c.Body)
		if errors.Is(err, sql.ErrNoRows) {
			return notInTrash()
		}
		if err != nil {
			return err
		}
		if to == "" {
			c.Path = was.Path
		}
		if err := c.Check(providers.MaxRead); err != nil {
			return err
		}
		if e, err = b.apply(ctx, c); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM hosted_trash WHERE vault_id = ? AND id = ?`, d.id, string(id))
		return err
	})
	if err != nil {
		return vault.Entry{}, fmt.Errorf("restore a hosted note: %w", err)
	}
	return e, nil
}

func notInTrash() error {
	return vault.Errorf(vault.NotFound, "there is nothing of that id in the trash").With("missing", "trash")
}
