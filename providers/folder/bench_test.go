package folder_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/folder"
	"github.com/notelatch/notelatch/vault"
)

// large is a vault of 10,000 notes in 200 folders, which is a large one.
func large(b *testing.B) *folder.Driver {
	b.Helper()
	p := place{b, b.TempDir()}
	for i := range 10_000 {
		p.save(fmt.Sprintf("Area %d/Project %d/note %d.md", i%20, i%200, i), "text")
	}
	return open(b, p.path)
}

func BenchmarkList(b *testing.B) {
	d := large(b)
	for b.Loop() {
		n := 0
		for _, err := range d.List(b.Context(), "") {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 10_000 {
			b.Fatalf("%d notes", n)
		}
	}
}

func BenchmarkChangesWhenNothingChanged(b *testing.B) {
	d := large(b)
	page, err := d.Changes(b.Context(), "")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if page, err = d.Changes(b.Context(), page.Next); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReplace(b *testing.B) {
	d := open(b, b.TempDir())
	bodies := [2]string{strings.Repeat("a line of text\n", 200), strings.Repeat("another line\n", 200)}
	e, err := d.Write(b.Context(), providers.Change{Path: "a.md", Body: []byte(bodies[0]), Pre: vault.MustBeAbsent(), Attempt: attempt})
	for i := 1; b.Loop() && err == nil; i++ {
		e, err = d.Write(b.Context(), providers.Change{Path: "a.md", Body: []byte(bodies[i%2]), Pre: vault.MustBe(e.Revision), Attempt: attempt})
	}
	if err != nil {
		b.Fatal(err)
	}
}

func BenchmarkCreate(b *testing.B) {
	d := open(b, b.TempDir())
	body := []byte(strings.Repeat("a line of text\n", 200))
	for i := 0; b.Loop(); i++ {
		p := vault.Path(fmt.Sprintf("F/note %d.md", i))
		if _, err := d.Write(b.Context(), providers.Change{Path: p, Body: body, Pre: vault.MustBeAbsent(), Attempt: attempt}); err != nil {
			b.Fatal(err)
		}
	}
}
