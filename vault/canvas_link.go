package vault

import (
	"bytes"
	"slices"
	"strings"
)

// Links are the links out of the canvas, in the order of its nodes: the files of its file cards, the pictures behind its groups, and
// what its text cards link to (those say InCard). body is what was parsed. Start and End are the span in the file: of a file card the
// text between the quotes. A target that is written with escapes has no span of its own.
func (c *Canvas) Links(body []byte) []Link {
	var links []Link
	var s scanner
	lines := lineCounter{b: body, line: 1}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if n.again {
			continue
		}
		for k, m := range n.members {
			switch {
			case slices.ContainsFunc(n.members[k+1:], func(later member) bool { return later.key == m.key }): // the last counts
			case m.key == "file" && n.Type == "file" && n.File != "", m.key == "background" && n.Type == "group" && n.Background != "":
				if l, ok := fileLink(m, n.Subpath); ok {
					l.Line = lines.at(m.at)
					links = append(links, l)
				}
			case m.key == "text" && n.Type == "text":
				links = append(links, cardLinks(&s, m, n.Text, lines.at(m.at))...)
			}
		}
	}
	return links
}

func fileLink(m member, subpath string) (Link, bool) {
	path := jsonText(m.raw)
	l := Link{Kind: LinkCanvas, Target: path, Display: path, Start: m.at + 1, End: m.at + len(m.raw) - 1}
	if m.key == "file" {
		l.Subpath = subpath
	}
	if bytes.IndexByte(m.raw, '\\') < 0 {
		l.TargetStart, l.TargetEnd = l.Start, l.End
	}
	return l, path != ""
}

// cardLinks are the links in a card's text, with their spans in the JSON string.
func cardLinks(s *scanner, m member, text string, line int) []Link {
	if strings.IndexByte(text, '[') < 0 {
		return nil
	}
	links := scanText(s, []byte(text)).Links
	if len(links) == 0 {
		return nil
	}
	at := jsonOffsets(m.raw)
	if len(at) != len(text)+1 { // the text was changed, or the file holds bytes that are no UTF-8
		return nil
	}
	for i := range links {
		l := &links[i]
		if l.Kind == LinkProperty {
			continue
		}
		l.Kind, l.InCard, l.Line = LinkCanvas, true, line
		target := m.raw[at[l.TargetStart]:at[l.TargetEnd]]
		l.TargetStart, l.TargetEnd = m.at+at[l.TargetStart], m.at+at[l.TargetEnd]
		if bytes.IndexByte(target, '\\') >= 0 {
			l.TargetStart, l.TargetEnd = 0, 0
		}
		l.Start, l.End = m.at+at[l.Start], m.at+at[l.End]
	}
	return links
}

// scanText reads a text that has no properties: a card. It makes use of s, which it overwrites.
func scanText(s *scanner, text []byte) *Note {
	n := &Note{Size: len(text)}
	var tags tagSet
	*s = scanner{b: text, n: n, tags: &tags, line: 1}
	s.run(0)
	n.Links, n.Tags = s.links, tags.list
	return n
}

// lineCounter tells the lines of offsets that do not go back far.
type lineCounter struct {
	b         []byte
	pos, line int
}

func (l *lineCounter) at(offset int) int {
	if offset < l.pos {
		return lineAt(l.b, offset)
	}
	l.line += bytes.Count(l.b[l.pos:offset], []byte{'\n'})
	l.pos = offset
	return l.line
}
