package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// trashFolder is where Obsidian keeps deleted notes too. A file is at its old path in it; one that is deleted where another was before
// has a number in its name.
const trashFolder = ".trash"

const trashMark = " (deleted "

// delete takes the file out of the way, sees that nobody saved into it meanwhile, and moves it to the trash. It is called with the path
// locked.
func (d *Driver) delete(c providers.Change) error {
	at, err := d.enter(c.Path.Dir())
	if absent(err) {
		return providers.Conflict(c.Path, c.Pre.Revision(), "")
	}
	if err != nil {
		return err
	}
	defer at.close()
	temp, name := tempName(c.Attempt, c.Path), c.Path.Base()
	was, err := at.await(c, name, nil, nil)
	if err != nil {
		return err
	}
	defer was.close()
	bin, err := d.bin(c.Path.Dir()) // before anything is touched
	if err != nil {
		return err
	}
	defer bin.close()
	if err := at.place(name, at, temp); err != nil {
		return at.gone(c, err)
	}
	m, err := at.stat(temp)
	if err != nil {
		return err
	}
	if m.inode != was.meta.inode || !was.leased || was.contested() {
		was.close() // and let in who waits
		if err := at.still(c, temp); err != nil {
			return errors.Join(err, at.unmove(temp, name))
		}
	}
	return at.discard(temp, bin, c.Path)
}

// still is nil if temp holds what c expects and nobody is writing it.
func (d *dir) still(c providers.Change, temp string) error {
	out, err := d.hold(temp)
	if err == nil {
		defer out.close()
	}
	return expects(c, out, err)
}

func (d *dir) gone(c providers.Change, err error) error {
	if absent(err) {
		return providers.Conflict(c.Path, c.Pre.Revision(), "")
	}
	return err
}

// unmove gives temp its name again. If somebody saved a file there meanwhile, that one stays, and temp becomes a conflict copy.
func (d *dir) unmove(temp, name string) error {
	err := d.place(temp, d, name)
	if errors.Is(err, fs.ErrExist) {
		err = d.keep(temp, name)
	}
	return errors.Join(err, d.sync())
}

// discard moves temp, which was the file at p, to its folder in the trash; if that cannot be, back.
func (d *dir) discard(temp string, bin *dir, p vault.Path) error {
	for n := 1; ; n++ {
		err := d.place(temp, bin, trashName(p.Base(), n))
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return errors.Join(err, d.unmove(temp, p.Base()))
		}
		return late(errors.Join(bin.sync(), d.sync()))
	}
}

// bin opens the place of p in the trash, and makes what is missing of it.
func (d *Driver) bin(p vault.Path) (*dir, error) {
	d.making.Lock()
	defer d.making.Unlock()
	bin, err := d.ensure(trashFolder)
	if err != nil {
		return nil, d.noTrash(err)
	}
	if p == "" {
		return bin, nil
	}
	for name := range strings.SplitSeq(string(p), "/") {
		next, err := bin.ensure(name)
		if absent(err) && bin.makeWay(name) {
			next, err = bin.ensure(name)
		}
		bin.close()
		if absent(err) {
			return nil, blocked(trashFolder+"/.../"+name, "file")
		}
		if err != nil {
			return nil, err
		}
		bin = next
	}
	return bin, nil
}

// makeWay gives a deleted file that is where the trash needs a folder the name of one that was deleted later.
func (d *dir) makeWay(name string) bool {
	if m, err := d.stat(name); err != nil || !m.mode.IsRegular() {
		return false
	}
	for n := 2; ; n++ {
		if err := d.place(name, d, trashName(name, n)); !errors.Is(err, fs.ErrExist) {
			return err == nil
		}
	}
}

// noTrash is the answer when the trash cannot be entered.
func (d *Driver) noTrash(err error) error {
	m, unseen := d.top.stat(trashFolder)
	if unseen == nil && !m.mode.IsDir() {
		return blocked(trashFolder, kind(m.mode))
	}
	return failure(trashFolder, err)
}

func blocked(what, kind string) error {
	if kind == "special file" {
		kind = "file"
	}
	return vault.Errorf(vault.CapabilityMissing, "the trash of this vault cannot be used: %s is a %s and not a folder", what, kind).
		Next("Tell the owner to move it away; the server makes the folder.")
}

// trashName is what the n-th deleted file of a name is called in the trash.
func trashName(name string, n int) string {
	if n == 1 {
		return name
	}
	ext := path.Ext(name)
	return fmt.Sprintf("%s%s%d)%s", shorten(strings.TrimSuffix(name, ext), 225-len(ext)), trashMark, n, ext)
}

// untrashName is the name that a file of the trash had.
func untrashName(name string) string {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	i := strings.LastIndex(stem, trashMark)
	if i <= 0 || !strings.HasSuffix(stem, ")") || strings.Trim(stem[i+len(trashMark):len(stem)-1], "0123456789") != "" {
		return name
	}
	return stem[:i] + ext
}

// Trash yields what is in the trash, the newest first. A file is known by its path there.
func (d *Driver) Trash(ctx context.Context) iter.Seq2[providers.Trashed, error] {
	return func(yield func(providers.Trashed, error) bool) {
		bin, err := d.enter(trashFolder)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(providers.Trashed{}, d.noTrash(err))
			return
		}
		defer bin.close()
		var all []providers.Trashed
		if err := d.trashed(ctx, bin, "", &all); err != nil {
			yield(providers.Trashed{}, failure(trashFolder, err))
			return
		}
		slices.SortFunc(all, func(a, b providers.Trashed) int { return b.DeletedAt.Compare(a.DeletedAt) })
		for _, t := range all {
			if !yield(t, nil) {
				return
			}
		}
	}
}

func (d *Driver) trashed(ctx context.Context, at *dir, p vault.Path, all *[]providers.Trashed) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	names, err := at.names()
	if err != nil {
		return err
	}
	for _, name := range names {
		path, ok := join(p, name)
		m, err := at.stat(name)
		if err != nil || !ok || strings.HasPrefix(name, ".") {
			continue // cannot be restored, and is not ours to judge
		}
		if m.mode.IsDir() {
			below, err := at.enter(name)
			if err != nil {
				continue
			}
			err = d.trashed(ctx, below, path, all)
			below.close()
			if err != nil {
				return err
			}
			continue
		}
		if !m.mode.IsRegular() {
			continue
		}
		was, _ := join(p, untrashName(name))
		// Moving a file touches it, and changes no bytes.
		*all = append(*all, providers.Trashed{
			ID:        providers.TrashID(path),
			Entry:     vault.Entry{Path: was, Stamp: m.stamp(), Size: m.size, ModifiedAt: m.changed},
			DeletedAt: m.touched,
		})
	}
	return nil
}

// Restore moves a file out of the trash.
func (d *Driver) Restore(ctx context.Context, id providers.TrashID, to vault.Path) (vault.Entry, error) {
	from, err := vault.ParsePath(string(id))
	if err != nil || from.Hidden() {
		return vault.Entry{}, notInTrash()
	}
	if to == "" {
		to = vault.Path(untrashName(from.Base()))
		if from.Dir() != "" {
			to = from.Dir() + "/" + to
		}
	}
	if err := d.may(ctx, providers.Change{Path: to, Pre: vault.MustBeAbsent()}); err != nil {
		return vault.Entry{}, err
	}
	defer d.locks.lock(to)()
	e, err := d.restore(from, to)
	return e, failure(to, err)
}

func (d *Driver) restore(from, to vault.Path) (vault.Entry, error) {
	bin, err := d.enter(trashFolder + "/" + from.Dir())
	if from.Dir() == "" {
		bin, err = d.enter(trashFolder)
	}
	if absent(err) {
		return vault.Entry{}, notInTrash()
	}
	if err != nil {
		return vault.Entry{}, err
	}
	defer bin.close()
	if m, err := bin.stat(from.Base()); err != nil || !m.mode.IsRegular() {
		return vault.Entry{}, notInTrash()
	}
	d.making.Lock()
	defer d.making.Unlock()
	if err := d.free(to); err != nil {
		return vault.Entry{}, err
	}
	at, err := d.ensure(to.Dir())
	if err != nil {
		return vault.Entry{}, err
	}
	defer at.close()
	err = bin.place(from.Base(), at, to.Base())
	if errors.Is(err, fs.ErrExist) {
		return vault.Entry{}, providers.Exists(to, to)
	}
	if absent(err) {
		return vault.Entry{}, notInTrash()
	}
	if err != nil {
		return vault.Entry{}, err
	}
	if err := late(errors.Join(at.sync(), bin.sync())); err != nil {
		return vault.Entry{}, err
	}
	h, err := at.peek(to.Base())
	if err != nil {
		return vault.Entry{}, err
	}
	defer h.close()
	e := d.entry(to, h.meta)
	e.Revision = h.revision
	return e, nil
}

func notInTrash() error {
	return vault.Errorf(vault.NotFound, "there is nothing of that id in the trash").With("missing", "trash")
}
