package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

// kepano is a real vault of few and mostly short notes, among them three long ones that hold most words that people ask with.
func kepano(t testing.TB) shelf {
	t.Helper()
	s := shelf{}
	for _, f := range vaulttest.Notes(t, vaulttest.Corpus(t), "kepano") {
		note := vault.Parse(vault.Path(f.Path), f.Body)
		d := Doc{Path: note.Path, Title: note.Title, Aliases: note.Aliases, Tags: note.Tags, Body: f.Body[note.BodyStart:]}
		for _, h := range note.Headings {
			d.Headings = append(d.Headings, h.Text)
		}
		for _, p := range note.Properties {
			d.Properties = append(d.Properties, Property{Key: p.Key, Values: []string{fmt.Sprint(p.Value)}})
		}
		s[d.Path] = d
	}
	return s
}

func TestHalfRememberedQuestionsFindTheNote(t *testing.T) {
	s := kepano(t)
	ix := s.index(t)
	const japan, zelda = "Notes/2023 Japan Trip.md", "References/The Legend of Zelda Breath of the Wild.md"
	for text, want := range map[string]string{
		"japan trip":                        japan,
		"japan trip shrine foxes":           japan,
		"that japan trip with shrine foxes": japan,
		"Japan trip that we made":           japan,
		"what did we do on the japan trip":  japan,
		"zelda breath wild":                 zelda,
		"that game with the wild breath":    zelda,
	} {
		if got := paths(search(t, ix, Query{Text: text}, s.source)); len(got) == 0 || got[0] != want {
			t.Errorf("Search(%q) = %q, want %s first", text, got, want)
		}
	}
	for _, text := range []string{"that japan trip with shrine foxes -2023", `that japan trip with "shrine foxes"`, "that japan trip with foxes path:references"} {
		if got := paths(search(t, ix, Query{Text: text}, s.source)); slices.Contains(got, japan) {
			t.Errorf("Search(%q) = %q, with %s", text, got, japan)
		}
	}
}

// No list of words says which are common: each vault does.
func TestCommonWordsAreNotRequired(t *testing.T) {
	for _, c := range []struct{ name, filler, title, query string }{
		{"English", "that is the one with a word about it", "Quince jam", "the one about quince with jam"},
		{"German", "das ist der Text mit einem Wort über die Sache", "Quitten einkochen", "der Text über die Quitten einkochen"},
		{"Polish", "to jest tekst o tym i owym", "Pigwa w słoiku", "tekst o tym jest pigwa słoiku"},
		{"Japanese", "これはについてのものです", "花梨", "花梨 についてのもの"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := shelf{}
			for i := range 40 {
				p := vault.Path(fmt.Sprintf("%02d.md", i))
				s[p] = Doc{Path: p, Body: []byte(c.filler)}
			}
			target := vault.Path(c.title + ".md")
			s[target] = Doc{Path: target, Body: []byte("Nothing else.")}
			page := search(t, s.index(t), Query{Text: c.query}, s.source)
			if len(page.Hits) != 1 || page.Hits[0].Path != target || page.Full != 1 || page.Hits[0].Partial {
				t.Errorf("Search(%q) = %q, %d of them in full; want %s alone, in full", c.query, paths(page), page.Full, target)
			}
			// Where nothing tells more, common words are words like others.
			word := strings.Fields(c.filler)[0]
			if page := search(t, s.index(t), Query{Text: `"` + word + `"`}, s.source); page.Full != 40 {
				t.Errorf("Search(%q) has %d full matches, want the 40 notes", word, page.Full)
			}
			// In quotes, they are required.
			if page := search(t, s.index(t), Query{Text: `"` + word + `" ` + c.title}, s.source); slices.Contains(paths(page), string(target)) {
				t.Errorf("a quoted word is not required: %q", paths(page))
			}
		})
	}
}

func TestStrongPartialMatchesPassWeakFullOnes(t *testing.T) {
	filler := strings.Repeat("Nothing of note stands in this paragraph, which is long. ", 100)
	s := shelf{
		"Kiln firing schedule.md": {Path: "Kiln firing schedule.md", Headings: []string{"Kiln firing"}, Body: []byte("When to fire the kiln.")},
		"Everything.md":           {Path: "Everything.md", Body: []byte(filler + "kiln. " + filler + "firing. " + filler + "schedule. " + filler + "porcelain.")},
	}
	for i := range 20 {
		p := vault.Path(fmt.Sprintf("%02d.md", i))
		s[p] = Doc{Path: p, Body: []byte(filler)}
	}
	ix := s.index(t)
	page := search(t, ix, Query{Text: "kiln firing schedule porcelain"}, s.source)
	if got, want := paths(page), []string{"Kiln firing schedule.md", "Everything.md"}; !slices.Equal(got, want) || page.Full != 1 || !page.Hits[0].Partial {
		t.Errorf("Search = %q, %d in full; want %q, the second in full", got, page.Full, want)
	}
	page = search(t, ix, Query{Text: "kiln firing schedule porcelain", Sort: ByPath}, s.source)
	if got, want := paths(page), []string{"Everything.md", "Kiln firing schedule.md"}; !slices.Equal(got, want) {
		t.Errorf("by path: %q, want full matches first, %q", got, want)
	}
	page = search(t, ix, Query{Text: `kiln firing schedule "porcelain"`}, s.source)
	if got, want := paths(page), []string{"Everything.md"}; !slices.Equal(got, want) {
		t.Errorf("with a quoted word: %q, want %q", got, want)
	}
}
