package vault_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

// goldmarkLinks are the destinations of the links and pictures that goldmark finds by the rules of CommonMark.
func goldmarkLinks(t *testing.T, body []byte) []string {
	t.Helper()
	var found []string
	root := goldmark.New().Parser().Parse(text.NewReader(body))
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			found = append(found, string(n.Destination))
		case *ast.Image:
			found = append(found, string(n.Destination))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(found, func(d string) bool { return d == "" })
}

// ourLinks are the same of ours, as they are written.
func ourLinks(body []byte) []string {
	var found []string
	for _, l := range vault.Parse("a.md", body).Links {
		if l.Kind != vault.LinkMarkdown && l.Kind != vault.LinkEmbed || strings.HasPrefix(string(body[l.Start:l.End]), "![[") {
			continue
		}
		end := l.TargetEnd
		for end < len(body) && !l.External && l.Subpath != "" && !strings.ContainsRune(" )>\n\t\r", rune(body[end])) {
			end++
		}
		found = append(found, string(body[l.TargetStart:end]))
	}
	return found
}

// fragments are what documents are made of: whatever decides between code, HTML and text, and links with a name that is theirs alone.
// Tabs are left out: after an empty item inside an empty item, goldmark reads them in its own way.
var fragments = []string{"\n", "\n\n", "text ", "`", "``", "```\n", "\n```\n", "\n~~~\n", "\n````\n", "    ", "\n> ", "\n- ", "\n1. ", "\n# ", "  ", "\\", "*", "**",
	"<b>", "</b>", "\n<div>\n", "\n</div>\n", "<!-- ", " -->", "\n<pre>\n", "\n</pre>\n", "<https://a.b>", "[", "]", "!", "(", ")", "\n---\n", "\n===\n"}

// document makes a text of bytes: each chooses a fragment, or a link.
func document(choices []byte) string {
	var out strings.Builder
	for i, c := range choices {
		if int(c) < len(fragments) {
			out.WriteString(fragments[c])
		} else {
			fmt.Fprintf(&out, "[t](u%d)", i)
		}
	}
	return out.String()
}

func TestLinksOfTheCorpusAgreeWithGoldmark(t *testing.T) {
	notes, links := 0, 0
	for _, f := range vaulttest.Notes(t, vaulttest.Corpus(t), ".") {
		// What CommonMark does not know would be compared with what it is not.
		n := vault.Parse("a.md", f.Body)
		body := f.Body[n.BodyStart:]
		if strings.ContainsAny(string(body), "$") || strings.Contains(string(body), "[[") {
			continue
		}
		want, got := goldmarkLinks(t, body), ourLinks(body)
		slices.Sort(want)
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-goldmark +ours):\n%s", f.Path, d)
		}
		notes++
		links += len(want)
	}
	t.Logf("%d links in %d notes", links, notes)
	if notes < 200 || links < 100 {
		t.Errorf("only %d links in %d notes were compared", links, notes)
	}
}

func TestLinksAgreeWithGoldmark(t *testing.T) {
	for _, body := range []string{
		"start\n\n*\n\t\n\n\n\t[t](code)", "*\n\n  [t](text)", "*\n  [t](item)", "- a\n\n  [t](item)", "---\n\n</pre>\n[t](text)", "<pre>\n\n[t](html)\n</pre>\n[u](text)",
	} {
		if d := cmp.Diff(goldmarkLinks(t, []byte(body)), ourLinks([]byte(body))); d != "" {
			t.Errorf("%q (-goldmark +ours):\n%s", body, d)
		}
	}
}

func FuzzLinksAgreeWithGoldmark(f *testing.F) {
	for _, s := range []string{"\x02\xff\x00\xff", "\x03\xff\x03\xff", "\x06\xff\x07\xff", "\x0b\x05\xff\x00\x05\xff", "\x0a\xff\x00\xff\x01\xff", "\x16\xff\x17\xff\x01\xff", "\x14\xff\x15\xff\x01\xff", "\x1b\xff\x1c\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		if len(choices) > 40 {
			return
		}
		body := []byte("start\n\n" + document(choices))
		if strings.Contains(string(body), "[[") { // a wikilink, which CommonMark does not know
			return
		}
		want, got := goldmarkLinks(t, body), ourLinks(body)
		slices.Sort(want)
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-goldmark +ours):\n%s", body, d)
		}
	})
}
