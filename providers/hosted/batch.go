package hosted

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// batch makes changes in one database transaction. A change whose precondition does not hold has touched nothing when it is refused.
type batch struct {
	d   *Driver
	tx  *sqldb.Tx
	seq int64 // of the next change
	now int64
}

// begin locks the vault and takes n numbers. Those of changes that are refused stay unused.
func (d *Driver) begin(ctx context.Context, tx *sqldb.Tx, n int) (*batch, error) {
	var last int64
	err := tx.QueryRow(ctx, `UPDATE hosted_vaults SET seq = seq + ? WHERE id = ? RETURNING seq`, n, d.id).Scan(&last)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, gone()
	}
	if err != nil {
		return nil, err
	}
	return &batch{d: d, tx: tx, seq: last - int64(n) + 1, now: d.clock().UnixMilli()}, nil
}

func gone() error {
	return vault.Errorf(vault.NotFound, "there is no such hosted vault").With("missing", "vault")
}

func (b *batch) apply(ctx context.Context, c providers.Change) (vault.Entry, error) {
	e := vault.Entry{
		Path: c.Path, Stamp: strconv.FormatInt(b.seq, 10), Revision: providers.ContentRevision(c.Body), Size: int64(len(c.Body)),
		ModifiedAt: time.UnixMilli(b.now).UTC(), CreatedAt: time.UnixMilli(b.now).UTC(),
	}
	var err error
	switch {
	case c.Delete:
		e, err = vault.Entry{}, b.delete(ctx, c)
	case c.Pre.Absent():
		err = b.create(ctx, c, e)
	default:
		err = b.replace(ctx, c, &e)
	}
	if err != nil {
		return vault.Entry{}, err
	}
	if err := b.record(ctx, c, e); err != nil {
		return vault.Entry{}, err
	}
	b.seq++
	return e, nil
}

func (b *batch) create(ctx context.Context, c providers.Change, e vault.Entry) error {
	if err := b.fits(ctx, c.Path); err != nil {
		return err
	}
	n, err := b.tx.Exec(ctx,
		`INSERT INTO hosted_notes (vault_id, path_key, path, seq, revision, size, created_at, modified_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`,
		b.d.id, []byte(c.Path.Key()), string(c.Path), b.seq, string(e.Revision), e.Size, b.now, b.now)
	if err != nil || n == 1 {
		return err
	}
	at, err := b.at(ctx, c.Path)
	if err != nil {
		return err
	}
	return providers.Exists(c.Path, at.Path)
}

// fits reports with vault.AlreadyExists that p needs a folder where there is a file, or that there is a folder of its name: what is kept
// here can be written out as files.
func (b *batch) fits(ctx context.Context, p vault.Path) error {
	key := p.Key()
	query := `SELECT path FROM hosted_notes WHERE vault_id = ? AND (path_key > ? AND path_key < ?` // "0" follows "/"
	args := []any{b.d.id, []byte(key + "/"), []byte(key + "0")}
	for dir := p.Dir(); dir != ""; dir = dir.Dir() {
		query += ` OR path_key = ?`
		args = append(args, []byte(dir.Key()))
	}
	var there vault.Path
	err := b.tx.QueryRow(ctx, query+`) LIMIT 1`, args...).Scan(&there)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	case vault.Path(there.Key()).In(vault.Path(key)):
		return providers.Exists(p, p)
	}
	return providers.Exists(p, there)
}

func (b *batch) replace(ctx context.Context, c providers.Change, e *vault.Entry) error {
	var created int64
	err := b.tx.QueryRow(ctx,
		`UPDATE hosted_notes SET seq = ?, revision = ?, size = ?, modified_at = ?
		WHERE vault_id = ? AND path_key = ? AND path = ? AND revision = ?
		RETURNING created_at`,
		b.seq, string(e.Revision), e.Size, b.now, b.d.id, []byte(c.Path.Key()), string(c.Path), string(c.Pre.Revision())).Scan(&created)
	if errors.Is(err, sql.ErrNoRows) {
		return b.conflict(ctx, c)
	}
	e.CreatedAt = time.UnixMilli(created).UTC()
	return err
}

func (b *batch) delete(ctx context.Context, c providers.Change) error {
	var was int64
	err := b.tx.QueryRow(ctx,
		`DELETE FROM hosted_notes
		WHERE vault_id = ? AND path_key = ? AND path = ? AND revision = ?
		RETURNING seq`,
		b.d.id, []byte(c.Path.Key()), string(c.Path), string(c.Pre.Revision())).Scan(&was)
	if errors.Is(err, sql.ErrNoRows) {
		return b.conflict(ctx, c)
	}
	if err != nil {
		return err
	}
	_, err = b.tx.Exec(ctx, `INSERT INTO hosted_trash (vault_id, id, seq, deleted_at) VALUES (?, ?, ?, ?)`, b.d.id, b.d.newID(), was, b.now)
	return err
}

// conflict is the answer for c, whose precondition does not hold.
func (b *batch) conflict(ctx context.Context, c providers.Change) error {
	at, err := b.at(ctx, c.Path)
	if err != nil {
		return err
	}
	if at.Path != c.Path {
		at.Revision = "" // a twin is another note
	}
	return providers.Conflict(c.Path, c.Pre.Revision(), at.Revision)
}

// at is the note at the key of p, the zero Entry if there is none.
func (b *batch) at(ctx context.Context, p vault.Path) (vault.Entry, error) {
	e, err := row(b.tx.QueryRow(ctx,
		`SELECT `+noteColumns+` FROM hosted_notes n WHERE n.vault_id = ? AND n.path_key = ?`,
		b.d.id, []byte(p.Key())).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return vault.Entry{}, nil
	}
	return e, err
}

func (b *batch) record(ctx context.Context, c providers.Change, e vault.Entry) error {
	body := c.Body
	if body == nil || c.Delete {
		body = []byte{}
	}
	created := b.now
	if !e.CreatedAt.IsZero() {
		created = e.CreatedAt.UnixMilli()
	}
	_, err := b.tx.Exec(ctx,
		`INSERT INTO hosted_revisions
		(vault_id, seq, path, path_key, revision, body, size, created_at, modified_at, transaction_id, change_index)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		b.d.id, b.seq, string(c.Path), []byte(c.Path.Key()), string(e.Revision), body, e.Size, created, b.now,
		c.Attempt.Transaction, c.Attempt.Index)
	return err
}
