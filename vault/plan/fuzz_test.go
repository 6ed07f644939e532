package plan

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/vault"
)

// FuzzMove: after a move every link leads where it led, whatever the notes hold, and all bytes outside of links are as they were.
func FuzzMove(f *testing.F) {
	f.Add("[[b]] [x](../c.md) ![[c|y]]\r\n", "[[a]] [[f/a#H]] [t](<f/a.md>) `[[a]]`\n[r]: f/a.md\n[r]", "f/a.md", "g/h/n (1).md", "f/b.md")
	f.Add("---\nup: '[[b]]'\n---\n", "---\nl: [\"[[f/a|x]]\"]\n---\n| [[a\\|y]] |", "f/a.md", "b b.md", "c.md")
	f.Fuzz(func(t *testing.T, moved, other, from, to, elsewhere string) {
		notes := make(shelf)
		keys := make(map[string]bool)
		put := func(p, body string) bool {
			q, err := vault.ParsePath(p)
			if err != nil || !q.IsNote() || q.Hidden() || keys[q.Key()] {
				return false
			}
			keys[q.Key()] = true
			notes[q] = []byte(body)
			return true
		}
		if !put(from, moved) || !put(elsewhere, other) {
			return
		}
		put("f/b.md", "[[a]] [["+strings.TrimSuffix(from, ".md")+"]]")
		put("c.md", "[[../c]] [["+elsewhere+"]]")
		m := newModel(notes)
		where := m.leads()
		source := vault.Path(from)
		texts := make(map[vault.Path]string)
		for p, body := range notes {
			texts[p] = string(body)
		}
		p, err := m.do(t, Action{Kind: Move, Path: from, NewPath: to, ExpectedRevision: revision(notes[source])})
		if err != nil {
			return
		}
		moves := map[vault.Path]vault.Path{source: vault.Path(to)}
		unlinkable := 0
		for _, w := range p.Steps[0].Warnings {
			if strings.HasPrefix(w, "this link cannot") {
				unlinkable += 1 + strings.Count(w, "links:")*1000
			}
		}
		checkLeads(t, where, m.leads(), moves, unlinkable)
		if t.Failed() {
			t.Logf("moved %q to %q with %q, and %q holds %q: %q", from, to, moved, elsewhere, other, p.Steps[0].LinkUpdates)
		}
	})
}

// FuzzRename: a heading and a tag get another name; notes stay as they were but for that, and what was renamed is found by its new name.
func FuzzRename(f *testing.F) {
	f.Add("# A\n## B c ^q\n[[#B c]] #t #t/u\n", "[[a#A#B c|x]] [y](a.md#B%20c)\r\n", "B c", "D: [e]", "t", "v/w")
	f.Add("---\ntags: [t, 't/u']\n---\nA\n===\n#T", "[[a#A]]", "a", "b", "T", "x")
	f.Fuzz(func(t *testing.T, note, other, heading, newHeading, tag, newTag string) {
		notes := shelf{"a.md": []byte(note), "b.md": []byte(other)}
		m := newModel(notes)
		before := vault.Parse("a.md", notes["a.md"])
		if _, err := m.do(t, Action{Kind: RenameHeading, Path: "a.md", Heading: heading, NewHeading: newHeading}); err == nil {
			after := vault.Parse("a.md", m.notes["a.md"])
			if len(after.Headings) != len(before.Headings) || len(after.Links) < len(before.Links)-strings.Count(note, "[") {
				t.Fatalf("RenameHeading(%q, %q) on %q gives %q", heading, newHeading, note, m.notes["a.md"])
			}
		}
		had := vault.HasTag(vault.Parse("a.md", m.notes["a.md"]).Tags, tag)
		if _, err := m.do(t, Action{Kind: RenameTag, Tag: tag, NewTag: newTag}); err == nil {
			n := vault.Parse("a.md", m.notes["a.md"])
			if had && !vault.HasTag(n.Tags, newTag) {
				t.Fatalf("RenameTag(%q, %q) on %q gives %q with the tags %q", tag, newTag, note, m.notes["a.md"], n.Tags)
			}
		}
	})
}

// FuzzMake: whatever is asked, a plan is made or refused with a vault.Error, and what is kept has no change without a precondition.
func FuzzMake(f *testing.F) {
	f.Add(`[{"kind":"append","path":"a.md","content":"x","heading":"A"}]`)
	f.Add(`[{"kind":"create","path":"n.md","properties":{"a":[1,{"b":null}]}},{"kind":"append","path":"n.md","content":"y"}]`)
	f.Add(`[{"kind":"create_or_append","path":"A.md","content":"---\n"},{"kind":"delete","path":"a.md"}]`)
	f.Add(`[{"kind":"edit","path":"a.md","edits":[{"find":"x","replace":"y"}]},{"kind":"task","path":"a.md","line":6,"status":"x"}]`)
	f.Add(`[{"kind":"move","path":"d","newPath":"e"},{"kind":"rename_tag","tag":"t","newTag":"u"},{"kind":"set_properties","path":"a.md","set":{"k":[1]}}]`)
	f.Add(`[{"kind":"rename_heading","path":"a.md","heading":"A","newHeading":"B"},{"kind":"move","path":"a.md","newPath":"q/a.md"}]`)
	f.Fuzz(func(t *testing.T, actions string) {
		var list []Action
		if json.Unmarshal([]byte(actions), &list) != nil {
			return
		}
		notes := shelf{
			"a.md":     []byte("---\nk: 1\n---\n# A\nx #t\n- [ ] task 🔁 every day 📅 2026-12-01\n"),
			"d/b.md":   []byte("[[a#A]] [[c]] #t/u\n"),
			"d/c.md":   []byte("[b](b.md) [[../a]]\r\n"),
			"d/p.png":  []byte("\x89PNG\x00"),
			"x.canvas": []byte(`{"nodes":[{"id":"1","type":"file","file":"d/b.md","x":0,"y":0,"width":1,"height":1}]}`),
		}
		p, err := Make(t.Context(), list, notes.world())
		if err != nil {
			if e := (*vault.Error)(nil); !errors.As(err, &e) {
				t.Fatalf("Make(%q) = %v", actions, err)
			}
			return
		}
		if len(p.Steps) != len(list) || len(p.Changes) > MaxChanges {
			t.Fatalf("Make(%q): %d steps, %d changes", actions, len(p.Steps), len(p.Changes))
		}
		for _, c := range p.Changes {
			if c.Path.Hidden() || c.Pre().IsZero() || c.Delete && c.Before == "" {
				t.Fatalf("Make(%q) changes %+v", actions, c)
			}
		}
		again, err := Make(t.Context(), list, notes.world())
		if d := cmp.Diff(p, again); err != nil || d != "" {
			t.Fatalf("Make(%q) twice: %v\n%s", actions, err, d)
		}
	})
}
