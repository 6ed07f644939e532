package providers

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/notelatch/notelatch/vault"
)

// Vault is the notes behind one Driver, as everyone but the driver sees them. It finds out which optional interfaces the driver has,
// refuses what no driver may do, and retries reads. It never repeats a write: only the transaction service knows what was planned.
type Vault struct {
	d    Driver
	caps Capabilities
}

// New returns the vault that d stores.
func New(d Driver) *Vault {
	return &Vault{d: d, caps: d.Capabilities()}
}

// adrift reports whether the driver's root leads elsewhere by now.
func (v *Vault) adrift() bool {
	a, ok := v.d.(Anchored)
	return ok && a.Adrift()
}

// Capabilities says what the vault can do.
func (v *Vault) Capabilities() Capabilities { return v.caps }

// List yields every file at or below dir, as Driver.List does. It is retried only as long as nothing was yielded: what a caller has
// seen is not taken back.
func (v *Vault) List(ctx context.Context, dir vault.Path) iter.Seq2[vault.Entry, error] {
	return func(yield func(vault.Entry, error) bool) {
		yielded, stopped := false, false
		_, err := retry(ctx, func() (struct{}, error) {
			for e, err := range v.d.List(ctx, dir) {
				if err != nil {
					if yielded {
						err = final{err}
					}
					return struct{}{}, err
				}
				yielded = true
				if !yield(e, nil) {
					stopped = true
					return struct{}{}, nil
				}
			}
			return struct{}{}, nil
		})
		if err != nil && !stopped {
			yield(vault.Entry{}, err)
		}
	}
}

// Read returns the file at p.
func (v *Vault) Read(ctx context.Context, p vault.Path) (vault.File, error) {
	if _, err := vault.ParsePath(string(p)); err != nil {
		return vault.File{}, err
	}
	return retry(ctx, func() (vault.File, error) { return v.d.Read(ctx, p) })
}

// Commit makes the changes and returns the new entry of each, zero for a deletion. With one change the driver's own guarantee holds;
// with more it is that of Capabilities.Atomicity: all or none where that is "atomic", and where it is "recoverable" all or a prefix,
// whose end the error does not tell: the stored contents do. A driver that takes one change at a time answers vault.BatchNotAtomic.
//
// An error that is neither a vault.Error nor made before the first effect leaves the outcome unknown.
func (v *Vault) Commit(ctx context.Context, changes []Change) ([]vault.Entry, error) {
	if err := v.check(changes); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, contextError(err)
	}
	if len(changes) == 0 {
		return nil, nil
	}
	if c, ok := v.d.(Committer); ok {
		return c.Commit(ctx, changes)
	}
	if c := changes[0]; c.Delete {
		return []vault.Entry{{}}, v.d.Delete(ctx, c)
	}
	e, err := v.d.Write(ctx, changes[0])
	if err != nil {
		return nil, err
	}
	return []vault.Entry{e}, nil
}

func (v *Vault) check(changes []Change) error {
	if !v.caps.Write {
		return vault.Errorf(vault.CapabilityMissing, "this vault can only be read")
	}
	if most := max(1, v.caps.MaxBatch); len(changes) > most {
		if most == 1 {
			return vault.Errorf(vault.BatchNotAtomic, "%s stores one note at a time; %d changes cannot be made together", v.caps.Provider, len(changes)).
				Next("Send each change as a transaction of its own.").
				With("limit", most)
		}
		return vault.Errorf(vault.TooManyActions, "%d changes; a transaction may have %d", len(changes), most).
			With("limit", most)
	}
	seen := make(map[vault.Path]bool, len(changes))
	for _, c := range changes {
		if err := c.Check(v.caps.MaxWrite); err != nil {
			return err
		}
		if seen[c.Path] {
			return vault.Errorf(vault.InvalidArgument, "%s is changed twice in one transaction", c.Path).
				With("path", string(c.Path))
		}
		seen[c.Path] = true
	}
	return nil
}

// Landed tells after a lost answer whether c landed; vault.UnsupportedHere where nobody can know.
func (v *Vault) Landed(ctx context.Context, c Change) (vault.Entry, bool, error) {
	w, ok := v.d.(Witness)
	if !ok {
		return vault.Entry{}, false, v.unsupported("tell whether an earlier write landed")
	}
	type answer struct {
		entry  vault.Entry
		landed bool
	}
	a, err := retry(ctx, func() (a answer, err error) {
		a.entry, a.landed, err = w.Landed(ctx, c)
		return a, err
	})
	return a.entry, a.landed, err
}

// Trash yields the deleted files that can be restored, newest first where the driver knows.
func (v *Vault) Trash(ctx context.Context) iter.Seq2[Trashed, error] {
	if t, ok := v.d.(Trasher); ok {
		return t.Trash(ctx)
	}
	return func(yield func(Trashed, error) bool) { yield(Trashed{}, v.unsupported("list its trash")) }
}

// Restore moves a file out of the trash to a path that must be free; the zero Path is where it was.
func (v *Vault) Restore(ctx context.Context, id TrashID, to vault.Path) (vault.Entry, error) {
	t, ok := v.d.(Trasher)
	if !ok {
		return vault.Entry{}, v.unsupported("restore from its trash")
	}
	if to != "" {
		if err := (Change{Path: to, Pre: vault.MustBeAbsent()}).Check(v.caps.MaxWrite); err != nil {
			return vault.Entry{}, err
		}
	}
	return t.Restore(ctx, id, to)
}

// Revisions yields the stored revisions of a note, the newest first.
func (v *Vault) Revisions(ctx context.Context, p vault.Path) iter.Seq2[vault.Entry, error] {
	if h, ok := v.d.(Historian); ok {
		return h.Revisions(ctx, p)
	}
	return func(yield func(vault.Entry, error) bool) {
		yield(vault.Entry{}, v.unsupported("list earlier revisions"))
	}
}

// ReadRevision returns a note as it was at r.
func (v *Vault) ReadRevision(ctx context.Context, p vault.Path, r vault.Revision) (vault.File, error) {
	h, ok := v.d.(Historian)
	if !ok {
		return vault.File{}, v.unsupported("read earlier revisions")
	}
	return retry(ctx, func() (vault.File, error) { return h.ReadRevision(ctx, p, r) })
}

// Move renames the file at from to c.Path, if c.Pre holds for what is at from and c.Path is free.
func (v *Vault) Move(ctx context.Context, from vault.Path, c Change) (vault.Entry, error) {
	m, ok := v.d.(Mover)
	if !ok {
		return vault.Entry{}, v.unsupported("rename without copying")
	}
	if err := v.check([]Change{c}); err != nil {
		return vault.Entry{}, err
	}
	return m.Move(ctx, from, c)
}

// Changes tells what changed since a cursor; vault.UnsupportedHere where the driver has no feed.
func (v *Vault) Changes(ctx context.Context, since Cursor) (ChangePage, error) {
	f, ok := v.d.(ChangeFeed)
	if !ok {
		return ChangePage{}, v.unsupported("tell what changed")
	}
	return retry(ctx, func() (ChangePage, error) { return f.Changes(ctx, since) })
}

// Close releases what the driver holds.
func (v *Vault) Close() error {
	c, ok := v.d.(io.Closer)
	if !ok {
		return nil
	}
	if err := c.Close(); err != nil {
		return fmt.Errorf("close %s vault: %w", v.caps.Provider, err)
	}
	return nil
}

func (v *Vault) unsupported(what string) error {
	return vault.Errorf(vault.UnsupportedHere, "a %s vault cannot %s", v.caps.Provider, what)
}
