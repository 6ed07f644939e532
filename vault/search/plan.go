package search

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/notelatch/notelatch/vault"
)

// plan is a query against one state of the index: every word and filter with its postings in each part.
type plan struct {
	st      *state
	q       *Query
	groups  []wanted
	needs   []lookup // tags, properties and the like that must be there
	bans    []lookup
	tests   []test   // what is decided by looking at a note
	phrases []phrase // to be checked in the text
	pairs   []wanted // neighbours in the query that are neighbours in a title or a heading
	whole   lookup   // notes with the query as a title
	sum     float32  // the idf of the groups that are not common
	known   float32  // of those that some note holds
	cut     bool     // a prefix had more postings than are read
}

// lookup is the postings of one thing in each part.
type lookup []source

// source is postings in one part: encoded, or made for the query, or none.
type source struct {
	data []byte
	list []posting
}

func (s source) none() bool { return s.data == nil && s.list == nil }

func (c *cursor) from(s source) {
	if s.data != nil {
		c.open(s.data)
		return
	}
	c.openList(s.list)
}

// wanted is a group with its postings.
type wanted struct {
	*group
	lookup
	df      int // living notes
	idf     float32
	unknown bool // no note holds it
	common  bool // it says so little beside the others that a note may lack it
}

// test decides on a note by what is stored of it.
type test func(p *part, doc uint32) bool

const (
	prefixPostings = 1 << 18 // most postings that are read for one prefix
	prefixRunes    = 3       // shorter words count as a beginning only if no note holds the word itself
)

func (d *desk) plan(st *state, q *Query, parsed *Parsed) *plan {
	pl := &plan{st: st, q: q}
	pl.groups = make([]wanted, len(parsed.groups))
	for i := range parsed.groups {
		pl.groups[i].group = &parsed.groups[i]
		d.resolve(pl, &pl.groups[i])
	}
	pl.weigh()
	if parsed.whole != "" {
		pl.whole = pl.exactly(titleTerm + parsed.whole)
	}
	for _, t := range parsed.pairs {
		l := pl.exactly(pairTerm + t)
		if df := d.living(st, l); df > 0 {
			pl.pairs = append(pl.pairs, wanted{lookup: l, df: df, idf: idf(df, st.living)})
		}
	}
	for _, ph := range parsed.phrases {
		switch {
		case ph.checked():
			pl.phrases = append(pl.phrases, ph)
		case ph.not:
			pl.bans = append(pl.bans, pl.exactly(ph.terms[0]))
		}
	}
	for i := range parsed.filters {
		d.filter(pl, &parsed.filters[i])
	}
	for _, t := range q.Tags {
		pl.needs = append(pl.needs, pl.exactly(tagTerm+foldTag(t)))
	}
	for k, v := range q.Properties {
		t := propTerm + vault.Fold(k)
		if v != "" {
			t += "=" + foldValue(v)
		}
		pl.needs = append(pl.needs, pl.exactly(t))
	}
	if q.PathPrefix != "" {
		pl.tests = append(pl.tests, func(p *part, doc uint32) bool { return p.path(doc).In(q.PathPrefix) })
	}
	if q.ModifiedAfter != 0 {
		pl.tests = append(pl.tests, func(p *part, doc uint32) bool { return p.modified[doc] > q.ModifiedAfter })
	}
	return pl
}

// exactly looks up one term.
func (pl *plan) exactly(term string) lookup {
	out := make(lookup, len(pl.st.parts))
	for i := range pl.st.parts {
		p := &pl.st.parts[i]
		if k := p.find(term); k >= 0 {
			out[i].data = p.postings(k)
		}
	}
	return out
}

// resolve fills in the postings of a group.
func (d *desk) resolve(pl *plan, w *wanted) {
	w.lookup = pl.exactly(w.terms[0])
	w.df = d.living(pl.st, w.lookup)
	prefix := w.prefix && (w.df == 0 || utf8.RuneCountInString(w.terms[0]) >= prefixRunes)
	if !prefix && len(w.terms) == 1 && len(w.typos) == 0 {
		w.idf = idf(w.df, pl.st.living)
		return
	}
	w.df = 0
	budget := prefixPostings
	for i := range pl.st.parts {
		p := &pl.st.parts[i]
		d.set.fit(p.docs())
		for _, t := range w.terms {
			if k := p.find(t); k >= 0 {
				d.gather(p, k, 1, false)
			}
		}
		if prefix {
			for k := p.from(w.terms[0]); k < p.terms() && strings.HasPrefix(p.term(k), w.terms[0]); k++ {
				if budget -= p.df(k); budget < 0 {
					pl.cut = true
					break
				}
				if len(p.term(k)) > len(w.terms[0]) {
					d.gather(p, k, prefixDamp, false)
				}
			}
		}
		for _, t := range w.typos {
			if k := p.find(t); k >= 0 {
				d.gather(p, k, typoDamp, true)
			}
		}
		w.lookup[i] = source{list: d.set.take()}
		w.df += len(w.lookup[i].list)
	}
	w.idf = idf(w.df, pl.st.living)
}

// weigh finds out which groups are common. It has no list of words: in every vault and language, they are those that tell notes apart
// far less than the most telling one of the query does.
func (pl *plan) weigh() {
	var most float32
	for g := range pl.groups {
		if w := &pl.groups[g]; w.df > 0 {
			most = max(most, w.idf)
		}
	}
	pl.sum, pl.known = 0, 0
	for g := range pl.groups {
		w := &pl.groups[g]
		w.common = !w.must && w.idf < commonShare*most
		if !w.common {
			pl.sum += w.idf
			if w.df > 0 {
				pl.known += w.idf
			}
		}
	}
}

// gather puts the living notes of term k into the set.
func (d *desk) gather(p *part, k int, damp float32, near bool) {
	d.cursors = grown(d.cursors, max(1, len(d.cursors)))
	c := &d.cursors[0]
	c.open(p.postings(k))
	for x, ok := c.next(); ok; x, ok = c.next() {
		if !p.isDead(x.doc) {
			d.set.put(posting{doc: x.doc, impact: uint8(max(1, float32(x.impact)*damp)), title: x.title && damp == 1, near: near})
		}
	}
}

// living counts the notes of l that are not deleted.
func (d *desk) living(st *state, l lookup) int {
	d.cursors = grown(d.cursors, max(1, len(d.cursors)))
	c := &d.cursors[0]
	n := 0
	for i := range l {
		if l[i].none() {
			continue
		}
		p := &st.parts[i]
		c.from(l[i])
		n += c.size
		// Deleted notes are looked up in the postings, and not the other way round: there are few of them.
		for k, word := range p.dead {
			for ; word != 0; word &= word - 1 {
				doc := uint32(k<<6 + bits.TrailingZeros64(word))
				x, ok := c.seek(doc)
				if !ok {
					break
				}
				if x.doc == doc {
					n--
				}
			}
		}
	}
	return n
}

// filter adds a filter to the plan.
func (d *desk) filter(pl *plan, f *filter) {
	var l lookup
	switch f.key {
	case "tag":
		l = pl.exactly(tagTerm + f.value)
	case "has":
		l = pl.exactly(hasTerm + f.value)
	case "prop":
		switch f.op {
		case "":
			l = pl.exactly(propTerm + f.name)
		case "=":
			l = pl.exactly(propTerm + f.name + "=" + f.value)
		default:
			l = d.compare(pl.st, f)
		}
	default:
		pl.tests = append(pl.tests, func(p *part, doc uint32) bool { return f.matches(p, doc) != f.not })
		return
	}
	if f.not {
		pl.bans = append(pl.bans, l)
	} else {
		pl.needs = append(pl.needs, l)
	}
}

// compare looks up the values of a property that stand in relation to the filter's.
func (d *desk) compare(st *state, f *filter) lookup {
	out := make(lookup, len(st.parts))
	head := propTerm + f.name + "="
	for i := range st.parts {
		p := &st.parts[i]
		d.set.fit(p.docs())
		for k := p.from(head); k < p.terms() && strings.HasPrefix(p.term(k), head); k++ {
			if holds(p.term(k)[len(head):], f.op, f.value) {
				d.gather(p, k, 1, false)
			}
		}
		out[i].list = d.set.take()
	}
	return out
}

func (f *filter) matches(p *part, doc uint32) bool {
	switch f.key {
	case "path":
		return strings.Contains(p.path(doc).Key(), f.value)
	case "file":
		return strings.Contains(vault.Fold(p.path(doc).Base()), f.value)
	case "created":
		return p.created[doc] >= f.after && p.created[doc] < f.until
	}
	return p.modified[doc] >= f.after && p.modified[doc] < f.until
}
