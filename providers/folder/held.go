package folder

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"syscall"
	"time"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// held is a file that was looked at closely and is kept open.
type held struct {
	f        *os.File // nil for what is no regular file
	meta     meta
	revision vault.Revision // "" for what is no regular file
	busy     bool           // another program has it open for writing, and may still save
	leased   bool           // a program that opens it for writing has to wait
}

func (h *held) close() {
	if h.f != nil {
		h.f.Close()
	}
}

// contested reports whether a program waits for h to be let go.
func (h *held) contested() bool { return h.leased && contested(h.f) }

// patience is how long hold waits for a program that has the file open for writing: it looks often at first, as most have done in no
// time.
const patience = 200 * time.Millisecond

// pauses yields after each of the pauses that patience is made of.
func pauses(yield func() bool) {
	pause := 20 * time.Microsecond
	for waited := time.Duration(0); waited < patience; waited += pause {
		if !yield() {
			return
		}
		pause = min(2*pause, 5*time.Millisecond)
		<-time.After(pause)
	}
}

// hold waits until no program writes the file, and looks at its bytes.
func (d *dir) hold(name string) (*held, error) { return d.examine(name, true) }

// peek looks at the bytes as they are now.
func (d *dir) peek(name string) (*held, error) { return d.examine(name, false) }

func (d *dir) examine(name string, wait bool) (*held, error) {
	m, err := d.stat(name)
	if err != nil {
		return nil, err
	}
	if !m.mode.IsRegular() {
		return &held{meta: m}, nil
	}
	f, err := d.open(name)
	if is(err, syscall.ELOOP, syscall.ENXIO) { // it became a link, or a socket, in this moment
		if m, err = d.stat(name); err == nil && !m.mode.IsRegular() {
			return &held{meta: m}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EBUSY} // it changes too fast
	}
	if m, err = statFile(f); err != nil || !m.mode.IsRegular() {
		return &held{meta: m}, errors.Join(err, f.Close())
	}
	h := &held{f: f}
	if wait {
		quiet, leased := settled(f)
		h.busy, h.leased = !quiet, leased
	}
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err == nil {
		h.meta, err = statFile(f)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	h.meta.size = size // of what was looked at; it may grow
	h.revision = providers.RevisionOf([sha256.Size]byte(sum.Sum(nil)))
	return h, nil
}

// added waits for the programs that write into h, and returns what they put at its end since it was looked at. ok is false if they
// changed anything else, or do not end.
func (h *held) added() (tail []byte, ok bool, err error) {
	release(h.f)
	quiet, leased := settled(h.f)
	h.leased = leased
	if !quiet {
		return nil, false, nil
	}
	if tail, ok, err = h.since(h.meta.size, h.revision); err != nil || len(tail) == 0 {
		return nil, ok, err
	}
	h.meta.size += int64(len(tail))
	h.revision, err = revisionOf(io.NewSectionReader(h.f, 0, h.meta.size))
	return tail, err == nil, err
}

// since returns what h holds after its first size bytes; ok is false if those are of another revision.
func (h *held) since(size int64, r vault.Revision) (tail []byte, ok bool, err error) {
	before, err := revisionOf(io.NewSectionReader(h.f, 0, size)) // of fewer bytes, if it was cut
	if err != nil || before != r {
		return nil, false, err
	}
	tail, err = io.ReadAll(io.NewSectionReader(h.f, size, math.MaxInt64-size))
	return tail, err == nil, err
}

func revisionOf(r io.Reader) (vault.Revision, error) {
	sum := sha256.New()
	_, err := io.Copy(sum, r)
	return providers.RevisionOf([sha256.Size]byte(sum.Sum(nil))), err
}

const rounds = 16 // of other programs that come between, one after the other

// drain puts what programs still add to h, which is no longer under its name, at the end of what is: as if they had come a moment
// later. ok is false if they do anything else with it, or do not end.
func (h *held) drain(add func([]byte) error) (ok bool, err error) {
	if !h.leased {
		<-time.After(linger)
		tail, ok, err := h.added()
		return ok && len(tail) == 0, err // an addition may be half a save
	}
	for range rounds {
		if !h.contested() {
			return true, nil
		}
		tail, ok, err := h.added()
		if err == nil && len(tail) > 0 {
			err = add(tail)
		}
		if !ok || err != nil || !h.leased {
			return false, err
		}
	}
	return false, nil
}

// linger is how long a file that was replaced is watched where there are no leases. Most programs that had opened it have written by
// then.
const linger = 5 * time.Millisecond
