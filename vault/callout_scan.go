package vault

import (
	"bytes"
	"strings"
)

// Callout is a quote whose first line is "[!type] title".
type Callout struct {
	Type       string // in lower case, without what follows a "|"
	Title      string // "" where its type stands for it
	Fold       byte   // '+' opened, '-' closed, 0 not foldable
	Line       int    // of the first line
	Start, End int    // span of the quote: the lines that begin with its marks
}

// Footnote is a mark in the text, or the text that it stands for.
type Footnote struct {
	ID         string // "" for one that is written in place: ^[text]
	Definition bool   // "[^id]: text"; End is that of its first paragraph
	Line       int
	Start, End int
}

// callout notes the callout that the text at p begins, in the line from at to end. The quote was opened in that line.
func (s *scanner) callout(at, p, end int) {
	text := s.b[p:end]
	i := bytes.IndexByte(text, ']')
	if i < 3 || i > MaxSegment {
		return
	}
	kind, _, _ := bytes.Cut(text[2:i], []byte{'|'})
	c := Callout{Type: strings.ToLower(string(bytes.TrimSpace(kind))), Line: s.line, Start: at}
	if c.Type == "" {
		return
	}
	rest := text[i+1:]
	if len(rest) > 0 && (rest[0] == '+' || rest[0] == '-') {
		c.Fold = rest[0]
		rest = rest[1:]
	}
	c.Title = string(bytes.TrimSpace(rest))
	quotes := 0
	for _, o := range s.open[:s.depth] {
		if o.quote {
			quotes++
		}
	}
	for c.End = end; ; {
		next := nextLine(s.b, c.End)
		if next >= len(s.b) || !inQuotes(s.b[next:lineEnd(s.b, next)], quotes) {
			break
		}
		c.End = lineEnd(s.b, next)
	}
	if c.End > c.Start && s.b[c.End-1] == '\r' {
		c.End--
	}
	s.n.Callouts = append(s.n.Callouts, c)
}

// toggleComment begins a comment at a line that begins with "%%", and ends it at the next "%%".
func (s *scanner) toggleComment(p, end int) {
	text := s.b[p:end]
	if s.comment {
		s.comment = !bytes.Contains(text, []byte("%%"))
		return
	}
	s.comment = bytes.HasPrefix(text, []byte("%%")) && !bytes.Contains(text[2:], []byte("%%"))
}

// inQuotes reports whether a line begins with a number of ">".
func inQuotes(line []byte, quotes int) bool {
	for ; quotes > 0; quotes-- {
		line = bytes.TrimLeft(line, " \t")
		if len(line) == 0 || line[0] != '>' {
			return false
		}
		line = line[1:]
	}
	return true
}

// footnoteMark notes "[^id]" in the text; o is its bracket and t.i its end.
func (s *scanner) footnoteMark(t *inliner, o bracket) {
	id := t.b[o.at+2 : t.i]
	if len(id) == 0 || len(id) > MaxSegment || bytes.ContainsAny(id, " \t\n[") {
		return
	}
	if o.at == t.lineText && t.i+1 < len(t.b) && t.b[t.i+1] == ':' {
		return // it begins the definition
	}
	s.n.Footnotes = append(s.n.Footnotes, Footnote{ID: string(id), Line: o.line, Start: o.at, End: t.i + 1})
}

// footnoteTexts notes the definitions that lines of a paragraph begin with: each goes on to the next.
func (s *scanner) footnoteTexts(p paragraph) {
	line := p.line
	for at := p.start; at < p.end; line++ {
		end := min(lineEnd(s.b, at), p.end)
		text := s.b[at:end]
		if i := bytes.Index(text, []byte("]:")); bytes.HasPrefix(text, []byte("[^")) && i >= 3 && i <= MaxSegment && !bytes.ContainsAny(text[2:i], " \t[") {
			s.n.Footnotes = append(s.n.Footnotes, Footnote{ID: string(text[2:i]), Definition: true, Line: line, Start: at, End: end})
		} else if k := len(s.n.Footnotes) - 1; k >= 0 && s.n.Footnotes[k].Definition && s.n.Footnotes[k].Start >= p.start {
			s.n.Footnotes[k].End = end
		}
		at = end + 1
	}
}
