package tools_test

import (
	"strings"
	"testing"
)

// said is the message and what was understood, as one text.
func said(a map[string]any) string {
	m, _ := a["message"].(string)
	list, _ := a["understood"].([]any)
	for _, u := range list {
		m += "\n" + u.(string)
	}
	return m
}

func TestSearchSaysHowItTookTheQuery(t *testing.T) {
	h := build(t)
	for _, c := range []struct {
		name, args string
		total      float64
		says       string // "" for nothing at all
	}{
		{"all words stand in a note", `{"query":"budget alpha"}`, 3, ""},
		{"one word is misremembered", `{"query":"alpha budget zyxomma"}`, 3, `No note holds all telling words as they are written; these come closest. No note holds "zyxomma".`},
		{"what looks like a filter", `{"query":"heading:risks"}`, 1, `"heading:" is no filter and was searched as words; filters are tag:, path:`},
		{"a filter", `{"query":"path:projects alpha"}`, 2, ""},
		{"a folder in another case", `{"pathPrefix":"projects"}`, 2, `pathPrefix "projects" was taken as "Projects"`},
		{"a folder with its slash", `{"pathPrefix":"Projects/"}`, 2, ""},
		{"a folder in another case with its slash", `{"pathPrefix":"PROJECTS/","query":"alpha"}`, 2, `pathPrefix "PROJECTS" was taken as "Projects"`},
		{"a folder one letter away", `{"pathPrefix":"Project"}`, 0, `There is no folder "Project"; did you mean "Projects"?`},
		{"a tag one letter away", `{"tags":["projekt"]}`, 0, `No note has the tag "projekt"; did you mean "project"?`},
		{"a tag like none", `{"tags":["zyxomma"]}`, 0, `No note has the tag "zyxomma". Try without`},
		{"a property one letter away", `{"properties":{"stauts":"open"}}`, 0, `No note has the property "stauts"; did you mean "status"?`},
		{"a value one letter away", `{"properties":{"status":"opne"}}`, 0, `No note has the value "opne" for the property "status"; did you mean "open"?`},
		{"a quote", `{"query":"\""}`, 0, "Nothing was searched for"},
		{"punctuation", `{"query":" ?! - "}`, 0, "Nothing was searched for"},
		{"blanks", `{"query":"  "}`, 6, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := h.answer(t, "search_notes", c.args)
			if s := said(a); a["total"] != c.total || c.says == "" && s != "" || !strings.Contains(s, c.says) {
				t.Errorf("search_notes %s: total %v, says %q; want %v and %q", c.args, a["total"], s, c.total, c.says)
			}
		})
	}
}

func TestSearchMarksPartialMatchesAndSuggestsWholeQueries(t *testing.T) {
	h := build(t)
	h.notes.Edit("Zelda.md", "# Zelda\n\nBreath of the wild.\n")
	h.notes.Edit("Will.md", "Last will.\n")
	a := h.answer(t, "search_notes", `{"query":"zelda breath wild"}`)
	if at(t, a, "results.0.path") != "Zelda.md" || a["total"] != 1.0 || a["didYouMean"] != nil || a["message"] != nil {
		t.Errorf("a note that holds all words: %v", a)
	}
	if _, partial := a["results"].([]any)[0].(map[string]any)["partial"]; partial {
		t.Errorf("a note that holds all words is partial: %v", a)
	}
	a = h.answer(t, "search_notes", `{"query":"zelda braeth wild"}`)
	if at(t, a, "results.0.path") != "Zelda.md" || at(t, a, "results.0.partial") != true || a["didYouMean"] != "zelda breath wild" {
		t.Errorf("with a typo: %v; want a partial match, and the whole query corrected", a)
	}
}

func TestListingsOfTheVaultAreOfNotes(t *testing.T) {
	h := build(t)
	h.notes.Edit("Projects/view.base", "views: []\n")
	for args, total := range map[string]float64{
		`{}`: 6, `{"sort":"path"}`: 6, `{"query":"has:attachment"}`: 2, `{"pathPrefix":"Projects"}`: 3, `{"query":"pic"}`: 1,
	} {
		if a := h.answer(t, "search_notes", args); a["total"] != total {
			t.Errorf("search_notes %s has total %v, want %v", args, a["total"], total)
		}
	}
}
