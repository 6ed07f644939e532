package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/notelatch/notelatch/vault"
)

func TestRanking(t *testing.T) {
	filler := strings.Repeat("Nothing of note stands in this paragraph, which is long. ", 20)
	s := shelf{}
	for _, d := range []Doc{
		{Path: "Engine.md", Body: []byte(filler)},
		{Path: "Analytical engine.md", Body: []byte(filler)},
		{Path: "Machine.md", Aliases: []string{"Engine of differences"}, Body: []byte(filler)},
		{Path: "Steam.md", Headings: []string{"The engine"}, Body: []byte(filler + "The engine " + filler)},
		{Path: "Often.md", Body: []byte(filler + strings.Repeat("The engine runs. ", 12))},
		{Path: "Once.md", Body: []byte(filler + "An engine." + filler)},
		{Path: "Engineering.md", Body: []byte(filler)},
		{Path: "Both.md", Body: []byte(filler + "A valve beside an engine.")},
		{Path: "Valve.md", Body: []byte(filler)},
		{Path: "Apart.md", Headings: []string{"Pressure and the steam gauge"}, Body: []byte(filler)},
		{Path: "Beside.md", Headings: []string{"The gauge and steam pressure"}, Body: []byte(filler)},
	} {
		s[d.Path] = d
	}
	ix := s.index(t)
	rank := func(text string, p vault.Path) int {
		return slices.Index(paths(search(t, ix, Query{Text: text, Limit: 50}, s.source)), string(p))
	}
	for _, c := range []struct {
		name, text string
		order      []vault.Path
	}{
		{"the whole title, then titles and aliases, then the body", "engine", []vault.Path{"Engine.md", "Analytical engine.md", "Often.md", "Once.md"}},
		{"an alias before the body", "engine", []vault.Path{"Machine.md", "Often.md"}},
		{"often before once", "engine", []vault.Path{"Often.md", "Once.md"}},
		{"a heading before the body", "engine", []vault.Path{"Steam.md", "Once.md"}},
		{"the word before a longer one in the same place", "engine", []vault.Path{"Engine.md", "Engineering.md"}},
		{"neighbours in a heading before words apart", "steam pressure", []vault.Path{"Beside.md", "Apart.md"}},
		{"all words before some", "valve beside", []vault.Path{"Both.md", "Valve.md"}},
		{"all words before some, which are a title", "valve beside", []vault.Path{"Both.md", "Beside.md"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := 1; i < len(c.order); i++ {
				a, b := rank(c.text, c.order[i-1]), rank(c.text, c.order[i])
				if a < 0 || b < 0 || a >= b {
					t.Errorf("%q: %s has rank %d and %s rank %d; want both, in this order", c.text, c.order[i-1], a, c.order[i], b)
				}
			}
		})
	}
}

func TestPartialMatches(t *testing.T) {
	s := shelf{}
	for i := range 30 {
		body := "common"
		if i < 12 {
			body += " shared"
		}
		if i == 0 {
			body += " single"
		}
		p := vault.Path(fmt.Sprintf("%02d.md", i))
		s[p] = Doc{Path: p, Body: []byte(body)}
	}
	ix := s.index(t)
	page := search(t, ix, Query{Text: "common shared", Limit: 50}, s.source)
	if page.Total != 12 || page.Full != 12 {
		t.Errorf("12 notes hold both words: Total %d, Full %d; want no partial matches", page.Total, page.Full)
	}
	page = search(t, ix, Query{Text: "single shared", Limit: 50}, s.source)
	if page.Full != 1 || page.Hits[0].Path != "00.md" || page.Hits[0].Partial {
		t.Errorf("Full = %d, first %+v; want one, 00.md, not partial", page.Full, page.Hits[0])
	}
	page = search(t, ix, Query{Text: "absent single", Limit: 50}, s.source)
	if page.Full != 0 || page.Total != 1 || !page.Hits[0].Partial {
		t.Errorf("Full = %d, Total = %d; want a partial match alone", page.Full, page.Total)
	}
	if page := search(t, ix, Query{Text: `"absent single"`}, s.source); page.Total != 0 {
		t.Errorf("a phrase has %d partial matches, want none", page.Total)
	}
}

func TestCorrections(t *testing.T) {
	s := library(t)
	ix := s.index(t)
	page := search(t, ix, Query{Text: "orchrad"}, s.source)
	if diff := cmp.Diff([]Corrected{{From: "orchrad", To: []string{"orchard"}}}, page.Corrections); diff != "" {
		t.Errorf("corrections (-want +got):\n%s", diff)
	}
	if page := search(t, ix, Query{Text: `"orchrad"`}, s.source); page.Total != 0 {
		t.Errorf("a quoted word is corrected: %q", paths(page))
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"word", "word", false}, {"word", "wrd", true}, {"word", "wored", true}, {"word", "ward", true}, {"word", "wrod", true}, {"word", "dwor", false},
		{"", "a", true}, {"a", "", true}, {"ab", "ba", true}, {"über", "ober", true}, {"abcd", "badc", false}, {"word", "words", true}, {"word", "wordss", false},
	} {
		if got := oneEdit(c.a, c.b); got != c.want {
			t.Errorf("oneEdit(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestReadsAreBounded(t *testing.T) {
	s := shelf{}
	for i := range 60 {
		p := vault.Path(fmt.Sprintf("%02d.md", i))
		s[p] = Doc{Path: p, Body: []byte("left right")}
	}
	ix := s.index(t)
	reads := 0
	src := func(p vault.Path) ([]byte, error) {
		reads++
		if p == "03.md" {
			return nil, vault.Errorf(vault.ProviderUnavailable, "gone")
		}
		return s.source(p)
	}
	page := search(t, ix, Query{Text: `"left right"`, MaxReads: 20}, src)
	if reads != 20 || page.Total != 19 || page.TotalIsExact || page.Unchecked != 40 || page.Unread != 1 {
		t.Errorf("%d reads, %+v; want 20 reads, 19 hits, 40 unchecked, 1 unread", reads, page)
	}
	page = search(t, ix, Query{Text: `"left right"`}, s.source)
	if page.Total != 60 || !page.TotalIsExact || page.Unchecked != 0 {
		t.Errorf("Total = %d (exact: %v), want 60", page.Total, page.TotalIsExact)
	}
	if page = search(t, ix, Query{Text: `"right left"`}, nil); page.Total != 60 || page.TotalIsExact {
		t.Errorf("without a source: Total = %d (exact: %v), want 60 that are not checked", page.Total, page.TotalIsExact)
	}
}

// A phrase that stands in titles is found in them all, without a read, however many there are.
func TestPhrasesInTitlesNeedNoReads(t *testing.T) {
	s := shelf{}
	for i := range 2*manyHits + 100 {
		p := vault.Path(fmt.Sprintf("left right %d.md", i))
		s[p] = Doc{Path: p, Body: []byte("right left")}
	}
	page := search(t, s.index(t), Query{Text: `"left right"`}, func(p vault.Path) ([]byte, error) {
		t.Errorf("%s is read", p)
		return nil, nil
	})
	if page.Total != len(s) || !page.TotalIsExact {
		t.Errorf("Total = %d (exact: %v), want %d", page.Total, page.TotalIsExact, len(s))
	}
}

// What an index finds in scripts without spaces is what a search for the characters in the text finds.
func TestGlyphsAreFoundAsSubstrings(t *testing.T) {
	sentences := []string{"知识管理是学习的方法", "日本語のノートを書く", "データベース設計", "데이터베이스 설계와 구현", "การจัดการความรู้", "学习笔记与知识", "ノートの管理", "knowledge知识base库"}
	s := shelf{}
	for i := range 64 {
		p := vault.Path(fmt.Sprintf("n%d.md", i))
		s[p] = Doc{Path: p, Body: []byte(sentences[i%8] + "。" + sentences[i*5/8%8])}
	}
	ix := s.index(t)
	tried := 0
	for _, sentence := range sentences {
		r := []rune(sentence)
		for n := 1; n <= 4; n++ {
			for i := 0; i+n <= len(r); i++ {
				part := string(r[i : i+n])
				if strings.ContainsFunc(part, func(r rune) bool { return !isGlyph(r) }) {
					continue
				}
				var want []string
				for p, d := range s {
					if strings.Contains(string(d.Body), part) {
						want = append(want, string(p))
					}
				}
				slices.Sort(want)
				got := paths(search(t, ix, Query{Text: `"` + part + `"`, Limit: 100}, s.source))
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("%q is found in %d notes, and stands in %d", part, len(got), len(want))
				}
				tried++
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d parts were tried", tried)
	}
}

func FuzzSearch(f *testing.F) {
	for _, text := range []string{"alpha", `"gamma ray" -beta`, `"open`, "tag:a path:b file:c prop:d=e has:problem modified:>2026", "a OR b OR", "知识 管理", "\x00\xff🎉", "prop:>", `prop:"a"="b`, "-", "--x", "tag:", "\u202e\u0301", "modified:>=2026-01-01T00:00:00z", strings.Repeat(`"a b" `, 40)} {
		f.Add(text)
	}
	s := library(f)
	ix := s.index(f)
	f.Fuzz(func(t *testing.T, text string) {
		page, err := ix.Search(t.Context(), Query{Text: text}, s.source)
		if err != nil {
			if vault.AsError(err).Code != vault.InvalidArgument {
				t.Fatalf("Search(%q): %v", text, err)
			}
			return
		}
		if page.Total < len(page.Hits) || page.Full > page.Total {
			t.Fatalf("Search(%q): %d hits, total %d, full %d", text, len(page.Hits), page.Total, page.Full)
		}
		for _, d := range s {
			for _, sn := range Snippets(d.Body, page.Parsed, 3) {
				if sn.StartLine < 1 || sn.EndLine < sn.StartLine {
					t.Fatalf("Snippets: lines %d to %d", sn.StartLine, sn.EndLine)
				}
			}
		}
	})
}
