package search

import (
	"strings"
	"unicode"
)

// suggest returns the query as it would have to be written for the best match to hold its words, "" if there is no better one. It is
// called when no note matches in full. The first all of those found hold every word, some of them with an edit.
func (s *run) suggest(all int) string {
	if len(s.found) == 0 {
		return ""
	}
	list := s.found
	if all > 0 {
		list = list[:all]
	}
	best := s.best(list, 1)[0]
	p := &s.pl.st.parts[best.part]
	better := make(map[string]string)
	for g := range s.pl.groups {
		w := &s.pl.groups[g]
		if all == 0 && !w.unknown || len(w.typos) == 0 || p.holdsAll(best.doc, w.terms) {
			continue
		}
		for _, t := range w.typos {
			if p.holdsAll(best.doc, []string{t}) {
				better[w.terms[0]] = t
				break
			}
		}
	}
	if len(better) == 0 {
		return ""
	}
	return respell(s.q.Text, better)
}

// respell replaces words of a query, but for those in quotes, in filters and after a minus, which are searched as they are.
func respell(text string, better map[string]string) string {
	var out strings.Builder
	quotes := 0
	for text != "" {
		blank := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
		out.WriteString(text[:blank])
		text = text[blank:]
		end := strings.IndexFunc(text, unicode.IsSpace)
		if end < 0 {
			end = len(text)
		}
		unit := text[:end]
		text = text[end:]
		marks := strings.Count(strings.Map(func(r rune) rune {
			if isQuote(r) {
				return '"'
			}
			return r
		}, unit), `"`)
		if marks > 0 || quotes%2 == 1 || unit[0] == '-' || strings.Contains(unit, ":") {
			out.WriteString(unit)
		} else {
			respellWords(&out, unit, better)
		}
		quotes += marks
	}
	return out.String()
}

func respellWords(out *strings.Builder, unit string, better map[string]string) {
	src := composed([]byte(unit))
	var t tokens
	t.reset(src)
	at := 0
	for t.next() {
		if to, ok := better[string(t.text)]; ok && t.start >= at {
			out.Write(src[at:t.start])
			out.WriteString(to)
			at = t.end
		}
	}
	out.Write(src[at:])
}
