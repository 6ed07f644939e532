package folder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

const (
	tempPrefix = ".notelatch-"
	tempSuffix = ".tmp"
)

// tempName is the name of an attempt's temporary file, which stands beside the file that it changes.
func tempName(a providers.Attempt, p vault.Path) string {
	id := a.Transaction
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}
	if id == "" || len(id) > 100 || strings.ContainsFunc(id, odd) {
		sum := sha256.Sum256([]byte(id + "\x00" + string(p)))
		id = hex.EncodeToString(sum[:8])
	}
	return fmt.Sprintf("%s%s-%d%s", tempPrefix, id, a.Index, tempSuffix)
}

// Write stores one file.
func (d *Driver) Write(ctx context.Context, c providers.Change) (vault.Entry, error) {
	if err := d.may(ctx, c); err != nil {
		return vault.Entry{}, err
	}
	defer d.locks.lock(c.Path)()
	e, err := d.write(c)
	return e, failure(c.Path, err)
}

// Delete moves one file to the trash.
func (d *Driver) Delete(ctx context.Context, c providers.Change) error {
	c.Delete, c.Body = true, nil
	if err := d.may(ctx, c); err != nil {
		return err
	}
	defer d.locks.lock(c.Path)()
	return failure(c.Path, d.delete(c))
}

func (d *Driver) may(ctx context.Context, c providers.Change) error {
	if err := c.Check(d.caps.MaxWrite); err != nil {
		return err
	}
	if !d.caps.Write {
		return vault.Errorf(vault.CapabilityMissing, "the server may not write into this folder")
	}
	return ctx.Err()
}

// Commit checks every precondition, and then makes the changes one by one, each of which checks its own again. A set that somebody
// else's edit stops in its midst is left as it is: the transaction service, which holds the plan, completes it or reports it.
func (d *Driver) Commit(ctx context.Context, changes []providers.Change) ([]vault.Entry, error) {
	for _, c := range changes {
		if err := d.may(ctx, c); err != nil {
			return nil, err
		}
	}
	if err := d.hold(changes); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // half a set helps nobody
	entries := make([]vault.Entry, len(changes))
	for i, c := range changes {
		var err error
		if c.Delete {
			err = d.Delete(ctx, c)
		} else {
			entries[i], err = d.Write(ctx, c)
		}
		if err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// hold checks the preconditions of a set, each against what the changes before it leave.
func (d *Driver) hold(changes []providers.Change) error {
	left := make(map[string]providers.Change, len(changes)) // by key: the last change there
	for _, c := range changes {
		before, touched := left[c.Path.Key()]
		left[c.Path.Key()] = c
		if touched {
			if err := follows(c, before); err != nil {
				return err
			}
			continue
		}
		if c.Pre.Absent() {
			d.making.Lock()
			err := d.free(c.Path)
			d.making.Unlock()
			if err != nil {
				return failure(c.Path, err)
			}
			continue
		}
		current, err := d.revision(c.Path)
		if err != nil {
			return failure(c.Path, err)
		}
		if current != c.Pre.Revision() {
			return providers.Conflict(c.Path, c.Pre.Revision(), current)
		}
	}
	return nil
}

// follows checks c against a change before it in the same set and at the same key.
func follows(c, before providers.Change) error {
	switch {
	case c.Pre.Absent() && before.Delete:
		return nil
	case c.Pre.Absent():
		return providers.Exists(c.Path, before.Path)
	case before.Delete, before.Path != c.Path:
		return providers.Conflict(c.Path, c.Pre.Revision(), "")
	case providers.ContentRevision(before.Body) != c.Pre.Revision():
		return providers.Conflict(c.Path, c.Pre.Revision(), providers.ContentRevision(before.Body))
	}
	return nil
}

// revision is that of the file at p now, "" if there is none.
func (d *Driver) revision(p vault.Path) (vault.Revision, error) {
	at, err := d.enter(p.Dir())
	if absent(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer at.close()
	return at.revision(p.Base())
}

func (d *dir) revision(name string) (vault.Revision, error) {
	h, err := d.peek(name)
	if absent(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer h.close()
	return h.revision, nil
}

// write is called with the path locked.
func (d *Driver) write(c providers.Change) (vault.Entry, error) {
	if c.Pre.Absent() {
		return d.create(c)
	}
	at, err := d.enter(c.Path.Dir())
	if absent(err) {
		return vault.Entry{}, providers.Conflict(c.Path, c.Pre.Revision(), "")
	}
	if err != nil {
		return vault.Entry{}, err
	}
	defer at.close()
	return d.replace(at, c)
}

// create links a finished file to its name, which fails if the name is there.
func (d *Driver) create(c providers.Change) (vault.Entry, error) {
	d.making.Lock()
	err := d.free(c.Path)
	var at *dir
	if err == nil {
		at, err = d.ensure(c.Path.Dir())
	}
	d.making.Unlock()
	if absent(err) {
		return vault.Entry{}, vault.Errorf(vault.UnsupportedHere, "the folder of %s cannot be entered; symbolic links are not followed", c.Path)
	}
	if err != nil {
		return vault.Entry{}, err
	}
	defer at.close()
	temp, name := tempName(c.Attempt, c.Path), c.Path.Base()
	if err := at.prepare(temp, c.Body); err != nil {
		return vault.Entry{}, err
	}
	d.making.Lock()
	err = d.free(c.Path) // again: a twin may have come while the file was made
	if err == nil {
		err = at.link(temp, name)
		if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without links
			err = at.place(temp, at, name)
		}
	}
	d.making.Unlock()
	if err := at.remove(temp); err != nil && !absent(err) {
		return vault.Entry{}, late(err)
	}
	if errors.Is(err, fs.ErrExist) {
		return vault.Entry{}, providers.Exists(c.Path, c.Path)
	}
	if err != nil {
		return vault.Entry{}, err
	}
	return d.written(at, c)
}

// prepare makes the temporary file, durable.
func (d *dir) prepare(temp string, body []byte) error {
	f, err := d.draft(temp, body, nil)
	if err != nil {
		return err
	}
	return f.Close()
}

// draft is prepare for a file that is like the one that it is to replace, and leaves it open. A file that an earlier run of this attempt
// left is replaced: Landed has been asked before an attempt is sent again, and keeps what is not ours.
func (d *dir) draft(temp string, body []byte, like *held) (*os.File, error) {
	mode := uint32(0o666)
	if like != nil {
		mode = 0o600 // until it is dressed
	}
	f, err := d.create(temp, mode)
	if errors.Is(err, fs.ErrExist) {
		if err = d.remove(temp); err == nil {
			f, err = d.create(temp, mode)
		}
	}
	if err != nil {
		return nil, err
	}
	if err = fill(f, body, like); err != nil {
		return nil, errors.Join(err, f.Close(), d.remove(temp))
	}
	return f, nil
}

func fill(f *os.File, body []byte, like *held) error {
	_, err := f.Write(body)
	if err == nil && like != nil {
		err = dress(f, like.f, like.meta)
	}
	if err == nil {
		err = f.Sync()
	}
	return err
}

// written makes the new name durable and describes the file. If another program has changed it since, the entry has no stamp: the
// revision is that of our bytes, and may not be taken for that of theirs.
func (d *Driver) written(at *dir, c providers.Change) (vault.Entry, error) {
	if err := at.sync(); err != nil {
		return vault.Entry{}, late(err)
	}
	ours := vault.Entry{
		Path: c.Path, Revision: providers.ContentRevision(c.Body), Size: int64(len(c.Body)), ModifiedAt: d.clock(),
	}
	h, err := at.peek(c.Path.Base())
	if err != nil {
		return ours, nil // it is gone again
	}
	defer h.close()
	if h.revision != ours.Revision {
		return ours, nil
	}
	e := d.entry(c.Path, h.meta)
	e.Revision = h.revision
	return e, nil
}
