package plan

import (
	"context"
	"fmt"
	"testing"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

// BenchmarkMake plans a hundred actions of all kinds on a vault of a thousand notes.
func BenchmarkMake(b *testing.B) {
	m := newModel(big(b, 1000))
	var actions []Action
	i := 0
	for _, f := range vaulttest.Big(b, 1000) {
		if i == MaxActions {
			break
		}
		p, r := f.Path, revision(f.Body)
		var a Action
		switch i % 5 {
		case 0:
			a = Action{Kind: Append, Path: p, Content: text("one more line\n"), Heading: "See also"}
		case 1:
			a = Action{Kind: EditText, Path: p, Edits: []Edit{{Find: "## See also", Replace: "## See more"}}}
		case 2:
			a = Action{Kind: SetProperties, Path: p, Set: map[string]any{"status": "closed", "tags": []any{"a", "b"}}}
		case 3:
			a = Action{Kind: Replace, Path: p, Content: text("all new\n"), ExpectedRevision: r, AllowShrink: true}
		case 4:
			a = Action{Kind: EditText, Path: p, ExpectedRevision: r, Edits: []Edit{{Heading: "See also", Replace: "- nothing\n"}}}
		}
		actions = append(actions, a)
		i++
	}
	w := World{Read: m.read, Today: today, Links: func(context.Context) (Links, error) { return m.links, nil }}
	for b.Loop() {
		if _, err := Make(b.Context(), actions, w); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(actions)), "actions/op")
}

// BenchmarkMoveLinked moves a note that a thousand links lead to, in a vault of two thousand notes.
func BenchmarkMoveLinked(b *testing.B) {
	notes := big(b, 2000)
	const sources, each = 90, 12
	notes["Hub/Center.md"] = []byte("# Center\n\n## Part\n")
	for i := range sources {
		body := fmt.Sprintf("# Note %d\n\n", i)
		for k := range each {
			body += fmt.Sprintf("Some text before [[Hub/Center#Part|link %d]] and after it, and [one](../Hub/Center.md).\n\n", k)
		}
		notes[vault.Path(fmt.Sprintf("Spokes/Note %d.md", i))] = []byte(body)
	}
	m := newModel(notes)
	w := World{Read: m.read, Today: today, Links: func(context.Context) (Links, error) { return m.links, nil }}
	move := []Action{{Kind: Move, Path: "Hub/Center.md", NewPath: "Archive/2025/Core.md", ExpectedRevision: revision(notes["Hub/Center.md"])}}
	for b.Loop() {
		p, err := Make(b.Context(), move, w)
		if err != nil || len(p.Changes) != sources+2 {
			b.Fatal(len(p.Changes), err)
		}
	}
	b.ReportMetric(2*sources*each, "links/op")
}
