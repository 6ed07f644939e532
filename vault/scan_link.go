package vault

import "bytes"

// bracket reads a wikilink, or notes that a Markdown link's text may begin here.
func (s *scanner) bracket(t *inliner) {
	b, i := t.b, t.i
	if i+1 < len(b) && b[i+1] == '[' && i >= t.noWiki {
		eol := t.lineEnd()
		k := -1
		if i+2 <= eol {
			k = bytes.Index(b[i+2:eol], []byte("]]"))
		}
		if k < 0 {
			t.noWiki = eol
		} else {
			closer := i + 2 + k
			opener := closer - 2
			for opener > i && (b[opener] != '[' || b[opener+1] != '[') {
				opener--
			}
			s.wikilink(t, opener, closer) // the innermost pair wins
			return
		}
	}
	if t.nBrackets == maxBrackets { // the oldest are the least likely to be closed
		t.nBrackets = copy(t.brackets[:], t.brackets[maxBrackets/2:])
	}
	t.brackets[t.nBrackets] = bracket{at: i, line: t.line, image: t.image(i), relation: t.lineText}
	t.nBrackets++
	t.i++
}

// image reports whether a "!" that is not escaped stands before offset i.
func (t *inliner) image(i int) bool {
	return i > t.lineText && t.b[i-1] == '!' && t.fresh < i
}

func (s *scanner) wikilink(t *inliner, opener, closer int) {
	inner := t.b[opener+2 : closer]
	if !isBlank(inner) {
		l := wikilink(inner, opener+2)
		l.Kind, l.Line, l.Start, l.End = LinkWiki, t.line, opener, closer+2
		if t.image(opener) {
			l.Kind = LinkEmbed
			l.Start--
		}
		l.Relation = t.relation(l.Start)
		s.links = append(s.links, l)
	}
	t.i, t.fresh = closer+2, closer+2
}

func (t *inliner) relation(at int) string {
	from := t.lineText
	if task := t.b[from:at]; len(task) > 3 && task[0] == '[' && task[2] == ']' && task[3] == ' ' {
		from += 4
	}
	return relation(t.b, from, at)
}

// closeBracket ends the text of a Markdown link, if a destination or the label of a definition follows.
func (s *scanner) closeBracket(t *inliner) {
	if t.nBrackets == 0 {
		t.i++
		return
	}
	t.nBrackets--
	o := t.brackets[t.nBrackets]
	if !s.inlineLink(t, o) {
		if o.at > t.inlineStart && t.b[o.at-1] == '^' {
			s.n.Footnotes = append(s.n.Footnotes, Footnote{Line: o.line, Start: o.at - 1, End: t.i + 1})
		}
		s.referenceLink(t, o)
		t.i++
	}
}

func (s *scanner) inlineLink(t *inliner, o bracket) bool {
	b := t.b
	if t.i+1 == len(b) || b[t.i+1] != '(' {
		return false
	}
	from, to, next, ok := destination(b, t.i+2)
	if !ok {
		return false
	}
	if next = linkTitle(b, next); next < 0 {
		return false
	}
	if l, ok := markdownLink(b[from:to], from); ok {
		s.addMarkdown(l, t, o, next)
	}
	s.linkTextTag(t, o)
	t.advance(next)
	if !o.image {
		t.nBrackets = 0 // no link holds another
	}
	return true
}

// linkTextTag reads a tag that begins a link's text, where no blank stands before it.
func (s *scanner) linkTextTag(t *inliner, o bracket) {
	text := t.b[o.at+1 : t.i]
	if len(text) > 1 && text[0] == '#' {
		if n := tagLen(text[1:]); n > 0 {
			s.tags.add(text[1 : 1+n])
		}
	}
}

// addMarkdown adds a link whose text began at o and ends at t.i; all of it ends at end.
func (s *scanner) addMarkdown(l Link, t *inliner, o bracket, end int) {
	l.Kind, l.Display, l.Line, l.Start, l.End = LinkMarkdown, string(t.b[o.at+1:t.i]), o.line, o.at, end
	if o.image {
		l.Kind = LinkEmbed
		l.Start--
	}
	l.Relation = relation(t.b, o.relation, l.Start)
	if k := len(s.links); k > 0 && s.links[k-1].Start > l.Start {
		s.mixed = true
	}
	s.links = append(s.links, l)
}

// destination reads where a link leads: [from, to) is the address, next is behind it.
func destination(b []byte, i int) (from, to, next int, ok bool) {
	i = skipBlanks(b, i)
	if i < len(b) && b[i] == '<' {
		for j := i + 1; j < len(b); j++ {
			switch b[j] {
			case '>':
				return i + 1, j, j + 1, true
			case '<', '\n':
				return 0, 0, 0, false
			case '\\':
				j++
			}
		}
		return 0, 0, 0, false
	}
	const deepest = 32
	depth := 0
	j := i
	for ; j < len(b); j++ {
		c := b[j]
		switch {
		case c == '\\' && j+1 < len(b) && isPunct(b[j+1]):
			j++
		case c == '(':
			if depth++; depth > deepest {
				return 0, 0, 0, false
			}
		case c == ')':
			if depth == 0 {
				return i, j, j, true
			}
			depth--
		case c <= ' ' || c == 0x7F:
			return i, j, j, depth == 0
		}
	}
	return i, j, j, depth == 0
}

// linkTitle goes over an optional title and the closing parenthesis; -1 if something else stands there.
func linkTitle(b []byte, i int) int {
	j := skipBlanks(b, i)
	if j < len(b) && j > i && (b[j] == '"' || b[j] == '\'' || b[j] == '(') {
		closer := b[j]
		if closer == '(' {
			closer = ')'
		}
		if j = titleEnd(b, j+1, closer); j < 0 {
			return -1
		}
		j = skipBlanks(b, j)
	}
	if j == len(b) || b[j] != ')' {
		return -1
	}
	return j + 1
}

// titleEnd is behind the closer of a title that begins at i; -1 without one in the next lines.
func titleEnd(b []byte, i int, closer byte) int {
	const longest = 1 << 10
	b = b[:min(len(b), i+longest)]
	for ; i < len(b); i++ {
		switch b[i] {
		case closer:
			return i + 1
		case '\\':
			i++
		}
	}
	return -1
}

func skipBlanks(b []byte, i int) int {
	for i < len(b) && (isSpace(b[i]) || b[i] == '\n') {
		i++
	}
	return i
}
