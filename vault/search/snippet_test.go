package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func parse(t testing.TB, text string) Parsed {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const garden = `---
tags: [garden]
---
# Plan

The orchard comes first.

## Risks

Frost may come late in May, and the apricot
would suffer most.

` + "```sh\n# Not a heading: apricot\n```" + `

### Water

No rain, no **apricot jam**.
# Later

Nothing here.
`

func TestSnippets(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Snippet
	}{
		{"one place", "orchard", []Snippet{{"The orchard comes first.", "Plan", 6, 6}}},
		{"a passage runs over lines to the end of its section", "frost",
			[]Snippet{{"Frost may come late in May, and the apricot would suffer most. ```sh # Not a heading: apricot ```", "Plan > Risks", 10, 15}}},
		{"the passage with most words comes first", "apricot jam", []Snippet{
			{"No rain, no **apricot jam**.", "Plan > Risks > Water", 19, 19},
			{"Frost may come late in May, and the apricot would suffer most. ```sh # Not a heading: apricot ```", "Plan > Risks", 10, 15}}},
		{"the beginning of a word", "orch", []Snippet{{"The orchard comes first.", "Plan", 6, 6}}},
		{"no word in the text", "zebra", []Snippet{{"The orchard comes first.", "Plan", 6, 6}}},
		{"no words at all", "tag:garden", []Snippet{{"The orchard comes first.", "Plan", 6, 6}}},
		{"a heading", "later", []Snippet{{"# Later Nothing here.", "Later", 20, 22}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Snippets([]byte(garden), parse(t, c.text), 2)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSnippetsOfOddBodies(t *testing.T) {
	for _, c := range []struct{ name, body, query, want string }{
		{"nothing", "", "a", ""},
		{"frontmatter alone", "---\na: b\n---\n", "a", ""},
		{"frontmatter without end", "---\nalpha: b\n", "alpha", "alpha: b"},
		{"headings alone", "# A\n## B\n", "c", ""},
		{"Windows line ends", "# A\r\n\r\nalpha\r\nbeta\r\n", "alpha", "alpha beta"},
		{"hidden characters", "alpha \u202ebeta\u202c", "alpha", `alpha \u{202e}beta\u{202c}`},
		{"broken UTF-8", "alpha \xff\xfe beta", "beta", "alpha \uFFFD beta"},
	} {
		got := ""
		for _, s := range Snippets([]byte(c.body), parse(t, c.query), 3) {
			got += s.Text
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSnippetsCutAtWords(t *testing.T) {
	long := strings.Repeat("wordy ", 100) + "needle " + strings.Repeat("wörterbuch ", 100)
	got := Snippets([]byte(long), parse(t, "needle"), 1)
	if len(got) != 1 || utf8.RuneCountInString(got[0].Text) > snippetRunes+2 || !strings.Contains(got[0].Text, "needle") {
		t.Fatalf("Snippets = %+v", got)
	}
	for _, w := range strings.Fields(strings.Trim(got[0].Text, "…")) {
		if w != "wordy" && w != "needle" && w != "wörterbuch" {
			t.Errorf("%q is cut out of a word in %q", w, got[0].Text)
		}
	}
	if !strings.HasPrefix(got[0].Text, "…") || !strings.HasSuffix(got[0].Text, "…") {
		t.Errorf("%q does not say that it is cut", got[0].Text)
	}
	run := strings.Repeat("知识", 500)
	if got := Snippets([]byte(run), parse(t, "知识"), 1); len(got) != 1 || !utf8.ValidString(got[0].Text) {
		t.Errorf("Snippets = %+v", got)
	}
}
