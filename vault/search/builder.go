package search

import (
	"slices"
	"strings"

	"github.com/notelatch/notelatch/vault"
)

// builder turns notes into one segment.
type builder struct {
	ids    map[string]uint32
	terms  []string
	counts []uint32  // notes of each term
	tf     []uint16  // of each term in the field at hand
	weight []float32 // of each term in the note at hand
	titled []bool    // the term stands in a title of the note at hand

	inField []uint32 // terms of the field at hand
	inDoc   []uint32 // terms of the note at hand
	entries []entry
	tok     tokens
	pair    []byte // the pair term at hand

	shown    strings.Builder
	shownEnd []uint32
	modified []int64
	created  []int64
	flags    []uint8
}

// entry is a posting of a segment that is being built.
type entry struct {
	term   uint32
	doc    uint16
	impact uint8
	title  bool
}

// A builder is full at either of these.
const (
	builderDocs    = 8192
	builderEntries = 4 << 20
)

func newBuilder() *builder { return &builder{ids: make(map[string]uint32)} }

func (b *builder) full() bool { return len(b.flags) >= builderDocs || len(b.entries) >= builderEntries }

// add takes d and returns its number.
func (b *builder) add(d *Doc) uint32 {
	doc := uint16(len(b.flags))
	name := d.Path.Name()
	title := d.Title
	if title == name {
		title = ""
	}
	b.text(nameField, true, name)
	b.text(titleField, true, title)
	b.text(aliasField, true, d.Aliases...)
	b.text(folderField, false, string(d.Path.Dir()))
	b.text(headingField, false, d.Headings...)
	b.pairs(name)
	b.pairs(title)
	b.pairs(d.Aliases...)
	b.pairs(d.Headings...)
	b.text(tagField, false, d.Tags...)
	b.text(linkField, false, d.Links...)
	for _, p := range d.Properties {
		b.text(propertyField, false, append([]string{p.Key}, p.Values...)...)
	}
	if !d.Encrypted {
		b.body(composed(d.Body))
	}
	b.marks(d, name)
	for _, id := range b.inDoc {
		b.entries = append(b.entries, entry{term: id, doc: doc, impact: impact(b.weight[id]), title: b.titled[id]})
		b.counts[id]++
		b.weight[id], b.titled[id] = 0, false
	}
	b.inDoc = b.inDoc[:0]

	b.show(string(d.Path))
	b.show(title)
	b.show(strings.Join(d.Tags, listMark))
	b.show(strings.Join(d.Problems, listMark))
	b.modified = append(b.modified, d.Modified)
	b.created = append(b.created, d.Created)
	b.flags = append(b.flags, d.flags())
	return uint32(doc)
}

func (b *builder) show(s string) {
	b.shown.WriteString(s)
	b.shownEnd = append(b.shownEnd, uint32(b.shown.Len()))
}

// id returns the number of term t.
func (b *builder) id(t []byte) uint32 {
	if id, ok := b.ids[string(t)]; ok {
		return id
	}
	id, s := uint32(len(b.terms)), string(t)
	b.ids[s] = id
	b.terms = append(b.terms, s)
	b.counts = append(b.counts, 0)
	b.tf = append(b.tf, 0)
	b.weight = append(b.weight, 0)
	b.titled = append(b.titled, false)
	return id
}

func (b *builder) text(f field, title bool, texts ...string) {
	n := 0
	for _, s := range texts {
		if s != "" {
			n += b.count(composed([]byte(s)))
		}
	}
	b.close(f, title, n)
}

func (b *builder) body(text []byte) { b.close(bodyField, false, b.count(text)) }

// count adds the terms of text to the field at hand and returns how many there are.
func (b *builder) count(text []byte) int {
	n := 0
	b.tok.reset(text)
	for b.tok.next() {
		if len(b.tok.text) == 0 {
			continue
		}
		id := b.id(b.tok.text)
		if b.tf[id] == 0 {
			b.inField = append(b.inField, id)
		}
		if b.tf[id] < 1<<16-1 {
			b.tf[id]++
		}
		n++
	}
	return n
}

// close weighs the field at hand, which has n terms.
func (b *builder) close(f field, title bool, n int) {
	for _, id := range b.inField {
		if b.weight[id] == 0 {
			b.inDoc = append(b.inDoc, id)
		}
		b.weight[id] += f.times(int(b.tf[id]), n)
		b.titled[id] = b.titled[id] || title
		b.tf[id] = 0
	}
	b.inField = b.inField[:0]
}

// marks adds the terms that are no words.
func (b *builder) marks(d *Doc, name string) {
	for _, t := range d.Tags {
		t = foldTag(t)
		for i := 0; i <= len(t); i++ {
			if i == len(t) || t[i] == '/' {
				b.mark(tagTerm, t[:i])
			}
		}
	}
	for _, p := range d.Properties {
		key := vault.Fold(p.Key)
		b.mark(propTerm, key)
		for _, v := range p.Values {
			b.mark(propTerm, key+"="+foldValue(v))
		}
	}
	b.mark(titleTerm, wholeTitle(name))
	b.mark(titleTerm, wholeTitle(d.Title))
	for _, a := range d.Aliases {
		b.mark(titleTerm, wholeTitle(a))
	}
	if d.Attachment {
		b.mark(hasTerm, "attachment")
	}
	if d.Encrypted {
		b.mark(hasTerm, "encrypted")
	}
	for _, code := range d.Problems {
		b.mark(hasTerm, "problem")
		b.mark(hasTerm, "problem="+vault.Fold(code))
	}
}

// pairs adds the pairs of words that follow one another in each text.
func (b *builder) pairs(texts ...string) {
	for _, s := range texts {
		b.pair = append(b.pair[:0], pairTerm...)
		b.tok.reset(composed([]byte(s)))
		for b.tok.next() {
			if b.tok.kind == pairToken || len(b.tok.text) == 0 {
				continue
			}
			before := len(b.pair)
			b.pair = append(b.pair, b.tok.text...)
			if before > len(pairTerm) {
				b.flag(b.pair)
				n := copy(b.pair[len(pairTerm):], b.pair[before:])
				b.pair = b.pair[:len(pairTerm)+n]
			}
			b.pair = append(b.pair, ' ')
		}
	}
}

func (b *builder) mark(kind, text string) {
	if text != "" {
		b.flag([]byte(kind + cut(text, 4*maxTerm)))
	}
}

// flag adds a term that says no more than that the note holds it.
func (b *builder) flag(term []byte) {
	id := b.id(term)
	if b.weight[id] == 0 {
		b.weight[id] = 1
		b.inDoc = append(b.inDoc, id)
	}
}

func foldTag(t string) string {
	return strings.Trim(vault.Fold(strings.TrimPrefix(t, "#")), "/")
}

// foldValue is how a property's value is compared: folded, and a link by its target.
func foldValue(v string) string {
	v = strings.TrimSpace(v)
	if in, ok := strings.CutPrefix(v, "[["); ok {
		if in, ok = strings.CutSuffix(in, "]]"); ok {
			v, _, _ = strings.Cut(in, "|")
		}
	}
	return cut(vault.Fold(v), 2*maxTerm)
}

// wholeTitle is how a query is compared with a title as a whole.
func wholeTitle(s string) string { return strings.Join(sequence(s), " ") }

// cut returns at most n bytes of s.
func cut(s string, n int) string { return s[:min(n, len(s))] }

// segment returns what was added. The builder must not be used again.
func (b *builder) segment() *segment {
	order := make([]uint32, len(b.terms))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return strings.Compare(b.terms[x], b.terms[y]) })

	starts := make([]uint32, len(b.terms))
	sum := uint32(0)
	for i, n := range b.counts {
		starts[i] = sum
		sum += n
	}
	sorted := make([]posting, len(b.entries))
	for _, e := range b.entries {
		sorted[starts[e.term]] = posting{doc: uint32(e.doc), impact: e.impact, title: e.title}
		starts[e.term]++
	}

	w := newWriter(len(b.terms), len(b.entries))
	for _, id := range order {
		w.add(b.terms[id], sorted[starts[id]-b.counts[id]:starts[id]])
	}
	s := w.segment()
	s.shown, s.shownEnd = b.shown.String(), slices.Clip(b.shownEnd)
	s.modified, s.created, s.flags = slices.Clip(b.modified), slices.Clip(b.created), slices.Clip(b.flags)
	return s
}

// writer makes the dictionary and postings of a segment from terms in ascending order.
type writer struct {
	text  strings.Builder
	ends  []uint32
	posts []byte
	at    []uint32
	size  int
}

func newWriter(terms, postings int) *writer {
	return &writer{ends: make([]uint32, 0, terms), at: make([]uint32, 0, terms), posts: make([]byte, 0, 2*postings+terms)}
}

func (w *writer) add(term string, list []posting) {
	w.text.WriteString(term)
	w.ends = append(w.ends, uint32(w.text.Len()))
	w.at = append(w.at, uint32(len(w.posts)))
	w.posts = appendPostings(w.posts, list)
	w.size += len(list)
}

func (w *writer) segment() *segment {
	s := &segment{text: strings.Clone(w.text.String()), ends: w.ends, at: w.at, size: w.size}
	s.posts = append(make([]byte, 0, len(w.posts)), w.posts...)
	return s
}
