package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// dataFolder is where one server keeps its database. Its lock is held by the one server that serves it; commands work beside that.
type dataFolder struct {
	path string
	lock *flock.Flock
}

// openData makes the folder if needed. Only its owner can read it: the database holds hashes of tokens and, for hosted vaults, notes.
func openData(path string) (*dataFolder, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, usagef("the data folder %s has no absolute path (%v); give another with --data", path, err)
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return nil, usagef("the data folder %s cannot be made (%v); give another with --data", abs, reason(err))
	}
	return &dataFolder{path: abs}, nil
}

// noData is the error of a data folder that is not there. Lists take it for an empty one.
type noData struct{ usageError }

func (e noData) Unwrap() error { return e.usageError }

// findData is openData for a folder that must be there.
func findData(path string) (*dataFolder, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, noData{usageError{fmt.Sprintf("there is no data folder %s yet; notelatch serve, vault add and token create make it, or name another with --data", path)}}
	}
	if err != nil {
		return nil, usagef("the data folder %s cannot be opened (%v); name another with --data", path, reason(err))
	}
	return openData(path)
}

// databaseURL is where the database is, unless a URL is configured.
func (d *dataFolder) databaseURL(configured string) string {
	if configured != "" {
		return configured
	}
	return "sqlite:" + filepath.Join(d.path, "notelatch.db")
}

// instance names the server of this folder among all that share a database.
func (d *dataFolder) instance() string {
	host, _ := os.Hostname() // without a name the path alone must do
	return "serve " + host + " " + d.path
}

// hold takes the lock for a server at addr. If another server has it, the error says where that one listens.
func (d *dataFolder) hold(addr string) error {
	d.lock = flock.New(filepath.Join(d.path, "serve.lock"), flock.SetPermissions(0o600))
	ok, err := d.lock.TryLock()
	if err != nil {
		return usagef("the data folder %s cannot be locked (%v); give another with --data", d.path, reason(err))
	}
	if !ok {
		where, _ := os.ReadFile(d.note())
		return usagef("another server%s holds the data folder %s; stop it, or give this one a folder of its own with --data",
			strings.TrimRight(" at "+string(where), " at"), d.path)
	}
	if err := os.WriteFile(d.note(), []byte(addr), 0o600); err != nil {
		return errors.Join(fmt.Errorf("note the address in the data folder: %w", err), d.lock.Unlock())
	}
	return nil
}

// note is the file that tells where the server that holds the folder listens.
func (d *dataFolder) note() string { return filepath.Join(d.path, "serve.addr") }

// release gives the lock back.
func (d *dataFolder) release() error {
	return errors.Join(os.Remove(d.note()), d.lock.Unlock())
}
