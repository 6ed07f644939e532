//go:build linux

package folder_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/folder"
	"github.com/notelatch/notelatch/vault"
)

func setAttribute(name, key, value string) error { return unix.Setxattr(name, key, []byte(value), 0) }

func attribute(name, key string) string {
	b := make([]byte, 100)
	n, err := unix.Getxattr(name, key, b)
	if err != nil {
		return err.Error()
	}
	return string(b[:n])
}

// Whatever is linked, nothing outside of the vault is read, written, listed or deleted; and the links are listed as what they are.
func TestSymbolicLinksAreNotFollowed(t *testing.T) {
	outside := place{t, t.TempDir()}
	outside.save("secret.md", "secret")
	p := place{t, t.TempDir()}
	p.save("real/note.md", "note")
	p.must(os.Symlink(outside.path, p.name("out")))
	p.must(os.Symlink(outside.name("secret.md"), p.name("secret.md")))
	p.must(os.Symlink("real", p.name("in")))
	p.must(os.Symlink("real/note.md", p.name("alias.md")))
	p.must(os.Symlink("loop", p.name("loop")))
	p.must(os.Symlink("nowhere", p.name("dangling.md")))
	d := open(t, p.path)

	got := stamps(t, d)
	for _, link := range []vault.Path{"out", "secret.md", "in", "alias.md", "loop", "dangling.md"} {
		if got[link] != providers.Unreadable+"symbolic link" {
			t.Errorf("%s is listed with stamp %q", link, got[link])
		}
		delete(got, link)
	}
	if want := []vault.Path{"real/note.md"}; !slices.Equal(slices.Collect(maps.Keys(got)), want) {
		t.Errorf("beside the links %v is listed, want %v", got, want)
	}
	for dir, n := range map[vault.Path]int{"out": 0, "in": 0, "real": 1} {
		listed := 0
		for range d.List(t.Context(), dir) {
			listed++
		}
		if listed != n {
			t.Errorf("List(%q) yields %d entries, want %d", dir, listed, n)
		}
	}
	revision := providers.ContentRevision([]byte("secret"))
	for _, path := range []vault.Path{"out/secret.md", "secret.md", "in/note.md", "alias.md", "out/new.md", "loop/x.md", "dangling.md"} {
		if f, err := d.Read(t.Context(), path); err == nil {
			t.Errorf("Read(%q) = %q", path, f.Body)
		}
		for _, pre := range []vault.Precondition{vault.MustBeAbsent(), vault.MustBe(revision)} {
			if _, err := d.Write(t.Context(), providers.Change{Path: path, Body: []byte("x"), Pre: pre, Attempt: attempt}); err == nil {
				t.Errorf("Write(%q) succeeded", path)
			}
		}
		if err := d.Delete(t.Context(), providers.Change{Path: path, Pre: vault.MustBe(revision), Attempt: attempt}); err == nil {
			t.Errorf("Delete(%q) succeeded", path)
		}
	}
	outside.holds(map[string]string{"secret.md": "secret"})
	p.holds(map[string]string{"real/note.md": "note"})
}

func TestATrashThatLeadsOutIsNotUsed(t *testing.T) {
	outside := place{t, t.TempDir()}
	p := place{t, t.TempDir()}
	p.save("a.md", "a")
	p.must(os.Symlink(outside.path, p.name(".trash")))
	d := open(t, p.path)
	c := providers.Change{Path: "a.md", Pre: vault.MustBe(providers.ContentRevision([]byte("a"))), Attempt: attempt}
	if err := d.Delete(t.Context(), c); err == nil {
		t.Error("Delete into a trash outside of the vault succeeded")
	}
	p.holds(map[string]string{"a.md": "a"})
	outside.holds(map[string]string{})
	p.must(os.Remove(p.name(".trash")))
	if err := d.Delete(t.Context(), c); err != nil {
		t.Errorf("Delete with a trash of its own = %v", err)
	}
}

// A folder is swapped with a link out of the vault, again and again, while notes are written into it.
func TestAFolderThatIsSwappedWhileWriting(t *testing.T) {
	outside := place{t, t.TempDir()}
	outside.save("a.md", "old")
	p := place{t, t.TempDir()}
	p.save("F/a.md", "old")
	d := open(t, p.path)
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			err := errors.Join(os.Rename(p.name("F"), p.name("held")), os.Symlink(outside.path, p.name("F")),
				os.Remove(p.name("F")), os.Rename(p.name("held"), p.name("F")))
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	done, body := 0, "old"
	for i := range 2000 {
		next := []string{"new", "old"}[i%2]
		c := providers.Change{Path: "F/a.md", Body: []byte(next), Pre: vault.MustBe(providers.ContentRevision([]byte(body))), Attempt: attempt}
		if _, err := d.Write(t.Context(), c); err == nil {
			done, body = done+1, next
		}
		if f, err := d.Read(t.Context(), "F/a.md"); err == nil && string(f.Body) != body {
			t.Errorf("Read = %q, want %q", f.Body, body)
		}
		if done > 20 && i > 100 {
			break
		}
	}
	close(stop)
	swapping.Wait()
	if done == 0 {
		t.Error("no write ever succeeded, so that nothing was tested")
	}
	outside.holds(map[string]string{"a.md": "old"})
	p.holds(map[string]string{"F/a.md": body})
}

func TestSpecialFilesDoNotHang(t *testing.T) {
	p := place{t, t.TempDir()}
	p.must(syscall.Mkfifo(p.name("pipe.md"), 0o644))
	p.save("a.md", "a")
	d := open(t, p.path)
	if got := stamps(t, d)["pipe.md"]; got != providers.Unreadable+"named pipe" {
		t.Errorf("a pipe is listed with stamp %q", got)
	}
	if _, err := d.Read(t.Context(), "pipe.md"); !errors.Is(err, vault.UnsupportedHere) {
		t.Errorf("Read of a pipe = %v, want %s", err, vault.UnsupportedHere)
	}
	if _, err := d.Write(t.Context(), providers.Change{Path: "pipe.md", Pre: vault.MustBeAbsent(), Attempt: attempt}); !errors.Is(err, vault.AlreadyExists) {
		t.Errorf("Write over a pipe = %v, want %s", err, vault.AlreadyExists)
	}
	if _, err := d.Write(t.Context(), providers.Change{Path: "pipe.md", Pre: vault.MustBe("r1x"), Attempt: attempt}); !errors.Is(err, vault.RevisionConflict) {
		t.Errorf("Write on a pipe = %v, want %s", err, vault.RevisionConflict)
	}
}

func TestNamesThatNoPathCanHaveAreListedAsSuch(t *testing.T) {
	p := place{t, t.TempDir()}
	for _, name := range []string{"bad\xff.md", "bad\xfe.md", "back\\slash.md", "new\nline.md", "fine.md"} {
		p.save(name, "x")
	}
	p.save("dir\xff/a.md", "x")
	d := open(t, p.path)
	page, err := d.Changes(t.Context(), "")
	p.must(err)
	odd := 0
	for path, stamp := range stamps(t, d) {
		if path == "fine.md" {
			continue
		}
		odd++
		if stamp != providers.Unreadable+"name" {
			t.Errorf("%q is listed with stamp %q", path, stamp)
		}
		if _, err := vault.ParsePath(string(path)); err != nil {
			t.Errorf("%q is listed: %v", path, err)
		}
		if _, err := d.Read(t.Context(), path); !errors.Is(err, vault.UnsupportedHere) {
			t.Errorf("Read(%q) = %v, want %s", path, err, vault.UnsupportedHere)
		}
	}
	if odd != 5 {
		t.Errorf("%d odd names are listed, want 5", odd)
	}
	p.save("late\xff.md", "x")
	p.must(os.Remove(p.name("bad\xff.md")))
	page, err = d.Changes(t.Context(), page.Next)
	p.must(err)
	if len(page.Changed) != 1 || !strings.HasPrefix(string(page.Changed[0].Path), "late\uFFFD") || len(page.Deleted) != 1 {
		t.Errorf("the feed tells %+v, want one odd name made and one gone", page)
	}
}

func TestAFolderThatCannotBeWritten(t *testing.T) {
	d := open(t, fmt.Sprintf("/proc/%d/net", os.Getpid())) // the kernel makes no files there for anybody
	if d.Capabilities().Write {
		t.Fatal("the folder is said to be writable")
	}
	_, err := d.Write(t.Context(), providers.Change{Path: "a.md", Pre: vault.MustBeAbsent(), Attempt: attempt})
	if !errors.Is(err, vault.CapabilityMissing) {
		t.Errorf("Write = %v, want %s", err, vault.CapabilityMissing)
	}
	if !open(t, filepath.Clean(t.TempDir())).Capabilities().Write {
		t.Error("a folder that can be written is said to be read only")
	}
}

func TestOpenerStaysBelowItsDirectory(t *testing.T) {
	above := place{t, t.TempDir()}
	above.save("vaults/one/a.md", "a")
	above.save("outside/secret.md", "secret")
	above.must(os.Symlink(above.name("outside"), above.name("vaults/link")))
	above.must(os.Symlink("../outside", above.name("vaults/up")))
	opener := folder.Opener(above.name("vaults"), clock)
	for _, root := range []string{"link", "up", "../outside", "/etc", "one/../../outside", "absent", "one/a.md"} {
		if d, err := opener(t.Context(), root); err == nil {
			t.Errorf("a vault at %q was opened: %v", root, d.Capabilities())
		} else if code := vault.AsError(err).Code; code != vault.NotFound && code != vault.InvalidArgument {
			t.Errorf("opening %q = %v", root, err)
		}
	}
	for root, want := range map[string]vault.Path{"one": "a.md", "": "one/a.md"} {
		d, err := opener(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		v := providers.New(d)
		if f, err := v.Read(t.Context(), want); err != nil || string(f.Body) != "a" {
			t.Errorf("Read(%q) of the vault at %q = %q, %v", want, root, f.Body, err)
		}
		if page, err := v.Changes(t.Context(), ""); err != nil || page.Checked != "inotify" {
			t.Errorf("the feed of the vault at %q tells %+v, %v", root, page, err)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}

// While a program makes a note a link, a pipe and a folder by turns, every answer is one that a caller can act on.
func TestANoteThatIsNeverTheSame(t *testing.T) {
	p := place{t, t.TempDir()}
	p.save("a.md", "text")
	p.save("outside.md", "secret")
	p.must(os.Symlink("outside.md", p.name("link.md")))
	p.must(syscall.Mkfifo(p.name("pipe.md"), 0o600))
	p.must(os.Mkdir(p.name("dir.md"), 0o700))
	d := open(t, p.path)
	stop, swapped := make(chan struct{}), make(chan error)
	go func() {
		var err error
		for i := 0; err == nil; i++ {
			select {
			case <-stop:
				swapped <- nil
				return
			default:
			}
			other := p.name([]string{"link.md", "pipe.md", "dir.md"}[i%3])
			for range 2 {
				err = errors.Join(err, unix.Renameat2(unix.AT_FDCWD, p.name("a.md"), unix.AT_FDCWD, other, unix.RENAME_EXCHANGE))
			}
		}
		swapped <- err
	}()
	plain := func(err error) bool {
		for _, code := range []vault.Code{vault.RevisionConflict, vault.UnsupportedHere, vault.NotFound, vault.ProviderUnavailable} {
			if errors.Is(err, code) {
				return true
			}
		}
		return err == nil
	}
	body := "text"
	for i := range 1000 {
		_, err := d.Read(t.Context(), "a.md")
		if !plain(err) {
			t.Errorf("Read = %v", err)
		}
		c := providers.Change{Path: "a.md", Body: []byte(body + "+"), Pre: vault.MustBe(providers.ContentRevision([]byte(body)))}
		c.Attempt = providers.Attempt{Transaction: "txn_turns", Index: i}
		if _, err = d.Write(t.Context(), c); !plain(err) {
			t.Errorf("Write = %v", err)
		}
		if err == nil {
			body += "+"
		}
	}
	close(stop)
	if err := <-swapped; err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(p.name("outside.md")); err != nil || string(got) != "secret" {
		t.Errorf("what a link leads to holds %q, %v", got, err)
	}
	// What the program moves in the very moment of a write may be the new file: then the note is under another of its names.
	kept := false
	for _, text := range p.files() {
		kept = kept || text == body
	}
	if !kept {
		t.Errorf("of %v none holds what was stored, %q", p.files(), body)
	}
}
