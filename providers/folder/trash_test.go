package folder_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// What is in the way of the trash is named, and the note stays.
func TestATrashThatIsNoFolder(t *testing.T) {
	for what, make := range map[string]func(p place) error{
		"file":          func(p place) error { p.save(".trash", "mine"); return nil },
		"symbolic link": func(p place) error { return os.Symlink("elsewhere", p.name(".trash")) },
	} {
		t.Run(what, func(t *testing.T) {
			p := place{t, t.TempDir()}
			p.save("sw/a.md", "a")
			p.save("elsewhere/other.md", "o")
			p.must(make(p))
			d := open(t, p.path)
			c := providers.Change{Path: "sw/a.md", Pre: vault.MustBe(providers.ContentRevision([]byte("a"))), Attempt: attempt}
			err := d.Delete(t.Context(), c)
			if e := vault.AsError(err); e.Code != vault.CapabilityMissing || !strings.Contains(e.Message, ".trash is a "+what) {
				t.Errorf("Delete = %v, want what is wrong with .trash", err)
			}
			for _, err := range d.Trash(t.Context()) {
				if !errors.Is(err, vault.CapabilityMissing) {
					t.Errorf("Trash tells %v", err)
				}
			}
			if f, err := d.Read(t.Context(), "sw/a.md"); err != nil || string(f.Body) != "a" {
				t.Errorf("Read = %q, %v after the refusal", f.Body, err)
			}
			p.must(os.Rename(p.name(".trash"), p.name("moved")))
			if err := d.Delete(t.Context(), c); err != nil {
				t.Errorf("Delete with the trash free = %v", err)
			}
		})
	}
}

// A deleted file may have the name that a deleted folder needs.
func TestTheTrashHoldsAFileAndAFolderOfOneName(t *testing.T) {
	p := place{t, t.TempDir()}
	d := open(t, p.path)
	remove := func(path vault.Path, body string) {
		t.Helper()
		p.save(string(path), body)
		c := providers.Change{Path: path, Pre: vault.MustBe(providers.ContentRevision([]byte(body))), Attempt: attempt}
		if err := d.Delete(t.Context(), c); err != nil {
			t.Fatalf("Delete(%s) = %v", path, err)
		}
	}
	remove("F", "a file")
	remove("F/a.md", "in a folder")
	p.must(os.Remove(p.name("F")))
	for trashed, err := range d.Trash(t.Context()) {
		p.must(err)
		if _, err := d.Restore(t.Context(), trashed.ID, trashed.Entry.Path); err != nil && trashed.Entry.Path == "F/a.md" {
			t.Errorf("Restore(%s) = %v", trashed.ID, err)
		}
	}
	p.holds(map[string]string{"F/a.md": "in a folder", ".trash/F (deleted 2)": "a file"})
}
