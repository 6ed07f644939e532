package search

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/notelatch/notelatch/vault"
)

// Unmet is a condition that no note of the vault meets, whatever else the query asks.
type Unmet struct {
	Kind string // "folder", "tag", "property", or "value" of a property
	Key  string // of a "value": the property
	Name string // as asked
	Near string // a name like it that there is; "" for none
}

// unmet finds the conditions to which the answer owes that it is empty.
func (s *run) unmet() []Unmet {
	var out []Unmet
	tag := func(t string) {
		if f := foldTag(t); !s.stands(tagTerm + f) {
			out = append(out, Unmet{Kind: "tag", Name: t, Near: s.alike(tagTerm, f, "")})
		}
	}
	property := func(key, value string) {
		k, v := vault.Fold(key), foldValue(value)
		switch {
		case !s.stands(propTerm + k):
			out = append(out, Unmet{Kind: "property", Name: key, Near: s.alike(propTerm, k, "=")})
		case value != "" && !s.stands(propTerm+k+"="+v):
			out = append(out, Unmet{Kind: "value", Key: key, Name: value, Near: s.alike(propTerm+k+"=", v, "")})
		}
	}
	for _, t := range s.q.Tags {
		tag(t)
	}
	for _, key := range slices.Sorted(maps.Keys(s.q.Properties)) {
		property(key, s.q.Properties[key])
	}
	for _, f := range s.page.Parsed.filters {
		switch {
		case f.not:
		case f.key == "tag":
			tag(f.value)
		case f.key == "prop" && f.op == "=":
			property(f.name, f.value)
		case f.key == "prop":
			property(f.name, "")
		}
	}
	return out
}

// stands reports whether a living note holds term.
func (s *run) stands(term string) bool { return s.living(s.pl.st, s.pl.exactly(term)) > 0 }

// alike returns the term after head that is most like want, among those without stop.
func (s *run) alike(head, want, stop string) string {
	best := closest{want: want}
	for i := range s.pl.st.parts {
		p := &s.pl.st.parts[i]
		for k := p.from(head); k < p.terms() && strings.HasPrefix(p.term(k), head); k++ {
			t := p.term(k)[len(head):]
			if stop != "" && strings.Contains(t, stop) {
				continue
			}
			if best.better(t) && s.stands(p.term(k)) {
				best.take(t)
			}
		}
	}
	return strings.Clone(best.name)
}

// folder looks for a folder like dir: the same but for case and Unicode form, else one with a name like it.
func (s *run) folder(dir vault.Path) (same, near vault.Path) {
	seen := make(map[vault.Path]bool)
	best := closest{want: dir.Key()}
	for i := range s.pl.st.parts {
		p := &s.pl.st.parts[i]
		for doc := range uint32(p.docs()) {
			if p.isDead(doc) {
				continue
			}
			for f := p.path(doc).Dir(); f != "" && !seen[f]; f = f.Dir() {
				seen[f] = true
				key := f.Key()
				switch {
				case key == best.want:
					if same == "" || f < same {
						same = f
					}
				case best.better(key) || key == best.name && f < near:
					best.take(key)
					near = f
				}
			}
		}
	}
	return same, near
}

// closest is the name that is most like want so far. Of names that are equally like it the first one in their order is taken, so that
// the answer does not depend on the segments.
type closest struct {
	want, name string
	edits      int
}

func (c *closest) better(name string) bool {
	n := c.distance(name)
	return n >= 0 && (c.name == "" || cmp.Or(cmp.Compare(n, c.edits), strings.Compare(name, c.name)) < 0)
}

func (c *closest) take(name string) { c.name, c.edits = name, c.distance(name) }

// distance is the number of edits between name, or its last segment, and what is wanted; -1 if they are not alike.
func (c *closest) distance(name string) int {
	most := max(1, utf8.RuneCountInString(c.want)/3)
	n := edits(c.want, name, most)
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		if m := edits(c.want, name[i+1:], most); m >= 0 && (n < 0 || m+1 < n) {
			return m + 1
		}
	}
	return n
}

// edits is the number of characters to put in, leave out or replace between a and b, two neighbours that changed places counting as
// one; -1 if it is more than most.
func edits(a, b string, most int) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > most || -d > most {
		return -1
	}
	rows := [3][]int{make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		row, above, over := rows[i%3], rows[(i+2)%3], rows[(i+1)%3]
		row[0] = i
		least := i
		for j := 1; j <= len(y); j++ {
			n := above[j-1]
			if x[i-1] != y[j-1] {
				n = 1 + min(n, above[j], row[j-1])
				if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
					n = min(n, over[j-2]+1)
				}
			}
			row[j] = n
			least = min(least, n)
		}
		if least > most {
			return -1
		}
	}
	if n := rows[len(x)%3][len(y)]; n <= most {
		return n
	}
	return -1
}
