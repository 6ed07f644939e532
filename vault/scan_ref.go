package vault

import (
	"bytes"
	"strings"
)

// references are the links that are written as [text][label], and what the labels mean.
type references struct {
	any     bool // the text holds "]:" at all
	uses    []use
	defined map[string]definition
}

// use is a [text][label] or [label], as offsets.
type use struct {
	at, textEnd     int
	label, labelEnd int
	end, line       int
	image           bool
}

type definition struct{ from, to int }

// referenceLink notes a link whose label may be defined further down.
func (s *scanner) referenceLink(t *inliner, o bracket) {
	if !s.refs.any || o.at+1 == t.i {
		return
	}
	if t.b[o.at+1] == '^' {
		s.footnoteMark(t, o)
		return
	}
	u := use{at: o.at, textEnd: t.i, label: o.at + 1, labelEnd: t.i, end: t.i + 1, line: o.line, image: o.image}
	if u.end < len(t.b) && t.b[u.end] == '[' {
		switch k := bytes.IndexByte(t.b[u.end:min(len(t.b), u.end+maxLabel+2)], ']'); {
		case k > 1:
			u.label, u.labelEnd = u.end+1, u.end+k
			fallthrough
		case k == 1:
			u.end += k + 1
		}
	}
	if t.b[u.label] != '^' && u.labelEnd-u.label <= maxLabel {
		s.refs.uses = append(s.refs.uses, u)
	}
}

// maxLabel is the longest label of a definition, in bytes.
const maxLabel = 999

// labelKey is a label as labels are compared; "" if it is too long or blank.
func labelKey(label []byte) string {
	if len(label) > maxLabel {
		return ""
	}
	return Fold(strings.Join(strings.Fields(string(label)), " "))
}

// definitions reads the "[label]: destination" lines that a paragraph begins with, and returns where the rest begins.
func (s *scanner) definitions(p paragraph) (start, line int) {
	b := s.b[:p.end]
	start, line = p.start, p.line
	for start < len(b) && b[start] == '[' {
		k := bytes.Index(b[start:lineEnd(b, start)], []byte("]:"))
		if k < 2 || b[start+1] == '^' || !isLabel(b[start+1:start+k]) {
			return start, line
		}
		from, to, next, ok := destination(b, start+k+2)
		if !ok || from == to {
			return start, line
		}
		end := lineEnd(b, next)
		if rest := bytes.TrimSpace(b[next:end]); len(rest) > 0 && (len(rest) < 2 || strings.IndexByte(`"'(`, rest[0]) < 0) {
			return start, line
		}
		if key := labelKey(b[start+1 : start+k]); key != "" {
			if s.refs.defined == nil {
				s.refs.defined = make(map[string]definition)
			}
			if _, twice := s.refs.defined[key]; !twice {
				s.refs.defined[key] = definition{from, to}
			}
		}
		line += bytes.Count(b[start:min(len(b), end+1)], []byte{'\n'})
		start = min(len(b), end+1)
		for start < len(b) && (isSpace(b[start]) || p.quotes > 0 && b[start] == '>') {
			start++
		}
	}
	return start, line
}

// isLabel reports whether a label is one: brackets in it are escaped. So "[[Alpha]]: text" begins with a wikilink.
func isLabel(label []byte) bool {
	for i := 0; i < len(label); i++ {
		switch label[i] {
		case '\\':
			i++
		case '[', ']':
			return false
		}
	}
	return true
}

// resolveReferences makes links of the uses whose label is defined.
func (s *scanner) resolveReferences() {
	if len(s.refs.defined) == 0 {
		return
	}
	var last use
	for _, u := range s.refs.uses {
		if u.at >= last.textEnd && u.at < last.end { // the label of the use before, not one of its own
			continue
		}
		d, ok := s.refs.defined[labelKey(s.b[u.label:u.labelEnd])]
		if !ok {
			continue
		}
		l, ok := markdownLink(s.b[d.from:d.to], d.from)
		if !ok {
			continue
		}
		l.Kind, l.Display, l.Line, l.Start, l.End = LinkMarkdown, string(s.b[u.at+1:u.textEnd]), u.line, u.at, u.end
		if u.image {
			l.Kind = LinkEmbed
			l.Start--
		}
		s.links = append(s.links, l)
		s.mixed = true
		last = u
	}
}
