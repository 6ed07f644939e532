package graph

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

// model resolves a link by looking at every file, in the words of the rules.
func model(files []vault.Path, source vault.Path, target string) vault.Path {
	if target == "" {
		return source
	}
	key := vault.Fold(target)
	exact := func(text, key string) vault.Path {
		for _, ext := range []string{".md", ""} {
			var found []vault.Path
			for _, f := range files {
				if f.Key() == key+ext {
					found = append(found, f)
				}
			}
			if len(found) > 0 {
				return pick(found, text)
			}
		}
		return ""
	}
	switch {
	case target[0] == '/':
		return exact(target[1:], path.Clean("/" + key)[1:])
	case strings.HasPrefix(target, "./"), strings.HasPrefix(target, "../"):
		return exact(path.Join(string(source.Dir()), target), path.Join(source.Dir().Key(), key))
	}
	if f := exact(target, key); f != "" {
		return f
	}
	var ends, own []vault.Path
	for _, f := range files {
		k := "/" + f.Key()
		if !strings.HasSuffix(k, "/"+key) && !strings.HasSuffix(k, "/"+key+".md") {
			continue
		}
		ends = append(ends, f)
		if f.Dir() == source.Dir() {
			own = append(own, f)
		}
	}
	if len(own) > 0 {
		return pick(own, target)
	}
	return pick(ends, target)
}

// pick takes the shortest, then the first; but of files that are one place but for case, the one that is spelled like the target.
func pick(files []vault.Path, text string) vault.Path {
	if len(files) == 0 {
		return ""
	}
	best := slices.MinFunc(files, func(a, b vault.Path) int {
		return cmp.Or(cmp.Compare(utf8.RuneCountInString(string(a)), utf8.RuneCountInString(string(b))), cmp.Compare(a, b))
	})
	for _, f := range files {
		if f.Key() == best.Key() && (strings.HasSuffix(string(f), text) || strings.HasSuffix(string(f), text+".md")) {
			return f
		}
	}
	return best
}

// FuzzGraph makes a vault out of a script, changes it, and compares the graph with the model. Each byte is an operation on one of few names,
// so that names meet.
func FuzzGraph(f *testing.F) {
	f.Add([]byte("abcdefgh"), "a")
	f.Add([]byte{0, 1, 2, 3, 64, 65, 66, 130, 131, 7, 7, 200}, "x/a")
	f.Add([]byte{12, 77, 140, 201, 13, 78, 141, 202, 250, 3}, "../A.md")
	f.Fuzz(func(t *testing.T, script []byte, target string) {
		if len(script) > 200 || len(target) > 60 || !utf8.ValidString(target) || strings.ContainsAny(target, "\u212a\u0130") {
			return // one folded letter in place of two makes paths of other lengths
		}
		names := []vault.Path{"a.md", "A.md", "b.md", "x/a.md", "x/b.md", "x/y/a.md", "y/a.md", "y/a.png", "a.png.md", "long/a.md", "x/y/b.png", "\u00e9.md"}
		targets := []string{"a", "b", "A.md", "x/a", "y/a", "a.png", "../a", "./b", "/a", "", "\u00c9", "x/../a", "none", target}
		g := New()
		held := map[vault.Path][]string{}
		for i, op := range script {
			p := names[int(op)%len(names)]
			if op >= 200 {
				g.Remove(p)
				delete(held, p)
				continue
			}
			out := []string{targets[(int(op)/12)%len(targets)], targets[i%len(targets)]}
			g.Put(p, []string{string(p.Name())}, links(out...))
			held[p] = out
		}
		compare(t, g, held)
	})
}

func compare(t *testing.T, g *Graph, held map[vault.Path][]string) {
	t.Helper()
	var files []vault.Path
	for p := range held {
		files = append(files, p)
	}
	slices.Sort(files)
	if !slices.Equal(files, g.Paths()) {
		t.Fatalf("Paths() = %q, want %q", g.Paths(), files)
	}
	incoming := map[vault.Path][]string{}
	for _, p := range files {
		for i, e := range g.Outgoing(p) {
			if strings.Contains(e.Text, "//") || strings.HasSuffix(e.Text, "/") || strings.HasSuffix(e.Text, "/.") || strings.HasSuffix(e.Text, "..") || e.Text == "." {
				continue // the model does not clean these
			}
			if strings.Contains(e.Text, "/./") || strings.Contains(e.Text, "/../") {
				if want := path.Clean(e.Text); e.Text[0] != '.' && e.Text[0] != '/' {
					if got := model(files, p, want); got != e.To && want[0] != '.' {
						t.Errorf("%s: %q leads to %q, want %q", p, e.Text, e.To, got)
					}
				}
				continue
			}
			if want := model(files, p, held[p][i]); want != e.To {
				t.Errorf("%s: %q leads to %q, want %q of %q", p, held[p][i], e.To, want, files)
			}
		}
		for _, e := range g.Outgoing(p) {
			if e.Resolved {
				incoming[e.To] = append(incoming[e.To], fmt.Sprint(e))
			}
		}
	}
	for _, p := range files {
		var got []string
		for _, e := range g.Incoming(p) {
			got = append(got, fmt.Sprint(e))
		}
		slices.Sort(got)
		slices.Sort(incoming[p])
		if !slices.Equal(got, incoming[p]) {
			t.Errorf("Incoming(%s) = %q, but what leads there is %q", p, got, incoming[p])
		}
	}
}

func TestReadersAndAWriter(t *testing.T) {
	g := New()
	notes := vaulttest.Big(t, 300)
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			for _, f := range notes {
				p := vault.Path(f.Path)
				g.Incoming(p)
				g.Outgoing(p)
				g.Resolve(p, "Plan 12")
				g.Near("Plna 12", 3)
			}
		})
	}
	for _, f := range notes {
		g.PutNote(vault.Parse(vault.Path(f.Path), f.Body))
	}
	wait.Wait()
	if g.Len() != len(notes) {
		t.Errorf("Len() = %d, want %d", g.Len(), len(notes))
	}
}

// bigGraph is the real garden where it is at hand, else a made vault.
func bigGraph(b *testing.B) (*Graph, int) {
	b.Helper()
	notes := vaulttest.Big(b, 5000)
	if fsys, ok := vaulttest.BigCorpus(b); ok {
		notes = vaulttest.Notes(b, fsys, ".")
	}
	g, n := New(), 0
	for _, f := range notes {
		note := vault.Parse(vault.Path(f.Path), f.Body)
		n += len(note.Links)
		g.PutNote(note)
	}
	return g, n
}

func BenchmarkResolve(b *testing.B) {
	g, _ := bigGraph(b)
	type question struct {
		p vault.Path
		l link
	}
	var questions []question
	for p, f := range g.files {
		for _, l := range f.links {
			questions = append(questions, question{p, l})
		}
	}
	i := 0
	for b.Loop() {
		q := &questions[i%len(questions)]
		g.resolve(q.p, q.l.text, q.l.key)
		i++
	}
}

func BenchmarkIncoming(b *testing.B) {
	g, links := bigGraph(b)
	paths := g.Paths()
	for b.Loop() {
		for _, p := range paths {
			g.Incoming(p)
		}
	}
	b.ReportMetric(float64(len(paths)), "files/op")
	b.ReportMetric(float64(links), "links/op")
}

func BenchmarkUnresolved(b *testing.B) {
	g, _ := bigGraph(b)
	for b.Loop() {
		g.Unresolved()
	}
}

func BenchmarkNear(b *testing.B) {
	g, _ := bigGraph(b)
	for b.Loop() {
		g.Near("Meetnig notes", 5)
	}
}

func BenchmarkPut(b *testing.B) {
	g, _ := bigGraph(b)
	note := vault.Parse("Changed.md", []byte(strings.Repeat("[[Plan 1]] [[Review 2]] [[Missing]]\n", 10)))
	for b.Loop() {
		g.PutNote(note)
	}
}
