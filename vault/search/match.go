package search

import (
	"context"
	"math/bits"
	"slices"
)

const (
	fewHits     = 10  // fewer notes with all words than this, and notes with some of them follow
	fewestHits  = 3   // fewer than this, and words that differ by one edit count
	partialMass = 0.4 // how much of the words' idf a partial match must hold
	checkEvery  = 1 << 12
)

// all finds the notes that hold every group. Without groups, the notes that pass the filters.
func (d *desk) all(ctx context.Context, pl *plan) error {
	for i := range pl.st.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.allIn(ctx, pl, i); err != nil {
			return err
		}
	}
	return nil
}

func (d *desk) allIn(ctx context.Context, pl *plan, i int) error {
	p := &pl.st.parts[i]
	if !d.setOut(pl, i) {
		return nil
	}
	n := len(pl.groups)
	d.cursors = grown(d.cursors, n+1+len(pl.pairs))
	lead := -1 // the shortest list leads
	for g := range pl.groups {
		if pl.groups[g].lookup[i].none() {
			return nil
		}
		d.cursors[g].from(pl.groups[g].lookup[i])
		if lead < 0 || d.cursors[g].size < d.cursors[lead].size {
			lead = g
		}
	}
	whole := false
	if pl.whole != nil && !pl.whole[i].none() {
		whole = true
		d.cursors[n].from(pl.whole[i])
	}
	pairs := d.cursors[n+1:]
	for k := range pl.pairs {
		pairs[k].from(pl.pairs[k].lookup[i])
	}
	var sum float32
	for g := range pl.groups {
		sum += pl.groups[g].idf
	}
	if n == 1 && len(d.needs)+len(d.bans)+len(pl.tests) == 0 && !whole {
		d.allOf(pl, i)
		return nil
	}
	driver := d.driver(lead)
	steps := 0
next:
	for doc := uint32(0); ; doc++ {
		if steps++; steps%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if driver != nil {
			x, ok := driver.seek(doc)
			if !ok {
				return nil
			}
			doc = x.doc
		} else if int(doc) >= p.docs() {
			return nil
		}
		var score float32
		titled := 0
		for g := range n {
			x, ok := d.cursors[g].seek(doc)
			if !ok {
				return nil
			}
			if x.doc != doc {
				doc = x.doc - 1
				continue next
			}
			score += pl.groups[g].score(x)
			if x.title {
				titled++
			}
		}
		if !d.passes(pl, p, doc) {
			continue
		}
		if n > 0 && titled == n {
			score += titleBonus * sum
		}
		for k := range pairs {
			if x, ok := pairs[k].seek(doc); ok && x.doc == doc {
				score += pairBonus * pl.pairs[k].idf
			}
		}
		if whole {
			if x, ok := d.cursors[n].seek(doc); !ok {
				whole = false
			} else if x.doc == doc {
				score += exactBonus * sum
			}
		}
		d.found = append(d.found, candidate{part: int32(i), doc: doc, score: score})
	}
}

// allOf is allIn for a single group and nothing else, which is what most queries are.
func (d *desk) allOf(pl *plan, i int) {
	p, w, c := &pl.st.parts[i], &pl.groups[0], &d.cursors[0]
	d.found = slices.Grow(d.found, c.size)
	for c.i < len(c.list) || c.load(0) {
		for _, x := range c.list[c.i:] {
			if p.isDead(x.doc) {
				continue
			}
			score := w.score(x)
			if x.title {
				score += titleBonus * w.idf
			}
			d.found = append(d.found, candidate{part: int32(i), doc: x.doc, score: score})
		}
		c.i = len(c.list)
	}
}

func (w *wanted) score(x posting) float32 {
	return w.idf * (saturation + 1) / 255 * float32(x.impact)
}

// setOut opens the filters for part i. It reports whether a note there can pass them.
func (d *desk) setOut(pl *plan, i int) bool {
	d.needs, d.bans = grown(d.needs, len(pl.needs)), grown(d.bans, len(pl.bans))
	for k, l := range pl.needs {
		if l[i].none() {
			return false
		}
		d.needs[k].from(l[i])
	}
	for k, l := range pl.bans {
		d.bans[k].from(l[i])
	}
	return true
}

// driver returns the list that leads through a part: that of the group, else of a filter, else nil for all notes.
func (d *desk) driver(lead int) *cursor {
	if lead >= 0 {
		return &d.cursors[lead]
	}
	if len(d.needs) > 0 {
		return &d.needs[0]
	}
	return nil
}

// passes reports whether a note lives and passes the filters. It must be asked in ascending order.
func (d *desk) passes(pl *plan, p *part, doc uint32) bool {
	if p.isDead(doc) {
		return false
	}
	for k := range d.needs {
		if x, ok := d.needs[k].seek(doc); !ok || x.doc != doc {
			return false
		}
	}
	for k := range d.bans {
		if x, ok := d.bans[k].seek(doc); ok && x.doc == doc {
			return false
		}
	}
	for _, t := range pl.tests {
		if !t(p, doc) {
			return false
		}
	}
	return true
}

// some finds the notes that hold some groups but not all: those of phrases, and enough of the rest.
func (d *desk) some(ctx context.Context, pl *plan) error {
	var must uint64
	var known float32
	for g := range pl.groups {
		w := &pl.groups[g]
		if w.must {
			must |= 1 << g
		}
		if w.df > 0 {
			known += w.idf
		}
	}
	for i := range pl.st.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.setOut(pl, i) {
			d.someIn(pl, i, must, known)
		}
	}
	return nil
}

func (d *desk) someIn(pl *plan, i int, must uint64, known float32) {
	p := &pl.st.parts[i]
	d.set.fit(p.docs())
	d.acc, d.mass, d.mask = grown(d.acc, p.docs()), grown(d.mass, p.docs()), grown(d.mask, p.docs())
	d.cursors = grown(d.cursors, max(1, len(d.cursors)))
	c := &d.cursors[0]
	for g := range pl.groups {
		w := &pl.groups[g]
		if w.lookup[i].none() {
			continue
		}
		c.from(w.lookup[i])
		for x, ok := c.next(); ok; x, ok = c.next() {
			word, bit := &d.set.bits[x.doc>>6], uint64(1)<<(x.doc&63)
			if *word&bit == 0 {
				*word |= bit
				d.acc[x.doc], d.mass[x.doc], d.mask[x.doc] = 0, 0, 0
			}
			d.acc[x.doc] += w.score(x)
			d.mass[x.doc] += w.idf
			d.mask[x.doc] |= 1 << g
		}
	}
	for k := range pl.pairs {
		c.from(pl.pairs[k].lookup[i])
		for x, ok := c.next(); ok; x, ok = c.next() {
			if d.set.bits[x.doc>>6]&(1<<(x.doc&63)) != 0 {
				d.acc[x.doc] += pairBonus * pl.pairs[k].idf
			}
		}
	}
	all := uint64(1)<<len(pl.groups) - 1
	for k := range d.set.bits {
		word := d.set.bits[k]
		d.set.bits[k] = 0
		for ; word != 0; word &= word - 1 {
			doc := uint32(k<<6 + bits.TrailingZeros64(word))
			if m := d.mask[doc]; m == all || m&must != must || d.mass[doc] < partialMass*known || !d.passes(pl, p, doc) {
				continue
			}
			// A note that lacks a telling word should not look better than one that lacks a common one.
			d.found = append(d.found, candidate{part: int32(i), doc: doc, score: d.acc[doc] * d.mass[doc] / known, partial: true})
		}
	}
}
