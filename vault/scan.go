package vault

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// maxContainers is how many quotes and list items inside one another are told apart. What lies deeper is read as text.
const maxContainers = 64

// scanner goes through a note's text once. It follows CommonMark's block structure as far as that decides what is code, math or
// HTML (where nothing counts), and hands each run of text to inline.
type scanner struct {
	b    []byte
	n    *Note
	tags *tagSet

	links []Link

	line int // number of the line at hand

	open  [maxContainers]container
	depth int

	leaf leaf // what the lines at this depth belong to, if not to a paragraph
	para paragraph

	chunk, last lines // the lines since the last blank one, and those before
	inChunk     bool
	noMath      bool // no "$$" is left below
	comment     bool // between lines that are "%%": links and tags count there, tasks and callouts do not

	refs  references
	mixed bool // links did not come in the order of the text
	inl   inliner
}

// container is a quote, or a list item whose text is indented by width columns.
type container struct {
	quote bool
	empty bool // an item without text so far: a blank line ends it
	width int
}

// leaf is a block whose lines are not text: fenced code, math, or HTML.
type leaf struct {
	kind leafKind
	mark byte // of a fence
	len  int
	end  string // of HTML that does not end with a blank line
}

type leafKind uint8

const (
	leafNone leafKind = iota
	leafFence
	leafMath
	leafHTML
)

// paragraph is text that may go on in the next line.
type paragraph struct {
	open       bool
	start, end int
	line       int // where it begins
	lineStart  int
	quotes     int // that its lines begin with
	depth      int
}

type lines struct{ start, end, line int }

func (s *scanner) run(at int) {
	s.refs.any = bytes.Contains(s.b[at:], []byte("]:"))
	for at < len(s.b) {
		end := lineEnd(s.b, at)
		next := end + 1
		if end > at && s.b[end-1] == '\r' {
			end--
		}
		s.read(at, end)
		s.line++
		at = next
	}
	s.flush()
	s.resolveReferences()
	if s.mixed {
		slices.SortStableFunc(s.links, func(a, b Link) int {
			if a.Kind == LinkProperty || b.Kind == LinkProperty {
				return 0
			}
			return cmp.Compare(a.Start, b.Start)
		})
	}
}

// read takes one line.
func (s *scanner) read(at, end int) {
	c := cursor{b: s.b, pos: at, end: end}
	matched := s.match(&c)
	if s.leaf.kind != leafNone {
		if matched == s.depth {
			s.chunk.end = end
			s.readLeaf(c.pos, end)
			return
		}
		s.leaf = leaf{}
	}
	indent, p := c.indent()
	if p == end {
		s.flush()
		s.depth = matched
		if s.depth > 0 && s.open[s.depth-1].empty {
			s.depth--
		}
		s.inChunk = false
		return
	}
	s.extendChunk(at, end)
	if s.depth > 0 {
		s.open[s.depth-1].empty = false
	}
	if s.comment || s.b[p] == '%' {
		s.toggleComment(p, end)
	}

	if s.para.open && matched == s.depth && indent < 4 {
		if level := underline(s.b[p:end]); level > 0 {
			s.underlined(level, end)
			return
		}
	}
	opened := s.openContainers(&c, matched)
	indent, p = c.indent()
	if p == end { // a list item without text yet
		return
	}
	if opened && s.b[p] == '[' && indent < 4 && !s.comment {
		if s.open[s.depth-1].quote {
			if p+1 < end && s.b[p+1] == '!' {
				s.callout(at, p, end)
			}
		} else {
			s.task(at, p, end)
		}
	}
	kind := s.classify(p, end, indent)
	if kind == isText || kind == isCode && s.para.open {
		if s.para.open && !opened { // goes on, perhaps without the marks of its quote or item
			s.para.end = end
			return
		}
	}
	if !opened && s.depth > matched {
		s.flush()
		s.depth = matched
	}
	s.begin(kind, at, p, end)
}

func (s *scanner) extendChunk(at, end int) {
	if !s.inChunk {
		s.last, s.chunk, s.inChunk = s.chunk, lines{start: at, line: s.line}, true
	}
	s.chunk.end = end
}

// begin starts a block in a line whose text begins at p.
func (s *scanner) begin(kind lineKind, at, p, end int) {
	if kind == isText {
		s.flush()
		quotes := 0
		for _, c := range s.open[:s.depth] {
			if c.quote {
				quotes++
			}
		}
		s.para = paragraph{open: true, start: p, end: end, line: s.line, lineStart: at, quotes: quotes, depth: s.depth}
		return
	}
	s.flush()
	switch kind {
	case isHeading:
		s.heading(at, p, end)
	case isFence:
		n := runLen(s.b[p:end])
		s.leaf = leaf{kind: leafFence, mark: s.b[p], len: n}
	case isMath:
		s.leaf = leaf{kind: leafMath}
	case isHTML:
		closer, _ := htmlBlock(s.b[p:end], false)
		s.leaf = leaf{kind: leafHTML, end: closer}
		if closer != "" && containsFold(s.b[p:end], closer) {
			s.leaf = leaf{}
		}
	}
}

// readLeaf takes a line of code, math or HTML.
func (s *scanner) readLeaf(p, end int) {
	text := s.b[p:end]
	switch s.leaf.kind {
	case leafFence:
		trimmed := bytes.TrimLeft(text, " ")
		if len(text)-len(trimmed) < 4 && len(trimmed) > 0 && trimmed[0] == s.leaf.mark {
			if n := runLen(trimmed); n >= s.leaf.len && isBlank(trimmed[n:]) {
				s.leaf = leaf{}
			}
		}
	case leafMath:
		if bytes.Contains(text, []byte("$$")) {
			s.leaf = leaf{}
		}
	case leafHTML:
		switch {
		case s.leaf.end != "" && containsFold(text, s.leaf.end):
			s.leaf = leaf{}
		case s.leaf.end == "" && isBlank(text):
			s.leaf, s.inChunk = leaf{}, false
		}
	}
}

// flush ends the paragraph, if there is one, and reads its text.
func (s *scanner) flush() {
	if !s.para.open {
		return
	}
	p := s.para
	s.para.open = false
	start, line := p.start, p.line
	if s.refs.any && s.b[start] == '[' {
		if start+1 < p.end && s.b[start+1] == '^' {
			s.footnoteTexts(p)
		}
		start, line = s.definitions(p)
	}
	if start < p.end {
		s.inline(start, p.end, line, p.quotes)
	}
	s.paragraphID(p)
}

func (s *scanner) paragraphID(p paragraph) {
	id, at, ok := blockID(s.b[p.start:p.end])
	if !ok {
		return
	}
	b := Block{ID: string(id), Line: p.line, Start: p.lineStart, End: p.end}
	if at == 0 && p.depth == 0 { // alone: it names what stands above
		above := s.last
		if s.chunk.start < p.lineStart {
			above = s.chunk
		}
		if above.end > above.start {
			b.Line, b.Start = above.line, above.start
		}
	}
	s.n.Blocks = append(s.n.Blocks, b)
}

// heading reads "## Text".
func (s *scanner) heading(at, p, end int) {
	level := runLen(s.b[p:end])
	from := p + level
	text := bytes.Trim(s.b[from:end], " \t")
	if i := len(bytes.TrimRight(text, "#")); i == 0 {
		text = nil
	} else if i < len(text) && isSpace(text[i-1]) {
		text = bytes.TrimRight(text[:i], " \t")
	}
	s.addHeading(level, text, s.line, at, end)
	if len(text) > 0 {
		s.inline(from, end, s.line, 0)
	}
	if id, _, ok := blockID(text); ok {
		s.n.Blocks = append(s.n.Blocks, Block{ID: string(id), Line: s.line, Start: at, End: end})
	}
}

// underlined turns the paragraph into a heading.
func (s *scanner) underlined(level, end int) {
	p := s.para
	s.flush()
	s.addHeading(level, bytes.Trim(s.b[p.start:p.end], " \t\r"), p.line, p.lineStart, end)
}

func (s *scanner) addHeading(level int, text []byte, line, start, end int) {
	if s.depth > 0 { // headings in quotes and lists head no section
		return
	}
	raw := string(text)
	h := Heading{Level: level, Raw: raw, Line: line, Start: start, End: end}
	if _, at, ok := blockID(text); ok {
		h.Text = plainHeading(strings.TrimSpace(raw[:at]))
	} else {
		h.Text = plainHeading(raw)
	}
	s.n.Headings = append(s.n.Headings, h)
}
