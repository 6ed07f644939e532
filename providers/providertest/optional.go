package providertest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// lacks reports that the driver has no such interface, which its capabilities must say too; what they say is tested there.
func lacks(t *testing.T, what string) { t.Logf("the driver has no %s", what) }

func trash(t *testing.T, f *fixture) {
	bin, ok := f.d.(providers.Trasher)
	if !ok {
		lacks(t, "trash")
		return
	}
	held := func() map[vault.Path][]providers.Trashed {
		t.Helper()
		got := make(map[vault.Path][]providers.Trashed)
		for d, err := range bin.Trash(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got[d.Entry.Path] = append(got[d.Entry.Path], d)
		}
		return got
	}
	if got := held(); len(got) != 0 {
		t.Fatalf("the trash of a new vault holds %v", got)
	}
	for _, body := range []string{"first", "second"} { // the same path twice
		e := f.create("Folder/a.md", body)
		if err := f.delete("Folder/a.md", vault.MustBe(e.Revision)); err != nil {
			t.Fatal(err)
		}
	}
	both := held()["Folder/a.md"]
	if len(both) != 2 || both[0].ID == both[1].ID {
		t.Fatalf("after two deletions the trash holds %+v", both)
	}
	for _, d := range both {
		if d.DeletedAt.IsZero() {
			t.Errorf("%+v does not say when it was deleted", d)
		}
	}
	f.create("taken.md", "taken")
	_, err := bin.Restore(t.Context(), both[0].ID, "taken.md")
	f.refused("Restore to a path that is taken", err, vault.AlreadyExists)
	_, err = bin.Restore(t.Context(), both[0].ID, "TAKEN.md")
	f.refused("Restore to a twin", err, vault.AlreadyExists)
	_, err = bin.Restore(t.Context(), "no-such-id", "b.md")
	f.refused("Restore of what is not in the trash", err, vault.NotFound)
	_, err = bin.Restore(t.Context(), "../taken.md", "b.md")
	f.refused("Restore of what is outside the trash", err, vault.NotFound)

	if e, err := bin.Restore(t.Context(), both[0].ID, ""); err != nil || e.Path != "Folder/a.md" || e.Revision == "" {
		t.Fatalf("Restore = %+v, %v", e, err)
	}
	if e, err := bin.Restore(t.Context(), both[1].ID, "else/b.md"); err != nil || e.Path != "else/b.md" {
		t.Fatalf("Restore elsewhere = %+v, %v", e, err)
	}
	bodies := []string{f.read("Folder/a.md"), f.read("else/b.md")}
	slices.Sort(bodies)
	if diff := cmp.Diff([]string{"first", "second"}, bodies); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	if got := held(); len(got) != 0 {
		t.Errorf("after restoring all the trash holds %v", got)
	}
}

func commit(t *testing.T, f *fixture) {
	c, ok := f.d.(providers.Committer)
	if !ok {
		lacks(t, "commit")
		return
	}
	send := func(changes ...providers.Change) ([]vault.Entry, error) {
		a := f.attempt()
		for i := range changes {
			a.Index = i
			changes[i].Attempt = a
		}
		return c.Commit(t.Context(), changes)
	}
	a, b := f.create("a.md", "a1"), f.create("b.md", "b1")
	entries, err := send(
		providers.Change{Path: "a.md", Body: []byte("a2"), Pre: vault.MustBe(a.Revision)},
		providers.Change{Path: "new/c.md", Body: []byte("c1"), Pre: vault.MustBeAbsent()},
		providers.Change{Path: "b.md", Delete: true, Pre: vault.MustBe(b.Revision)},
	)
	if err != nil || len(entries) != 3 {
		t.Fatalf("Commit = %v, %v", entries, err)
	}
	if entries[0].Path != "a.md" || entries[1].Revision == "" || entries[2] != (vault.Entry{}) {
		t.Errorf("Commit returned %+v", entries)
	}
	stored := map[vault.Path]string{"a.md": "a2", "new/c.md": "c1"}
	f.holds(stored)

	a2 := entries[0].Revision
	good := []providers.Change{
		{Path: "a.md", Body: []byte("a3"), Pre: vault.MustBe(a2)},
		{Path: "d.md", Body: []byte("d1"), Pre: vault.MustBeAbsent()},
	}
	for name, last := range map[string]struct {
		change providers.Change
		code   vault.Code
	}{
		"an old revision": {providers.Change{Path: "new/c.md", Body: []byte("c2"), Pre: vault.MustBe(a2)}, vault.RevisionConflict},
		"a taken path":    {providers.Change{Path: "NEW/c.md", Body: []byte("c2"), Pre: vault.MustBeAbsent()}, vault.AlreadyExists},
		"a gone note":     {providers.Change{Path: "b.md", Delete: true, Pre: vault.MustBe(b.Revision)}, vault.RevisionConflict},
		"a hidden path":   {providers.Change{Path: ".x/c.md", Pre: vault.MustBeAbsent()}, vault.InvalidArgument},
		"a blind write":   {providers.Change{Path: "new/c.md", Body: []byte("c2")}, vault.InvalidArgument},
	} {
		_, err := send(append(slices.Clone(good), last.change)...)
		f.refused("Commit with "+name+" at its end", err, last.code)
		f.holds(stored)
	}
	if _, err := send(good...); err != nil { // the positive twin
		t.Fatal(err)
	}
	f.holds(map[vault.Path]string{"a.md": "a3", "new/c.md": "c1", "d.md": "d1"})
}

func witness(t *testing.T, f *fixture) {
	w, ok := f.d.(providers.Witness)
	if !ok {
		lacks(t, "witness")
		return
	}
	asks := func(what string, c providers.Change, want bool) {
		t.Helper()
		e, landed, err := w.Landed(t.Context(), c)
		if err != nil || landed != want {
			t.Errorf("Landed(%s) = %t, %v, want %t", what, landed, err, want)
		}
		if landed && !c.Delete && (e.Path != c.Path || e.Revision == "") {
			t.Errorf("Landed(%s) = %+v", what, e)
		}
	}
	create := providers.Change{Path: "a.md", Body: []byte("one"), Pre: vault.MustBeAbsent(), Attempt: f.attempt()}
	asks("a create that was not sent", create, false)
	e, err := f.d.Write(t.Context(), create)
	if err != nil {
		t.Fatal(err)
	}
	asks("a create", create, true)

	replace := providers.Change{Path: "a.md", Body: []byte("two"), Pre: vault.MustBe(e.Revision), Attempt: f.attempt()}
	refused := providers.Change{Path: "a.md", Body: []byte("three"), Pre: vault.MustBe("r1other"), Attempt: f.attempt()}
	asks("a replacement that was not sent", replace, false)
	if _, err := f.d.Write(t.Context(), refused); err == nil {
		t.Fatal("a write on another revision succeeded")
	}
	asks("a replacement that was refused", refused, false)
	e, err = f.d.Write(t.Context(), replace)
	if err != nil {
		t.Fatal(err)
	}
	asks("a replacement", replace, true)

	gone := providers.Change{Path: "a.md", Delete: true, Pre: vault.MustBe(e.Revision), Attempt: f.attempt()}
	asks("a deletion that was not sent", gone, false)
	if err := f.d.Delete(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	asks("a deletion", gone, true)
}

func history(t *testing.T, f *fixture) {
	h, ok := f.d.(providers.Historian)
	if !ok {
		lacks(t, "history")
		return
	}
	var want []vault.Revision // the newest first
	var last vault.Revision
	for i, body := range []string{"one", "two", "three"} {
		if i == 0 {
			last = f.create("a.md", body).Revision
		} else {
			last = f.replace("a.md", body, last).Revision
		}
		want = slices.Insert(want, 0, last)
	}
	revisions := func(p vault.Path) (got []vault.Revision, failed error) {
		for e, err := range h.Revisions(t.Context(), p) {
			if err != nil {
				return got, err
			}
			got = append(got, e.Revision)
		}
		return got, nil
	}
	got, err := revisions("a.md")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Revisions: %v (-want +got):\n%s", err, diff)
	}
	for i, body := range []string{"three", "two", "one"} {
		file, err := h.ReadRevision(t.Context(), "a.md", want[i])
		if err != nil || string(file.Body) != body || file.Revision != want[i] {
			t.Errorf("ReadRevision(%s) = %q, %v, want %q", want[i], file.Body, err, body)
		}
	}
	_, err = h.ReadRevision(t.Context(), "a.md", "r1none")
	f.refused("a revision that never was", err, vault.NotFound)
	_, err = revisions("b.md")
	f.refused("the revisions of a note that never was", err, vault.NotFound)
	if err := f.delete("a.md", vault.MustBe(last)); err != nil {
		t.Fatal(err)
	}
	if file, err := h.ReadRevision(t.Context(), "a.md", want[2]); err != nil || string(file.Body) != "one" {
		t.Errorf("ReadRevision of a deleted note = %q, %v, want %q", file.Body, err, "one")
	}
}

func move(t *testing.T, f *fixture) {
	m, ok := f.d.(providers.Mover)
	if !ok {
		lacks(t, "move")
		return
	}
	a := f.create("a.md", "a")
	f.create("b.md", "b")
	to := func(p vault.Path, pre vault.Precondition) error {
		_, err := m.Move(t.Context(), "a.md", providers.Change{Path: p, Pre: pre, Attempt: f.attempt()})
		return err
	}
	f.refused("a move to a taken path", to("b.md", vault.MustBe(a.Revision)), vault.AlreadyExists)
	f.refused("a move to a twin", to("B.md", vault.MustBe(a.Revision)), vault.AlreadyExists)
	f.refused("a move of an old revision", to("c.md", vault.MustBe("r1old")), vault.RevisionConflict)
	f.refused("a blind move", to("c.md", vault.Precondition{}), vault.InvalidArgument)
	f.holds(map[vault.Path]string{"a.md": "a", "b.md": "b"})
	if err := to("new/c.md", vault.MustBe(a.Revision)); err != nil {
		t.Fatal(err)
	}
	f.holds(map[vault.Path]string{"new/c.md": "a", "b.md": "b"})
}
