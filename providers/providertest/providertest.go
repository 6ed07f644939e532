// Package providertest is the contract of providers.Driver as tests: a driver is done when Run passes on it. It also holds Faulty,
// which makes any driver fail on cue.
package providertest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// Run tests the driver that open returns. Each subtest opens a vault of its own, which must be empty and writable; open registers
// what must be cleaned up.
func Run(t *testing.T, open func(t *testing.T) providers.Driver) {
	for name, test := range map[string]func(*testing.T, *fixture){
		"capabilities are consistent":                            capabilities,
		"a listing is complete":                                  listing,
		"hidden files are not seen":                              hidden,
		"what is missing is not found":                           missing,
		"a write needs a precondition that holds":                preconditions,
		"a name is taken in every case and form":                 twins,
		"hostile paths are refused":                              hostile,
		"every legal path can be stored":                         legal,
		"bodies are stored byte for byte":                        bodies,
		"stamps and revisions follow the bytes":                  stamps,
		"a cancelled call does nothing":                          cancelled,
		"of concurrent writers of one revision one wins":         compareAndSwap,
		"of concurrent creators one wins":                        createRace,
		"what is deleted can be restored":                        trash,
		"several changes are made, or none":                      commit,
		"a witness knows what landed":                            witness,
		"earlier revisions can be read":                          history,
		"a file is moved without copying":                        move,
		"the feed tells every change that was finished":          feed,
		"a cursor of another vault starts the feed from nothing": foreignCursor,
	} {
		t.Run(name, func(t *testing.T) {
			test(t, &fixture{T: t, d: open(t), open: open})
		})
	}
}

// fixture is a driver under test, with the shorthands of the tests.
type fixture struct {
	*testing.T
	d    providers.Driver
	open func(t *testing.T) providers.Driver
	made int
}

// attempt names a new transaction.
func (f *fixture) attempt() providers.Attempt {
	f.made++
	return providers.Attempt{Transaction: fmt.Sprintf("txn_test%d", f.made), Message: "test"}
}

func (f *fixture) write(p vault.Path, body string, pre vault.Precondition) (vault.Entry, error) {
	return f.d.Write(f.Context(), providers.Change{Path: p, Body: []byte(body), Pre: pre, Attempt: f.attempt()})
}

// create stores a new file, which must succeed.
func (f *fixture) create(p vault.Path, body string) vault.Entry {
	f.Helper()
	e, err := f.write(p, body, vault.MustBeAbsent())
	if err != nil {
		f.Fatalf("Write(%q, absent) = %v", p, err)
	}
	return e
}

// replace stores a new body over r, which must succeed.
func (f *fixture) replace(p vault.Path, body string, r vault.Revision) vault.Entry {
	f.Helper()
	e, err := f.write(p, body, vault.MustBe(r))
	if err != nil {
		f.Fatalf("Write(%q, %s) = %v", p, r, err)
	}
	return e
}

func (f *fixture) delete(p vault.Path, pre vault.Precondition) error {
	return f.d.Delete(f.Context(), providers.Change{Path: p, Delete: true, Pre: pre, Attempt: f.attempt()})
}

// list returns the entries at or below dir by path.
func (f *fixture) list(dir vault.Path) map[vault.Path]vault.Entry {
	f.Helper()
	entries := make(map[vault.Path]vault.Entry)
	for e, err := range f.d.List(f.Context(), dir) {
		if err != nil {
			f.Fatalf("List(%q): %v", dir, err)
		}
		if _, twice := entries[e.Path]; twice {
			f.Errorf("List(%q) yields %q twice", dir, e.Path)
		}
		entries[e.Path] = e
	}
	return entries
}

// holds checks that the vault holds these files and no others.
func (f *fixture) holds(want map[vault.Path]string) {
	f.Helper()
	got := make(map[vault.Path]string)
	for p := range f.list("") {
		got[p] = f.read(p)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		f.Errorf("the vault holds (-want +got):\n%s", diff)
	}
}

func (f *fixture) read(p vault.Path) string {
	f.Helper()
	file, err := f.d.Read(f.Context(), p)
	if err != nil {
		f.Fatalf("Read(%q) = %v", p, err)
	}
	return string(file.Body)
}

// refused checks the code of an error, and returns it.
func (f *fixture) refused(what string, err error, code vault.Code) *vault.Error {
	f.Helper()
	if !errors.Is(err, code) {
		f.Fatalf("%s = %v, want %s", what, err, code)
	}
	return vault.AsError(err)
}

func paths(entries map[vault.Path]vault.Entry) []vault.Path {
	return slices.Sorted(maps.Keys(entries))
}

func capabilities(t *testing.T, f *fixture) {
	c := f.d.Capabilities()
	if again := f.d.Capabilities(); c != again {
		t.Errorf("Capabilities changed from %+v to %+v", c, again)
	}
	if c.Provider == "" || !c.Write || c.MaxRead <= 0 || c.MaxWrite <= 0 || c.MaxWrite > c.MaxRead {
		t.Errorf("Capabilities = %+v: want a provider, writes, and 0 < MaxWrite <= MaxRead", c)
	}
	_, committer := f.d.(providers.Committer)
	if many := c.MaxBatch > 1; many != committer {
		t.Errorf("MaxBatch = %d, but Committer is %t", c.MaxBatch, committer)
	}
	if single := c.Atomicity == "single"; single == committer {
		t.Errorf("Atomicity = %q, but Committer is %t", c.Atomicity, committer)
	}
	if _, ok := f.d.(providers.Trasher); ok != c.Trash {
		t.Errorf("Trash = %t, but Trasher is %t", c.Trash, ok)
	}
	if _, ok := f.d.(providers.Historian); ok != c.History {
		t.Errorf("History = %t, but Historian is %t", c.History, ok)
	}
	if _, ok := f.d.(providers.ChangeFeed); ok != (c.Freshness != "") {
		t.Errorf("Freshness = %q, but ChangeFeed is %t", c.Freshness, ok)
	}
}

// cancel returns a context that is over.
func (f *fixture) over() context.Context {
	ctx, cancel := context.WithCancel(f.Context())
	cancel()
	return ctx
}
