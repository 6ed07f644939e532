package vault

import (
	"bytes"
	"slices"
	"strings"
)

// Place is where Append puts text.
type Place struct {
	Heading string // in this heading's section, "Plan > Risks" for a nested one; "" is the whole note
	Start   bool   // at the start of the section or body, instead of its end
}

const maxNear = 12 // headings shown in an error

// offset is where text for a place goes into the bytes that n was parsed from: after a line's end, or at the end of the note.
func (n *Note) offset(body []byte, at Place) (int, error) {
	if at.Heading == "" {
		if at.Start {
			return n.BodyStart, nil
		}
		return len(body), nil
	}
	i, err := n.theHeading(at.Heading)
	if err != nil {
		return 0, err
	}
	_, end := n.SectionOf(i)
	start := nextLine(body, n.Headings[i].End)
	if at.Start {
		return start, nil
	}
	// Blank lines before the next heading stay between the new text and that heading.
	text := bytes.TrimRight(body[start:max(start, end)], " \t\r\n")
	if len(text) == 0 {
		return start, nil
	}
	return nextLine(body, start+len(text)), nil
}

// theHeading is FindHeading for a write, which must not guess: a name that several headings answer to is refused, unless exactly one
// of them is written like it to the letter.
func (n *Note) theHeading(name string) (int, error) {
	rest := *n
	rest.Headings = slices.Clone(n.Headings)
	var found []int
	for {
		i, ok := rest.FindHeading(name)
		if !ok {
			break
		}
		found = append(found, i)
		rest.Headings[i].Text, rest.Headings[i].Raw = "", ""
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		near := make([]string, 0, maxNear)
		for _, h := range n.Headings[:min(len(n.Headings), maxNear)] {
			near = append(near, EscapeHidden(n.HeadingPath(h.Line)))
		}
		return 0, Errorf(NotFound, "the note has no heading %s", quotePath(name)).
			Next("Use one of the note's headings, or leave heading out to add to the end of the note.").
			With("missing", "heading").With("near", near)
	}
	exact := slices.DeleteFunc(slices.Clone(found), func(i int) bool { return n.Headings[i].Text != strings.TrimSpace(name) })
	if len(exact) == 1 {
		return exact[0], nil
	}
	candidates := make([]map[string]any, 0, maxNear)
	for _, i := range found[:min(len(found), maxNear)] {
		h := n.Headings[i]
		candidates = append(candidates, map[string]any{"heading": EscapeHidden(n.HeadingPath(h.Line)), "line": h.Line})
	}
	next := "Name the one you mean below its parent heading, as in \"Plan > Risks\"."
	if slices.ContainsFunc(candidates[1:], func(c map[string]any) bool { return c["heading"] == candidates[0]["heading"] }) {
		next = "They stand under one parent, so no name tells them apart: edit by lines, or add below a heading that is there once."
	}
	return 0, Errorf(InvalidArgument, "the note has %d headings that are called %s", len(found), quotePath(name)).
		Next(next).
		With("field", "heading").With("candidates", candidates)
}

// nextLine is the offset after the end of the line that off is on.
func nextLine(b []byte, off int) int {
	if i := bytes.IndexByte(b[off:], '\n'); i >= 0 {
		return off + i + 1
	}
	return len(b)
}

// endsOpen reports whether a note ends inside a code block, a comment or another block that swallows what follows it: then a heading
// that is put there is none.
func endsOpen(body []byte) bool {
	probe := slices.Concat(body, []byte("\n\n# end\n"))
	n := Parse("", probe)
	return len(n.Headings) == 0 || n.Headings[len(n.Headings)-1].Start < len(body)
}
