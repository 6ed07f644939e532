package vault

import (
	"strings"
)

// Heading is one heading outside quotes, lists and code.
type Heading struct {
	Level      int    // 1 to 6
	Text       string // without markup, for display
	Raw        string // as written, without the marks that make it a heading
	Line       int
	Start, End int // span of the line (lines, for an underlined heading), without the line break
}

// HeadingPath names the headings that line stands under, from the top: "Plan > Risks". It is "" above the first heading.
func (n *Note) HeadingPath(line int) string {
	var stack []int
	for i, h := range n.Headings {
		if h.Line > line {
			break
		}
		stack = push(stack, n.Headings, i)
	}
	names := make([]string, len(stack))
	for i, h := range stack {
		names[i] = n.Headings[h].Text
	}
	return strings.Join(names, " > ")
}

// push adds heading i to a stack of headings, each of which is above the next.
func push(stack []int, hs []Heading, i int) []int {
	for len(stack) > 0 && hs[stack[len(stack)-1]].Level >= hs[i].Level {
		stack = stack[:len(stack)-1]
	}
	return append(stack, i)
}

// Section finds a section by its heading: the span from the heading's line up to the next heading of its level or above, or the end
// of the note. A chain ("A#B", "A > B") asks for B below A. Case, markup and the characters that links cannot hold do not matter;
// the first match wins.
func (n *Note) Section(heading string) (start, end int, ok bool) {
	i, ok := n.FindHeading(heading)
	if !ok {
		return 0, 0, false
	}
	start, end = n.SectionOf(i)
	return start, end, true
}

// SectionOf is the span of the section below heading i, with its line.
func (n *Note) SectionOf(i int) (start, end int) {
	for _, h := range n.Headings[i+1:] {
		if h.Level <= n.Headings[i].Level {
			return n.Headings[i].Start, h.Start
		}
	}
	return n.Headings[i].Start, n.Size
}

// FindHeading is the index in Headings of what Section finds.
func (n *Note) FindHeading(heading string) (int, bool) {
	heading = strings.TrimLeft(heading, "# \t")
	if i, ok := n.findChain([]string{headingKey(heading)}); ok {
		return i, true
	}
	for _, sep := range []string{"#", " > "} {
		if !strings.Contains(heading, sep) {
			continue
		}
		var chain []string
		for part := range strings.SplitSeq(heading, sep) {
			if k := headingKey(part); k != "" {
				chain = append(chain, k)
			}
		}
		if i, ok := n.findChain(chain); ok {
			return i, true
		}
	}
	return 0, false
}

// findChain finds the first heading that is named by the end of chain and stands below the rest of it, in that order.
func (n *Note) findChain(chain []string) (int, bool) {
	if len(chain) == 0 || chain[len(chain)-1] == "" {
		return 0, false
	}
	var stack []int
	last := len(chain) - 1
	for i, h := range n.Headings {
		stack = push(stack, n.Headings, i)
		if headingKey(h.Raw) != chain[last] && headingKey(h.Text) != chain[last] {
			continue
		}
		at := 0
		for _, above := range stack[:len(stack)-1] {
			if h := n.Headings[above]; at < last && (headingKey(h.Raw) == chain[at] || headingKey(h.Text) == chain[at]) {
				at++
			}
		}
		if at == last {
			return i, true
		}
	}
	return 0, false
}

// headingKey is a heading as links compare it: markup and "# | ^ : %% [[ ]]" become spaces, spaces collapse, case is folded.
func headingKey(s string) string {
	s = strings.NewReplacer("%%", " ", "[[", " ", "]]", " ", "#", " ", "|", " ", "^", " ", ":", " ",
		"**", "", "__", "", "~~", "", "==", "", "*", "", "`", "", `\`, "").Replace(s)
	return Fold(strings.Join(strings.Fields(s), " "))
}

// plainHeading takes the markup out of a heading's text.
func plainHeading(raw string) string {
	const most = 4 << 10 // longer lines are no headings that anyone reads
	if len(raw) > most || !strings.ContainsAny(raw, "[]*_`~=\\%<\n") {
		return raw
	}
	var out strings.Builder
	for i := 0; i < len(raw); {
		rest := raw[i:]
		switch c := raw[i]; {
		case c == '\\' && len(rest) > 1 && isPunct(rest[1]):
			out.WriteByte(rest[1])
			i += 2
		case strings.HasPrefix(rest, "[[") && strings.Contains(rest, "]]"):
			end := strings.Index(rest, "]]")
			out.WriteString(wikilink([]byte(rest[2:end]), 0).Display)
			i += end + 2
		case c == '[':
			text, n := linkText(rest)
			out.WriteString(text)
			i += n
		case c == '!' && strings.HasPrefix(rest, "![") && linkLen(rest[1:]) > 0:
			i++
		case strings.HasPrefix(rest, "**"), strings.HasPrefix(rest, "__"), strings.HasPrefix(rest, "~~"), strings.HasPrefix(rest, "=="), strings.HasPrefix(rest, "%%"):
			i += 2
		case c == '*', c == '`':
			i++
		case c == '_' && (i == 0 || i+1 == len(raw) || !isWord(raw[i-1]) || !isWord(raw[i+1])):
			i++
		case c == '<' && htmlTagLen([]byte(rest)) > 0:
			i += htmlTagLen([]byte(rest))
		case c == '\n':
			out.WriteByte(' ')
			i++
		default:
			out.WriteByte(c)
			i++
		}
	}
	return strings.TrimSpace(out.String())
}

// linkText is the text of a Markdown link that s begins with, and how long the link is; else the bracket alone.
func linkText(s string) (string, int) {
	n := linkLen(s)
	if n == 0 {
		return "[", 1
	}
	return plainHeading(s[1:strings.Index(s, "](")]), n
}

func linkLen(s string) int {
	i := strings.Index(s, "](")
	if i < 0 || strings.IndexByte(s[1:i], '[') >= 0 {
		return 0
	}
	j := strings.IndexByte(s[i:], ')')
	if j < 0 {
		return 0
	}
	return i + j + 1
}
