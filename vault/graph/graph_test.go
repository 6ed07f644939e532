package graph

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

// TestResolve reads testdata: each archive is a vault (the lines of "files") and, in "links", what a link in a note means: the note, ":", the
// target, and after "→" where it leads, with the other candidates behind "|". "~" stands for nowhere. Aliases follow a file's name behind "=".
func TestResolve(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("testdata holds %d archives, %v", len(archives), err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			_, files := vaulttest.ReadArchive(t, name)
			for i := 0; i+1 < len(files); i += 2 {
				g := New()
				for line := range strings.Lines(string(files[i].Body)) {
					path, aliases, _ := strings.Cut(unquote(line), " = ")
					g.Put(vault.Path(path), strings.Split(aliases, ", "), nil)
				}
				for line := range strings.Lines(string(files[i+1].Body)) {
					if strings.HasPrefix(line, "//") {
						continue
					}
					checkLink(t, g, unquote(line))
				}
			}
		})
	}
}

// unquote reads the few escapes that keep the archives readable.
func unquote(line string) string {
	return strings.NewReplacer(`\u0301`, "\u0301", `\u00e9`, "\u00e9").Replace(strings.TrimSuffix(line, "\n"))
}

func checkLink(t *testing.T, g *Graph, line string) {
	t.Helper()
	question, want, ok := strings.Cut(line, " → ")
	source, target, ok2 := strings.Cut(question, ": ")
	if !ok || !ok2 {
		t.Fatalf("%q is no question", line)
	}
	got := "~"
	to, others, found := g.Resolve(vault.Path(source), target)
	if found {
		got = string(to)
	}
	for _, o := range others {
		got += " | " + string(o)
	}
	for _, a := range g.AliasCandidates(target) {
		got += " = " + string(a)
	}
	if got != want {
		t.Errorf("%s: %s → %s, want %s", source, target, got, want)
	}
}

func links(targets ...string) []vault.Link {
	var out []vault.Link
	for i, t := range targets {
		out = append(out, vault.Link{Kind: vault.LinkWiki, Target: t, Line: i + 1})
	}
	return out
}

func show(edges []Edge) string {
	var out []string
	for _, e := range edges {
		s := fmt.Sprintf("%s:%d %s", e.From, e.Line, e.To)
		if e.Self {
			s += " self"
		}
		if !e.Resolved {
			s += "~" + e.Text
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func TestEdges(t *testing.T) {
	g := New()
	g.Put("a.md", nil, links("b", "c", "", "pic.png", "b.md#x"))
	g.Put("b.md", nil, append(links("A"), vault.Link{Target: "https://x.y", External: true}))
	g.Put("lone.md", nil, links("nowhere", "lone"))
	g.PutFile("img/pic.png")

	if got, want := show(g.Outgoing("a.md")), "a.md:1 b.md, a.md:2 ~c, a.md:3 a.md self, a.md:4 img/pic.png, a.md:5 ~b.md#x"; got != want {
		t.Errorf("Outgoing(a.md) = %s, want %s", got, want)
	}
	if got, want := show(g.Incoming("a.md")), "a.md:3 a.md self, b.md:1 a.md"; got != want {
		t.Errorf("Incoming(a.md) = %s, want %s", got, want)
	}
	if got, want := show(g.Incoming("img/pic.png")), "a.md:4 img/pic.png"; got != want {
		t.Errorf("Incoming(img/pic.png) = %s, want %s", got, want)
	}
	if got, want := show(g.Unresolved()), "a.md:2 ~c, a.md:5 ~b.md#x, lone.md:1 ~nowhere"; got != want {
		t.Errorf("Unresolved() = %s, want %s", got, want)
	}
	if got := g.Orphans(); !slices.Equal(got, []vault.Path{"lone.md"}) {
		t.Errorf("Orphans() = %q, want lone.md", got)
	}
	if got := g.Backlinks("a.md"); got != 1 {
		t.Errorf("Backlinks(a.md) = %d, want 1: its own link does not count", got)
	}
	if g.Outgoing("none.md") != nil || g.Incoming("none.md") != nil {
		t.Error("a file that is not there has edges")
	}
}

func TestChangesAreSeen(t *testing.T) {
	g := New()
	g.Put("s.md", nil, links("Note"))
	if got := show(g.Outgoing("s.md")); got != "s.md:1 ~Note" {
		t.Fatalf("Outgoing = %s", got)
	}
	g.Put("long/path/Note.md", nil, nil)
	g.Put("b/Note.md", nil, nil)
	if got := show(g.Outgoing("s.md")); got != "s.md:1 b/Note.md" {
		t.Errorf("after a name has come, Outgoing = %s", got)
	}
	g.Remove("b/Note.md")
	if got := show(g.Incoming("long/path/Note.md")); got != "s.md:1 long/path/Note.md" {
		t.Errorf("after a name has gone, Incoming = %s", got)
	}
	g.Put("s.md", nil, links("other"))
	if got := show(g.Incoming("long/path/Note.md")); got != "" {
		t.Errorf("after the link has gone, Incoming = %s", got)
	}
	g.Put("long/path/Note.md", []string{"Al"}, nil)
	g.Put("long/path/Note.md", []string{"Bo"}, nil)
	if got := g.AliasCandidates("Al"); got != nil {
		t.Errorf("AliasCandidates(Al) = %q, want none", got)
	}
	if got := g.AliasCandidates("bO"); len(got) != 1 {
		t.Errorf("AliasCandidates(bO) = %q, want one", got)
	}
	for _, p := range g.Paths() {
		g.Remove(p)
	}
	g.Remove("never.md")
	if g.Len()+len(g.byKey)+len(g.byNote)+len(g.byName)+len(g.byAlias)+len(g.linking) != 0 {
		t.Errorf("an emptied graph still holds %v", g)
	}
}

func TestFind(t *testing.T) {
	g := New()
	g.Put("Projects/Alpha.md", []string{"First Project"}, nil)
	g.Put("Archive/Old/Alpha.md", nil, nil)
	g.Put("Beta.md", []string{"Alpha Two"}, nil)
	g.PutFile("img/pic.png")
	tests := []struct{ ref, want string }{
		{"Projects/Alpha.md", "Projects/Alpha.md"},
		{"/projects/alpha", "Projects/Alpha.md"},
		{"Alpha", "Projects/Alpha.md Archive/Old/Alpha.md"},
		{"Old/Alpha", "Archive/Old/Alpha.md"},
		{"[[Beta#Part|shown]]", "Beta.md"},
		{"first project", "Projects/Alpha.md"},
		{"Alpha Two", "Beta.md"},
		{"pic.png", "img/pic.png"},
		{"pic", ""},
		{"Gamma", ""},
		{"", ""},
		{"/", ""},
	}
	for _, tt := range tests {
		p, others, ok := g.Find(tt.ref)
		got := strings.TrimSpace(string(p))
		for _, o := range others {
			got += " " + string(o)
		}
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Find(%q) = %q, %v, want %q", tt.ref, got, ok, tt.want)
		}
	}
}

func TestNear(t *testing.T) {
	g := New()
	for _, p := range []vault.Path{"Meeting notes.md", "Meetings.md", "Budget 2026.md", "Garden.md", "Résumé.md", "Zz.md"} {
		g.Put(p, nil, nil)
	}
	g.Put("Plan.md", []string{"Roadmap"}, nil)
	tests := map[string]string{
		"Gadren":            "Garden.md",
		"folder/garden.md":  "Garden.md",
		"Budget":            "Budget 2026.md",
		"meeting":           "Meetings.md Meeting notes.md",
		"Resume":            "Résumé.md",
		"Résumée":           "Résumé.md",
		"roadmpa":           "Plan.md",
		"something unknown": "",
		"":                  "",
	}
	for name, want := range tests {
		var got []string
		for _, p := range g.Near(name, 3) {
			got = append(got, string(p))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("Near(%q) = %q, want %q", name, got, want)
		}
	}
	if got := g.Near("e", 2); len(got) > 2 {
		t.Errorf("Near gave %d, want at most 2", len(got))
	}
}
