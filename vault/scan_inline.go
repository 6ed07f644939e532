package vault

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// inliner is the state of reading one run of text. Each no… field is an offset: from what lies before it, a search for that
// closer has failed already. They keep hostile text linear.
type inliner struct {
	b           []byte // up to the end of the run
	i           int
	inlineStart int
	line        int
	lineText    int // where the text of the line begins
	eol         int // where the line ends; -1 while unknown
	fresh       int // where a text run begins: a tag may begin there without a blank before it
	quotes      int
	table       bool
	noWiki      int
	noMath      int
	noMath2     bool
	noComment   bool
	ticks       [maxTicks + 1]int // last run of backticks of each length, once one search has failed
	ticksKnown  bool
	brackets    [maxBrackets]bracket
	nBrackets   int
}

const (
	maxTicks    = 64
	maxBrackets = 32
)

// bracket is a "[" that a link's text may begin with.
type bracket struct {
	at, line int
	image    bool
	relation int // where the text of its line begins
}

// inline reads text: links, tags, and what hides them.
func (s *scanner) inline(start, end, line, quotes int) {
	t := &s.inl
	t.b, t.i, t.line, t.lineText, t.eol, t.fresh, t.quotes = s.b[:end], start, line, start, -1, start, quotes
	t.inlineStart = start
	t.noWiki, t.noMath, t.noMath2, t.noComment, t.ticksKnown, t.nBrackets = 0, 0, false, false, false, 0
	t.table = t.b[start] == '|'
	b := t.b
	i := start
	for {
		for i < len(b) && class[b[i]]&special == 0 {
			i++
		}
		if i == len(b) {
			return
		}
		t.i = i
		switch b[i] {
		case '\n':
			t.newline()
		case '\\':
			t.i++
			if t.i < len(b) && isPunct(b[t.i]) {
				t.i++
				t.fresh = t.i
			}
		case '`':
			t.code()
		case '$':
			t.math()
		case '<':
			t.html()
		case '#':
			s.tag(t)
		case '[':
			s.bracket(t)
		case ']':
			s.closeBracket(t)
		}
		i = t.i
	}
}

// newline goes to the next line's text.
func (t *inliner) newline() {
	t.line++
	i := t.i + 1
	for q := 0; ; {
		for i < len(t.b) && isSpace(t.b[i]) {
			i++
		}
		if q == t.quotes || i == len(t.b) || t.b[i] != '>' {
			break
		}
		i++
		q++
	}
	t.i, t.lineText, t.fresh, t.eol = i, i, i, -1
}

// advance goes to offset to, over what hides its content, and begins a text run there.
func (t *inliner) advance(to int) {
	if n := bytes.Count(t.b[t.i:to], []byte{'\n'}); n > 0 {
		t.line += n
		t.lineText = t.i + bytes.LastIndexByte(t.b[t.i:to], '\n') + 1
		t.eol = -1
	}
	t.i, t.fresh = to, to
}

func (t *inliner) lineEnd() int {
	if t.eol < t.i {
		t.eol = lineEnd(t.b, t.i)
	}
	return t.eol
}

// code goes over a code span, or over the backticks if they open none.
func (t *inliner) code() {
	n := runLen(t.b[t.i:])
	after := t.i + n
	if n > maxTicks || t.ticksKnown && t.ticks[n] <= t.i {
		t.i = after
		return
	}
	for i := after; ; {
		k := bytes.IndexByte(t.b[i:], '`')
		if k < 0 {
			break
		}
		i += k
		m := runLen(t.b[i:])
		if m == n {
			t.advance(i + m)
			return
		}
		i += m
	}
	t.findTicks(after)
	t.i = after
}

// findTicks notes where the last run of each length is, so that no further search is in vain.
func (t *inliner) findTicks(i int) {
	t.ticksKnown = true
	t.ticks = [maxTicks + 1]int{}
	for {
		k := bytes.IndexByte(t.b[i:], '`')
		if k < 0 {
			return
		}
		i += k
		m := runLen(t.b[i:])
		if m <= maxTicks {
			t.ticks[m] = i
		}
		i += m
	}
}

// math goes over $…$ in one line and $$…$$ in one paragraph.
func (t *inliner) math() {
	b, i := t.b, t.i
	if i+1 < len(b) && b[i+1] == '$' {
		if !t.noMath2 {
			if k := bytes.Index(b[i+2:], []byte("$$")); k >= 0 {
				t.advance(i + 2 + k + 2)
				return
			}
			t.noMath2 = true
		}
		t.i = i + runLen(b[i:])
		return
	}
	end := t.lineEnd()
	if i+1 < end && !isSpace(b[i+1]) && i >= t.noMath {
		for j := i + 1; j < end; j++ {
			k := bytes.IndexByte(b[j:end], '$')
			if k < 0 {
				break
			}
			j += k
			if !isSpace(b[j-1]) && b[j-1] != '\\' && (j+1 == len(b) || !isDigit(b[j+1])) {
				t.advance(j + 1)
				return
			}
		}
		t.noMath = end
	}
	t.i++
}

// html goes over a comment, a tag or an address in angle brackets.
func (t *inliner) html() {
	rest := t.b[t.i:]
	n := 0
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		if !t.noComment {
			if k := bytes.Index(rest[4:], []byte("-->")); k >= 0 {
				n = 4 + k + 3
			} else {
				t.noComment = true
			}
		}
	case len(rest) > 1 && (isLetter(rest[1]) || rest[1] == '/'):
		if n = htmlTagLen(rest); n == 0 {
			n = autolinkLen(rest)
		}
	}
	if n == 0 {
		t.i++
		return
	}
	t.advance(t.i + n)
}

// tag reads a tag, if one may begin here.
func (s *scanner) tag(t *inliner) {
	if t.mayTag() {
		if n := tagLen(t.b[t.i+1:]); n > 0 {
			s.tags.add(t.b[t.i+1 : t.i+1+n])
			t.i += 1 + n
			t.fresh = t.i
			return
		}
	}
	t.i++
}

// mayTag reports whether a text run begins at i, or a blank stands before it.
func (t *inliner) mayTag() bool {
	b, i := t.b, t.i
	if i == t.fresh || i == t.lineText {
		return true
	}
	switch c := b[i-1]; {
	case isSpace(c) || c == '*':
		return true
	case c == '|':
		return t.table
	case c == '_':
		return i-1 == t.lineText || !isWord(b[i-2])
	case c == '~' || c == '=':
		return i-1 > t.lineText && b[i-2] == c
	case c >= utf8.RuneSelf:
		r, _ := utf8.DecodeLastRune(b[:i])
		return unicode.IsSpace(r)
	}
	return false
}
