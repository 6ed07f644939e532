package folder

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// Landed tells how far an attempt came, from its temporary file and from what is stored, and clears up after it:
//
//   - no temporary file: it landed if what is stored is what it wanted;
//   - the temporary file is the stored one, or holds what was expected: it landed, and was killed before it removed the file;
//   - it holds what was to be stored, or a part: it was killed before it landed;
//   - it holds anything else: a save that was taken out of the way and not put back. It is put back, and the attempt did not land.
func (d *Driver) Landed(ctx context.Context, c providers.Change) (vault.Entry, bool, error) {
	if _, err := vault.ParsePath(string(c.Path)); err != nil {
		return vault.Entry{}, false, err
	}
	if err := ctx.Err(); err != nil {
		return vault.Entry{}, false, err
	}
	defer d.locks.lock(c.Path)()
	at, err := d.enter(c.Path.Dir())
	if absent(err) {
		return vault.Entry{}, c.Delete, nil
	}
	if err != nil {
		return vault.Entry{}, false, failure(c.Path, err)
	}
	defer at.close()
	landed, err := d.landed(at, c)
	if err != nil || !landed || c.Delete {
		return vault.Entry{}, landed, failure(c.Path, err)
	}
	e, err := d.written(at, c)
	return e, true, failure(c.Path, err)
}

func (d *Driver) landed(at *dir, c providers.Change) (bool, error) {
	temp, name := tempName(c.Attempt, c.Path), c.Path.Base()
	stored, err := at.peek(name)
	if absent(err) {
		stored, err = &held{}, nil
	}
	if err != nil {
		return false, err
	}
	stored.close()
	wanted := stored.revision == providers.ContentRevision(c.Body) && !c.Delete ||
		c.Delete && stored.revision == "" && stored.meta.mode == 0
	left, err := at.hold(temp)
	if absent(err) {
		return wanted, nil
	}
	if err != nil {
		return false, err
	}
	defer left.close()
	switch {
	case c.Delete && left.revision == c.Pre.Revision():
		bin, err := d.bin(c.Path.Dir())
		if err != nil {
			return false, errors.Join(err, at.unmove(temp, name))
		}
		defer bin.close()
		return true, at.discard(temp, bin, c.Path)
	case c.Delete:
		return false, at.unmove(temp, name)
	case c.Pre.Absent() && left.meta.inode == stored.meta.inode && left.meta.links > 1:
		return true, at.remove(temp)
	case !c.Pre.Absent() && left.revision == c.Pre.Revision():
		// The exchange was made, and nothing was saved before it. Where old and new are the same, this may be the new file.
		return wanted || c.Pre.Revision() != providers.ContentRevision(c.Body), at.remove(temp)
	}
	was, err := left.text()
	if err != nil {
		return false, err
	}
	is, err := at.text(name)
	if err != nil {
		return false, err
	}
	switch {
	case left.f != nil && left.meta.size <= providers.MaxRead && bytes.HasPrefix(c.Body, was):
		return wanted, at.remove(temp)
	case landedBelow(c, was, is):
		return true, at.remove(temp)
	case draftOf(c, was, is):
		return false, at.remove(temp)
	case wanted:
		ours := &held{meta: stored.meta, revision: stored.revision}
		return false, at.putBack(temp, name, ours)
	}
	return false, errors.Join(at.keep(temp, name), at.sync())
}

// landedBelow reports whether is, the stored text, is what c wanted and below it what another program added to the old file, which left
// holds with it.
func landedBelow(c providers.Change, left, is []byte) bool {
	tail, below := bytes.CutPrefix(is, c.Body)
	if c.Pre.Absent() || !below {
		return false
	}
	old, ok := bytes.CutSuffix(left, tail)
	return ok && providers.ContentRevision(old) == c.Pre.Revision()
}

// draftOf reports whether left is what was to be stored, with what another program had added to the old file meanwhile, which still is
// the stored one.
func draftOf(c providers.Change, left, is []byte) bool {
	tail, below := bytes.CutPrefix(left, c.Body)
	if c.Pre.Absent() || !below {
		return false
	}
	old, ok := bytes.CutSuffix(is, tail)
	return ok && providers.ContentRevision(old) == c.Pre.Revision()
}

// text is what h holds; nothing of what is no regular file, or larger than a note can be.
func (h *held) text() ([]byte, error) {
	if h.f == nil || h.meta.size > providers.MaxRead {
		return nil, nil
	}
	return io.ReadAll(io.NewSectionReader(h.f, 0, h.meta.size))
}

func (d *dir) text(name string) ([]byte, error) {
	h, err := d.peek(name)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer h.close()
	return h.text()
}

// clean removes the temporary files that are a second name of a note: their attempt landed. The others wait for Landed, which knows
// what the attempt wanted.
func (d *Driver) clean(ctx context.Context) {
	for _, p := range d.feed.allFolders() {
		if ctx.Err() != nil {
			return
		}
		at, err := d.enter(p)
		if err != nil {
			continue
		}
		at.cleanSpent()
		at.close()
	}
}

func (d *dir) cleanSpent() {
	names, err := d.names()
	if err != nil {
		return
	}
	spent := make(map[uint64]string)
	for _, name := range names {
		if !strings.HasPrefix(name, tempPrefix) || !strings.HasSuffix(name, tempSuffix) {
			continue
		}
		if m, err := d.stat(name); err == nil && m.mode.IsRegular() && m.links > 1 && m.inode != 0 {
			spent[m.inode] = name
		}
	}
	if len(spent) == 0 {
		return
	}
	for _, name := range names {
		if strings.HasPrefix(name, ".") {
			continue
		}
		m, err := d.stat(name)
		if temp, ok := spent[m.inode]; err == nil && ok {
			_ = d.remove(temp) // it stays hidden, and is tried again at the next start
			delete(spent, m.inode)
		}
	}
}
