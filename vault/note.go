package vault

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// MaxIndexed is how much of a note Parse reads; properties that are too large to be read do not count. What follows is still the
// note's, but nothing is said about it.
const MaxIndexed = 1 << 20 // bytes

// Note is what a note's bytes mean. It holds no body: spans are byte offsets into the bytes that were parsed, a byte order mark
// and carriage returns included, and lines count from 1.
type Note struct {
	Path       Path
	Title      string   // the title property, else the top heading that the text begins with, else the name; for display, never for look-up
	Aliases    []string // other names people may use for the note; they never resolve a link
	Tags       []string // without "#", of properties and text, each once in the spelling that came first
	Headings   []Heading
	Links      []Link // of properties and text, in the order of the text
	Blocks     []Block
	Tasks      []Task
	Callouts   []Callout
	Footnotes  []Footnote
	Properties Properties
	Problems   []Problem
	BodyStart  int // where the text begins after frontmatter (or byte order mark)
	Size       int // bytes of the whole note
}

// Problem is something about a note that its owner may want to know. It never stops the note from being used.
type Problem struct {
	Code    string // one of the Problem constants
	Line    int    // 0 where no line is to blame
	Message string // one sentence
}

// Codes of problems, as they appear on the wire.
const (
	ProblemFrontmatter = "frontmatter_invalid"
	ProblemUTF8        = "invalid_utf8"
	ProblemNUL         = "nul_bytes"
	ProblemPartly      = "indexed_partly"
	ProblemName        = "name_not_nfc"
	ProblemHidden      = "hidden_characters"
	ProblemUnquoted    = "unquoted_link"
)

// Parse reads a note. It never fails: what it cannot make sense of becomes a Problem, and the rest is there. It keeps no reference
// to body.
func Parse(p Path, body []byte) *Note {
	n := &Note{Path: p, Size: len(body)}
	n.checkBytes(body)
	fm := findFrontmatter(body)
	text := body
	if most := MaxIndexed + max(0, fm.next-maxFrontmatter); len(text) > most {
		text = text[:most]
		if i := bytes.LastIndexByte(text, '\n'); i > 0 {
			text = text[:i+1]
		}
		n.Problems = append(n.Problems, Problem{Code: ProblemPartly, Message: "the note is larger than 1 MiB; only the first MiB is searched and linked"})
	}

	n.BodyStart = fm.next
	var tags tagSet
	if fm.found {
		n.readFrontmatter(text, fm, &tags)
	}
	s := scanner{b: text, n: n, tags: &tags, line: fm.nextLine, links: n.Links}
	s.run(fm.next)
	n.Links = s.links
	n.Tags = tags.list
	slices.SortStableFunc(n.Footnotes, func(a, b Footnote) int { return cmp.Compare(a.Start, b.Start) })
	n.Title = n.title(text)
	slices.SortStableFunc(n.Problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return n
}

func (n *Note) checkBytes(body []byte) {
	if !norm.NFC.IsNormalString(string(n.Path)) {
		n.Problems = append(n.Problems, Problem{Code: ProblemName, Message: "the name is not in Unicode form NFC; some systems show it as another name"})
	}
	if i := bytes.IndexByte(body, 0); i >= 0 {
		n.Problems = append(n.Problems, Problem{Code: ProblemNUL, Line: lineAt(body, i), Message: "the note holds NUL bytes; it may not be text"})
	}
	n.checkCharacters(body)
}

func (n *Note) title(text []byte) string {
	if t, ok := n.Properties.Get("title"); ok {
		if s, ok := t.(string); ok && strings.TrimSpace(s) != "" {
			return strings.TrimSpace(s)
		}
	}
	if len(n.Headings) > 0 {
		h := n.Headings[0]
		if h.Level == 1 && h.Text != "" && len(bytes.TrimSpace(text[n.BodyStart:h.Start])) == 0 {
			return h.Text
		}
	}
	return n.Path.Name()
}

func lineAt(b []byte, offset int) int { return bytes.Count(b[:offset], []byte{'\n'}) + 1 }
