package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/notelatch/notelatch/vault"
)

// shelf is a vault in memory that an index and a Source are made of.
type shelf map[vault.Path]Doc

func (s shelf) source(p vault.Path) ([]byte, error) {
	d, ok := s[p]
	if !ok {
		return nil, vault.Errorf(vault.NotFound, "no note %s", p)
	}
	return d.Body, nil
}

func (s shelf) all(yield func(Doc) bool) {
	paths := make([]vault.Path, 0, len(s))
	for p := range s {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		if !yield(s[p]) {
			return
		}
	}
}

func (s shelf) index(t testing.TB) *Index {
	t.Helper()
	ix := New()
	if err := ix.PutAll(t.Context(), s.all); err != nil {
		t.Fatalf("PutAll: %v", err)
	}
	return ix
}

func search(t testing.TB, ix *Index, q Query, src Source) Page {
	t.Helper()
	page, err := ix.Search(t.Context(), q, src)
	if err != nil {
		t.Fatalf("Search(%q): %v", q.Text, err)
	}
	return page
}

func paths(page Page) []string {
	out := []string{}
	for _, h := range page.Hits {
		out = append(out, string(h.Path))
	}
	return out
}

var syllables = []string{"ka", "lo", "mi", "ter", "van", "so", "qui", "ren"}

func anyWord(r *rand.Rand) string {
	// Squaring makes some words common and many rare, as in prose.
	n := 1 + r.IntN(3)
	var w strings.Builder
	for range n {
		x := r.Float64()
		w.WriteString(syllables[int(x*x*float64(len(syllables)))])
	}
	return w.String()
}

func anyText(r *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = anyWord(r)
	}
	return strings.Join(words, " ")
}

func anyDoc(r *rand.Rand, p vault.Path) Doc {
	d := Doc{Path: p, Body: []byte(anyText(r, r.IntN(60))), Modified: r.Int64N(50), Created: r.Int64N(50)}
	if r.IntN(3) == 0 {
		d.Title = anyText(r, 2)
	}
	if r.IntN(4) == 0 {
		d.Aliases = []string{anyText(r, 1+r.IntN(2))}
	}
	if r.IntN(3) == 0 {
		d.Tags = []string{anyWord(r), anyWord(r) + "/" + anyWord(r)}
	}
	if r.IntN(3) == 0 {
		d.Properties = []Property{{Key: "rank", Values: []string{fmt.Sprint(r.IntN(9))}}, {Key: anyWord(r)}}
	}
	if r.IntN(9) == 0 {
		d.Problems = []string{"frontmatter_invalid"}
	}
	d.Encrypted = r.IntN(19) == 0
	return d
}

func anyQuery(r *rand.Rand) Query {
	q := Query{Limit: 1 + r.IntN(30), Offset: r.IntN(3), Sort: Sort(r.IntN(5))}
	var parts []string
	for range r.IntN(4) {
		switch r.IntN(12) {
		case 0:
			parts = append(parts, `"`+anyText(r, 2)+`"`)
		case 1:
			parts = append(parts, "-"+anyWord(r))
		case 2:
			parts = append(parts, `-"`+anyText(r, 2)+`"`)
		case 3:
			parts = append(parts, "tag:"+anyWord(r))
		case 4:
			parts = append(parts, "prop:rank>"+fmt.Sprint(r.IntN(9)))
		case 5:
			parts = append(parts, anyWord(r), "OR", anyWord(r))
		case 6:
			parts = append(parts, anyWord(r)+"x")
		default:
			parts = append(parts, anyWord(r))
		}
	}
	q.Text = strings.Join(parts, " ")
	if r.IntN(6) == 0 {
		q.PathPrefix = "a"
	}
	if r.IntN(6) == 0 {
		q.ModifiedAfter = r.Int64N(50)
	}
	return q
}

// An index that was changed at random answers as one that was built of the same notes at once: hits, scores, totals and corrections.
func TestChangedIndexEqualsFreshOne(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	ix, notes := New(), shelf{}
	for step := range 3000 {
		p := vault.Path(fmt.Sprintf("%c/%s %d.md", 'a'+rune(r.IntN(3)), anyWord(r), r.IntN(20)))
		switch r.IntN(10) {
		case 0, 1, 2:
			_, had := notes[p]
			if got := ix.Remove(p); got != had {
				t.Fatalf("Remove(%s) = %v, want %v", p, got, had)
			}
			delete(notes, p)
		default:
			notes[p] = anyDoc(r, p)
			ix.Put(notes[p])
		}
		switch r.IntN(400) {
		case 0:
			if err := ix.Merge(t.Context()); err != nil {
				t.Fatal(err)
			}
		case 1:
			if err := ix.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if step%100 != 99 {
			continue
		}
		fresh := notes.index(t)
		a, b := ix.Stats(), fresh.Stats()
		if a.Docs != b.Docs || a.Encrypted != b.Encrypted || a.Problems != b.Problems {
			t.Fatalf("step %d: stats %+v, want %+v", step, a, b)
		}
		for range 60 {
			q := anyQuery(r)
			got, want := search(t, ix, q, notes.source), search(t, fresh, q, notes.source)
			got.Parsed, want.Parsed = Parsed{}, Parsed{}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(Parsed{})); diff != "" {
				t.Fatalf("step %d, %+v: fresh and changed index differ (-fresh +changed):\n%s", step, q, diff)
			}
		}
	}
	if s := ix.Stats(); s.Segments > 3*tierWidth {
		t.Errorf("%d segments are left after %d writes", s.Segments, 3000)
	}
}

// Every hit of a search holds what the query asks, whatever writers do meanwhile.
func TestSearchWhileWriting(t *testing.T) {
	ix := New()
	ctx := context.Background()
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for w := range 2 {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 1))
			for i := range 600 {
				p := vault.Path(fmt.Sprintf("%d/%d.md", w, r.IntN(80)))
				if i%5 == 4 {
					ix.Remove(p)
				} else {
					ix.Put(Doc{Path: p, Title: "pair", Tags: []string{"both"}, Body: []byte(anyText(r, 20) + " left right")})
				}
				if i%150 == 149 {
					if err := ix.Merge(ctx); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				page, err := ix.Search(ctx, Query{Text: "left right tag:both", Limit: 200}, nil)
				if err != nil {
					t.Error(err)
					return
				}
				seen := make(map[vault.Path]bool)
				for _, h := range page.Hits {
					if seen[h.Path] || h.Title != "pair" || h.Partial {
						t.Errorf("hit %+v is wrong or stands there twice", h)
						return
					}
					seen[h.Path] = true
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	if page := search(t, ix, Query{Text: "left", Limit: 1}, nil); page.Total != ix.Len() {
		t.Errorf("Total = %d, want all %d notes", page.Total, ix.Len())
	}
}

func TestPutAllStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ix := New()
	err := ix.PutAll(ctx, func(yield func(Doc) bool) {
		for i := range 10 {
			if i == 4 {
				cancel()
			}
			if !yield(Doc{Path: vault.Path(fmt.Sprint(i, ".md"))}) {
				return
			}
		}
	})
	if err != context.Canceled || ix.Len() != 4 {
		t.Errorf("PutAll = %v with %d notes, want context canceled with 4", err, ix.Len())
	}
	if _, err := ix.Search(ctx, Query{}, nil); err != context.Canceled {
		t.Errorf("Search = %v, want context canceled", err)
	}
}
