package txn_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/graph"
	"github.com/notelatch/notelatch/vault/plan"
)

// untagged are the links of a vault without tags.
type untagged struct{ *graph.Graph }

func (untagged) Tagged(string, vault.Path) []vault.Path { return nil }

func (w *world) links(t testing.TB, paths ...vault.Path) func(context.Context) (plan.Links, error) {
	return func(context.Context) (plan.Links, error) {
		g := graph.New()
		for _, p := range paths {
			g.PutNote(vault.Parse(p, []byte(w.note(t, p))))
		}
		return untagged{g}, nil
	}
}

func TestMoveWritesLinksAnew(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	r := w.write(t, "a.md", "[[b]]\n")
	w.write(t, "b.md", "- [ ] [[a]]\n")
	a := w.access(t, w.caller(), vault.NeedApply)
	actions := []plan.Action{
		{Kind: plan.Move, Path: "a.md", NewPath: "f/c.md", ExpectedRevision: r},
		{Kind: plan.Task, Path: "b.md", Line: 1, Status: "done"},
	}
	if _, err := w.service.Preview(t.Context(), a, plan.Request{Actions: actions}); !errors.Is(err, vault.UnsupportedHere) {
		t.Errorf("a preview where nobody knows the links: %v", err)
	}
	links := w.links(t, "a.md", "b.md")
	p, err := w.service.Preview(t.Context(), a, plan.Request{Actions: actions, Links: links})
	if err != nil {
		t.Fatal(err)
	}
	paths := []vault.Path{"a.md", "f/c.md", "b.md"}
	if d := cmp.Diff(paths, p.Next.Arguments["paths"]); d != "" {
		t.Errorf("the paths of the preview (-want +got):\n%s", d)
	}
	o, err := w.service.Apply(t.Context(), a, plan.Request{Transaction: p.Transaction, Paths: paths, Links: links})
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[vault.Path]string{"a.md": "(none)", "f/c.md": "[[b]]\n", "b.md": "- [x] [[c]] ✅ 2026-11-30\n"} {
		if got := w.note(t, p); got != want {
			t.Errorf("%s holds %q, want %q", p, got, want)
		}
	}
	f, err := w.vault.Read(t.Context(), "f/c.md")
	if err != nil || o.Actions[0].After == nil || o.Actions[0].After.Revision != f.Revision || o.Actions[0].Effect != plan.EffectMoved {
		t.Errorf("the move is told as %+v, stored is %s, %v", o.Actions[0], f.Revision, err)
	}
	if again, err := w.service.Apply(t.Context(), a, plan.Request{Transaction: p.Transaction, Paths: paths, Links: links}); err != nil || !again.Replayed {
		t.Errorf("applied again: %+v, %v", again, err)
	}
}

func TestMoveOnAVaultThatTakesOneNote(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.driver.Driver = single{w.driver.Driver}
	w.vault = providers.New(w.driver)
	r := w.write(t, "a.md", "x\n")
	p, err := w.service.Preview(t.Context(), w.access(t, w.caller(), vault.NeedPropose), plan.Request{
		Actions: []plan.Action{{Kind: plan.Move, Path: "a.md", NewPath: "b.md", ExpectedRevision: r}}, Links: w.links(t, "a.md"),
	})
	if err != nil || p.Allowed || p.Reason.Code != vault.BatchNotAtomic || !strings.Contains(p.Reason.Next, "new path") {
		t.Errorf("Preview = %+v, %v", p, err)
	}
}

func TestTaskIsNotFoundByALineThatMoved(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	for _, moved := range []bool{false, true} {
		w.write(t, "a.md", "- [ ] one\n- [ ] two\n")
		p, err := w.preview(t, plan.Action{Kind: plan.Task, Path: "a.md", Line: 2, Status: "done"})
		if err != nil {
			t.Fatal(err)
		}
		want := "- [ ] one\n- [x] two ✅ 2026-11-30\n"
		if moved {
			want = "- [ ] zero\n- [ ] one\n- [ ] two\n"
			w.write(t, "a.md", want)
		}
		_, err = w.applyPreview(t, p.Transaction, "a.md")
		if errors.Is(err, vault.RevisionConflict) != moved || !moved && err != nil {
			t.Errorf("applied after the lines moved (%t): %v", moved, err)
		}
		if got := w.note(t, "a.md"); got != want {
			t.Errorf("the note holds %q, want %q", got, want)
		}
	}
}
