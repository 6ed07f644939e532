package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// Driver is the vault in one directory.
type Driver struct {
	root  *os.Root
	path  string      // that led to it
	self  os.FileInfo // what it led to
	top   *dir        // the root, opened
	caps  providers.Capabilities
	swaps bool // two files can be exchanged
	clock func() time.Time
	locks locks
	feed  *feed

	making sync.Mutex // held from the look for twins until the new name is there
}

// Open opens the vault at path, which must be a directory, and lead to it without symbolic links: one that was put there since would
// make a vault of a place that nobody added as one. It watches the directory until Close.
func Open(ctx context.Context, path string, clock func() time.Time) (*Driver, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, unreachable(path, err)
	}
	d, err := openRoot(ctx, root, path, clock)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// direct is nil if root is what path names without symbolic links.
func direct(root *os.Root, path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return unreachable(path, err)
	}
	opened, err := root.Stat(".")
	if err != nil {
		return err
	}
	if now, err := os.Lstat(path); err != nil || real != abs || !os.SameFile(now, opened) {
		return vault.Errorf(vault.ProviderUnavailable, "the folder of this vault is a link to another place now").
			Next("Tell the owner to put the folder back, or to add that place as a vault of its own.")
	}
	return nil
}

// unreachable says why a folder cannot be opened, and not where it is.
func unreachable(path string, err error) error {
	at, missing := os.Stat(path)
	switch {
	case errors.Is(missing, fs.ErrNotExist), errors.Is(missing, syscall.ENOTDIR), missing == nil && !at.IsDir():
		return vault.Errorf(vault.ProviderUnavailable, "the folder of this vault is not there").
			Next("Tell the owner: once the folder is back in its place, the same call works.")
	case errors.Is(err, fs.ErrPermission):
		return vault.Errorf(vault.ProviderUnavailable, "the server may not read the folder of this vault").
			Next("Tell the owner to let the server's user read it.")
	}
	return fmt.Errorf("open the folder of a vault: %w", err)
}

// Opener opens the vaults below a directory that the operator named. A vault's root is its path from there; one that leads elsewhere,
// by a symbolic link too, is refused.
func Opener(directory string, clock func() time.Time) providers.Opener {
	return func(ctx context.Context, name string) (providers.Driver, error) {
		directory := directory
		p, err := vault.ParseFolder(name)
		if err != nil {
			return nil, err
		}
		above, err := os.OpenRoot(directory)
		if err != nil {
			return nil, fmt.Errorf("open the folder of vaults: %w", err)
		}
		defer above.Close()
		root, err := above.OpenRoot(filepath.FromSlash(cmp.Or(string(p), ".")))
		if err == nil {
			directory, err = filepath.EvalSymlinks(directory)
		}
		if err != nil {
			return nil, vault.Errorf(vault.NotFound, "there is no folder %s among those of this server", cmp.Or(string(p), "/")).
				With("missing", "vault")
		}
		d, err := openRoot(ctx, root, filepath.Join(directory, filepath.FromSlash(string(p))), clock)
		if err != nil {
			return nil, err
		}
		return d, nil
	}
}

// openRoot takes over root, which path names.
func openRoot(ctx context.Context, root *os.Root, path string, clock func() time.Time) (*Driver, error) {
	if err := direct(root, path); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	top, err := openTop(root)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the folder of a vault: %w", err), root.Close())
	}
	self, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the folder of a vault: %w", err), top.close(), root.Close())
	}
	d := &Driver{root: root, path: path, self: self, top: top, clock: clock}
	d.caps = providers.Capabilities{
		Provider: "folder", MaxBatch: providers.MaxBatch, Atomicity: "recoverable", Trash: true, Live: true,
		MaxRead: providers.MaxRead, MaxWrite: providers.MaxWrite,
	}
	d.caps.Write, d.swaps, d.caps.Replace = probe(top)
	if err := d.openFeed(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("watch the folder of a vault: %w", err), top.close(), root.Close())
	}
	d.caps.Freshness = d.feed.checked()
	if d.caps.Write {
		d.clean(ctx)
	}
	return d, nil
}

// Capabilities says how files are replaced here, and how edits from outside are noticed.
func (d *Driver) Capabilities() providers.Capabilities { return d.caps }

// Adrift reports whether the path leads to another folder by now, or to none: the folder was moved or deleted, or its disk taken out, or
// a link is in its place. What is open would go on to be read and written, wherever it is.
func (d *Driver) Adrift() bool {
	now, err := os.Lstat(d.path)
	return err != nil || !os.SameFile(now, d.self)
}

// Close ends the watch.
func (d *Driver) Close() error {
	return errors.Join(d.feed.close(), d.top.close(), d.root.Close())
}

// probe finds out whether the directory can be written, whether two of its files can be exchanged, and whether other programs can be
// kept from them meanwhile.
func probe(top *dir) (write, swaps bool, replace string) {
	const a, b = tempPrefix + "probe-a" + tempSuffix, tempPrefix + "probe-b" + tempSuffix
	replace = "check-and-rename"
	for _, name := range []string{a, b} {
		top.remove(name) // of a probe that was killed; usually there is none
		f, err := top.create(name, 0o600)
		if err != nil {
			return false, false, replace
		}
		f.Close()
		defer top.remove(name)
	}
	switch swaps = top.exchange(a, b) == nil; {
	case swaps && top.leases(a):
		replace = "exchange"
	case swaps:
		replace = "exchange-unleased"
	}
	return true, swaps, replace
}

// enter opens the folder at p, which the caller closes.
func (d *Driver) enter(p vault.Path) (*dir, error) {
	at, err := d.top.again()
	if err != nil || p == "" {
		return at, err
	}
	for name := range strings.SplitSeq(string(p), "/") {
		next, err := at.enter(name)
		at.close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// locks are mutexes by the key of a path.
type locks struct {
	mu   sync.Mutex // guards held
	held map[string]*lock
}

type lock struct {
	sync.Mutex
	users int // guarded by locks.mu
}

// lock waits for the path and returns what unlocks it.
func (l *locks) lock(p vault.Path) (unlock func()) {
	key := p.Key()
	l.mu.Lock()
	if l.held == nil {
		l.held = make(map[string]*lock)
	}
	k := l.held[key]
	if k == nil {
		k = &lock{}
		l.held[key] = k
	}
	k.users++
	l.mu.Unlock()
	k.Lock()
	return func() {
		k.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if k.users--; k.users == 0 {
			delete(l.held, key)
		}
	}
}
