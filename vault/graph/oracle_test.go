package graph

import (
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

// demo is the sample vault of the corpus: its notes, canvases, bases and attachments.
func demo(tb testing.TB, fsys fs.FS) *Graph {
	tb.Helper()
	const dir = "tasks-demo"
	g := New()
	for _, p := range vaulttest.Attachments(tb, fsys, dir) {
		g.PutFile(vault.Path(p))
	}
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		tb.Fatal(err)
	}
	err = fs.WalkDir(sub, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (path.Ext(p) == ".canvas" || path.Ext(p) == ".base") {
			g.PutFile(vault.Path(p))
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range vaulttest.Notes(tb, fsys, dir) {
		g.PutNote(vault.Parse(vault.Path(f.Path), f.Body))
	}
	return g
}

// changed is a note that links to another in the corpus and had no links yet when Obsidian's map of the vault was recorded.
const changed = "How To/Find tasks in notes with particular tag.md"

// TestGraphAgreesWithObsidian compares all links of a real vault with what Obsidian has recorded of them: for each note, how often it links
// to each file, and what it cannot find.
func TestGraphAgreesWithObsidian(t *testing.T) {
	fsys := vaulttest.Corpus(t)
	g := demo(t, fsys)
	got := map[string]map[string]map[string]int{"resolvedLinks": {}, "unresolvedLinks": {}}
	for _, p := range g.Paths() {
		if !p.IsNote() {
			continue
		}
		resolved, unresolved := map[string]int{}, map[string]int{}
		for _, e := range g.Outgoing(p) {
			if e.Resolved {
				resolved[string(e.To)]++
			} else {
				unresolved[e.Text]++
			}
		}
		got["resolvedLinks"][string(p)], got["unresolvedLinks"][string(p)] = resolved, unresolved
	}
	for name, links := range got {
		body, err := fs.ReadFile(fsys, "obsidian-oracle/metadataCache/"+name+".json")
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]map[string]int
		if err := json.Unmarshal(body, &want); err != nil {
			t.Fatal(err)
		}
		compared := 0
		for p, w := range want {
			have, ok := links[p]
			if !ok { // a canvas, or a note that the corpus leaves out
				continue
			}
			if name == "resolvedLinks" && p == changed {
				continue
			}
			compared++
			if d := cmp.Diff(w, have); d != "" {
				t.Errorf("%s of %s (-Obsidian +graph):\n%s", name, p, d)
			}
		}
		if compared < 150 {
			t.Errorf("%s: %d of %d notes were compared", name, compared, len(want))
		}
	}
}

// TestResolveAgreesWithObsidian compares single links with what Obsidian resolved them to.
func TestResolveAgreesWithObsidian(t *testing.T) {
	fsys := vaulttest.Corpus(t)
	g := demo(t, fsys)
	files, err := fs.Glob(fsys, "obsidian-oracle/*.json")
	if err != nil || len(files) != 89 {
		t.Fatalf("the oracle has %d files, %v", len(files), err)
	}
	n := 0
	for _, file := range files {
		body, err := fs.ReadFile(fsys, file)
		if err != nil {
			t.Fatal(err)
		}
		var recorded struct {
			FilePath          string
			ResolveLinkToPath map[string]string
		}
		if err := json.Unmarshal(body, &recorded); err != nil {
			t.Fatal(err)
		}
		for target, want := range recorded.ResolveLinkToPath {
			target, _, _ = strings.Cut(target, "#")
			n++
			if got, _, _ := g.Resolve(vault.Path(recorded.FilePath), target); string(got) != want {
				t.Errorf("Resolve(%q, %q) = %q, Obsidian says %q", recorded.FilePath, target, got, want)
			}
		}
	}
	if n < 40 {
		t.Errorf("the oracle holds only %d links", n)
	}
}
