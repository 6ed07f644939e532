package folder_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/folder"
	"github.com/notelatch/notelatch/providers/providertest"
	"github.com/notelatch/notelatch/vault"
)

func clock() time.Time { return time.Date(2026, time.December, 1, 9, 0, 0, 0, time.UTC) }

func open(t testing.TB, path string) *folder.Driver {
	t.Helper()
	d, err := folder.Open(t.Context(), path, clock)
	return closing(t, d, err)
}

func closing(t testing.TB, d *folder.Driver, err error) *folder.Driver {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close the folder: %v", err)
		}
	})
	return d
}

func openPlain(t testing.TB, path string) *folder.Driver {
	t.Helper()
	d, err := folder.OpenPlain(t.Context(), path, clock)
	return closing(t, d, err)
}

func TestDriver(t *testing.T) {
	providertest.Run(t, func(t *testing.T) providers.Driver { return open(t, t.TempDir()) })
}

func TestDriverWithoutExchangeAndWatch(t *testing.T) {
	providertest.Run(t, func(t *testing.T) providers.Driver { return openPlain(t, t.TempDir()) })
}

// place is a directory that the test edits past the driver, as other programs do.
type place struct {
	testing.TB
	path string
}

func (p place) name(rel string) string { return filepath.Join(p.path, filepath.FromSlash(rel)) }

func (p place) save(rel, body string) {
	p.Helper()
	p.must(os.MkdirAll(filepath.Dir(p.name(rel)), 0o755))
	p.must(os.WriteFile(p.name(rel), []byte(body), 0o644))
}

func (p place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// files are all files of the directory, hidden ones included, with what they hold.
func (p place) files() map[string]string {
	p.Helper()
	got := make(map[string]string)
	p.must(filepath.WalkDir(p.path, func(name string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		body, err := os.ReadFile(name)
		rel, _ := filepath.Rel(p.path, name)
		got[filepath.ToSlash(rel)] = string(body)
		return err
	}))
	return got
}

func (p place) holds(want map[string]string) {
	p.Helper()
	if diff := cmp.Diff(want, p.files()); diff != "" {
		p.Errorf("the directory holds (-want +got):\n%s", diff)
	}
}

func stamps(t testing.TB, d *folder.Driver) map[vault.Path]string {
	t.Helper()
	got := make(map[vault.Path]string)
	for e, err := range d.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := got[e.Path]; twice {
			t.Errorf("List yields %q twice", e.Path)
		}
		got[e.Path] = e.Stamp
	}
	return got
}

func TestReadingLeavesTheFolderAlone(t *testing.T) {
	p := place{t, t.TempDir()}
	p.save("a.md", "a")
	before, err := os.Stat(p.path)
	p.must(err)
	d := open(t, p.path)
	after, err := os.Stat(p.path) // opening tried what the file system can do
	p.must(err)
	for range 3 {
		if _, err := d.Changes(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		stamps(t, d)
		if _, err := d.Read(t.Context(), "a.md"); err != nil {
			t.Fatal(err)
		}
	}
	last, err := os.Stat(p.path)
	p.must(err)
	if !last.ModTime().Equal(after.ModTime()) {
		t.Errorf("reads touched the folder at %v (opened %v, made %v)", last.ModTime(), after.ModTime(), before.ModTime())
	}
	p.holds(map[string]string{"a.md": "a"})
	cookies := d.CookieFolder()
	if strings.HasPrefix(cookies, p.path) {
		t.Errorf("cookies are made in the vault, at %s", cookies)
	}
}

func TestClosingLeavesNothingBehind(t *testing.T) {
	d, err := folder.Open(t.Context(), t.TempDir(), clock)
	if err != nil {
		t.Fatal(err)
	}
	cookies := d.CookieFolder()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(cookies); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Close the folder of the cookies: %v", err)
	}
	if _, err := folder.Open(t.Context(), filepath.Join(t.TempDir(), "absent"), clock); err == nil {
		t.Error("Open of what is not there succeeded")
	}
}

func TestLargeFiles(t *testing.T) {
	p := place{t, t.TempDir()}
	five := strings.Repeat("0123456789abcde\n", 5<<20/16)
	p.save("five.md", five)
	p.save("edge.bin", strings.Repeat("x", providers.MaxRead))
	p.save("over.bin", strings.Repeat("x", providers.MaxRead+1))
	d := open(t, p.path)
	if f, err := d.Read(t.Context(), "five.md"); err != nil || !bytes.Equal(f.Body, []byte(five)) {
		t.Errorf("Read of 5 MiB = %d bytes, %v", len(f.Body), err)
	}
	if f, err := d.Read(t.Context(), "edge.bin"); err != nil || len(f.Body) != providers.MaxRead {
		t.Errorf("Read of the largest file = %d bytes, %v", len(f.Body), err)
	}
	if _, err := d.Read(t.Context(), "over.bin"); !errors.Is(err, vault.NoteTooLarge) {
		t.Errorf("Read of a larger one = %v, want %s", err, vault.NoteTooLarge)
	}
	want := []vault.Path{"edge.bin", "five.md", "over.bin"}
	if got := slices.Sorted(maps.Keys(stamps(t, d))); !slices.Equal(got, want) {
		t.Errorf("List = %v, want %v", got, want)
	}
	// A note that grew past what may be written can still be made small again.
	f, err := d.Read(t.Context(), "five.md")
	p.must(err)
	c := providers.Change{Path: "five.md", Body: []byte("small"), Pre: vault.MustBe(f.Revision), Attempt: providers.Attempt{Transaction: "txn_1"}}
	if _, err := d.Write(t.Context(), c); err != nil {
		t.Errorf("Write over a large note = %v", err)
	}
}

func TestNFDNamesKeepTheirSpelling(t *testing.T) {
	p := place{t, t.TempDir()}
	const nfd, nfc = "Cafe\u0301/note\u0301.md", "Café/noté.md"
	p.save(nfd, "x")
	d := open(t, p.path)
	f, err := d.Read(t.Context(), nfd)
	if err != nil || f.Path != nfd {
		t.Fatalf("Read = %q, %v, want %q", f.Path, err, nfd)
	}
	if _, err := d.Read(t.Context(), nfc); !errors.Is(err, vault.NotFound) {
		t.Errorf("Read in another form = %v, want %s", err, vault.NotFound)
	}
	c := providers.Change{Path: nfd, Body: []byte("y"), Pre: vault.MustBe(f.Revision), Attempt: providers.Attempt{Transaction: "txn_1"}}
	if _, err := d.Write(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	_, err = d.Write(t.Context(), providers.Change{Path: "Café/new.md", Pre: vault.MustBeAbsent(), Attempt: providers.Attempt{Transaction: "txn_2"}})
	if !errors.Is(err, vault.AlreadyExists) {
		t.Errorf("Write into a folder's twin = %v, want %s", err, vault.AlreadyExists)
	}
	p.holds(map[string]string{nfd: "y"})
}

func TestTrashIsObsidians(t *testing.T) {
	p := place{t, t.TempDir()}
	d := open(t, p.path)
	for i := range 3 {
		p.save("F/a.md", fmt.Sprint(i))
		c := providers.Change{Path: "F/a.md", Pre: vault.MustBe(providers.ContentRevision([]byte(fmt.Sprint(i)))), Attempt: providers.Attempt{Transaction: fmt.Sprintf("txn_%d", i)}}
		if err := d.Delete(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	p.holds(map[string]string{".trash/F/a.md": "0", ".trash/F/a (deleted 2).md": "1", ".trash/F/a (deleted 3).md": "2"})
	p.save(".trash/by hand.md", "deleted in an editor")
	if e, err := d.Restore(t.Context(), "by hand.md", ""); err != nil || e.Path != "by hand.md" {
		t.Errorf("Restore of what an editor deleted = %+v, %v", e, err)
	}
}
