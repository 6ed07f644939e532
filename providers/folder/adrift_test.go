package folder_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/folder"
	"github.com/notelatch/notelatch/vault"
)

// A folder that is moved away is not followed there, and one that takes its place is another.
func TestAFolderThatWasMovedIsAdrift(t *testing.T) {
	p := place{t, t.TempDir()}
	p.save("notes/a.md", "text")
	notes := p.name("notes")
	d, err := folder.Open(t.Context(), notes, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	step := func(what string, err error, want bool) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Adrift(); got != want {
			t.Errorf("%s: Adrift() = %v, want %v", what, got, want)
		}
	}
	step("in its place", nil, false)
	step("moved", os.Rename(notes, p.name("away")), true)
	step("replaced", os.Mkdir(notes, 0o755), true)
	step("replaced by a file", errors.Join(os.Remove(notes), os.WriteFile(notes, nil, 0o644)), true)
	step("replaced by a link to it", errors.Join(os.Remove(notes), os.Symlink(p.name("away"), notes)), true)
	step("back", errors.Join(os.Remove(notes), os.Rename(p.name("away"), notes)), false)
	step("deleted", os.RemoveAll(notes), true)
}

func TestAFolderThatIsNotThereSaysSoAndNotWhere(t *testing.T) {
	p := place{t, t.TempDir()}
	p.save("file", "text")
	for _, name := range []string{"missing", "file"} {
		_, err := folder.Open(t.Context(), p.name(name), time.Now)
		if want := "the folder of this vault is not there"; !errors.Is(err, vault.ProviderUnavailable) || vault.AsError(err).Message != want {
			t.Errorf("Open(%s) = %v, want %s: %s", name, err, vault.ProviderUnavailable, want)
		}
	}
}

// A link that takes the place of a folder, or of one above it, makes no vault of where it leads. What was opened there by its own path is
// one, as the folder is once it is back.
func TestAFolderThatBecameALinkIsNotOpened(t *testing.T) {
	p := place{t, t.TempDir()}
	p.save("a/notes/n.md", "text")
	p.save("outside/notes/secret.md", "text")
	registry := providers.NewRegistry(map[string]providers.Opener{"folder": func(ctx context.Context, root string) (providers.Driver, error) {
		return folder.Open(ctx, root, clock)
	}})
	defer registry.Close()
	look := func(what string, want error) {
		t.Helper()
		v, err := registry.Open(t.Context(), "folder", p.name("a/notes"))
		if err == nil {
			_, err = v.Read(t.Context(), "n.md")
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	look("in its place", nil)
	p.must(errors.Join(os.Rename(p.name("a/notes"), p.name("a/away")), os.Symlink("../outside/notes", p.name("a/notes"))))
	look("a link", vault.ProviderUnavailable)
	p.must(errors.Join(os.Remove(p.name("a/notes")), os.Rename(p.name("a/away"), p.name("a/notes"))))
	look("back", nil)
	p.must(errors.Join(os.Rename(p.name("a"), p.name("b")), os.Symlink("outside", p.name("a"))))
	look("a link above it", vault.ProviderUnavailable)
	d := open(t, p.name("outside/notes"))
	if _, err := d.Read(t.Context(), "secret.md"); err != nil {
		t.Errorf("Read by its own path = %v", err)
	}
}
