package memory

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// Trash yields the deleted files, the newest first.
func (d *Driver) Trash(ctx context.Context) iter.Seq2[providers.Trashed, error] {
	return func(yield func(providers.Trashed, error) bool) {
		d.mu.Lock()
		held := slices.Clone(d.trash)
		d.mu.Unlock()
		for _, t := range slices.Backward(held) {
			if err := ctx.Err(); err != nil {
				yield(providers.Trashed{}, err)
				return
			}
			if !yield(t.Trashed, nil) {
				return
			}
		}
	}
}

// Restore puts a deleted file back.
func (d *Driver) Restore(ctx context.Context, id providers.TrashID, to vault.Path) (vault.Entry, error) {
	if err := ctx.Err(); err != nil {
		return vault.Entry{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.trash, func(t trashed) bool { return t.ID == id })
	if i < 0 {
		return vault.Entry{}, vault.Errorf(vault.NotFound, "there is nothing of that id in the trash").With("missing", "trash")
	}
	t := d.trash[i]
	if to == "" {
		to = t.Entry.Path
	}
	c := providers.Change{Path: to, Body: t.body, Pre: vault.MustBeAbsent()}
	if err := c.Check(providers.MaxRead); err != nil {
		return vault.Entry{}, err
	}
	if err := d.holds([]providers.Change{c}); err != nil {
		return vault.Entry{}, err
	}
	d.trash = slices.Delete(d.trash, i, i+1)
	return d.store(c), nil
}

// Landed tells exactly whether an attempt was made here.
func (d *Driver) Landed(ctx context.Context, c providers.Change) (vault.Entry, bool, error) {
	if err := ctx.Err(); err != nil {
		return vault.Entry{}, false, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	l, ok := d.attempts[attempt{c.Attempt.Transaction, c.Attempt.Index}]
	if !ok || l.path != c.Path {
		return vault.Entry{}, false, nil
	}
	return l.entry, true, nil
}

// Revisions yields what was ever stored at p, the newest first.
func (d *Driver) Revisions(ctx context.Context, p vault.Path) iter.Seq2[vault.Entry, error] {
	return func(yield func(vault.Entry, error) bool) {
		d.mu.Lock()
		held := slices.Clone(d.versions[p])
		d.mu.Unlock()
		if len(held) == 0 {
			yield(vault.Entry{}, providers.Missing(p))
			return
		}
		for _, f := range slices.Backward(held) {
			if err := ctx.Err(); err != nil {
				yield(vault.Entry{}, err)
				return
			}
			if !yield(f.Entry, nil) {
				return
			}
		}
	}
}

// ReadRevision returns what was stored at p as r.
func (d *Driver) ReadRevision(ctx context.Context, p vault.Path, r vault.Revision) (vault.File, error) {
	if err := ctx.Err(); err != nil {
		return vault.File{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range slices.Backward(d.versions[p]) {
		if f.Revision == r {
			return vault.File{Entry: f.Entry, Body: slices.Clone(f.Body)}, nil
		}
	}
	return vault.File{}, vault.Errorf(vault.NotFound, "%s has no revision %s", p, r).With("missing", "revision")
}

// Move renames a file; a new spelling of the same name is a rename too.
func (d *Driver) Move(ctx context.Context, from vault.Path, c providers.Change) (vault.Entry, error) {
	if err := ctx.Err(); err != nil {
		return vault.Entry{}, err
	}
	if err := c.Check(providers.MaxWrite); err != nil {
		return vault.Entry{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.holds([]providers.Change{{Path: from, Pre: c.Pre}}); err != nil {
		return vault.Entry{}, err
	}
	if at, ok := d.files[c.Path.Key()]; ok && from.Key() != c.Path.Key() {
		return vault.Entry{}, providers.Exists(c.Path, at.Path)
	}
	f := d.files[from.Key()]
	delete(d.files, from.Key())
	d.record(event{path: from, deleted: true})
	e := d.store(providers.Change{Path: c.Path, Body: f.Body})
	d.attempts[attempt{c.Attempt.Transaction, c.Attempt.Index}] = landing{c.Path, e}
	return e, nil
}

// Changes tells what changed since a cursor.
func (d *Driver) Changes(ctx context.Context, since providers.Cursor) (providers.ChangePage, error) {
	if err := ctx.Err(); err != nil {
		return providers.ChangePage{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	self := fmt.Sprintf("%p.", d) // no other vault of the process is there
	page := providers.ChangePage{Next: providers.Cursor(self + strconv.Itoa(d.seq)), Checked: "counter"}
	at, mine := strings.CutPrefix(string(since), self)
	n, err := strconv.Atoi(at)
	if !mine || err != nil || n < 0 || n > d.seq {
		page.Reset, page.Changed = true, d.entries("")
		return page, nil
	}
	seen := make(map[vault.Path]bool)
	for _, e := range slices.Backward(d.feed[n:]) {
		if seen[e.path] || e.path.Hidden() {
			continue
		}
		seen[e.path] = true
		if f, ok := d.files[e.path.Key()]; ok && f.Path == e.path {
			page.Changed = append(page.Changed, f.Entry)
		} else {
			page.Deleted = append(page.Deleted, e.path)
		}
	}
	return page, nil
}
