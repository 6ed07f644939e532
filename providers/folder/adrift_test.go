package folder_test

import (
	"errors"
	"os"
	"testing"
	"time"

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
