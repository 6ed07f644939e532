package providertest

import (
	"context"
	"io"
	"iter"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// Faulty is a driver that fails on cue. It has every optional interface; where the driver below lacks one it behaves to a
// providers.Vault as that driver would.
type Faulty struct {
	providers.Driver

	// Before is asked before the changes are made; an error is returned in their place, and nothing is made.
	Before func(changes []providers.Change) error
	// After is asked when the changes were made; an error is returned in place of the answer, which is lost.
	After func(changes []providers.Change) error
	// Reading is asked before a file is read.
	Reading func(p vault.Path) error
}

// Read fails if Reading says so.
func (f *Faulty) Read(ctx context.Context, p vault.Path) (vault.File, error) {
	if f.Reading != nil {
		if err := f.Reading(p); err != nil {
			return vault.File{}, err
		}
	}
	return f.Driver.Read(ctx, p)
}

// Write fails before or after its effect.
func (f *Faulty) Write(ctx context.Context, c providers.Change) (vault.Entry, error) {
	entries, err := f.around([]providers.Change{c}, func() ([]vault.Entry, error) {
		e, err := f.Driver.Write(ctx, c)
		return []vault.Entry{e}, err
	})
	if err != nil {
		return vault.Entry{}, err
	}
	return entries[0], nil
}

// Delete fails before or after its effect.
func (f *Faulty) Delete(ctx context.Context, c providers.Change) error {
	_, err := f.around([]providers.Change{c}, func() ([]vault.Entry, error) { return nil, f.Driver.Delete(ctx, c) })
	return err
}

// Commit fails before or after its effect. Where the driver's batches are not atomic a crash can fall between two changes: they are
// made one by one there, and the hooks are asked for each.
func (f *Faulty) Commit(ctx context.Context, changes []providers.Change) ([]vault.Entry, error) {
	c, ok := f.Driver.(providers.Committer)
	if ok && f.Capabilities().Atomicity == "atomic" {
		return f.around(changes, func() ([]vault.Entry, error) { return c.Commit(ctx, changes) })
	}
	entries := make([]vault.Entry, len(changes))
	for i, change := range changes {
		var err error
		if change.Delete {
			err = f.Delete(ctx, change)
		} else {
			entries[i], err = f.Write(ctx, change)
		}
		if err != nil {
			return nil, err
		}
	}
	return entries, nil
}

func (f *Faulty) around(changes []providers.Change, do func() ([]vault.Entry, error)) ([]vault.Entry, error) {
	if f.Before != nil {
		if err := f.Before(changes); err != nil {
			return nil, err
		}
	}
	entries, err := do()
	if err == nil && f.After != nil {
		err = f.After(changes)
	}
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// below is the driver as a Vault sees it, which answers for what it lacks.
func (f *Faulty) below() *providers.Vault { return providers.New(f.Driver) }

// Landed asks the driver below.
func (f *Faulty) Landed(ctx context.Context, c providers.Change) (vault.Entry, bool, error) {
	return f.below().Landed(ctx, c)
}

// Trash asks the driver below.
func (f *Faulty) Trash(ctx context.Context) iter.Seq2[providers.Trashed, error] {
	return f.below().Trash(ctx)
}

// Restore asks the driver below.
func (f *Faulty) Restore(ctx context.Context, id providers.TrashID, to vault.Path) (vault.Entry, error) {
	return f.below().Restore(ctx, id, to)
}

// Revisions asks the driver below.
func (f *Faulty) Revisions(ctx context.Context, p vault.Path) iter.Seq2[vault.Entry, error] {
	return f.below().Revisions(ctx, p)
}

// ReadRevision asks the driver below.
func (f *Faulty) ReadRevision(ctx context.Context, p vault.Path, r vault.Revision) (vault.File, error) {
	return f.below().ReadRevision(ctx, p, r)
}

// Move fails before or after its effect.
func (f *Faulty) Move(ctx context.Context, from vault.Path, c providers.Change) (vault.Entry, error) {
	entries, err := f.around([]providers.Change{c}, func() ([]vault.Entry, error) {
		e, err := f.below().Move(ctx, from, c)
		return []vault.Entry{e}, err
	})
	if err != nil {
		return vault.Entry{}, err
	}
	return entries[0], nil
}

// Changes asks the driver below.
func (f *Faulty) Changes(ctx context.Context, since providers.Cursor) (providers.ChangePage, error) {
	return f.below().Changes(ctx, since)
}

// Close closes the driver below.
func (f *Faulty) Close() error {
	if c, ok := f.Driver.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
