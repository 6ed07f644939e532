//go:build !linux

package folder

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// dir is an open folder. Its methods take names and not paths. A symbolic link is looked for before a folder is entered; one that is
// put there in that moment cannot lead out of the folder that it is in, which os.Root sees to.
type dir struct {
	root *os.Root
	top  *os.Root // of the vault
	path string   // below top
}

func openTop(root *os.Root) (*dir, error) {
	return (&dir{root: root, top: root, path: "."}).again()
}

func (d *dir) close() error { return d.root.Close() }

func (d *dir) again() (*dir, error) {
	r, err := d.root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	return &dir{r, d.top, d.path}, nil
}

func (d *dir) enter(name string) (*dir, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() || !d.spelled(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	r, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &dir{r, d.top, path.Join(d.path, name)}, nil
}

// spelled reports whether the folder holds exactly this name: these systems find files in any case.
func (d *dir) spelled(name string) bool {
	names, err := d.names()
	if err != nil {
		return false
	}
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

func (d *dir) open(name string) (*os.File, error) { return d.root.Open(name) }

func (d *dir) create(name string, mode uint32) (*os.File, error) {
	return d.root.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, fs.FileMode(mode))
}

func (d *dir) openEnd(name string) (*os.File, error) {
	return d.root.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
}

func (d *dir) stat(name string) (meta, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return meta{}, err
	}
	if !d.spelled(name) {
		return meta{}, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return metaOf(info), nil
}

func statFile(f *os.File) (meta, error) {
	info, err := f.Stat()
	if err != nil {
		return meta{}, err
	}
	return metaOf(info), nil
}

func (d *dir) names() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func (d *dir) mkdir(name string) error { return d.root.Mkdir(name, 0o777) }

func (d *dir) remove(name string) error { return d.root.Remove(name) }

func (d *dir) link(from, to string) error { return d.root.Link(from, to) }

func (d *dir) exchange(string, string) error { return errors.ErrUnsupported }

func (d *dir) rename(from, to string) error { return d.root.Rename(from, to) }

// place moves a file to a name, in another folder perhaps, that must not exist. Between the look and the move there is a moment.
func (d *dir) place(from string, into *dir, to string) error {
	if _, err := into.root.Lstat(to); err == nil {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	return d.top.Rename(path.Join(d.path, from), path.Join(into.path, to))
}

func (d *dir) sync() error { return nil } // these systems do not sync folders

func dress(f, _ *os.File, m meta) error { return f.Chmod(m.mode.Perm()) }

func settled(*os.File) (quiet, leased bool) { return true, false }

func (d *dir) leases(string) bool { return false }

func claim(*os.File) bool { return false }

func contested(*os.File) bool { return false }

func release(*os.File) {}

func local(*dir) bool { return false }

func metaOf(info fs.FileInfo) meta {
	return meta{mode: info.Mode(), size: info.Size(), changed: info.ModTime(), touched: info.ModTime(), links: 1}
}
