package plan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/graph"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

// model is a vault in memory that follows plans. links are kept in step; fresh graphs check them.
type model struct {
	notes shelf
	found map[vault.Path][]vault.Link
	links shelfLinks
}

func newModel(notes shelf) *model {
	m := &model{notes: notes, found: make(map[vault.Path][]vault.Link), links: notes.links()}
	for p, body := range notes {
		m.found[p] = linksOf(p, body)
	}
	return m
}

// read is shelf.read for a large vault, in which no two paths differ in spelling alone.
func (m *model) read(_ context.Context, p vault.Path) (vault.File, error) {
	body, ok := m.notes[p]
	if !ok {
		return vault.File{}, vault.Errorf(vault.NotFound, "there is no note at %s", p)
	}
	return vault.File{Entry: vault.Entry{Path: p, Revision: revision(body)}, Body: body}, nil
}

func (m *model) do(t testing.TB, a Action) (Plan, error) {
	t.Helper()
	p, err := Make(t.Context(), []Action{a}, World{Read: m.read, Today: today, Links: func(context.Context) (Links, error) { return m.links, nil }})
	if err != nil {
		return p, err
	}
	for _, c := range p.Changes {
		if c.Delete {
			delete(m.notes, c.Path)
			delete(m.found, c.Path)
			m.links.remove(c.Path)
			continue
		}
		m.notes[c.Path] = c.Body
		m.found[c.Path] = linksOf(c.Path, c.Body)
		m.links.put(c.Path, c.Body)
	}
	return p, nil
}

// leads is where every link of the vault leads, by a graph of its own.
func (m *model) leads() map[vault.Path][]vault.Path {
	g := graph.New()
	for p, links := range m.found {
		g.Put(p, nil, links)
	}
	out := make(map[vault.Path][]vault.Path, len(m.found))
	for p := range m.found {
		for _, e := range g.Outgoing(p) {
			out[p] = append(out[p], e.To)
		}
	}
	return out
}

// checkLeads holds the links after a move to those before.
func checkLeads(t *testing.T, before, after map[vault.Path][]vault.Path, moves map[vault.Path]vault.Path, unlinkable int) (changed int) {
	t.Helper()
	moved := func(p vault.Path) vault.Path {
		if to, ok := moves[p]; ok {
			return to
		}
		return p
	}
	arrived := slices.Collect(maps.Values(moves))
	for p, want := range before {
		got := after[moved(p)]
		if len(got) != len(want) {
			t.Errorf("%s had %d links, and has %d", p, len(want), len(got))
			continue
		}
		for i := range want {
			switch {
			case want[i] == "" && slices.Contains(arrived, got[i]): // it waited for such a name
			case want[i] == "" && got[i] == "":
			case got[i] != moved(want[i]):
				changed++
				if changed > unlinkable {
					t.Errorf("link %d of %s leads to %q, want %q", i, p, got[i], moved(want[i]))
				}
			}
		}
	}
	return changed
}

// moveThereAndBack moves random notes to random folders, some under another name, and back.
func moveThereAndBack(t *testing.T, notes shelf, count int, seed uint64) {
	m := newModel(notes)
	original := maps.Clone(notes)
	rng := rand.New(rand.NewPCG(seed, 7))
	var paths []vault.Path
	for p := range notes {
		if p.IsNote() {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	taken := make(map[string]bool, len(notes)) // in any spelling
	for p := range notes {
		taken[p.Key()] = true
	}
	where := m.leads()
	done, updates, refused, different, spelled, shadowed, rooted, detours := 0, 0, 0, 0, 0, 0, 0, 0
	for done+refused < count {
		p := paths[rng.IntN(len(paths))]
		dir := paths[rng.IntN(len(paths))].Dir()
		name := p.Base()
		if rng.IntN(4) == 0 {
			name = fmt.Sprintf("Moved (%d) & so.md", done)
		}
		to := vault.Path(path.Join(string(dir), name))
		if taken[to.Key()] {
			continue
		}
		plan, err := m.do(t, Action{Kind: Move, Path: string(p), NewPath: string(to), ExpectedRevision: revision(m.notes[p])})
		if errors.Is(err, vault.TooManyActions) || errors.Is(err, vault.NoteTooLarge) {
			refused++
			continue
		}
		if err != nil {
			t.Fatalf("move %s to %s: %v", p, to, err)
		}
		done++
		updates += len(plan.Steps[0].LinkUpdates)
		unlinkable := 0
		for _, w := range plan.Steps[0].Warnings {
			if strings.HasPrefix(w, "this link cannot") {
				unlinkable++
				t.Logf("move %s to %s: %s", p, to, w)
			}
		}
		checkLeads(t, where, m.leads(), map[vault.Path]vault.Path{p: to}, unlinkable)
		if _, err := m.do(t, Action{Kind: Move, Path: string(to), NewPath: string(p), ExpectedRevision: revision(m.notes[to])}); err != nil {
			t.Fatalf("move %s back from %s: %v", p, to, err)
		}
		if len(m.notes) != len(original) {
			t.Fatalf("there are %d files, and were %d", len(m.notes), len(original))
		}
		for _, c := range plan.Changes {
			if c.Path == to {
				continue
			}
			// What cannot come back: how a link that had to change spelled a name in other letters, a link to another note that had to
			// be lengthened, and stays right, a whole path that was a name alone at the root, and a way that leaves a folder to enter it
			// again.
			got, want := m.notes[c.Path], original[c.Path]
			switch {
			case bytes.Equal(got, want):
				continue
			case vault.Fold(string(got)) == vault.Fold(string(want)):
				spelled++
			case lengthened(plan, p):
				shadowed++
			case to.Dir() == "":
				rooted++
			case slices.ContainsFunc(linksOf(c.Path, want), func(l vault.Link) bool {
				return strings.HasPrefix(l.Target, "../"+c.Path.Dir().Base()+"/")
			}):
				detours++
			default:
				different++
				d, _ := vault.Diff(want, got)
				t.Errorf("%s is not as before after %s moved to %s and back:\n%s", c.Path, p, to, d)
			}
			m.notes[c.Path] = want
			m.found[c.Path] = linksOf(c.Path, want)
			m.links.put(c.Path, want)
		}
		if t.Failed() && different > 20 {
			t.FailNow()
		}
	}
	for p, body := range original {
		if !bytes.Equal(m.notes[p], body) {
			t.Errorf("%s is not as before", p)
		}
	}
	t.Logf("%d moves there and back with %d link updates, %d refused, %d files; of changed files %d came back in other spelling, %d with a longer link, %d with a name for a path, %d without a detour",
		done, updates, refused, len(original), spelled, shadowed, rooted, detours)
}

// lengthened reports whether a plan changed a link that does not lead to the note that moved.
func lengthened(p Plan, moved vault.Path) bool {
	name := moved.Name()
	if to := p.Steps[0].NewPath; to.Name() != name && len(p.Steps[0].LinkUpdates) > 0 {
		name = to.Name()
	}
	return slices.ContainsFunc(p.Steps[0].LinkUpdates, func(u string) bool {
		_, link, _ := strings.Cut(u, ": ")
		old, now, _ := strings.Cut(link, " → ")
		return !strings.Contains(old, "/") && strings.HasSuffix(now, "/"+old) && vault.Fold(withoutNote(old)) == vault.Fold(name)
	})
}

func corpus(t testing.TB, fsys fs.FS) shelf {
	t.Helper()
	notes := make(shelf)
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		q, err := vault.ParsePath(p)
		if err != nil || q.Hidden() {
			return nil
		}
		notes[q], err = fs.ReadFile(fsys, p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return notes
}

func big(t testing.TB, n int) shelf {
	notes := make(shelf, n)
	for _, f := range vaulttest.Big(t, n) {
		notes[vault.Path(f.Path)] = f.Body
	}
	return notes
}

func TestMoveThereAndBack(t *testing.T) {
	small := vaulttest.Corpus(t)
	for _, dir := range []string{"tasks-demo", "tasks-docs", "kepano", "silverbullet-docs"} {
		t.Run(dir, func(t *testing.T) {
			sub, err := fs.Sub(small, dir)
			if err != nil {
				t.Fatal(err)
			}
			moveThereAndBack(t, corpus(t, sub), 40, 1)
		})
	}
	t.Run("made", func(t *testing.T) { moveThereAndBack(t, big(t, 500), 200, 2) })
	t.Run("large corpus", func(t *testing.T) {
		fsys, ok := vaulttest.BigCorpus(t)
		if !ok {
			t.Skip("NOTELATCH_CORPORA names no folder")
		}
		moveThereAndBack(t, corpus(t, fsys), 200, 3)
	})
}
