package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// member is one entry of an archive.
type member struct {
	name, body string
	link       string // a symbolic link, if it is set
	hard       bool   // the link is a hard one (tar)
	kind       byte   // of tar, if it is neither a file nor a link
}

// archived is what a hostile archive holds. Two notes and an attachment are good; nothing else may come to be, in the vault or beside it.
var archived = []member{
	{name: "Good.md", body: "# Good\n"},
	{name: "Folder/Sub/Other.md", body: "# Other\n"},
	{name: "Folder/picture.png", body: "\x89PNG\x00\xff"},
	{name: "../evil.md", body: "evil"},
	{name: "Folder/../../evil.md", body: "evil"},
	{name: "/evil.md", body: "evil"},
	{name: "..\\evil.md", body: "evil"},
	{name: "C:\\evil.md", body: "evil"},
	{name: "Folder//evil.md", body: "evil"},
	{name: "evil\x00.md", body: "evil"},
	{name: "evil\n.md", body: "evil"},
	{name: "evil\xff.md", body: "evil"},
	{name: strings.Repeat("e", 300) + ".md", body: "evil"},
	{name: ".obsidian/app.json", body: "evil"},
	{name: "Folder/.git/config", body: "evil"},
	{name: "Link.md", link: "/etc/passwd"},
	{name: "Up", link: ".."},
	{name: "Up/evil.md", body: "evil"},
	{name: "Large.md", body: strings.Repeat("x", 17<<20)},
}

func zipOf(t *testing.T, members []member) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		h.SetMode(0o644)
		body := m.body
		if m.link != "" {
			h.SetMode(os.ModeSymlink | 0o777)
			body = m.link
		}
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = io.WriteString(f, body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func tarOf(t *testing.T, members []member) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.body)), Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		switch {
		case strings.ContainsRune(m.name, 0):
			continue // the format cannot hold it
		case m.link != "" && m.hard:
			h.Typeflag, h.Linkname, h.Size = tar.TypeLink, m.link, 0
		case m.link != "":
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, m.link, 0
		case m.kind != 0:
			h.Typeflag, h.Size = m.kind, 0
		}
		err := w.WriteHeader(h)
		if err == nil && h.Typeflag == tar.TypeReg {
			_, err = io.WriteString(w, m.body)
		}
		if err != nil {
			t.Fatalf("%q: %v", m.name, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func gzipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// What is good in an archive comes in; what would land elsewhere, or is no plain file, does not, and is named where its name may be one
// that a person gave.
func TestImportTakesNothingButNotes(t *testing.T) {
	more := slices.Concat(archived, []member{
		{name: "Hard.md", link: "/etc/passwd", hard: true}, {name: "Pipe.md", kind: tar.TypeFifo}, {name: "Device.md", kind: tar.TypeChar},
	})
	for name, archive := range map[string][]byte{
		"notes.zip": zipOf(t, archived), "notes.tar": tarOf(t, more), "notes.tar.gz": gzipped(t, tarOf(t, more)),
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			above := t.TempDir()
			file := filepath.Join(above, name)
			if err := os.WriteFile(file, archive, 0o644); err != nil {
				t.Fatal(err)
			}
			vault := added(t, h.run("vault", "add", "--hosted", "Kept", "--json"))
			var report importReport
			if err := json.Unmarshal([]byte(h.run("vault", "import", vault, file, "--json")), &report); err != nil {
				t.Fatal(err)
			}
			if report.Stored != 4 || report.Same != 0 || len(report.Kept) != 0 {
				t.Errorf("imported %+v, want 4 files stored", report)
			}
			for _, want := range []string{"../evil.md", "/evil.md", "Folder//evil.md", "Large.md", "C:"} {
				if !slices.ContainsFunc(report.Skipped, func(s string) bool { return strings.Contains(s, want) }) {
					t.Errorf("%s was left out and not named: %q", want, report.Skipped)
				}
			}

			// What came in goes out again, byte for byte, into an empty folder and into no other.
			out := filepath.Join(above, "out")
			h.run("vault", "export", vault, out)
			want := map[string]string{
				".": "d---------", "Folder": "d---------", "Folder/Sub": "d---------", "Up": "d---------", "Up/evil.md": "evil",
				"Good.md": "# Good\n", "Folder/Sub/Other.md": "# Other\n", "Folder/picture.png": "\x89PNG\x00\xff",
			}
			if diff := cmp.Diff(want, tree(t, out)); diff != "" {
				t.Errorf("exported (-want +got):\n%s", diff)
			}
			before := tree(t, above)
			if cmd := h.command("vault", "export", vault, out); cmd.Run() == nil || cmd.ProcessState.ExitCode() != exitUsage {
				t.Errorf("a second export into the same folder ended with %d, want %d", cmd.ProcessState.ExitCode(), exitUsage)
			}
			if err := os.WriteFile(filepath.Join(out, "Good.md"), []byte("# Changed\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			before["out/Good.md"] = "# Changed\n"

			// Again: nothing comes in twice, and what differs is kept as it is and named.
			report = importReport{}
			if err := json.Unmarshal([]byte(h.run("vault", "import", vault, out, "--json")), &report); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(importReport{Same: 3, Kept: []string{"Good.md"}}, report); diff != "" {
				t.Errorf("imported again (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, tree(t, above)); diff != "" {
				t.Errorf("beside the vault (-before +after):\n%s", diff)
			}
		})
	}
}

// What is no archive, or one that ends in its midst, is one line that says so.
func TestImportOfWhatIsNoArchive(t *testing.T) {
	h := newHome(t)
	dir := t.TempDir()
	vault := added(t, h.run("vault", "add", "--hosted", "Kept", "--json"))
	whole := tarOf(t, archived[:3])
	for name, body := range map[string][]byte{
		"empty.zip": nil, "text.zip": []byte("text"), "text.tar.gz": []byte("text"), "text.txt": []byte("text"),
		"half.tar": whole[:515], "half.tar.gz": gzipped(t, whole)[:60], "half.zip": zipOf(t, archived[:3])[:100],
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, name)
			if err := os.WriteFile(file, body, 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := h.command("vault", "import", vault, file)
			var errs strings.Builder
			cmd.Stderr = &errs
			if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != exitUsage {
				t.Errorf("it ended with %d, want %d", cmd.ProcessState.ExitCode(), exitUsage)
			}
			if text := errs.String(); !strings.HasPrefix(text, "notelatch: ") || strings.Count(text, "\n") != 1 || !strings.Contains(text, name) {
				t.Errorf("it says %q, want one line about %s", text, name)
			}
		})
	}
	if cmd := h.command("vault", "import", vault, filepath.Join(dir, "missing.zip")); cmd.Run() == nil || cmd.ProcessState.ExitCode() != exitUsage {
		t.Error("an archive that there is not was imported")
	}
}
