package vault

import "bytes"

// cursor is a place in a line. Tabs reach to the next multiple of four columns; virt columns of the last one are not used up yet.
type cursor struct {
	b        []byte
	pos, end int
	col      int
	virt     int
}

// indent counts the columns of blanks ahead, and tells where they end.
func (c *cursor) indent() (columns, p int) {
	columns, col := c.virt, c.col
	for p = c.pos; p < c.end; p++ {
		switch c.b[p] {
		case ' ':
			columns++
			col++
		case '\t':
			n := 4 - col&3
			columns += n
			col += n
		case '\r':
		default:
			return columns, p
		}
	}
	return columns, p
}

// skip uses up n columns of blanks.
func (c *cursor) skip(n int) {
	for n > 0 {
		if c.virt > 0 {
			k := min(n, c.virt)
			c.virt -= k
			n -= k
			continue
		}
		if c.pos == c.end {
			return
		}
		switch c.b[c.pos] {
		case ' ':
			c.pos++
			c.col++
			n--
		case '\t':
			c.virt = 4 - c.col&3
			c.pos++
			c.col += c.virt
		default:
			return
		}
	}
}

// jump moves to p, over blanks and k characters before it.
func (c *cursor) jump(p, indent, k int) {
	c.col += indent - c.virt + k
	c.pos, c.virt = p, 0
}

// match goes over the marks and indents of the open containers, as far as the line has them.
func (s *scanner) match(c *cursor) int {
	for i := range s.depth {
		indent, p := c.indent()
		if o := s.open[i]; o.quote {
			if indent > 3 || p == c.end || c.b[p] != '>' {
				return i
			}
			c.jump(p+1, indent, 1)
			c.skip(1) // the one blank that belongs to a ">"
		} else if p < c.end {
			if indent < o.width {
				return i
			}
			c.skip(o.width)
		}
	}
	return s.depth
}

// openContainers opens the quotes and list items that begin in this line.
func (s *scanner) openContainers(c *cursor, matched int) (opened bool) {
	for {
		indent, p := c.indent()
		if p == c.end || indent > 3 {
			return opened
		}
		next := container{}
		skip := 0
		switch ch := c.b[p]; {
		case ch == '>':
			next.quote = true
			skip = 1
		case ch == '-' || ch == '+' || ch == '*' || isDigit(ch):
			n := listMarker(c.b[p:c.end])
			if n == 0 || thematic(c.b[p:c.end]) {
				return opened
			}
			if s.para.open && !opened && matched == s.depth && !interrupts(c.b[p:c.end], n) {
				return opened
			}
			skip = n
		default:
			return opened
		}
		depth := matched
		if opened {
			depth = s.depth
		}
		if depth == maxContainers {
			return opened
		}
		if !opened {
			s.flush()
		}
		c.jump(p+skip, indent, skip)
		if next.quote {
			c.skip(1) // the one blank that belongs to a ">"
		} else {
			after, q := c.indent()
			switch {
			case q == c.end, after > 4: // empty, or indented code inside
				next.width = indent + skip + 1
				next.empty = q == c.end
				c.skip(1)
			default:
				next.width = indent + skip + after
				c.skip(after)
			}
		}
		s.open[depth] = next
		s.depth = depth + 1
		opened = true
	}
}

// listMarker is the length of "-", "12." or "3)" before a blank or the end; else 0.
func listMarker(b []byte) int {
	n := 1
	if isDigit(b[0]) {
		for n < len(b) && n < 9 && isDigit(b[n]) {
			n++
		}
		if n == len(b) || b[n] != '.' && b[n] != ')' {
			return 0
		}
		n++
	}
	if n < len(b) && !isSpace(b[n]) {
		return 0
	}
	return n
}

// interrupts reports whether a list item may end a paragraph: it has text, and begins its list.
func interrupts(b []byte, marker int) bool {
	if isBlank(b[marker:]) {
		return false
	}
	return !isDigit(b[0]) || marker == 2 && b[0] == '1'
}

// thematic recognizes "---", "* * *" and the like.
func thematic(b []byte) bool {
	n := 0
	for _, c := range b {
		switch {
		case c == b[0]:
			n++
		case !isSpace(c):
			return false
		}
	}
	return n >= 3
}

// underline is the level of the heading that "===" or "---" makes of the lines above; 0 if it is none.
func underline(b []byte) int {
	if b[0] != '=' && b[0] != '-' {
		return 0
	}
	n := runLen(b)
	if !isBlank(b[n:]) {
		return 0
	}
	if b[0] == '=' {
		return 1
	}
	return 2
}

// runLen counts how often b's first byte is repeated.
func runLen(b []byte) int {
	n := 1
	for n < len(b) && b[n] == b[0] {
		n++
	}
	return n
}

// lineKind is what a line begins.
type lineKind uint8

const (
	isText lineKind = iota
	isCode
	isHeading
	isFence
	isMath
	isHTML
	isRule
)

func (s *scanner) classify(p, end, indent int) lineKind {
	if indent > 3 {
		return isCode
	}
	text := s.b[p:end]
	switch text[0] {
	case '#':
		if n := runLen(text); n <= 6 && (n == len(text) || isSpace(text[n])) {
			return isHeading
		}
	case '`', '~':
		if n := runLen(text); n >= 3 && (text[0] == '~' || bytes.IndexByte(text[n:], '`') < 0) {
			return isFence
		}
	case '*', '-', '_':
		if thematic(text) {
			return isRule
		}
	case '<':
		if _, ok := htmlBlock(text, s.para.open); ok {
			return isHTML
		}
	case '$':
		if len(text) > 1 && text[1] == '$' && !bytes.Contains(text[2:], []byte("$$")) && !s.noMath {
			if bytes.Contains(s.b[end:], []byte("$$")) {
				return isMath
			}
			s.noMath = true
		}
	}
	return isText
}
