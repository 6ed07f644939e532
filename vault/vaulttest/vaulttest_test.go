package vaulttest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestCorpusHoldsWhatItsReadmeNames(t *testing.T) {
	fsys := Corpus(t)
	for dir, least := range map[string]int{"tasks-demo": 150, "tasks-docs": 100, "kepano": 50, "jsoncanvas": 1, "silverbullet-docs": 100} {
		if n := len(Notes(t, fsys, dir)); n < least {
			t.Errorf("%s holds %d notes, want at least %d", dir, n, least)
		}
		licences, err := fs.Glob(fsys, dir+"/LICENSE*")
		if err != nil || len(licences) == 0 {
			t.Errorf("%s holds no licence, %v", dir, err)
		}
	}
	if n := len(Attachments(t, fsys, "tasks-demo")); n == 0 {
		t.Error("tasks-demo has no attachments")
	}
}

func TestUnpack(t *testing.T) {
	dir := t.TempDir()
	Unpack(t, dir)
	got, err := os.ReadFile(filepath.Join(dir, "tasks-demo", "ACME.md"))
	want, err2 := fs.ReadFile(Corpus(t), "tasks-demo/ACME.md")
	if err != nil || err2 != nil || !bytes.Equal(got, want) {
		t.Errorf("unpacked %q, %v, want %q, %v", got, err, want, err2)
	}
}

func TestBigIsTheSameEachTime(t *testing.T) {
	one, two := Big(t, 300), Big(t, 300)
	if len(one) != 300 || len(two) != 300 {
		t.Fatalf("Big(300) made %d and %d notes", len(one), len(two))
	}
	seen := map[string]bool{}
	for i := range one {
		if one[i].Path != two[i].Path || !bytes.Equal(one[i].Body, two[i].Body) {
			t.Errorf("note %d is %q, then %q", i, one[i].Path, two[i].Path)
		}
		if seen[one[i].Path] || len(one[i].Body) == 0 {
			t.Errorf("%q is there twice, or empty", one[i].Path)
		}
		seen[one[i].Path] = true
	}
}

func TestArchives(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txtar")
	text := "What it is.\n-- a.md --\none\n-- not a name\n-- b/c --\n-- empty --\n"
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	comment, files := ReadArchive(t, name)
	if comment != "What it is.\n" || len(files) != 3 || string(files[0].Body) != "one\n-- not a name\n" || files[1].Path != "b/c" || len(files[2].Body) != 0 {
		t.Errorf("ReadArchive = %q, %q", comment, files)
	}
	WriteArchive(t, name, comment, files)
	if got, err := os.ReadFile(name); err != nil || string(got) != text {
		t.Errorf("WriteArchive wrote %q, %v, want %q", got, err, text)
	}
}
