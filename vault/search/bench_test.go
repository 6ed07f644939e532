package search

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

const benchNotes = 10_000

// benchDocs reads notes as the server does.
func benchDocs(b *testing.B, n int) ([]Doc, Source) {
	b.Helper()
	files := vaulttest.Big(b, n)
	docs := make([]Doc, 0, n)
	bodies := make(map[vault.Path][]byte, n)
	for i, f := range files {
		p := vault.Path(f.Path)
		note := vault.Parse(p, f.Body)
		d := Doc{Path: p, Title: note.Title, Aliases: note.Aliases, Tags: note.Tags, Body: f.Body[note.BodyStart:], Modified: int64(i)}
		for _, h := range note.Headings {
			d.Headings = append(d.Headings, h.Text)
		}
		for _, pr := range note.Properties {
			d.Properties = append(d.Properties, Property{Key: pr.Key, Values: []string{fmt.Sprint(pr.Value)}})
		}
		docs = append(docs, d)
		bodies[p] = f.Body
	}
	return docs, func(p vault.Path) ([]byte, error) { return bodies[p], nil }
}

func build(b *testing.B, docs []Doc) *Index {
	b.Helper()
	ix := New()
	err := ix.PutAll(b.Context(), func(yield func(Doc) bool) {
		for _, d := range docs {
			if !yield(d) {
				return
			}
		}
	})
	if err == nil {
		err = ix.Compact(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	return ix
}

func BenchmarkBuild(b *testing.B) {
	docs, _ := benchDocs(b, benchNotes)
	var size int64
	for _, d := range docs {
		size += int64(len(d.Body))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	var st Stats
	for b.Loop() {
		st = build(b, docs).Stats()
	}
	b.ReportMetric(float64(st.Bytes)/float64(st.Docs), "index-B/note")
}

// benchWords returns words of the index by how many notes hold them.
func benchWords(ix *Index, least, most int) []string {
	p := ix.state.Load().parts[0]
	var out []string
	for k := p.from("a"); k < p.terms() && p.term(k) < "{"; k++ {
		if n := p.df(k); n >= least && n <= most && len(p.term(k)) > 3 {
			out = append(out, p.term(k))
		}
	}
	return out
}

func BenchmarkSearch(b *testing.B) {
	docs, src := benchDocs(b, benchNotes)
	ix := build(b, docs)
	rare, usual, common := benchWords(ix, 3, 30), benchWords(ix, 100, 400), benchWords(ix, 1500, benchNotes)
	if len(rare) == 0 || len(usual) == 0 || len(common) == 0 {
		b.Fatalf("the notes have %d rare, %d usual and %d common words", len(rare), len(usual), len(common))
	}
	r := rand.New(rand.NewPCG(3, 5))
	pick := func(words []string) string { return words[r.IntN(len(words))] }
	for _, c := range []struct {
		name string
		text func() string
	}{
		{"rare", func() string { return `"` + pick(rare) + `"` }},
		{"usual", func() string { return `"` + pick(usual) + `"` }},
		{"common", func() string { return `"` + pick(common) + `"` }},
		{"and", func() string { return pick(usual) + ` "` + pick(common) + `"` }},
		{"or", func() string { return pick(usual) + " OR " + pick(usual) + " OR " + pick(usual) }},
		{"prefix", func() string { return pick(usual)[:4] }},
		{"phrase", func() string {
			words := sequence(string(docs[r.IntN(len(docs))].Body))
			i := r.IntN(max(1, len(words)-2))
			return `"` + words[i] + " " + words[min(i+1, len(words)-1)] + `"`
		}},
		{"typo", func() string { w := pick(usual); return w[:2] + "q" + w[2:] }},
		{"list", func() string { return "" }},
	} {
		b.Run(c.name, func(b *testing.B) {
			queries := make([]string, 64)
			for i := range queries {
				queries[i] = c.text()
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := ix.Search(b.Context(), Query{Text: queries[i%len(queries)]}, src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPut(b *testing.B) {
	docs, _ := benchDocs(b, benchNotes)
	ix := build(b, docs)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		ix.Put(docs[i*7919%len(docs)])
	}
}

func BenchmarkSnippets(b *testing.B) {
	docs, src := benchDocs(b, 1000)
	parsed, err := Parse("plan review other")
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		body, _ := src(docs[i%len(docs)].Path)
		Snippets(body, parsed, 3)
	}
}
