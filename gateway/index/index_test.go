package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/memory"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/search"
)

// fixture is a vault in memory with its index.
type fixture struct {
	t     *testing.T
	vault *providers.Vault
	set   *Set
	ix    *Index
}

func open(t *testing.T, d providers.Driver, notes map[string]string) *fixture {
	t.Helper()
	f := &fixture{t: t, vault: providers.New(d)}
	for p, body := range notes {
		f.write(p, body)
	}
	f.set = NewSet(Options{Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	t.Cleanup(f.set.Close)
	f.ix = f.set.Open("map_x", f.vault)
	return f
}

// write creates or replaces a note, as somebody beside the index would.
func (f *fixture) write(p, body string) {
	f.t.Helper()
	pre := vault.MustBeAbsent()
	if file, err := f.vault.Read(f.t.Context(), vault.Path(p)); err == nil {
		pre = vault.MustBe(file.Revision)
	}
	if _, err := f.vault.Commit(f.t.Context(), []providers.Change{{Path: vault.Path(p), Body: []byte(body), Pre: pre}}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) delete(p string) {
	f.t.Helper()
	file, err := f.vault.Read(f.t.Context(), vault.Path(p))
	if err != nil {
		f.t.Fatal(err)
	}
	if _, err := f.vault.Commit(f.t.Context(), []providers.Change{{Path: vault.Path(p), Delete: true, Pre: vault.MustBe(file.Revision)}}); err != nil {
		f.t.Fatal(err)
	}
}

// find returns the paths that a query finds after a revalidation.
func (f *fixture) find(text string) []vault.Path {
	f.t.Helper()
	if _, err := f.ix.Revalidate(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
	return f.search(text)
}

func (f *fixture) search(text string) []vault.Path {
	f.t.Helper()
	page, err := f.ix.Search().Search(f.t.Context(), search.Query{Text: text, Limit: 1000, Sort: search.ByPath}, func(p vault.Path) ([]byte, error) {
		file, err := f.vault.Read(f.t.Context(), p)
		return file.Body, err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	var out []vault.Path
	for _, h := range page.Hits {
		out = append(out, h.Path)
	}
	return out
}

// ready waits for the first build.
func (f *fixture) ready() {
	f.t.Helper()
	for range 2000 {
		switch s := f.ix.State(); s.State {
		case Ready:
			return
		case Failed:
			f.t.Fatalf("the build failed: %v", s.Err)
		}
		time.Sleep(time.Millisecond)
	}
	f.t.Fatal("the build did not end")
}

func TestCanvasesAreLinked(t *testing.T) {
	f := open(t, memory.New(time.Now), map[string]string{"A.md": "alpha", "B.md": "beta", "Bad.canvas": "{",
		"Board.canvas": `{"nodes":[{"id":"1","type":"file","file":"A.md"},{"id":"2","type":"text","text":"see [[B]]"}]}`})
	f.ready()
	from := func(p vault.Path) string {
		t.Helper()
		if _, err := f.ix.Revalidate(t.Context()); err != nil {
			t.Fatal(err)
		}
		var out string
		for _, e := range f.ix.Graph().Incoming(p) {
			out += fmt.Sprintf("%s %s %t;", e.From, e.Kind, e.InCard)
		}
		return out
	}
	if a, b := from("A.md"), from("B.md"); a != "Board.canvas canvas false;" || b != "Board.canvas canvas true;" {
		t.Errorf("A is linked from %q, B from %q", a, b)
	}
	if fact, ok := f.ix.Fact("Bad.canvas"); !ok || len(fact.Problems) != 1 || fact.Problems[0].Code != vault.ProblemCanvas {
		t.Errorf("a canvas that is no JSON: %+v, %t", fact, ok)
	}
	f.write("Board.canvas", `{"nodes":[{"id":"1","type":"file","file":"B.md"}]}`)
	if a, b := from("A.md"), from("B.md"); a != "" || b != "Board.canvas canvas false;" {
		t.Errorf("after an edit, A is linked from %q, B from %q", a, b)
	}
	f.delete("Board.canvas")
	if b := from("B.md"); b != "" {
		t.Errorf("after the canvas is gone, B is linked from %q", b)
	}
}

func TestFactsTellPropertiesAsTheyAre(t *testing.T) {
	f := open(t, memory.New(time.Now), map[string]string{"A.md": "---\nold: 1\n---\n", "Dir/B.md": "---\nother: x\n---\n#tag\n", "Dir/pic.png": "x"})
	f.ready()
	keys := func(dir vault.Path) string {
		t.Helper()
		if _, err := f.ix.Revalidate(t.Context()); err != nil {
			t.Fatal(err)
		}
		var s vault.Schema
		f.ix.EachFact(dir, func(p vault.Path, fact *Fact) {
			if fact.Note {
				s.Add(p, fact.Digest, fact.Tags)
			}
		})
		var out []string
		for _, k := range s.Keys(nil, 1) {
			out = append(out, k.Key)
		}
		return fmt.Sprint(s.Notes, out, s.TagCount())
	}
	if got := keys(""); got != "2 [old other] 1" {
		t.Errorf("the schema is %s", got)
	}
	f.write("A.md", "---\nnew: 1\n---\n")
	if all, dir := keys(""), keys("Dir"); all != "2 [new other] 1" || dir != "1 [other] 1" {
		t.Errorf("after an edit the schema is %s, and of the folder %s", all, dir)
	}
	f.delete("Dir/B.md")
	if got, waits := keys(""), f.ix.PendingNotes(""); got != "1 [new] 0" || waits != 0 {
		t.Errorf("after a deletion the schema is %s, and %d notes are pending", got, waits)
	}
}

func TestACallSeesEveryChangeThatWasFinishedBeforeIt(t *testing.T) {
	f := open(t, memory.New(time.Now), map[string]string{"A.md": "alpha", "B.md": "beta [[A]]"})
	f.ready()
	if got := f.find("alpha"); !slices.Equal(got, []vault.Path{"A.md"}) {
		t.Fatalf("alpha is found in %v, want A.md", got)
	}
	f.write("C.md", "alpha too")
	f.write("A.md", "now gamma")
	if got := f.find("alpha"); !slices.Equal(got, []vault.Path{"C.md"}) {
		t.Errorf("after the edits alpha is found in %v, want C.md", got)
	}
	f.delete("C.md")
	if got := f.find("alpha"); len(got) != 0 {
		t.Errorf("after the deletion alpha is found in %v", got)
	}
	if in := f.ix.Graph().Incoming("A.md"); len(in) != 1 || in[0].From != "B.md" {
		t.Errorf("Incoming(A.md) = %v, want the link of B.md", in)
	}
	f.delete("A.md")
	f.find("x")
	if un := f.ix.Graph().Unresolved(); len(un) != 1 {
		t.Errorf("Unresolved() = %v, want the link of B.md", un)
	}
}

func TestALoadThatBeganBeforeAWriteStoresNothingOverIt(t *testing.T) {
	f := open(t, memory.New(time.Now), map[string]string{"A.md": "old words"})
	f.ready()
	entry, _ := f.ix.Fact("A.md")
	old, err := f.vault.Read(t.Context(), "A.md")
	if err != nil {
		t.Fatal(err)
	}
	gen := f.ix.expect(entry.Entry) // a slow load takes its generation
	f.write("A.md", "new words")
	f.find("words")                             // another call sees the write and stores it
	f.ix.store([]*loaded{understand(old, gen)}) // the slow load ends
	if got := f.search("new"); len(got) != 1 {
		t.Errorf("new is found in %v, want A.md", got)
	}
	if got := f.search("old"); len(got) != 0 {
		t.Errorf("old is found in %v: a load stored over a later write", got)
	}

	// Its twin: with no write between, the load is stored.
	cur, err := f.vault.Read(t.Context(), "A.md")
	if err != nil {
		t.Fatal(err)
	}
	gen = f.ix.expect(cur.Entry)
	f.ix.store([]*loaded{understand(cur, gen)})
	if got := f.search("new"); len(got) != 1 {
		t.Errorf("after an undisturbed load new is found in %v, want A.md", got)
	}
}

func TestWhatIsIndexedAnswersDuringTheBuild(t *testing.T) {
	d := &gate{Driver: memory.New(time.Now), open: make(chan struct{}), free: 10}
	f := &fixture{t: t, vault: providers.New(d)}
	for i := range 300 {
		f.write(fmt.Sprintf("N%03d.md", i), "common words")
	}
	f.set = NewSet(Options{Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	defer f.set.Close()
	d.closed.Store(true)
	f.ix = f.set.Open("map_x", f.vault)
	checked, err := f.ix.Revalidate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s := f.ix.State(); s.State != Building || s.Of != 300 {
		t.Errorf("State() = %+v, want building, of 300", s)
	}
	if c := f.ix.Coverage(); c.Of != 300 || c.Searched >= 300 {
		t.Errorf("Coverage() = %+v during the build, want fewer than 300 searched of 300", c)
	}
	if checked.Pending == 0 {
		t.Error("nothing is pending during the build")
	}
	close(d.open)
	f.ready()
	if c := f.ix.Coverage(); c.Searched != 300 {
		t.Errorf("Coverage() = %+v after the build", c)
	}
	if got := f.find("common"); len(got) != 300 {
		t.Errorf("%d notes are found after the build, want 300", len(got))
	}
}

func TestAFailedCheckIsNeverAnsweredFromTheIndex(t *testing.T) {
	d := &gate{Driver: memory.New(time.Now)}
	f := open(t, d, map[string]string{"A.md": "alpha"})
	f.ready()
	d.fail = vault.Errorf(vault.Internal, "the feed is gone")
	if _, err := f.ix.Revalidate(t.Context()); !errors.Is(err, vault.FreshnessUnavailable) {
		t.Errorf("Revalidate() = %v, want freshness_unavailable", err)
	}
	d.fail = nil
	if got := f.find("alpha"); len(got) != 1 {
		t.Errorf("once the feed is back alpha is found in %v", got)
	}
}

func TestProblemsAreListedAndOthersWork(t *testing.T) {
	f := open(t, memory.New(time.Now), map[string]string{
		"Good.md":       "fine words",
		"Yaml.md":       "---\na: b: c\n---\nfine words",
		"Nul.md":        "fine\x00 words",
		"Latin.md":      "fine w\xf6rds words",
		"Secret.md":     "-----BEGIN PGP MESSAGE-----\n\nfine words\n-----END PGP MESSAGE-----\n",
		"pic.png":       "\x89PNG",
		"Cafe\u0301.md": "fine words",
	})
	f.ready()
	if got := f.find("has:problem"); len(got) != 5 {
		t.Errorf("has:problem finds %v, want the five notes that have one", got)
	}
	if got := f.find("fine"); len(got) != 5 {
		t.Errorf("fine is found in %v, want all but the encrypted note", got)
	}
	if c := f.ix.Coverage(); c.Encrypted != 1 || c.Of != 6 || c.Searched != 5 {
		t.Errorf("Coverage() = %+v, want 5 of 6 and 1 encrypted", c)
	}
}

// TestRandomStepsEqualAFreshIndex edits, deletes and asks at random, and compares with an index that was built at the end.
func TestRandomStepsEqualAFreshIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := open(t, memory.New(time.Now), nil)
	names := make([]string, 40)
	for i := range names {
		names[i] = fmt.Sprintf("%c/Note %d.md", 'a'+i%3, i)
	}
	words := []string{"alpha", "beta", "gamma", "delta"}
	for step := range 600 {
		p := names[rng.IntN(len(names))]
		switch _, err := f.vault.Read(t.Context(), vault.Path(p)); {
		case err == nil && rng.IntN(3) == 0:
			f.delete(p)
		default:
			f.write(p, fmt.Sprintf("%s %s [[Note %d]] step%d", words[rng.IntN(4)], words[rng.IntN(4)], rng.IntN(40), step))
		}
		if rng.IntN(4) == 0 {
			f.find("alpha")
		}
	}
	f.find("alpha")
	fresh := NewSet(f.set.opts)
	defer fresh.Close()
	g := &fixture{t: t, vault: f.vault, set: fresh, ix: fresh.Open(mapping.ID("map_y"), f.vault)}
	g.ready()
	for _, w := range words {
		if got, want := f.find(w), g.find(w); !slices.Equal(got, want) {
			t.Errorf("%s is found in %v, and by a fresh index in %v", w, got, want)
		}
	}
	if got, want := f.ix.Graph().Unresolved(), g.ix.Graph().Unresolved(); !slices.Equal(got, want) {
		t.Errorf("unresolved are %v, and in a fresh index %v", got, want)
	}
	if f.ix.Coverage() != g.ix.Coverage() {
		t.Errorf("Coverage() = %+v, and of a fresh index %+v", f.ix.Coverage(), g.ix.Coverage())
	}
}

// TestCallsAtOnceShareRounds counts what the provider is asked.
func TestCallsAtOnceShareRounds(t *testing.T) {
	d := &gate{Driver: memory.New(time.Now)}
	f := open(t, d, map[string]string{"A.md": "alpha"})
	f.ready()
	before := d.asked.Load()
	done := make(chan error)
	for range 64 {
		go func() {
			_, err := f.ix.Revalidate(context.Background())
			done <- err
		}()
	}
	for range 64 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := d.asked.Load() - before; n < 1 || n > 64 {
		t.Errorf("64 calls asked the provider %d times", n)
	}
	before = d.asked.Load()
	f.find("alpha")
	if n := d.asked.Load() - before; n != 1 {
		t.Errorf("one call asked the provider %d times, want once", n)
	}
}

func TestAListingInPagesIsTakenWhole(t *testing.T) {
	d := &gate{Driver: memory.New(time.Now), pageSize: 3}
	notes := make(map[string]string)
	for i := range 10 {
		notes[fmt.Sprintf("N%d.md", i)] = "common words"
	}
	f := open(t, d, notes)
	f.ready()
	if got := f.find("common"); len(got) != 10 {
		t.Errorf("%d notes are found, want 10", len(got))
	}
	f.write("N10.md", "common words")
	if got := f.find("common"); len(got) != 11 {
		t.Errorf("after one more note %d are found, want 11", len(got))
	}
}

func TestAListingThatDropsMuchIsAskedForTwice(t *testing.T) {
	d := &gate{Driver: memory.New(time.Now)}
	notes := make(map[string]string)
	for i := range 60 {
		notes[fmt.Sprintf("N%d.md", i)] = "common words"
	}
	f := open(t, d, notes)
	f.ready()
	if err := f.ix.compare(t.Context(), nil); err != nil { // a listing that a provider cut short
		t.Fatal(err)
	}
	if got := f.find("common"); len(got) != 60 {
		t.Errorf("after a bad listing %d notes are found, want 60", len(got))
	}
	for p := range notes {
		f.delete(p)
	}
	if err := f.ix.compare(t.Context(), nil); err != nil { // the same listing, and now it is true
		t.Fatal(err)
	}
	if got := f.search("common"); len(got) != 0 {
		t.Errorf("after a true listing %d notes are found, want none", len(got))
	}
}
