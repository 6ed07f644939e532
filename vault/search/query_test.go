package search

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/notelatch/notelatch/vault"
)

func day(t testing.TB, s string) int64 {
	t.Helper()
	at, err := time.Parse(time.DateOnly, s)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMilli()
}

// library is a small vault in which each operator has something to find and something to leave out.
func library(t testing.TB) shelf {
	s := shelf{}
	for _, d := range []Doc{
		{Path: "Alpha.md", Body: []byte("The first letter. See beta."), Tags: []string{"greek/letter"}, Modified: day(t, "2026-03-01"), Created: day(t, "2025-01-01")},
		{Path: "Beta.md", Body: []byte("The second letter comes after alpha,\nand before **gamma ray**."), Tags: []string{"Greek"}, Modified: day(t, "2026-02-01")},
		{Path: "Projects/Plan.md", Title: "Harvest plan", Aliases: []string{"Autumn"}, Headings: []string{"Risks"}, Body: []byte("Plant the orchard, then rest. Café visits: déjà vu."),
			Properties: []Property{{Key: "Status", Values: []string{"Open"}}, {Key: "rank", Values: []string{"9"}}, {Key: "due", Values: []string{"2026-05-01"}}}, Modified: day(t, "2026-01-01")},
		{Path: "Projects/Old/Ray.md", Body: []byte("A ray of gamma light. Plants."), Tags: []string{"greeks"},
			Properties: []Property{{Key: "status", Values: []string{"done", "[[Delta|a]]"}}, {Key: "rank", Values: []string{"10"}}, {Key: "due", Values: []string{"2026-06-01"}}}, Modified: day(t, "2025-12-31")},
		{Path: "Pictures/ray.png", Attachment: true, Modified: day(t, "2025-01-01")},
		{Path: "Broken.md", Links: []string{"the damaged one"}, Body: []byte("bad frontmatter"), Problems: []string{"frontmatter_invalid"}, Modified: day(t, "2024-01-01")},
		{Path: "Secret.md", Body: []byte("letter"), Encrypted: true, Modified: day(t, "2023-01-01")},
		{Path: "笔记.md", Body: []byte("知识管理是学习的方法。데이터베이스 설계. การจัดการความรู้ 🎉 party"), Modified: day(t, "2022-01-01")},
	} {
		s[d.Path] = d
	}
	return s
}

func TestOperators(t *testing.T) {
	s := library(t)
	ix := s.index(t)
	for _, c := range []struct {
		name string
		q    Query
		want string // paths, sorted
	}{
		{"a word in the title or the body", Query{Text: "alpha"}, "Alpha.md Beta.md"},
		{"a word in any case", Query{Text: "ALPHA"}, "Alpha.md Beta.md"},
		{"a word without its accents", Query{Text: "cafe deja"}, "Projects/Plan.md"},
		{"a word with accents that the note lacks", Query{Text: "orchärd"}, "Projects/Plan.md"},
		{"a word with its accents apart", Query{Text: "cafe\u0301"}, "Projects/Plan.md"},
		{"all words", Query{Text: "second letter"}, "Alpha.md Beta.md"},
		{"an alias", Query{Text: "autumn"}, "Projects/Plan.md"},
		{"a heading", Query{Text: "risks"}, "Projects/Plan.md"},
		{"the text of a link to the note", Query{Text: "damaged"}, "Broken.md"},
		{"a folder", Query{Text: "old"}, "Projects/Old/Ray.md"},
		{"the last word as a beginning", Query{Text: "orch"}, "Projects/Plan.md"},
		{"a quoted word is whole", Query{Text: `"plant"`}, "Projects/Plan.md"},
		{"words joined by OR", Query{Text: "autumn OR bad"}, "Broken.md Projects/Plan.md"},
		{"a phrase", Query{Text: `"gamma ray"`}, "Beta.md"},
		{"a phrase across lines and markup", Query{Text: `"and before gamma"`}, "Beta.md"},
		{"a phrase over punctuation", Query{Text: `"alpha and before"`}, "Beta.md"},
		{"a phrase in typographic quotes", Query{Text: `“gamma ray”`}, "Beta.md"},
		{"a phrase with accents", Query{Text: `"DEJA vu"`}, "Projects/Plan.md"},
		{"a phrase in a title", Query{Text: `"harvest plan"`}, "Projects/Plan.md"},
		{"a phrase that nobody wrote", Query{Text: `"ray gamma"`}, ""},
		{"without a word", Query{Text: "letter -second"}, "Alpha.md"},
		{"without a phrase", Query{Text: `gamma -"gamma ray"`}, "Projects/Old/Ray.md"},
		{"only without a word", Query{Text: "-letter -ray -alpha"}, "Broken.md Projects/Plan.md Secret.md 笔记.md"},
		{"a tag and those in it", Query{Text: "tag:greek"}, "Alpha.md Beta.md"},
		{"a tag with its sign", Query{Text: "tag:#greek/letter"}, "Alpha.md"},
		{"without a tag", Query{Text: "letter -tag:greek/letter"}, "Beta.md"},
		{"a part of the path", Query{Text: "path:projects/"}, "Projects/Old/Ray.md Projects/Plan.md"},
		{"a part of the name", Query{Text: "file:ray"}, "Pictures/ray.png Projects/Old/Ray.md"},
		{"not a part of the name", Query{Text: "ray -file:ray"}, "Beta.md"},
		{"a property", Query{Text: "prop:status"}, "Projects/Old/Ray.md Projects/Plan.md"},
		{"a property with a value", Query{Text: "prop:status=open"}, "Projects/Plan.md"},
		{"one of a property's values", Query{Text: `prop:"Status"="[[delta]]"`}, "Projects/Old/Ray.md"},
		{"a property compared as a number", Query{Text: "prop:rank>9"}, "Projects/Old/Ray.md"},
		{"a property compared as a date", Query{Text: "prop:due<=2026-05-31"}, "Projects/Plan.md"},
		{"without a property's value", Query{Text: "prop:status -prop:status=done"}, "Projects/Plan.md"},
		{"a problem", Query{Text: "has:problem"}, "Broken.md"},
		{"a problem of one kind", Query{Text: "has:problem=frontmatter_invalid"}, "Broken.md"},
		{"an attachment", Query{Text: "has:attachment"}, "Pictures/ray.png"},
		{"encrypted", Query{Text: "has:encrypted"}, "Secret.md"},
		{"modified after a day", Query{Text: "modified:>2026-02-01"}, "Alpha.md"},
		{"modified on a day or later", Query{Text: "modified:>=2026-02-01"}, "Alpha.md Beta.md"},
		{"modified before a day", Query{Text: "modified:<2023-01-01"}, "笔记.md"},
		{"modified in a year", Query{Text: "modified:2025"}, "Pictures/ray.png Projects/Old/Ray.md"},
		{"modified in a month", Query{Text: "modified:2026-01"}, "Projects/Plan.md"},
		{"modified since a moment", Query{Text: "modified:>=2026-03-01T00:00:00Z"}, "Alpha.md"},
		{"created in a year", Query{Text: "created:2025"}, "Alpha.md"},
		{"one edit away", Query{Text: "orchrad"}, "Projects/Plan.md"},
		{"one letter too many", Query{Text: "orchaard"}, "Projects/Plan.md"},
		{"what is no field is words", Query{Text: "note:alpha"}, "Alpha.md Beta.md"},
		{"a field's name in prose", Query{Text: "file: secret"}, "Secret.md"},
		{"two Chinese characters", Query{Text: "管理"}, "笔记.md"},
		{"one Chinese character", Query{Text: "识"}, "笔记.md"},
		{"Chinese characters that are no neighbours", Query{Text: `"知管"`}, ""},
		{"a part of a Korean word", Query{Text: "베이스"}, "笔记.md"},
		{"a part of a Korean word, its letters apart", Query{Text: "\u1107\u1166\u110b\u1175\u1109\u1173"}, "笔记.md"},
		{"a part of a Thai sentence", Query{Text: "ความ"}, "笔记.md"},
		{"an emoji", Query{Text: "🎉"}, "笔记.md"},
		{"a folder filter", Query{PathPrefix: "Projects"}, "Projects/Old/Ray.md Projects/Plan.md"},
		{"a folder filter with a word", Query{Text: "ray", PathPrefix: "Projects/Old"}, "Projects/Old/Ray.md"},
		{"a tag filter", Query{Tags: []string{"#GREEK"}}, "Alpha.md Beta.md"},
		{"a property filter", Query{Properties: map[string]string{"Status": "Done"}}, "Projects/Old/Ray.md"},
		{"a property filter without value", Query{Properties: map[string]string{"STATUS": ""}, Text: "orchard"}, "Projects/Plan.md"},
		{"a time filter", Query{ModifiedAfter: day(t, "2026-01-15")}, "Alpha.md Beta.md"},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := search(t, ix, c.q, s.source)
			got := paths(page)
			slices.Sort(got)
			if want := strings.Fields(c.want); !slices.Equal(got, want) {
				t.Errorf("Search(%+v) = %q, want %q", c.q, got, want)
			}
			if page.Total != len(got) || !page.TotalIsExact {
				t.Errorf("Total = %d (exact: %v), want %d", page.Total, page.TotalIsExact, len(got))
			}
		})
	}
}

func TestBadFilters(t *testing.T) {
	for _, text := range []string{"has:wings", "modified:>yesterday", "created:2026-13-01", strings.Repeat("tag:a ", maxFilters+1)} {
		if _, err := Parse(text); !errors.Is(err, vault.InvalidArgument) {
			t.Errorf("Parse(%.40q) = %v, want invalid_argument", text, err)
		}
	}
	for _, text := range []string{"has:problem", "modified:>2026-01-01", strings.Repeat("tag:a ", maxFilters)} {
		if _, err := Parse(text); err != nil {
			t.Errorf("Parse(%.40q) = %v, want none", text, err)
		}
	}
}

func TestOddTextsAreSearched(t *testing.T) {
	s := library(t)
	ix := s.index(t)
	for _, c := range []struct{ name, text, want string }{
		{"an unbalanced quote", `"alpha`, "Alpha.md"},
		{"a quote that opens at the end", `alpha "`, "Alpha.md"},
		{"nothing between quotes", `alpha ""`, "Alpha.md"},
		{"NUL between words", "alpha\x00", "Alpha.md"},
		{"broken UTF-8", "alpha \xff\xfe", "Alpha.md"},
		{"dashes", "- -- --- alpha", "Alpha.md"},
		{"a minus at the end", "alpha -", "Alpha.md"},
		{"right to left", "\u202ealpha\u202c", "Alpha.md"},
		{"brackets and stars", "[[alpha]] * (**)", "Alpha.md"},
		{"colons", ":: alpha :", "Alpha.md"},
		{"OR at both ends", "OR alpha OR", "Alpha.md"},
		{"ten kilobytes", "alpha " + strings.Repeat("alpha ", 1700), "Alpha.md"},
		{"a word of ten kilobytes among others", "alpha " + strings.Repeat("x", 10<<10), "Alpha.md"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := paths(search(t, ix, Query{Text: c.text}, s.source)); len(got) == 0 || got[0] != c.want {
				t.Errorf("Search = %q, want %s first", got, c.want)
			}
		})
	}
	var words strings.Builder
	for i := range 1000 {
		words.WriteString(anyWordOf(i) + " ")
	}
	page := search(t, ix, Query{Text: "alpha " + words.String()}, s.source)
	if page.Parsed.Dropped == 0 || page.TotalIsExact {
		t.Errorf("of 1,000 words %d were dropped and the total is exact: %v; want some, and not", page.Parsed.Dropped, page.TotalIsExact)
	}
	for text, want := range map[string]int{"": ix.Len(), "   ": ix.Len(), "!?…": 0, `""`: 0, `"`: 0, "-": 0, "OR": 0} {
		if page := search(t, ix, Query{Text: text}, s.source); page.Total != want || page.Parsed.Blank() != true {
			t.Errorf("Search(%q) finds %d notes, want %d", text, page.Total, want)
		}
	}
}

func anyWordOf(i int) string {
	return "w" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
}

func TestSorts(t *testing.T) {
	s := library(t)
	ix := s.index(t)
	for _, c := range []struct {
		sort Sort
		want []string
	}{
		{ByRelevance, []string{"Alpha.md", "Beta.md"}}, // the newest first: there are no words
		{ByModified, []string{"Alpha.md", "Beta.md"}},
		{ByCreated, []string{"Alpha.md", "Beta.md"}},
		{ByPath, []string{"Alpha.md", "Beta.md"}},
		{ByTitle, []string{"Alpha.md", "Beta.md"}},
	} {
		if got := paths(search(t, ix, Query{Sort: c.sort, Limit: 2}, nil)); !slices.Equal(got, c.want) {
			t.Errorf("sort %d: %q, want %q", c.sort, got, c.want)
		}
	}
	if got, want := paths(search(t, ix, Query{Sort: ByTitle, Text: "path:projects"}, nil)), []string{"Projects/Plan.md", "Projects/Old/Ray.md"}; !slices.Equal(got, want) {
		t.Errorf("by title: %q, want %q", got, want)
	}
	if got, want := paths(search(t, ix, Query{Sort: ByPath, Text: "path:projects"}, nil)), []string{"Projects/Old/Ray.md", "Projects/Plan.md"}; !slices.Equal(got, want) {
		t.Errorf("by path: %q, want %q", got, want)
	}
}

func TestOffsetsBeyondTheEnd(t *testing.T) {
	ix := library(t).index(t)
	for _, q := range []Query{{Offset: 1 << 62, Limit: 1 << 62}, {Text: "letter", Offset: 1000}} {
		if page := search(t, ix, q, nil); len(page.Hits) != 0 || page.Total == 0 {
			t.Errorf("offset %d: %d hits of %d, want none of some", q.Offset, len(page.Hits), page.Total)
		}
	}
	if page := search(t, ix, Query{Offset: -5, Limit: 1 << 62}, nil); len(page.Hits) != ix.Len() {
		t.Errorf("a negative offset: %d hits, want all %d", len(page.Hits), ix.Len())
	}
}

func TestPagesJoin(t *testing.T) {
	s := library(t)
	ix := s.index(t)
	for _, sort := range []Sort{ByRelevance, ByModified, ByTitle} {
		all := paths(search(t, ix, Query{Sort: sort, Text: "letter OR ray OR plan", Limit: 50}, nil))
		var joined []string
		for offset := 0; offset < len(all)+2; offset += 2 {
			joined = append(joined, paths(search(t, ix, Query{Sort: sort, Text: "letter OR ray OR plan", Limit: 2, Offset: offset}, nil))...)
		}
		if diff := cmp.Diff(all, joined); diff != "" || len(all) < 4 {
			t.Errorf("sort %d: pages do not join (-whole +pages):\n%s", sort, diff)
		}
	}
}
