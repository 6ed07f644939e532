package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"strings"
	"time"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// replace exchanges the file with a finished one, and looks at what came out before letting it go.
func (d *Driver) replace(at *dir, c providers.Change) (vault.Entry, error) {
	temp, name := tempName(c.Attempt, c.Path), c.Path.Base()
	old, err := at.peek(name)
	if absent(err) {
		return vault.Entry{}, providers.Conflict(c.Path, c.Pre.Revision(), "")
	}
	if err != nil {
		return vault.Entry{}, err
	}
	if old.revision != c.Pre.Revision() {
		old.close()
		return vault.Entry{}, providers.Conflict(c.Path, c.Pre.Revision(), old.revision)
	}
	err = at.prepare(temp, c.Body, old)
	old.close()
	if err != nil {
		return vault.Entry{}, err
	}
	if d.caps.Replace == "exchange" {
		err = at.swap(c, temp, name)
	} else {
		err = at.checkAndRename(c, temp, name)
	}
	if err != nil {
		return vault.Entry{}, err
	}
	return d.written(at, c)
}

// swap exchanges temp, which holds c.Body, with name. It returns nil when name held c.Pre, and nothing else can be saved there any
// more that is not on top of ours; otherwise all is as if it had not been called.
func (d *dir) swap(c providers.Change, temp, name string) error {
	ours, err := d.peek(temp)
	if err != nil {
		return err
	}
	ours.close()
	if err := d.exchange(temp, name); err != nil {
		return d.withdraw(c, temp, err)
	}
	out, err := d.hold(temp)
	if err == nil && !out.busy && out.revision == c.Pre.Revision() {
		defer out.close() // no writer comes between the look and the removal
		if err := d.remove(temp); err != nil {
			return err
		}
		return d.salvage(out, temp, name)
	}
	if err == nil {
		out.close()
	}
	if err := d.putBack(temp, name, ours); err != nil {
		return err
	}
	current, err := d.revision(name)
	if err != nil {
		return err
	}
	if current == c.Pre.Revision() { // busy: its writer has yet to save
		return vault.Errorf(vault.ProviderUnavailable, "%s is open for writing in another program", c.Path).
			Next("Try again in a moment.")
	}
	return providers.Conflict(c.Path, c.Pre.Revision(), current)
}

// salvage looks after the removal of the old file for a program that had found it under its name before the exchange, and is about to
// write into what has no name any more. What it saves becomes a conflict copy. Where there are no leases nothing is ever contested.
func (d *dir) salvage(out *held, temp, name string) error {
	if out.f == nil || !contested(out.f) {
		return nil
	}
	release(out.f)
	<-time.After(pause) // the kernel wakes the writer
	settled(out.f)
	body, err := io.ReadAll(io.NewSectionReader(out.f, 0, math.MaxInt64))
	if err != nil || providers.ContentRevision(body) == out.revision {
		return err
	}
	if err := d.prepare(temp, body, nil); err != nil {
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

const exchanges = 16

// putBack exchanges somebody's file, which swap took out to temp, with name again, where it left ours. Each exchange brings out what was
// at name, and that may be a save that is newer still: then that one belongs there. It ends when what comes out is what was last put
// in, so that the newest save is at name. Of what came out, ours is dropped, and a file of somebody else's kept as a conflict copy:
// its writer saved it while the note was ours, and the newer save may not know of it.
func (d *dir) putBack(temp, name string, ours *held) error {
	placed, own := ours, true
	for range exchanges {
		in, err := d.peek(temp)
		if err != nil {
			return err
		}
		in.close()
		if err := d.exchange(temp, name); absent(err) {
			// Somebody deleted the note meanwhile. Ours went with it; what was saved before is not ours to drop.
			if err := d.place(temp, d, name); !errors.Is(err, fs.ErrExist) {
				return errors.Join(err, d.sync())
			}
			continue
		} else if err != nil {
			return err
		}
		out, err := d.hold(temp)
		if err != nil {
			return err
		}
		if out.is(placed) {
			defer out.close()
			if own {
				return errors.Join(d.remove(temp), d.sync())
			}
			break
		}
		out.close()
		placed, own = in, false
	}
	return errors.Join(d.keep(temp, name), d.sync())
}

// keep gives temp, which holds somebody's text, a name beside the note.
func (d *dir) keep(temp, name string) error {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 1; ; n++ {
		copied := fmt.Sprintf("%s (conflict %d)%s", shorten(stem, 220-len(ext)), n, ext)
		if err := d.place(temp, d, copied); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// shorten cuts s to at most n bytes.
func shorten(s string, n int) string {
	if len(s) <= max(0, n) {
		return s
	}
	return strings.ToValidUTF8(s[:max(0, n)], "")
}

// checkAndRename looks once more and replaces the file. An editor's save in the moment between the two is lost: the capabilities say so.
func (d *dir) checkAndRename(c providers.Change, temp, name string) error {
	current, err := d.revision(name)
	if err == nil && current != c.Pre.Revision() {
		err = providers.Conflict(c.Path, c.Pre.Revision(), current)
	}
	if err == nil {
		err = d.rename(temp, name)
	}
	if err != nil {
		return d.withdraw(c, temp, err)
	}
	return nil
}
