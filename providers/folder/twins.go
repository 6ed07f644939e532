package folder

import (
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// free reports with vault.AlreadyExists that p is taken: by a file there, by one that differs only by case or Unicode form, or by a
// folder on the way that differs so (a second folder of that name would be one with it on other systems). It is called with d.making
// held.
func (d *Driver) free(p vault.Path) error {
	top, err := d.top.again()
	if err != nil {
		return err
	}
	defer top.close()
	return top.free(p, "", strings.Split(string(p), "/"))
}

func (d *dir) free(p, done vault.Path, rest []string) error {
	names, err := d.names()
	if err != nil {
		return err
	}
	folded := vault.Fold(rest[0])
	exact := false
	var folders []string // of the same name in some spelling
	for _, name := range names {
		if !sameFolded(name, rest[0], folded) {
			continue
		}
		path, _ := join(done, name)
		if len(rest) == 1 {
			return providers.Exists(p, path)
		}
		m, err := d.stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !m.mode.IsDir() {
			if name == rest[0] {
				return providers.Exists(p, path)
			}
			continue
		}
		exact = exact || name == rest[0]
		folders = append(folders, name)
	}
	for _, name := range folders {
		path, _ := join(done, name)
		below, err := d.enter(name)
		if err != nil {
			return err
		}
		err = below.free(p, path, rest[1:])
		below.close()
		if err != nil {
			return err
		}
	}
	if len(folders) > 0 && !exact {
		path, _ := join(done, folders[0])
		return providers.Exists(p, path)
	}
	return nil
}

// sameFolded is Fold(name) == folded, told quickly for most names. Folding changes the length of no ASCII name.
func sameFolded(name, want, folded string) bool {
	if name == want {
		return true
	}
	ascii := true
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii && len(name) != len(folded) {
		return false
	}
	return vault.Fold(name) == folded
}

// ensure opens the folder at p, and makes what is missing of it. It is called with d.making held.
func (d *Driver) ensure(p vault.Path) (*dir, error) {
	at, err := d.top.again()
	if err != nil || p == "" {
		return at, err
	}
	for name := range strings.SplitSeq(string(p), "/") {
		next, err := at.ensure(name)
		at.close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

func (d *dir) ensure(name string) (*dir, error) {
	next, err := d.enter(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return next, err
	}
	if err := d.mkdir(name); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if err := d.sync(); err != nil {
		return nil, err
	}
	return d.enter(name)
}
