package search

import (
	"context"
	"math"
	"math/bits"
	"slices"
)

const (
	fewHits    = 10 // fewer notes with all words than this, and notes with some of them count
	fewestHits = 3  // fewer than this, and words that differ by one edit count
	checkEvery = 1 << 12
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
		d.cursors[g].from(pl.groups[g].lookup[i])
		switch {
		case pl.groups[g].common:
		case pl.groups[g].lookup[i].none():
			return nil
		case lead < 0 || d.cursors[g].size < d.cursors[lead].size:
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
		var e evidence
		for g := range n {
			w := &pl.groups[g]
			if w.common {
				continue
			}
			x, ok := d.cursors[g].seek(doc)
			if !ok {
				return nil
			}
			if x.doc != doc {
				doc = x.doc - 1
				continue next
			}
			e.add(w, x)
		}
		if !d.passes(pl, p, doc) {
			continue
		}
		for g := range n {
			if w := &pl.groups[g]; w.common {
				if x, ok := d.cursors[g].seek(doc); ok && x.doc == doc {
					e.score += w.score(x)
				}
			}
		}
		for k := range pairs {
			if x, ok := pairs[k].seek(doc); ok && x.doc == doc {
				e.score += pairBonus * pl.pairs[k].idf
			}
		}
		score := e.total(pl)
		if whole {
			if x, ok := d.cursors[n].seek(doc); !ok {
				whole = false
			} else if x.doc == doc {
				score += exactBonus * pl.sum
			}
		}
		d.found = append(d.found, candidate{part: int32(i), doc: doc, score: score, partial: e.near})
	}
}

// evidence is what a note holds of a query's telling words.
type evidence struct {
	score  float32
	mass   float32 // idf of the words that it holds
	titled float32 // of those in its titles
	near   bool    // one of them with an edit
}

func (e *evidence) add(w *wanted, x posting) {
	e.score += w.score(x)
	if x.near {
		e.mass += nearMass * w.idf
		e.near = true
		return
	}
	e.mass += w.idf
	if x.title {
		e.titled += w.idf
	}
}

// total is the score of the evidence. What a note says of the words that it holds counts for less when it lacks others, and holding
// them all counts for itself: a note that is about most of the words stands before one that mentions them all in passing, and after one
// that says something of each.
func (e *evidence) total(pl *plan) float32 {
	if e.mass >= pl.known {
		e.score += float32(allBonus * e.mass)
	} else {
		held := e.mass / pl.known
		e.score = e.score*float32(math.Sqrt(float64(held))) + allBonus*e.mass*held*held*held*held*held*held
	}
	if e.titled > 0 {
		share := e.titled / pl.known
		e.score += float32(titleBonus * e.titled * share * share)
	}
	return e.score
}

// allOf is allIn for a single group and nothing else, which is what most queries are.
func (d *desk) allOf(pl *plan, i int) {
	p, w, c := &pl.st.parts[i], &pl.groups[0], &d.cursors[0]
	d.found = slices.Grow(d.found, c.size)
	held := allBonus * w.idf
	titled := titleBonus * w.idf
	for c.i < len(c.list) || c.load(0) {
		for _, x := range c.list[c.i:] {
			if p.isDead(x.doc) {
				continue
			}
			// As evidence.total adds it up, to the last bit: parts of an index may take different ways.
			score := w.score(x)
			score += held
			if x.title {
				score += titled
			}
			if x.near {
				var e evidence
				e.add(w, x)
				score = e.total(pl)
			}
			d.found = append(d.found, candidate{part: int32(i), doc: x.doc, score: score, partial: x.near})
		}
		c.i = len(c.list)
	}
}

func (w *wanted) score(x posting) float32 {
	return float32(w.idf * (saturation + 1) / 255 * float32(x.impact)) // no fused addition, which would round differently
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

// some finds the notes that lack telling words, but hold those of phrases and enough of the rest.
func (d *desk) some(ctx context.Context, pl *plan) error {
	var must, telling uint64
	for g := range pl.groups {
		if pl.groups[g].must {
			must |= 1 << g
		}
		if !pl.groups[g].common {
			telling |= 1 << g
		}
	}
	for i := range pl.st.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.setOut(pl, i) {
			d.someIn(pl, i, must, telling)
		}
	}
	return nil
}

func (d *desk) someIn(pl *plan, i int, must, telling uint64) {
	p := &pl.st.parts[i]
	d.set.fit(p.docs())
	d.sums, d.mask = grown(d.sums, p.docs()), grown(d.mask, p.docs())
	d.cursors = grown(d.cursors, max(1, len(d.cursors)))
	c := &d.cursors[0]
	for g := range pl.groups {
		w := &pl.groups[g]
		if w.common || w.lookup[i].none() {
			continue
		}
		c.from(w.lookup[i])
		for x, ok := c.next(); ok; x, ok = c.next() {
			word, bit := &d.set.bits[x.doc>>6], uint64(1)<<(x.doc&63)
			if *word&bit == 0 {
				*word |= bit
				d.sums[x.doc], d.mask[x.doc] = evidence{}, 0
			}
			d.sums[x.doc].add(w, x)
			d.mask[x.doc] |= 1 << g
		}
	}
	for g := range pl.groups {
		if w := &pl.groups[g]; w.common {
			d.more(w.lookup[i], func(e *evidence, x posting) { e.score += w.score(x) })
		}
	}
	for k := range pl.pairs {
		w := &pl.pairs[k]
		d.more(w.lookup[i], func(e *evidence, _ posting) { e.score += pairBonus * w.idf })
	}
	for k := range d.set.bits {
		word := d.set.bits[k]
		d.set.bits[k] = 0
		for ; word != 0; word &= word - 1 {
			doc := uint32(k<<6 + bits.TrailingZeros64(word))
			e := &d.sums[doc]
			if m := d.mask[doc]; m == telling || m&must != must || e.mass < partialMass*pl.known || !d.passes(pl, p, doc) {
				continue
			}
			d.found = append(d.found, candidate{part: int32(i), doc: doc, score: e.total(pl), partial: true})
		}
	}
}

// more adds to the evidence of the notes at hand for what else they hold.
func (d *desk) more(s source, add func(e *evidence, x posting)) {
	c := &d.cursors[0]
	c.from(s)
	for x, ok := c.next(); ok; x, ok = c.next() {
		if d.set.bits[x.doc>>6]&(1<<(x.doc&63)) != 0 {
			add(&d.sums[x.doc], x)
		}
	}
}
