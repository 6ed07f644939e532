package providertest

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

func listing(t *testing.T, f *fixture) {
	if got := f.list(""); len(got) != 0 {
		t.Fatalf("a new vault lists %v", paths(got))
	}
	all := []vault.Path{"Projects.md", "Projects/Alpha.md", "Projects/Deep/er/Beta.md", "Projects/plan.canvas", "inbox.md", "pictures/map.png"}
	for _, p := range all {
		f.create(p, "body of "+string(p))
	}
	for dir, want := range map[vault.Path][]vault.Path{
		"":                all,
		"Projects":        {"Projects/Alpha.md", "Projects/Deep/er/Beta.md", "Projects/plan.canvas"},
		"Projects/Deep":   {"Projects/Deep/er/Beta.md"},
		"Nowhere":         nil,
		"Projects/Alph":   nil,
		"pictures/map.pn": nil,
	} {
		if diff := cmp.Diff(want, paths(f.list(dir))); diff != "" {
			t.Errorf("List(%q) (-want +got):\n%s", dir, diff)
		}
	}
	e := f.list("")["Projects/Alpha.md"]
	if want := int64(len("body of Projects/Alpha.md")); e.Size != want || e.Stamp == "" || e.ModifiedAt.IsZero() {
		t.Errorf("List yields %+v, want size %d, a stamp and a time", e, want)
	}
	n := 0
	for range f.d.List(t.Context(), "") { // may be left at any entry
		n++
		break
	}
	if n != 1 {
		t.Errorf("a listing that is left at once yielded %d entries", n)
	}
}

func hidden(t *testing.T, f *fixture) {
	for _, p := range []vault.Path{".obsidian/app.json", ".hidden.md", "a/.git/config", "a/.b.md", ".trash/x.md"} {
		_, err := f.write(p, "x", vault.MustBeAbsent())
		f.refused("Write("+string(p)+")", err, vault.InvalidArgument)
		_, err = f.d.Read(t.Context(), p)
		f.refused("Read("+string(p)+")", err, vault.NotFound)
		f.refused("Delete("+string(p)+")", f.delete(p, vault.MustBe("r1x")), vault.InvalidArgument)
	}
	f.create("a/b.md", "seen")
	e := f.create("a/gone.md", "x")
	if err := f.delete("a/gone.md", vault.MustBe(e.Revision)); err != nil {
		t.Fatal(err)
	}
	f.holds(map[vault.Path]string{"a/b.md": "seen"}) // and no trash
}

func missing(t *testing.T, f *fixture) {
	f.create("Folder/Note.md", "x")
	for _, p := range []vault.Path{"Absent.md", "Folder", "Folder/Absent.md", "Folder/Note.md/x.md", "folder/note.md"} {
		_, err := f.d.Read(t.Context(), p)
		f.refused("Read("+string(p)+")", err, vault.NotFound)
		_, err = f.write(p, "y", vault.MustBe(providers.ContentRevision([]byte("x"))))
		conflict := f.refused("Write("+string(p)+")", err, vault.RevisionConflict)
		if conflict.Details["current"] != "" {
			t.Errorf("the conflict of %q says current = %v, want none", p, conflict.Details["current"])
		}
		f.refused("Delete("+string(p)+")", f.delete(p, vault.MustBe("r1x")), vault.RevisionConflict)
	}
	f.holds(map[vault.Path]string{"Folder/Note.md": "x"})
}

func preconditions(t *testing.T, f *fixture) {
	_, err := f.write("a.md", "blind", vault.Precondition{})
	f.refused("a blind create", err, vault.InvalidArgument)
	one := f.create("a.md", "one")
	_, err = f.write("a.md", "blind", vault.Precondition{})
	f.refused("a blind write", err, vault.InvalidArgument)
	f.refused("a blind deletion", f.delete("a.md", vault.Precondition{}), vault.InvalidArgument)
	f.refused("a deletion of what is absent", f.delete("a.md", vault.MustBeAbsent()), vault.InvalidArgument)

	_, err = f.write("a.md", "again", vault.MustBeAbsent())
	if e := f.refused("a second create", err, vault.AlreadyExists); e.Details["existing"] != "a.md" {
		t.Errorf("a second create says existing = %v, want a.md", e.Details["existing"])
	}
	two := f.replace("a.md", "two", one.Revision)
	_, err = f.write("a.md", "three", vault.MustBe(one.Revision))
	conflict := f.refused("a write on an old revision", err, vault.RevisionConflict)
	if conflict.Details["expected"] != string(one.Revision) || conflict.Details["current"] != string(two.Revision) {
		t.Errorf("the conflict says %v, want expected %s, current %s", conflict.Details, one.Revision, two.Revision)
	}
	f.refused("a deletion of an old revision", f.delete("a.md", vault.MustBe(one.Revision)), vault.RevisionConflict)
	f.holds(map[vault.Path]string{"a.md": "two"})

	if err := f.delete("a.md", vault.MustBe(two.Revision)); err != nil {
		t.Fatal(err)
	}
	f.refused("a second deletion", f.delete("a.md", vault.MustBe(two.Revision)), vault.RevisionConflict)
	f.holds(map[vault.Path]string{})
	f.create("a.md", "anew")
}

func twins(t *testing.T, f *fixture) {
	f.create("Ünïcode/Café.md", "x")
	for _, p := range []vault.Path{"Ünïcode/café.md", "Ünïcode/CAFÉ.MD", "Ünïcode/Cafe\u0301.md", "ünïcode/Café.md", "U\u0308nïcode/Café.md"} {
		_, err := f.write(p, "twin", vault.MustBeAbsent())
		if e := f.refused("Write("+string(p)+")", err, vault.AlreadyExists); e.Details["existing"] != "Ünïcode/Café.md" {
			t.Errorf("Write(%q) says existing = %v", p, e.Details["existing"])
		}
	}
	f.create("Ünïcode/Cafe.md", "no twin")
	f.holds(map[vault.Path]string{"Ünïcode/Café.md": "x", "Ünïcode/Cafe.md": "no twin"})
}

func hostile(t *testing.T, f *fixture) {
	f.create("a.md", "x")
	for _, p := range []vault.Path{
		"", "/", ".", "..", "../a.md", "x/../../a.md", "x/../a.md", "/etc/passwd", "a//b.md", "x/", "./a.md", `x\a.md`, `..\a.md`,
		"a\x00.md", "a\n.md", "\xff.md", vault.Path(strings.Repeat("n", 256)), vault.Path(strings.Repeat("d/", 512) + "a.md"),
	} {
		_, err := f.write(p, "hostile", vault.MustBeAbsent())
		f.refused("Write", err, vault.InvalidArgument)
		if _, err := f.d.Read(t.Context(), p); err == nil {
			t.Errorf("Read(%q) succeeded", p)
		}
	}
	f.holds(map[vault.Path]string{"a.md": "x"})
}

func legal(t *testing.T, f *fixture) {
	want := make(map[vault.Path]string)
	for _, p := range []vault.Path{
		"日本語/ノート.md", "emoji 🗒️.md", "NFD e\u0301.md", "with 'quotes' \"and\" %s *?<>|:.md", "wait..md", "a b/c  d.md", "trailing .md",
		"percent%2F.md", "$HOME.md", "-rf.md", "no extension", "x.tmp", "CON.md", vault.Path(strings.Repeat("n", 200) + ".md"),
		vault.Path(strings.Repeat("deep/", 40) + "note.md"), "question?#fragment.md", "semi;colon'--.md",
	} {
		f.create(p, string(p))
		want[p] = string(p)
	}
	f.holds(want)
}

func bodies(t *testing.T, f *fixture) {
	most := int(f.d.Capabilities().MaxWrite)
	for p, body := range map[vault.Path]string{
		"empty.md": "", "crlf.md": "a\r\nb\r\n", "bom.md": "\ufeffa", "nul.bin": "\x00\xff\xfe", "no newline.md": "x",
		"largest.md": strings.Repeat("0123456789abcdef", most/16),
	} {
		e := f.create(p, body)
		file, err := f.d.Read(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if string(file.Body) != body || file.Size != int64(len(body)) || file.Path != p || e.Size != file.Size {
			t.Errorf("Read(%q) = %d bytes (size %d), want %d as written", p, len(file.Body), file.Size, len(body))
		}
		if file.Revision != e.Revision {
			t.Errorf("Read(%q) has revision %q, Write returned %q", p, file.Revision, e.Revision)
		}
	}
	_, err := f.write("larger.md", strings.Repeat("x", most+1), vault.MustBeAbsent())
	f.refused("a body over the limit", err, vault.NoteTooLarge)
	if _, there := f.list("")["larger.md"]; there {
		t.Error("a body over the limit was stored")
	}
	body := []byte("mine")
	if _, err := f.d.Write(t.Context(), providers.Change{Path: "alias.md", Body: body, Pre: vault.MustBeAbsent(), Attempt: f.attempt()}); err != nil {
		t.Fatal(err)
	}
	copy(body, "XXXX")
	file, err := f.d.Read(t.Context(), "alias.md")
	if err != nil {
		t.Fatal(err)
	}
	copy(file.Body, "YYYY")
	if got := f.read("alias.md"); got != "mine" {
		t.Errorf("a body that its caller changed later reads %q", got)
	}
}

func stamps(t *testing.T, f *fixture) {
	wrote := f.create("a.md", "one")
	first := f.list("")["a.md"]
	f.create("b.md", "other")
	f.read("a.md")
	if again := f.list("")["a.md"]; again.Stamp != first.Stamp {
		t.Errorf("the stamp changed from %q to %q, though the file did not", first.Stamp, again.Stamp)
	}
	if wrote.Stamp != first.Stamp || wrote.Revision == "" || len(wrote.Revision) > 24 {
		t.Errorf("Write returned %+v, want stamp %q and a revision of 1 to 24 characters", wrote, first.Stamp)
	}
	last := wrote
	for i, body := range []string{"two", "owt", "tow", "two", "wto"} { // of one size
		e := f.replace("a.md", body, last.Revision)
		listed := f.list("")["a.md"]
		if listed.Stamp == last.Stamp {
			t.Errorf("write %d left the stamp at %q", i, listed.Stamp)
		}
		if e.Revision == last.Revision {
			t.Errorf("write %d left the revision at %q", i, e.Revision)
		}
		if listed.Revision != "" && listed.Revision != e.Revision {
			t.Errorf("List says revision %q, Write returned %q", listed.Revision, e.Revision)
		}
		last = e
	}
	same := f.replace("a.md", "wto", last.Revision) // the same bytes again
	if got, err := f.d.Read(t.Context(), "a.md"); err != nil || got.Revision != same.Revision {
		t.Errorf("after writing the same bytes Read says %q (%v), want %q", got.Revision, err, same.Revision)
	}
}

func cancelled(t *testing.T, f *fixture) {
	e := f.create("a.md", "x")
	ctx := f.over()
	if _, err := f.d.Read(ctx, "a.md"); err == nil {
		t.Error("Read succeeded in a cancelled context")
	}
	if _, err := f.d.Write(ctx, providers.Change{Path: "b.md", Pre: vault.MustBeAbsent(), Attempt: f.attempt()}); err == nil {
		t.Error("Write succeeded in a cancelled context")
	}
	if err := f.d.Delete(ctx, providers.Change{Path: "a.md", Delete: true, Pre: vault.MustBe(e.Revision), Attempt: f.attempt()}); err == nil {
		t.Error("Delete succeeded in a cancelled context")
	}
	var failed error
	for _, err := range f.d.List(ctx, "") {
		failed = err
	}
	if failed == nil {
		t.Error("List succeeded in a cancelled context")
	}
	f.holds(map[vault.Path]string{"a.md": "x"})
}

const writers = 50

// race runs one write for each of the writers at once, and returns the one that won.
func (f *fixture) race(p vault.Path, pre vault.Precondition, code vault.Code) (body string, e vault.Entry) {
	f.Helper()
	changes := make([]providers.Change, writers)
	for i := range changes {
		a := f.attempt()
		changes[i] = providers.Change{Path: p, Body: []byte(a.Transaction + strings.Repeat(".", 1000)), Pre: pre, Attempt: a}
	}
	entries, errs := make([]vault.Entry, writers), make([]error, writers)
	var wg sync.WaitGroup
	for i, c := range changes {
		wg.Go(func() { entries[i], errs[i] = f.d.Write(f.Context(), c) })
	}
	wg.Wait()
	won := slices.Index(errs, nil)
	if won < 0 {
		f.Fatalf("no writer won: %v", errs[0])
	}
	for i, err := range errs {
		if i != won {
			f.refused("a writer that lost", err, code)
		}
	}
	return string(changes[won].Body), entries[won]
}

func compareAndSwap(t *testing.T, f *fixture) {
	e := f.create("a.md", "start")
	for range 5 {
		body, next := f.race("a.md", vault.MustBe(e.Revision), vault.RevisionConflict)
		if got := f.read("a.md"); got != body {
			t.Fatalf("the vault holds %.20q, but the writer of %.20q was told that it won", got, body)
		}
		e = next
	}
	f.holds(map[vault.Path]string{"a.md": f.read("a.md")})
}

func createRace(t *testing.T, f *fixture) {
	for _, p := range []vault.Path{"new.md", "folder/that/is/new.md"} {
		body, _ := f.race(p, vault.MustBeAbsent(), vault.AlreadyExists)
		if got := f.read(p); got != body {
			t.Fatalf("the vault holds %.20q, but the creator of %.20q was told that it won", got, body)
		}
	}
}
