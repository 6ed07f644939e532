// Package memory is a vault that lives in the process. It has every optional interface of a driver and no accident of any service,
// so it is the reference for what the contract means, and what the tests of other rooms store their notes in.
package memory

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// Driver is a vault in memory.
type Driver struct {
	clock func() time.Time

	mu       sync.Mutex // guards all below; no call holds it for longer than its own work
	files    map[string]*vault.File
	versions map[vault.Path][]vault.File // the oldest first, the stored one included
	attempts map[attempt]landing
	trash    []trashed
	feed     []event
	seq      int
}

type attempt struct {
	transaction string
	index       int
}

type landing struct {
	path  vault.Path
	entry vault.Entry
}

type trashed struct {
	providers.Trashed
	body []byte
}

type event struct {
	path    vault.Path
	deleted bool
}

// New returns an empty vault.
func New(clock func() time.Time) *Driver {
	return &Driver{
		clock:    clock,
		files:    make(map[string]*vault.File),
		versions: make(map[vault.Path][]vault.File),
		attempts: make(map[attempt]landing),
	}
}

// Capabilities says that memory can do everything.
func (d *Driver) Capabilities() providers.Capabilities {
	return providers.Capabilities{
		Provider: "memory", Write: true, MaxBatch: providers.MaxBatch, Atomicity: "atomic", Trash: true, History: true, Live: true,
		Replace: "transaction", Freshness: "counter", MaxRead: providers.MaxRead, MaxWrite: providers.MaxWrite,
	}
}

// Put stores a file past every rule, as an edit from outside does: hidden paths, any size, no precondition.
func (d *Driver) Put(p vault.Path, body []byte) vault.Entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.store(providers.Change{Path: p, Body: body})
}

// List yields the files at or below dir.
func (d *Driver) List(ctx context.Context, dir vault.Path) iter.Seq2[vault.Entry, error] {
	return func(yield func(vault.Entry, error) bool) {
		d.mu.Lock()
		entries := d.entries(dir)
		d.mu.Unlock()
		for _, e := range entries {
			if err := ctx.Err(); err != nil {
				yield(vault.Entry{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (d *Driver) entries(dir vault.Path) []vault.Entry {
	var entries []vault.Entry
	for _, key := range slices.Sorted(maps.Keys(d.files)) {
		if f := d.files[key]; f.Path.In(dir) && !f.Path.Hidden() {
			entries = append(entries, f.Entry)
		}
	}
	return entries
}

// Read returns the file at p.
func (d *Driver) Read(ctx context.Context, p vault.Path) (vault.File, error) {
	if err := ctx.Err(); err != nil {
		return vault.File{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok := d.files[p.Key()]
	if !ok || f.Path != p || p.Hidden() {
		return vault.File{}, providers.Missing(p)
	}
	if f.Size > providers.MaxRead {
		return vault.File{}, providers.TooLarge(p, f.Size, providers.MaxRead)
	}
	return vault.File{Entry: f.Entry, Body: slices.Clone(f.Body)}, nil
}

// Write stores one file.
func (d *Driver) Write(ctx context.Context, c providers.Change) (vault.Entry, error) {
	entries, err := d.Commit(ctx, []providers.Change{c})
	if err != nil {
		return vault.Entry{}, err
	}
	return entries[0], nil
}

// Delete moves one file to the trash.
func (d *Driver) Delete(ctx context.Context, c providers.Change) error {
	c.Delete = true
	_, err := d.Commit(ctx, []providers.Change{c})
	return err
}

// Commit makes all the changes or none.
func (d *Driver) Commit(ctx context.Context, changes []providers.Change) ([]vault.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range changes {
		if err := c.Check(providers.MaxWrite); err != nil {
			return nil, err
		}
	}
	if err := d.holds(changes); err != nil {
		return nil, err
	}
	entries := make([]vault.Entry, len(changes))
	for i, c := range changes {
		if c.Delete {
			d.remove(c)
		} else {
			entries[i] = d.store(c)
		}
		d.attempts[attempt{c.Attempt.Transaction, c.Attempt.Index}] = landing{c.Path, entries[i]}
	}
	return entries, nil
}

// holds checks every precondition, each against what the changes before it leave.
func (d *Driver) holds(changes []providers.Change) error {
	stored := make(map[string]*vault.Entry) // what the earlier changes leave; nil for nothing
	for _, c := range changes {
		key := c.Path.Key()
		at, touched := stored[key]
		if f, ok := d.files[key]; !touched && ok {
			at = &f.Entry
		}
		switch {
		case c.Pre.Absent() && at != nil:
			return providers.Exists(c.Path, at.Path)
		case c.Pre.Absent():
		case at == nil || at.Path != c.Path:
			return providers.Conflict(c.Path, c.Pre.Revision(), "")
		case at.Revision != c.Pre.Revision():
			return providers.Conflict(c.Path, c.Pre.Revision(), at.Revision)
		}
		if c.Delete {
			stored[key] = nil
		} else {
			stored[key] = &vault.Entry{Path: c.Path, Revision: providers.ContentRevision(c.Body)}
		}
	}
	return nil
}

func (d *Driver) store(c providers.Change) vault.Entry {
	now := d.clock()
	e := vault.Entry{
		Path: c.Path, Revision: providers.ContentRevision(c.Body), Size: int64(len(c.Body)), ModifiedAt: now, CreatedAt: now,
	}
	if old, ok := d.files[c.Path.Key()]; ok {
		e.CreatedAt = old.CreatedAt
	}
	d.record(event{path: c.Path})
	e.Stamp = strconv.Itoa(d.seq)
	f := &vault.File{Entry: e, Body: slices.Clone(c.Body)}
	d.files[c.Path.Key()] = f
	d.versions[c.Path] = append(d.versions[c.Path], *f)
	return e
}

func (d *Driver) remove(c providers.Change) {
	key := c.Path.Key()
	f := d.files[key]
	delete(d.files, key)
	d.record(event{path: f.Path, deleted: true})
	d.trash = append(d.trash, trashed{
		providers.Trashed{ID: providers.TrashID(strconv.Itoa(d.seq)), Entry: f.Entry, DeletedAt: d.clock()},
		f.Body,
	})
}

func (d *Driver) record(e event) {
	d.feed = append(d.feed, e)
	d.seq = len(d.feed)
}
