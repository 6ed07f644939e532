package search

import (
	"bytes"
	"context"
	"slices"
)

// check keeps, of the candidates from start on, those whose phrases stand in their text, in the order in which they would be shown:
// when the reads are used up, the best have been checked.
func (s *run) check(ctx context.Context, start int) error {
	if len(s.pl.phrases) == 0 || len(s.found) == start {
		return nil
	}
	if s.src == nil {
		s.page.TotalIsExact = false
		return nil
	}
	list := s.found[start:]
	list = s.best(list, len(list))
	kept := list[:0]
	for i, c := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		ok, known := s.phrasesHold(c)
		switch {
		case !known && s.reads >= s.q.MaxReads:
			s.page.Unchecked += len(list) - i
			s.page.TotalIsExact = false
			s.found = s.found[:start+len(kept)]
			return nil
		case !known:
			ok = s.read(c)
		}
		if ok {
			kept = append(kept, c)
		}
	}
	s.found = s.found[:start+len(kept)]
	return nil
}

// phrasesHold decides on a note without reading it, where that is possible: a phrase that must not be there cannot be if one of its
// words is missing, and one that must be may stand in the title.
func (s *run) phrasesHold(c candidate) (ok, known bool) {
	p := &s.pl.st.parts[c.part]
	known = true
	for i := range s.pl.phrases {
		ph := &s.pl.phrases[i]
		shown := s.inTitle(p, c.doc, ph)
		switch {
		case shown && ph.not:
			return false, true
		case shown:
		case ph.not && !p.holdsAll(c.doc, ph.terms):
		default:
			known = false
		}
	}
	return true, known
}

// inTitle reports whether the phrase stands in the name or the title of a note.
func (s *run) inTitle(p *part, doc uint32, ph *phrase) bool {
	path := p.path(doc)
	s.name = append(append(append(s.name[:0], path.Name()...), '\n'), p.title(doc)...)
	at := len(path.Name())
	return contains(s.name[:at], ph.sequence) || contains(s.name[at+1:], ph.sequence)
}

// holdsAll reports whether a note holds every one of terms.
func (p *part) holdsAll(doc uint32, terms []string) bool {
	var c cursor
	for _, t := range terms {
		k := p.find(t)
		if k < 0 {
			return false
		}
		c.open(p.postings(k))
		if x, ok := c.seek(doc); !ok || x.doc != doc {
			return false
		}
	}
	return true
}

// read checks the phrases of a note in its text.
func (s *run) read(c candidate) bool {
	p := &s.pl.st.parts[c.part]
	s.reads++
	text, err := s.src(p.path(c.doc))
	if err != nil {
		s.page.Unread++
		s.page.TotalIsExact = false
		return false
	}
	whole := text
	for i := range s.pl.phrases {
		ph := &s.pl.phrases[i]
		if !ph.plain && len(whole) == len(text) {
			whole = composed(text)
		}
		if here := contains(whole, ph.sequence) || s.inTitle(p, c.doc, ph); here == ph.not {
			return false
		}
	}
	return true
}

// contains reports whether the terms of want follow one another in text.
func contains(text []byte, want []string) bool {
	first := []byte(want[0])
	if isPlain(want[0]) {
		return containsPlain(text, first, want)
	}
	var t tokens
	t.reset(text)
	for t.next() {
		if t.kind != pairToken && bytes.Equal(t.text, first) && follows(text[t.end:], want[1:]) {
			return true
		}
	}
	return false
}

func isPlain(s string) bool {
	return !slices.ContainsFunc([]byte(s), func(c byte) bool { return c >= 0x80 })
}

// containsPlain is contains for a first word in ASCII. It looks for the letters before it looks for words. The text may write the word
// with accents, so that only the run up to a character beyond ASCII is compared here.
func containsPlain(text, first []byte, want []string) bool {
	var t tokens
	t.reset(text)
	for t.pos < len(text) {
		c := text[t.pos]
		if c < 0x80 && asciiClass[c] != letter {
			t.pos++
			continue
		}
		if c < 0x80 && c|0x20 != first[0] { // of a word that begins with another letter, skip the rest
			t.pos++
			for t.pos < len(text) && text[t.pos] < 0x80 && asciiClass[text[t.pos]] == letter {
				t.pos++
			}
			if t.pos < len(text) && text[t.pos] >= 0x80 {
				t.pos = wordEnd(text, t.pos)
			}
			continue
		}
		if !t.next() {
			return false
		}
		if t.kind != pairToken && bytes.Equal(t.text, first) && follows(text[t.end:], want[1:]) {
			return true
		}
	}
	return false
}

// wordEnd returns where the word that goes on at i ends.
func wordEnd(text []byte, i int) int {
	var t tokens
	t.reset(text[i:])
	if t.next() && t.start == 0 && t.kind == wordToken {
		return i + t.end
	}
	return i
}

// follows reports whether text begins with the terms of want.
func follows(text []byte, want []string) bool {
	var t tokens
	t.reset(text)
	for _, w := range want {
		for {
			if !t.next() {
				return false
			}
			if t.kind != pairToken && len(t.text) > 0 {
				break
			}
		}
		if string(t.text) != w {
			return false
		}
	}
	return true
}
