package hosted

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/notelatch/notelatch/providers"
)

const feedPage = 5000 // changes

// Changes compares the cursor with the vault's number: one small query when nothing changed.
func (d *Driver) Changes(ctx context.Context, since providers.Cursor) (providers.ChangePage, error) {
	page, err := d.changes(ctx, since)
	if err != nil {
		return providers.ChangePage{}, fmt.Errorf("ask a hosted vault what changed: %w", err)
	}
	return page, nil
}

func (d *Driver) changes(ctx context.Context, since providers.Cursor) (page providers.ChangePage, err error) {
	var seq, pruned int64
	err = d.db.QueryRow(ctx, `SELECT seq, pruned FROM hosted_vaults WHERE id = ?`, d.id).Scan(&seq, &pruned)
	if errors.Is(err, sql.ErrNoRows) {
		return page, gone()
	}
	if err != nil {
		return page, err
	}
	page.Checked, page.Next = "counter", d.cursor(seq)
	from, ok := d.place(since)
	switch {
	case !ok || from > seq || from < pruned:
		page.Reset = true
		page.Changed, err = d.list(ctx, "")
		return page, err
	case from == seq:
		return page, nil
	}
	return page, d.changed(ctx, from, seq, &page)
}

// changed fills the page with the state now of every path that changed after from.
func (d *Driver) changed(ctx context.Context, from, seq int64, page *providers.ChangePage) error {
	if seq-from > feedPage {
		seq, page.More = from+feedPage, true
		page.Next = d.cursor(seq)
	}
	rows, err := d.db.Query(ctx,
		`SELECT r.path, COALESCE(n.seq, 0), COALESCE(n.revision, ''), COALESCE(n.size, 0), COALESCE(n.created_at, 0), COALESCE(n.modified_at, 0)
		FROM (SELECT DISTINCT path, path_key FROM hosted_revisions WHERE vault_id = ? AND seq > ? AND seq <= ?) r
		LEFT JOIN hosted_notes n ON n.vault_id = ? AND n.path_key = r.path_key AND n.path = r.path`,
		d.id, from, seq, d.id)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		e, err := row(rows.Scan)
		if err != nil {
			return err
		}
		if e.Revision == "" {
			page.Deleted = append(page.Deleted, e.Path)
		} else {
			page.Changed = append(page.Changed, e)
		}
	}
	return rows.Err()
}

func (d *Driver) cursor(seq int64) providers.Cursor {
	return providers.Cursor(d.id + "." + strconv.FormatInt(seq, 10))
}

func (d *Driver) place(c providers.Cursor) (seq int64, ok bool) {
	rest, ok := strings.CutPrefix(string(c), d.id+".")
	if !ok {
		return 0, false
	}
	seq, err := strconv.ParseInt(rest, 10, 64)
	return seq, err == nil && seq >= 0
}
