package folder

import (
	"errors"
	"io"
	"io/fs"
	"math"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// replace puts a finished file in the place of the one that the change expects.
func (d *Driver) replace(at *dir, c providers.Change) (vault.Entry, error) {
	temp, name := tempName(c.Attempt, c.Path), c.Path.Base()
	old, err := at.hold(name)
	if err == nil {
		defer old.close()
	}
	if err = expects(c, old, err); err != nil {
		return vault.Entry{}, err
	}
	release(old.f) // nobody has to wait while ours is made durable
	f, err := at.draft(temp, c.Body, old)
	if err != nil {
		return vault.Entry{}, err
	}
	defer f.Close() // again, if all went well
	ours := &held{f: f, revision: providers.ContentRevision(c.Body)}
	if ours.meta, err = statFile(f); err != nil {
		return vault.Entry{}, at.withdraw(c, temp, err)
	}
	if d.swaps {
		err = at.swap(c, old, ours, temp, name)
	} else {
		err = at.checkAndRename(c, old, ours, temp, name)
	}
	if err != nil {
		return vault.Entry{}, err
	}
	if err := f.Close(); err != nil { // and let in who waits for it
		return vault.Entry{}, late(err)
	}
	return d.written(at, c)
}

// expects is nil if what was found is what c is to replace, and is not just being written.
func expects(c providers.Change, found *held, err error) error {
	switch {
	case absent(err):
		return providers.Conflict(c.Path, c.Pre.Revision(), "")
	case err != nil:
		return err
	case found.f == nil:
		return replaced(c, found.meta)
	case found.revision != c.Pre.Revision():
		return providers.Conflict(c.Path, c.Pre.Revision(), found.revision)
	case found.busy:
		return providers.Busy(c.Path)
	}
	return nil
}

// replaced is the conflict of a file in whose place something else is now.
func replaced(c providers.Change, m meta) error {
	return vault.Errorf(vault.RevisionConflict, "%s is a %s now, which is neither followed nor written", c.Path, kind(m.mode)).
		Next("Tell the owner, or choose another path.").
		With("path", string(c.Path)).
		With("expected", string(c.Pre.Revision())).
		With("current", "")
}

// await waits until no program writes the file at name, and sees that it is what c expects. What was added to it since old was looked
// at, if that is given, goes to ours, as if it had come a moment later: beside a program that never rests a change would be refused for
// ever. Both were looked at when no program was writing: what is half saved must not be taken for a text to which the rest was added.
func (d *dir) await(c providers.Change, name string, old, ours *held) (*held, error) {
	for range rounds {
		h, err := d.hold(name)
		if err == nil && old != nil {
			c.Pre, err = h.follow(old, ours)
		}
		if err := expects(c, h, err); err != nil {
			if h != nil {
				h.close()
			}
			return nil, err
		}
		if !h.contested() {
			return h, nil
		}
		h.close() // and let who waits write
	}
	return nil, providers.Busy(c.Path)
}

// follow adds to ours what h, the same file, has more than old, and to old too. It returns what is to be expected of h.
func (h *held) follow(old, ours *held) (vault.Precondition, error) {
	if h.leased && old.leased && h.meta.inode == old.meta.inode && h.meta.size > old.meta.size {
		tail, ok, err := h.since(old.meta.size, old.revision)
		if more := h.meta.size - old.meta.size; ok && int64(len(tail)) > more {
			tail = tail[:more] // what came after h was looked at is found later
		}
		if ok && err == nil {
			err = ours.add(tail)
		}
		if err != nil {
			return vault.Precondition{}, err
		}
		if ok {
			old.meta.size, old.revision = h.meta.size, h.revision
		}
	}
	return vault.MustBe(old.revision), nil
}

// swap exchanges ours, which is at temp, with name. It returns nil when name held c.Pre and ours stands; otherwise all is as if it had
// not been called, and nobody but a program that opened the note in that moment has seen ours.
//
// Both files are leased meanwhile. Who opens the note waits, and cannot save upon what may yet be taken back. Who opened the old file
// before and saves into it late: what it adds is put at the end of ours, before anyone else is let in, so that nothing is out of order.
func (d *dir) swap(c providers.Change, old, ours *held, temp, name string) error {
	ours.leased = claim(ours.f)
	was, err := d.await(c, name, old, ours)
	if err != nil {
		return d.withdraw(c, temp, err)
	}
	defer was.close()
	if err := d.exchange(temp, name); err != nil {
		return d.withdraw(c, temp, err)
	}
	out, err := d.stat(temp)
	if err == nil && out.inode == was.meta.inode {
		var ok bool
		if ok, err = was.drain(ours.add); ok && err == nil {
			if err := d.remove(temp); err != nil {
				return late(err)
			}
			return late(d.salvage(was, ours, temp, name))
		}
	}
	was.close() // what is put back must be free to be added to
	if back := d.putBack(temp, name, ours); back != nil {
		return late(errors.Join(err, back))
	}
	if err != nil {
		return err
	}
	current, err := d.revision(name)
	if err != nil {
		return late(err)
	}
	if current == c.Pre.Revision() { // its writer has yet to save
		return providers.Busy(c.Path)
	}
	return providers.Conflict(c.Path, c.Pre.Revision(), current)
}

// add puts text at the end of h, which is ours, durably or not at all.
func (h *held) add(text []byte) error {
	_, err := h.f.Write(text)
	if err == nil {
		err = h.f.Sync()
	}
	if err != nil {
		if h.leased { // nobody else has added anything
			err = errors.Join(err, h.f.Truncate(h.meta.size))
		}
		return err
	}
	h.meta.size += int64(len(text))
	h.revision, err = revisionOf(io.NewSectionReader(h.f, 0, h.meta.size))
	return err
}

// extend puts text at the end of the file at name, durably.
func (d *dir) extend(name string, text []byte) error {
	f, err := d.openEnd(name)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// salvage looks once more after a program that had found the old file under its name, and is about to write into what has no name any
// more. What it saves there is added to ours, or becomes a conflict copy if it is more than an addition.
func (d *dir) salvage(was, ours *held, temp, name string) error {
	if !was.contested() {
		return nil
	}
	ok, err := was.drain(ours.add)
	if ok || err != nil {
		return err
	}
	body, err := io.ReadAll(io.NewSectionReader(was.f, 0, math.MaxInt64))
	if err != nil || providers.ContentRevision(body) == was.revision {
		return err
	}
	if err := d.prepare(temp, body); err != nil {
		return err
	}
	return d.keep(temp, name)
}

// withdraw removes temp, which never was anywhere else, after err.
func (d *dir) withdraw(c providers.Change, temp string, err error) error {
	if removed := d.remove(temp); removed != nil {
		return errors.Join(err, removed)
	}
	if absent(err) {
		return providers.Conflict(c.Path, c.Pre.Revision(), "")
	}
	return err
}

// putBack exchanges somebody's file, which swap took out to temp, with name again, where it left ours. Each exchange brings out what was
// at name, and that may be a save that is newer still: then that one belongs there. It ends when what comes out is what was last put
// in, so that the newest save is at name. Of what came out, ours is dropped, and a file of somebody else's kept as a conflict copy:
// its writer saved it while the note was ours, and the newer save may not know of it.
func (d *dir) putBack(temp, name string, ours *held) error {
	placed, own := ours.meta.inode, true
	for range rounds {
		in, err := d.stat(temp)
		if err != nil {
			return err
		}
		if err := d.exchange(temp, name); absent(err) {
			// Somebody deleted the note meanwhile. Ours went with it; what was saved before is not ours to drop.
			if err := d.place(temp, d, name); !errors.Is(err, fs.ErrExist) {
				return errors.Join(err, d.sync())
			}
			continue
		} else if err != nil {
			return err
		}
		out, err := d.stat(temp)
		if err != nil {
			return err
		}
		if out.inode == placed {
			if own {
				return errors.Join(d.retire(temp, name, ours), d.sync())
			}
			break
		}
		placed, own = in.inode, false
	}
	return errors.Join(d.keep(temp, name), d.sync())
}

// retire removes ours, which is at temp again. What a program adds to it that found it at name goes to the note.
func (d *dir) retire(temp, name string, ours *held) error {
	if ours.f != nil {
		release(ours.f)
	}
	f, err := d.open(temp)
	if err != nil {
		return err
	}
	defer f.Close()
	if ours.f != nil {
		ours.f.Close() // or it would be a writer that never ends
	}
	left := &held{f: f, meta: ours.meta, revision: ours.revision}
	add := func(text []byte) error { return d.extend(name, text) }
	tail, ok, err := left.added()
	if ok && len(tail) > 0 {
		err = add(tail)
	}
	if !ok || err != nil {
		return errors.Join(err, d.keep(temp, name))
	}
	if err := d.remove(temp); err != nil {
		return err
	}
	if left.contested() {
		_, err = left.drain(add)
	}
	return err
}

// checkAndRename is for file systems that cannot exchange. A file that an editor puts in the note's place in the moment between the
// look and the renaming is lost: the capabilities say so.
func (d *dir) checkAndRename(c providers.Change, old, ours *held, temp, name string) error {
	was, err := d.await(c, name, old, ours)
	if err != nil {
		return d.withdraw(c, temp, err)
	}
	defer was.close()
	if err := d.rename(temp, name); err != nil {
		return d.withdraw(c, temp, err)
	}
	if !was.leased {
		return nil
	}
	return late(d.salvage(was, ours, temp, name))
}
