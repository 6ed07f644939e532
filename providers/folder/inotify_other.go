//go:build !linux

package folder

import (
	"errors"

	"github.com/notelatch/notelatch/vault"
)

// inotify is there on Linux alone.
type inotify struct{}

func openInotify(string) (*inotify, error)  { return nil, errors.ErrUnsupported }
func (*inotify) close() error               { return nil }
func (*inotify) add(*dir, vault.Path) error { return errors.ErrUnsupported }
func (*inotify) forget(vault.Path)          {}
func (*inotify) listen(func(event)) error   { return errors.ErrUnsupported }
