package search

import (
	"context"
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
	kept := list[:0]
	for at := 0; at < len(list); {
		// The best are mostly all that is looked at: sorting the rest can wait.
		part := s.best(list[at:], manyHits)
		for i, c := range part {
			if err := ctx.Err(); err != nil {
				return err
			}
			ok, known := s.phrasesHold(c)
			if !known {
				if s.reads >= s.q.MaxReads {
					s.page.Unchecked += len(list) - at - i
					s.page.TotalIsExact = false
					s.found = s.found[:start+len(kept)]
					return nil
				}
				ok = s.read(c)
			}
			if ok {
				kept = append(kept, c)
			}
		}
		at += len(part)
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
