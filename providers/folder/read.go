package folder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"strings"
	"syscall"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// List walks the folder. What is no regular file, and what has a name that no path can have, is listed as unreadable.
func (d *Driver) List(ctx context.Context, dir vault.Path) iter.Seq2[vault.Entry, error] {
	return func(yield func(vault.Entry, error) bool) {
		if dir.Hidden() {
			return
		}
		at, err := d.enter(dir)
		if absent(err) {
			return // nothing is below a file, or below what is not there
		}
		if err != nil {
			yield(vault.Entry{}, failure(dir, err))
			return
		}
		defer at.close()
		w := walk{d: d, ctx: ctx, yield: yield}
		w.folder(at, dir)
	}
}

const oddName = providers.Unreadable + "name"

type walk struct {
	d       *Driver
	ctx     context.Context
	yield   func(vault.Entry, error) bool
	entered func(*dir, vault.Path) // told of each folder before it is listed; may be nil
}

// folder yields all below at, and reports whether to go on.
func (w *walk) folder(at *dir, p vault.Path) bool {
	if err := w.ctx.Err(); err != nil {
		w.yield(vault.Entry{}, err)
		return false
	}
	if w.entered != nil {
		w.entered(at, p)
	}
	names, err := at.names()
	if err != nil {
		w.yield(vault.Entry{}, failure(p, err))
		return false
	}
	for _, name := range names {
		if strings.HasPrefix(name, ".") {
			continue
		}
		if !w.name(at, p, name) {
			return false
		}
	}
	return true
}

func (w *walk) name(at *dir, p vault.Path, name string) bool {
	path, ok := join(p, name)
	m, err := at.stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true // gone since the folder was listed
	case err != nil:
		return w.yield(vault.Entry{Path: path, Stamp: providers.Unreadable + "not accessible"}, nil)
	case !ok:
		return w.yield(vault.Entry{Path: path, Stamp: oddName, Size: m.size, ModifiedAt: m.changed}, nil)
	case !m.mode.IsDir():
		return w.yield(w.d.entry(path, m), nil)
	}
	below, err := at.enter(name)
	if absent(err) {
		return true
	}
	if is(err, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM) { // of the server and not of the folder, whose notes are all there
		w.yield(vault.Entry{}, failure(path, err))
		return false
	}
	if err != nil {
		return w.yield(vault.Entry{Path: path, Stamp: providers.Unreadable + "folder", ModifiedAt: m.changed}, nil)
	}
	defer below.close()
	return w.folder(below, path)
}

const stableReads = 5

// Read returns the file at p as it was at one moment: a read during which the file changed is made again.
func (d *Driver) Read(ctx context.Context, p vault.Path) (vault.File, error) {
	if _, err := vault.ParsePath(string(p)); err != nil {
		return vault.File{}, err
	}
	if p.Hidden() {
		return vault.File{}, providers.Missing(p)
	}
	at, err := d.enter(p.Dir())
	if err != nil {
		return vault.File{}, failure(p, err)
	}
	defer at.close()
	for range stableReads {
		if err := ctx.Err(); err != nil {
			return vault.File{}, err
		}
		mark := d.feed.bumped(p) // before the bytes: a mark that is set meanwhile is of bytes that came later
		body, m, ok, err := readOnce(at, p)
		if absent(err) && d.feed.oddly(p) {
			return vault.File{}, vault.Errorf(vault.UnsupportedHere, "the name of %s is one that no path here can have", p).
				Next("The owner renames the file.").With("path", string(p))
		}
		if err != nil {
			return vault.File{}, failure(p, err)
		}
		if ok {
			e := d.entry(p, m)
			e.Stamp, e.Revision = m.stamp()+mark, providers.ContentRevision(body)
			return vault.File{Entry: e, Body: body}, nil
		}
	}
	return vault.File{}, vault.Errorf(vault.ProviderUnavailable, "%s is being written by another program", p).
		Next("Try again in a moment.")
}

// readOnce reads the file, and reports whether it stayed as it was meanwhile.
func readOnce(at *dir, p vault.Path) (body []byte, m meta, ok bool, err error) {
	name := p.Base()
	if m, err = at.stat(name); err != nil {
		return nil, m, false, err
	}
	if !m.mode.IsRegular() {
		return nil, m, false, special(p, m)
	}
	f, err := at.open(name)
	if err != nil {
		return nil, m, false, err
	}
	defer f.Close()
	if m, err = statFile(f); err != nil {
		return nil, m, false, err
	}
	if !m.mode.IsRegular() {
		return nil, m, false, special(p, m)
	}
	if m.size > providers.MaxRead {
		return nil, m, false, providers.TooLarge(p, m.size, providers.MaxRead)
	}
	body = make([]byte, m.size)
	n, err := io.ReadFull(f, body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, m, false, err
	}
	after, err := statFile(f)
	return body, m, err == nil && n == len(body) && after.same(m), err
}
