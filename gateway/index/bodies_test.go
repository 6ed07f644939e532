package index

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/notelatch/notelatch/providers/memory"
	"github.com/notelatch/notelatch/vault"
)

func TestReadKeepsWhatTheIndexHolds(t *testing.T) {
	d := memory.New(time.Now)
	f := open(t, d, map[string]string{"a.md": "one"})
	f.ready()
	look := func(want string) {
		t.Helper()
		got, err := f.ix.Read(t.Context(), "a.md")
		if err != nil || string(got.Body) != want {
			t.Errorf("Read = %q, %v, want %q", got.Body, err, want)
		}
	}
	look("one")
	// The note changed, and nobody has checked: either text is an honest answer as of the last check, and the kept one is free.
	f.write("a.md", "two")
	look("one")
	f.find("two")
	look("two")
	look("two")
	f.delete("a.md")
	f.find("two")
	if got, err := f.ix.Read(t.Context(), "a.md"); err == nil {
		t.Errorf("Read of a deleted note = %q", got.Body)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	var b bodies
	file := func(i, size int) vault.File {
		return vault.File{Entry: vault.Entry{Path: vault.Path(fmt.Sprintf("%d.md", i)), Stamp: "1"}, Body: []byte(strings.Repeat("x", size))}
	}
	const size = 100 << 10
	for i := range 1000 {
		b.put(file(i, size))
		if _, ok := b.get("0.md", "1"); !ok { // asked for all the time, so that it stays
			t.Fatalf("0.md is gone after %d others", i)
		}
		if n := (len(b.young) + len(b.old)) * size; n > mostKept+2*size {
			t.Fatalf("%d bytes are kept after %d notes, want at most %d", n, i, mostKept)
		}
	}
	if _, ok := b.get("1.md", "1"); ok {
		t.Error("1.md is kept after a thousand others")
	}
	if _, ok := b.get("999.md", "2"); ok {
		t.Error("999.md is kept for a stamp that it did not have")
	}
	b.put(file(2000, mostKeptOne+1))
	if _, ok := b.get("2000.md", "1"); ok {
		t.Error("a note is kept that is larger than one may be")
	}
}
