package providertest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// changed is all that a feed tells from a cursor on.
type changed struct {
	paths   []vault.Path
	deleted []vault.Path
	reset   bool
	next    providers.Cursor
}

func (f *fixture) changes(feed providers.ChangeFeed, since providers.Cursor) changed {
	f.Helper()
	var got changed
	entries := make(map[vault.Path]vault.Entry)
	deleted := make(map[vault.Path]bool)
	for pages := 0; ; pages++ {
		page, err := feed.Changes(f.Context(), since)
		if err != nil {
			f.Fatalf("Changes(%q) = %v", since, err)
		}
		if page.Checked == "" || page.Next == "" {
			f.Fatalf("Changes(%q) = %+v, want a next cursor and how it was checked", since, page)
		}
		got.reset = got.reset || page.Reset
		for _, e := range page.Changed {
			if e.Stamp == "" {
				f.Errorf("the feed's entry of %q has no stamp", e.Path)
			}
			entries[e.Path] = e
			delete(deleted, e.Path)
		}
		for _, p := range page.Deleted {
			deleted[p] = true
			delete(entries, p)
		}
		since = page.Next
		if !page.More {
			break
		}
		if pages > 1000 {
			f.Fatal("the feed does not end")
		}
	}
	got.paths, got.deleted, got.next = slices.Sorted(maps.Keys(entries)), slices.Sorted(maps.Keys(deleted)), since
	return got
}

func feed(t *testing.T, f *fixture) {
	feed, ok := f.d.(providers.ChangeFeed)
	if !ok {
		lacks(t, "feed")
		return
	}
	a, b := f.create("a.md", "a"), f.create("Folder/b.md", "b")
	at := f.changes(feed, "")
	if want := []vault.Path{"Folder/b.md", "a.md"}; !at.reset || !slices.Equal(at.paths, want) {
		t.Fatalf("from the zero cursor the feed tells %+v, want a reset and %v", at, want)
	}
	quiet := f.changes(feed, at.next)
	if quiet.reset || len(quiet.paths)+len(quiet.deleted) > 0 {
		t.Fatalf("though nothing changed, the feed tells %+v", quiet)
	}
	f.replace("a.md", "a2", a.Revision)
	f.create("new/folder/c.md", "c")
	if err := f.delete("Folder/b.md", vault.MustBe(b.Revision)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a cursor may be used again
		got := f.changes(feed, quiet.next)
		if diff := cmp.Diff([]vault.Path{"a.md", "new/folder/c.md"}, got.paths); got.reset || diff != "" {
			t.Errorf("the feed tells %+v (-want +got):\n%s", got, diff)
		}
		if diff := cmp.Diff([]vault.Path{"Folder/b.md"}, got.deleted); diff != "" {
			t.Errorf("deleted (-want +got):\n%s", diff)
		}
		at = got
	}
	f.create("Folder/b.md", "b anew")
	if got := f.changes(feed, quiet.next); slices.Contains(got.deleted, "Folder/b.md") || !slices.Contains(got.paths, "Folder/b.md") {
		t.Errorf("of a note that was deleted and made again the feed tells %+v", got)
	}
	at = f.changes(feed, at.next)
	for i := range 30 { // no write is missed, however quickly the feed is asked
		p := vault.Path(fmt.Sprintf("quick/%d.md", i))
		f.create(p, "x")
		got := f.changes(feed, at.next)
		if !slices.Equal(got.paths, []vault.Path{p}) {
			t.Fatalf("after the write of %q the feed tells %+v", p, got)
		}
		at = got
	}
}

func foreignCursor(t *testing.T, f *fixture) {
	here, ok := f.d.(providers.ChangeFeed)
	if !ok {
		lacks(t, "feed")
		return
	}
	f.create("a.md", "a")
	other := &fixture{T: t, d: f.open(t)}
	other.create("other.md", "x") // as many changes as here, so that no count tells the two apart
	for _, cursor := range []providers.Cursor{
		other.changes(other.d.(providers.ChangeFeed), "").next, "nonsense", "-1", "999999999999999999999999", "a:b:c", "\x00",
	} {
		got := f.changes(here, cursor)
		if !got.reset || !slices.Equal(got.paths, []vault.Path{"a.md"}) {
			t.Errorf("from the cursor %q the feed tells %+v, want a reset and a.md", cursor, got)
		}
		if again := f.changes(here, got.next); again.reset || len(again.paths) > 0 {
			t.Errorf("after the reset the feed tells %+v", again)
		}
	}
}
