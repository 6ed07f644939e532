package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	mostTypos = 8 // words that are searched in the place of one
	typoRunes = 4 // shorter words are not corrected
	mostFixed = 4 // words of a query that are corrected
)

// correct looks for words that differ by one edit from those of the query which few notes hold. It reports whether there are any;
// the plan then holds them.
func (s *run) correct(parsed *Parsed) bool {
	fixed := 0
	for g := range s.pl.groups {
		w := &s.pl.groups[g]
		if w.must || w.df >= fewestHits || len(w.terms) > 1 || fixed == mostFixed || !correctable(w.terms[0]) {
			continue
		}
		w.unknown = w.df == 0
		if w.typos = s.near(w.terms[0]); len(w.typos) > 0 {
			s.resolve(s.pl, w)
			s.page.Corrections = append(s.page.Corrections, Corrected{From: w.terms[0], To: w.typos})
			fixed++
		}
	}
	s.pl.weigh()
	return fixed > 0
}

func correctable(t string) bool {
	if utf8.RuneCountInString(t) < typoRunes {
		return false
	}
	r, _ := utf8.DecodeRuneInString(t)
	return classOf(r) == letter && !strings.ContainsAny(t, "0123456789")
}

// near returns the words of the index that are one edit away from t, the most frequent first.
func (s *run) near(t string) []string {
	count := make(map[string]int)
	// One edit leaves the one part of the word as it was, or the other.
	half := len(t) / 2
	head, tail := t[:half-1], t[half:]
	for i := range s.pl.st.parts {
		p := &s.pl.st.parts[i]
		try := func(k int) {
			if w := p.term(k); oneEdit(w, t) {
				count[w] += s.living(s.pl.st, only(len(s.pl.st.parts), i, p.postings(k)))
			}
		}
		for k := p.from(head); k < p.terms() && strings.HasPrefix(p.term(k), head); k++ {
			try(k)
		}
		k, last, start := p.from(wordTerms), t[len(t)-1], uint32(0)
		if k > 0 {
			start = p.ends[k-1]
		}
		for ; k < p.terms(); k++ {
			end := p.ends[k]
			if n := int(end - start); n >= len(tail) && p.text[end-1] == last && n-len(t) <= 4 && p.text[int(end)-len(tail):end] == tail &&
				!strings.HasPrefix(p.term(k), head) {
				try(k)
			}
			start = end
		}
	}
	out := make([]string, 0, len(count))
	for w, n := range count {
		if n > 0 {
			out = append(out, strings.Clone(w))
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b))
	})
	return out[:min(len(out), mostTypos)]
}

func only(parts, i int, data []byte) lookup {
	l := make(lookup, parts)
	l[i].data = data
	return l
}

// oneEdit reports whether a and b differ by one character that is put in, left out or replaced, or by two neighbours that changed
// places.
func oneEdit(a, b string) bool {
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y {
			break
		}
		a, b = a[n:], b[m:]
	}
	if a == "" && b == "" {
		return false
	}
	_, n := utf8.DecodeRuneInString(a)
	_, m := utf8.DecodeRuneInString(b)
	if a[n:] == b[m:] || a[n:] == b || a == b[m:] {
		return true
	}
	x, k := utf8.DecodeRuneInString(a[n:])
	y, l := utf8.DecodeRuneInString(b[m:])
	return k > 0 && l > 0 && a[:n] == string(y) && b[:m] == string(x) && a[n+k:] == b[m+l:]
}
