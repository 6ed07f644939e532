package folder_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/folder"
	"github.com/notelatch/notelatch/vault"
)

// reader knows of a vault only what its feed told.
type reader struct {
	*testing.T
	d      *folder.Driver
	known  map[vault.Path]string
	cursor providers.Cursor
	resets int
}

func read(t *testing.T, d *folder.Driver) *reader {
	r := &reader{T: t, d: d, known: make(map[vault.Path]string)}
	r.next()
	return r
}

// next asks the feed once, and checks that what was told so far is what there is.
func (r *reader) next() providers.ChangePage {
	r.Helper()
	page, err := r.d.Changes(r.Context(), r.cursor)
	if err != nil {
		r.Fatal(err)
	}
	if page.Reset {
		clear(r.known)
		r.resets++
	}
	for _, e := range page.Changed {
		r.known[e.Path] = e.Stamp
	}
	for _, p := range page.Deleted {
		delete(r.known, p)
	}
	r.cursor = page.Next
	if diff := cmp.Diff(stamps(r.T, r.d), r.known); diff != "" {
		r.Fatalf("the feed tells otherwise than the listing (-listing +feed):\n%s", diff)
	}
	return page
}

// Every edit is one that other programs make; after each, the feed and the listing must agree at the first call.
func TestTheFeedTellsWhatOtherProgramsDo(t *testing.T) {
	for name, start := range map[string]func(testing.TB, string) *folder.Driver{"inotify": open, "sweep": openPlain} {
		t.Run(name, func(t *testing.T) {
			p := place{t, t.TempDir()}
			for i := range 300 {
				p.save(fmt.Sprintf("many/%d/%d.md", i%10, i), "x")
			}
			p.save("a.md", "a")
			p.save(".obsidian/app.json", "{}")
			d := start(t, p.path)
			r := read(t, d)
			for _, edit := range []struct {
				what string
				do   func() error
			}{
				{"a save in place", func() error { p.save("a.md", "b"); return nil }},
				{"a save by rename", func() error {
					p.save(".a.md.swp", "c")
					return os.Rename(p.name(".a.md.swp"), p.name("a.md"))
				}},
				{"a rename", func() error { return os.Rename(p.name("a.md"), p.name("b.md")) }},
				{"a new case", func() error { return os.Rename(p.name("b.md"), p.name("B.md")) }},
				{"a mode", func() error { return os.Chmod(p.name("B.md"), 0o600) }},
				{"folders in folders", func() error { p.save("x/y/z/deep.md", "x"); p.save("x/y/flat.md", "x"); return nil }},
				{"a note in a new folder", func() error { p.save("x/y/z/deeper.md", "x"); return nil }},
				{"a folder renamed", func() error { return os.Rename(p.name("x"), p.name("w")) }},
				{"a note in the renamed folder", func() error { p.save("w/y/z/later.md", "x"); return nil }},
				{"a note in a folder of the old name", func() error { p.save("x/y/again.md", "x"); return nil }},
				{"a folder moved into another", func() error { return os.Rename(p.name("w"), p.name("x/w")) }},
				{"a note there", func() error { p.save("x/w/y/z/later.md", "changed"); return nil }},
				{"a folder moved out", func() error { return os.Rename(p.name("x"), p.name(".gone")) }},
				{"an edit of what moved out", func() error { p.save(".gone/y/again.md", "unseen"); return nil }},
				{"and back", func() error { return os.Rename(p.name(".gone"), p.name("x")) }},
				{"many deleted", func() error { return os.RemoveAll(p.name("many")) }},
				{"another branch checked out", func() error {
					for i := range 300 {
						p.save(fmt.Sprintf("many/%d/%d.md", i%7, i), "other branch")
					}
					return nil
				}},
				{"one folder in place of another", func() error {
					p.save("new/1/only.md", "x")
					return errors.Join(os.RemoveAll(p.name("many/1")), os.Rename(p.name("new/1"), p.name("many/1")))
				}},
				{"a note in it", func() error { p.save("many/1/second.md", "x"); return nil }},
				{"a file in place of a folder", func() error {
					err := os.RemoveAll(p.name("many/2"))
					p.save("many/2", "a file")
					return err
				}},
				{"a folder in place of a file", func() error {
					err := os.Remove(p.name("many/2"))
					p.save("many/2/a.md", "a")
					return err
				}},
				{"a symbolic link", func() error { return os.Symlink("B.md", p.name("link.md")) }},
				{"made and deleted", func() error { p.save("brief.md", ""); return os.Remove(p.name("brief.md")) }},
				{"nothing", func() error { return nil }},
			} {
				p.must(edit.do())
				t.Log(edit.what)
				page := r.next()
				if page.Checked != name {
					t.Errorf("%s: checked by %q, want %q", edit.what, page.Checked, name)
				}
				if edit.what == "nothing" && len(page.Changed)+len(page.Deleted) > 0 {
					t.Errorf("though nothing changed the feed tells %+v", page)
				}
			}
			if r.resets != 1 {
				t.Errorf("the feed was reset %d times, want once, at the start", r.resets)
			}
		})
	}
}

// Edits of one size follow each other faster than file times tick; the feed must tell each, with a stamp of its own.
func TestTheFeedTellsEditsThatTimesDoNot(t *testing.T) {
	p := place{t, t.TempDir()}
	p.save("a.md", "000")
	d := open(t, p.path)
	r := read(t, d)
	info, err := os.Stat(p.name("a.md"))
	p.must(err)
	f, err := os.OpenFile(p.name("a.md"), os.O_WRONLY, 0)
	p.must(err)
	defer f.Close()
	for i := range 100 {
		last := r.known["a.md"]
		_, err := f.WriteAt(fmt.Appendf(nil, "%03d", i+1), 0)
		p.must(err)
		if i%2 == 0 { // a program that sets the time back, as sync tools do
			p.must(os.Chtimes(p.name("a.md"), info.ModTime(), info.ModTime()))
		}
		page := r.next()
		if len(page.Changed) != 1 || page.Changed[0].Stamp == last {
			t.Fatalf("edit %d: the feed tells %+v, after the stamp %q", i, page.Changed, last)
		}
	}
}

func TestAnOverflowStartsTheFeedFromNothing(t *testing.T) {
	p := place{t, t.TempDir()}
	p.save("a.md", "a")
	d := open(t, p.path)
	r := read(t, d)
	d.Lose()
	p.save("F/b.md", "b")
	if page := r.next(); !page.Reset || page.Checked != "inotify" {
		t.Errorf("after an overflow the feed tells %+v, want a reset", page)
	}
	p.save("F/c.md", "c")
	if page := r.next(); page.Reset || len(page.Changed) != 1 {
		t.Errorf("after the reset the feed tells %+v, want the new note", page)
	}
	if err := d.Break(func() error { panic("a bug") }); err == nil || !strings.Contains(err.Error(), "a bug") {
		t.Errorf("the watch ended with %v, want the bug", err)
	}
	p.save("F/d.md", "d")
	if page := r.next(); page.Checked != "sweep" {
		t.Errorf("with a broken watch the feed was checked by %q", page.Checked)
	}
	p.save("F/e.md", "e")
	if page := r.next(); page.Reset || len(page.Changed) != 1 {
		t.Errorf("with a broken watch the feed tells %+v, want the new note", page)
	}
}

func TestACursorOfAnEarlierRunStartsFromNothing(t *testing.T) {
	p := place{t, t.TempDir()}
	p.save("a.md", "a")
	first, err := folder.Open(t.Context(), p.path, clock)
	p.must(err)
	page, err := first.Changes(t.Context(), "")
	p.must(err)
	p.must(first.Close())
	p.save("b.md", "b")
	again, err := open(t, p.path).Changes(t.Context(), page.Next)
	p.must(err)
	got := make(map[vault.Path]bool)
	for _, e := range again.Changed {
		got[e.Path] = true
	}
	if want := []vault.Path{"a.md", "b.md"}; !again.Reset || !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
		t.Errorf("after a restart the feed tells %+v, want a reset and %v", again, want)
	}
}

// The vault is held open by the server: a folder that is moved away is still read, and its feed no longer trusts names.
func TestAVaultThatIsMovedIsSwept(t *testing.T) {
	above := place{t, t.TempDir()}
	above.save("vault/a.md", "a")
	d := open(t, above.name("vault"))
	r := read(t, d)
	above.must(os.Rename(above.name("vault"), above.name("elsewhere")))
	above.save("elsewhere/b.md", "b")
	above.save("elsewhere/F/c.md", "c")
	if page := r.next(); page.Checked != "sweep" || len(page.Changed) != 2 {
		t.Errorf("after a move the feed tells %+v, want two notes found by a sweep", page)
	}
}
