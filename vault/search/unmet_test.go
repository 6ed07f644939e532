package search

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/notelatch/notelatch/vault"
)

func TestDidYouMeanIsAWholeQueryThatFinds(t *testing.T) {
	s := library(t)
	s["Zelda.md"] = Doc{Path: "Zelda.md", Body: []byte("Breath of the wild. Orchard.")}
	s["Will.md"] = Doc{Path: "Will.md", Body: []byte("Last will.")}
	ix := s.index(t)
	for text, want := range map[string]string{
		"orchrad":                        "orchard",
		"zelda orchrad":                  "zelda orchard",
		"Zelda  braeth,  Wild":           "Zelda  breath,  Wild",
		"zelda braeth zyxomma":           "zelda breath zyxomma", // a part of the way
		"orchrad -file:plan -orchrad":    "orchard -file:plan -orchrad",
		`orchrad "breath of"`:            `orchard "breath of"`,
		`orchrad "breath of the"`:        `orchard "breath of the"`,
		"zelda breath wild":              "", // "will" is one edit away, but a note holds every word
		"zelda breath":                   "",
		"zyxomma":                        "",
		`"orchrad"`:                      "",
		"zelda will":                     "zelda wild", // each stands somewhere, and no note holds both
		"":                               "",
		"second letter after gamma beta": "",
	} {
		page := search(t, ix, Query{Text: text}, s.source)
		if page.DidYouMean != want {
			t.Errorf("Search(%q) suggests %q, want %q", text, page.DidYouMean, want)
		}
		if want == "" || len(page.Missing) > 0 {
			continue
		}
		if again := search(t, ix, Query{Text: want}, s.source); again.Full == 0 {
			t.Errorf("%q, suggested for %q, finds nothing in full", want, text)
		}
	}
}

func TestMissingWordsAreNamed(t *testing.T) {
	s := library(t)
	ix := s.index(t)
	for text, want := range map[string][]string{
		"alpha zyxomma":        {"zyxomma"},
		"orchrad zyxomma":      {"zyxomma"}, // the first is there with one edit
		"zyxomma OR quxxy":     {"zyxomma", "quxxy"},
		"alpha OR zyxomma":     nil,
		"alpha letter":         nil,
		"gamma autumn damaged": nil, // each stands in some note
	} {
		if diff := cmp.Diff(want, search(t, ix, Query{Text: text}, s.source).Missing); diff != "" {
			t.Errorf("Search(%q) misses (-want +got):\n%s", text, diff)
		}
	}
}

func TestUnmetConditionsComeWithTheNearestName(t *testing.T) {
	s := library(t)
	ix := s.index(t)
	props := func(k, v string) map[string]string { return map[string]string{k: v} }
	for _, c := range []struct {
		name  string
		q     Query
		total int
		want  []Unmet
	}{
		{"a folder that there is", Query{PathPrefix: "Projects"}, 2, nil},
		{"a folder with its slash", Query{PathPrefix: "Projects/"}, 2, nil},
		{"a folder one edit away", Query{PathPrefix: "Project"}, 0, []Unmet{{Kind: "folder", Name: "Project", Near: "Projects"}}},
		{"a folder without the one above", Query{PathPrefix: "old"}, 0, []Unmet{{Kind: "folder", Name: "old", Near: "Projects/Old"}}},
		{"a folder like none", Query{PathPrefix: "Quarries"}, 0, []Unmet{{Kind: "folder", Name: "Quarries"}}},
		{"a folder that does not hold the word", Query{PathPrefix: "Projects", Text: "autumn damaged -plan"}, 0, nil},
		{"a tag that there is", Query{Tags: []string{"greek"}}, 2, nil},
		{"a tag one edit away", Query{Tags: []string{"grek"}}, 0, []Unmet{{Kind: "tag", Name: "grek", Near: "greek"}}},
		{"a tag without the one above", Query{Text: "tag:letter"}, 0, []Unmet{{Kind: "tag", Name: "letter", Near: "greek/letter"}}},
		{"a tag like none", Query{Tags: []string{"quarry"}}, 0, []Unmet{{Kind: "tag", Name: "quarry"}}},
		{"two tags that no note has together", Query{Tags: []string{"greek", "greeks"}}, 0, nil},
		{"a property one edit away", Query{Properties: props("Stauts", "open")}, 0, []Unmet{{Kind: "property", Name: "Stauts", Near: "status"}}},
		{"a value one edit away", Query{Properties: props("status", "opne")}, 0, []Unmet{{Kind: "value", Key: "status", Name: "opne", Near: "open"}}},
		{"a property of a filter", Query{Text: "prop:statsu"}, 0, []Unmet{{Kind: "property", Name: "statsu", Near: "status"}}},
		{"a filter that is negated", Query{Text: "zyxomma -tag:grek"}, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := search(t, ix, c.q, s.source)
			if diff := cmp.Diff(c.want, page.Unmet); diff != "" || page.Total != c.total {
				t.Errorf("Total = %d, want %d; unmet (-want +got):\n%s", page.Total, c.total, diff)
			}
		})
	}
}

func TestFoldersAreFoundInAnyCase(t *testing.T) {
	s := library(t)
	ix := s.index(t)
	for asked, want := range map[vault.Path]vault.Path{"projects": "Projects", "PROJECTS/old/": "Projects/Old", "Projects": "", "Projects/Old": ""} {
		for _, text := range []string{"", "ray", "gmma"} {
			if text != "" && len(asked) < 10 && want == "" {
				continue
			}
			page := search(t, ix, Query{PathPrefix: asked, Text: text}, s.source)
			if page.Folder != want || page.Total == 0 {
				t.Errorf("%q in %q: %d notes of folder %q, want some of %q", text, asked, page.Total, page.Folder, want)
			}
		}
	}
	s["projects/Small.md"] = Doc{Path: "projects/Small.md"}
	if page := search(t, s.index(t), Query{PathPrefix: "projects"}, s.source); page.Total != 1 || page.Folder != "" {
		t.Errorf("a folder that there is: %d notes of folder %q, want its own note alone", page.Total, page.Folder)
	}
}

func TestWhatLooksLikeAFilterIsNamed(t *testing.T) {
	for text, want := range map[string][]string{
		"heading:Favorites":                    {"heading"},
		`heading:"my favorites" title:x`:       {"heading", "title"},
		"-section:old heading:a heading:b":     {"section", "heading"},
		"tag:a path:b prop:c":                  nil,
		"note: this":                           nil,
		"https://example.org mailto:x std::s":  {"mailto"},
		"10:30 c:temp":                         nil,
		"überschrift:Lieblinge file:favorites": {"überschrift"},
	} {
		p, err := Parse(text)
		if diff := cmp.Diff(want, p.Unknown); err != nil || diff != "" {
			t.Errorf("Parse(%q): %v (-want +got):\n%s", text, err, diff)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		most int
		want int
	}{
		{"movies", "moviez", 2, 1}, {"movies", "movies", 1, 0}, {"movies", "mvoies", 1, 1}, {"movies", "vm", 9, 5}, {"", "", 1, 0}, {"", "ab", 2, 2},
		{"ab", "", 1, -1}, {"über", "ober", 1, 1}, {"kitten", "sitting", 3, 3}, {"kitten", "sitting", 2, -1},
	} {
		if got := edits(c.a, c.b, c.most); got != c.want {
			t.Errorf("edits(%q, %q, %d) = %d, want %d", c.a, c.b, c.most, got, c.want)
		}
		if got := edits(c.b, c.a, c.most); got != c.want {
			t.Errorf("edits(%q, %q, %d) = %d, want %d", c.b, c.a, c.most, got, c.want)
		}
	}
}
