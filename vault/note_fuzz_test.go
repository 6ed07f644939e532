package vault_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

// seeds are the notes of testdata/notes and some of the hostile texts.
func seeds(f *testing.F) {
	f.Helper()
	for _, name := range []string{"links", "markdown", "tags", "frontmatter", "structure"} {
		_, files := vaulttest.ReadArchive(f, "testdata/notes/"+name+".txtar")
		for _, file := range files {
			if !strings.HasSuffix(file.Path, ".want") {
				f.Add(file.Body)
			}
		}
	}
	for _, unit := range hostile {
		f.Add([]byte(strings.Repeat(unit, 8)))
	}
	f.Add([]byte("\uFEFF---\r\na: \"[[X]]\"\r\n---\r\n> - ```\r\n> - [[A]]\r\n"))
}

func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		kept := string(body)
		n := vault.Parse("Folder/Note.md", body)
		if string(body) != kept {
			t.Fatal("Parse changed the body")
		}
		for _, err := range broken(n, body) {
			t.Error(err)
		}
		vault.Encrypted("Folder/Note.md", body)
	})
}

// broken names the promises of Note that n does not keep.
func broken(n *vault.Note, body []byte) (errs []error) {
	lines := 1 + strings.Count(string(body), "\n")
	span := func(what string, line, start, end int) {
		if start < 0 || start > end || end > len(body) || line < 1 || line > lines {
			errs = append(errs, fmt.Errorf("%s in line %d of %d has the span [%d, %d) of %d bytes", what, line, lines, start, end, len(body)))
		} else if at := 1 + strings.Count(string(body[:start]), "\n"); what != "property link" && at != line {
			errs = append(errs, fmt.Errorf("%s begins in line %d, and says %d: %q", what, at, line, body[start:end]))
		}
	}
	if n.BodyStart < 0 || n.BodyStart > len(body) || n.Size != len(body) {
		errs = append(errs, fmt.Errorf("BodyStart = %d, Size = %d, want at most %d", n.BodyStart, n.Size, len(body)))
	}
	last := 0
	for _, l := range n.Links {
		if l.Kind == vault.LinkProperty {
			if l.End > 0 {
				span("property link", l.Line, l.Start, l.End)
			}
			continue
		}
		span("link", l.Line, l.Start, l.End)
		if l.Start < last || l.TargetStart < n.BodyStart || l.TargetEnd < l.TargetStart || l.TargetEnd > len(body) {
			errs = append(errs, fmt.Errorf("the link %+v is out of order, or its target is not in the text", l))
		}
		last = l.Start
	}
	for _, h := range n.Headings {
		span("heading", h.Line, h.Start, h.End)
		if h.Level < 1 || h.Level > 6 {
			errs = append(errs, fmt.Errorf("a heading has level %d", h.Level))
		}
	}
	for _, b := range n.Blocks {
		span("block", b.Line, b.Start, b.End)
		if _, ok := n.Block("^" + b.ID); !ok {
			errs = append(errs, fmt.Errorf("Block(%q) finds nothing", b.ID))
		}
	}
	for _, task := range n.Tasks {
		span("task", task.Line, task.Start, task.End)
		if task.String() != string(body[task.Start:task.End]) {
			errs = append(errs, fmt.Errorf("the task %q is put together as %q", body[task.Start:task.End], task.String()))
		}
		task.Details()
	}
	for _, c := range n.Callouts {
		span("callout", c.Line, c.Start, c.End)
	}
	for _, f := range n.Footnotes {
		span("footnote", f.Line, f.Start, f.End)
	}
	for _, p := range n.Properties {
		if p.Start < 0 || p.Start > p.End || p.End > n.BodyStart {
			errs = append(errs, fmt.Errorf("the property %q has the span [%d, %d), the text begins at %d", p.Key, p.Start, p.End, n.BodyStart))
		}
	}
	seen := map[string]bool{}
	for _, tag := range n.Tags {
		if k := vault.Fold(tag); tag == "" || seen[k] || strings.ContainsAny(tag, "# \n[]") || !utf8.ValidString(tag) {
			errs = append(errs, fmt.Errorf("Tags = %q", n.Tags))
		} else {
			seen[k] = true
		}
	}
	return errs
}

func FuzzProperties(f *testing.F) {
	for _, s := range []string{"a: 1", "a: [b, \"c\"]", "a:\n  - b\n  - 'c'", "a: {b: c}", "a: |\n x\n y", "? a\n: b", "a: &x 1", "\"a\": \"\\u0041\"",
		"{\"a\": 1e400}", "a: !!str 1", "- a", "a: 'it''s'", "é: ü", "a: b: c", "a:\tb", "a: \"b\" # c", "a:\n- b\n-\n- c", "1: 2\ntrue: x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, block string) {
		if strings.Contains("\n"+block, "\n---") {
			return
		}
		body := "---\n" + block + "\n---\n"
		n := vault.Parse("a.md", []byte(body))
		text, err := json.Marshal(n.Properties)
		if err != nil {
			t.Fatalf("Marshal(%q) = %v", block, err)
		}
		var back map[string]any
		if err := json.Unmarshal(text, &back); err != nil || len(back) > len(n.Properties) {
			t.Fatalf("%q became %s, %v", block, text, err)
		}
		for _, err := range broken(n, []byte(body)) {
			t.Error(err)
		}
	})
}

func TestSpansOfTheCorpus(t *testing.T) {
	files := append(vaulttest.Notes(t, vaulttest.Corpus(t), "."), vaulttest.Big(t, 200)...)
	for _, f := range files {
		n := vault.Parse(vault.Path(f.Path), f.Body)
		for _, err := range broken(n, f.Body) {
			t.Errorf("%s: %v", f.Path, err)
		}
		for i, h := range n.Headings {
			if start, end := n.SectionOf(i); start != h.Start || end < h.End {
				t.Errorf("%s: the section of %q is [%d, %d)", f.Path, h.Raw, start, end)
			}
		}
	}
}
