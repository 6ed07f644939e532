package vault

import (
	"bytes"
	"strings"
)

// utf8BOM is the byte order mark that some editors put before a text.
var utf8BOM = []byte("\xef\xbb\xbf")

// Append returns note with text added at a place. The text begins on a line of its own and no blank line is added; it takes on the
// note's line endings and its habit of ending with a newline or not. Every other byte stays as it was. Empty text returns the note
// unchanged.
//
// It refuses, with InvalidArgument, a place inside a code block or comment that is never closed, text that would swallow what follows
// it by opening such a block, text that would change what is frontmatter, and a heading that is not unique (details: candidates). A
// heading that is not there is NotFound (details: near). A result larger than MaxIndexed is NoteTooLarge.
func Append(note []byte, text string, at Place) ([]byte, error) {
	if text == "" {
		return note, nil
	}
	eol := lineEnding(note, text)
	added := withLineEndings(strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), eol)
	if size := len(note) + len(added) + 2*len(eol); size > MaxIndexed {
		return nil, Errorf(NoteTooLarge, "the note would be %d bytes; a note that is written may have %d", size, MaxIndexed).
			Next("Add to another note.")
	}
	n := Parse("", note)
	off, err := n.offset(note, at)
	if err != nil {
		return nil, err
	}
	switch {
	case off == len(note) && endsOpen(note):
		return nil, Errorf(InvalidArgument, "the note ends inside a code block or comment that is never closed").
			Next("Text added there would become part of it: close the block first, by replacing the note.").
			With("field", "path")
	case off < len(note) && endsOpen([]byte("\n"+added)):
		return nil, Errorf(InvalidArgument, "the text opens a code block or comment that it does not close").
			Next("What follows in the note would become part of it: close the block in the text.").
			With("field", "content")
	}

	var b bytes.Buffer
	b.Grow(len(note) + len(added) + 2*len(eol))
	b.Write(note[:off])
	if off > bomLength(note) && note[off-1] != '\n' {
		b.WriteString(eol)
	}
	body := b.Len() // where the body begins if the text is all of it
	b.WriteString(added)
	if off < len(note) || endsLine(note) {
		b.WriteString(eol)
	}
	b.Write(note[off:])
	if start := Parse("", b.Bytes()).BodyStart; start != n.BodyStart && start != body {
		return nil, Errorf(InvalidArgument, "with this text, other lines would be the note's frontmatter").
			Next("Leave out the line \"---\", or replace the whole note.").
			With("field", "content")
	}
	return b.Bytes(), nil
}

func bomLength(b []byte) int {
	if bytes.HasPrefix(b, utf8BOM) {
		return len(utf8BOM)
	}
	return 0
}

// endsLine reports whether the note has the habit of ending with a newline; an empty note gets it.
func endsLine(b []byte) bool { return len(b) == bomLength(b) || b[len(b)-1] == '\n' }

// lineEnding is the ending that most lines of a note have; a note without any takes that of the text.
func lineEnding(note []byte, text string) string {
	lines := bytes.Count(note, []byte{'\n'})
	crlf := bytes.Count(note, []byte("\r\n"))
	if lines == 0 {
		lines, crlf = strings.Count(text, "\n"), strings.Count(text, "\r\n")
	}
	if crlf*2 > lines {
		return "\r\n"
	}
	return "\n"
}

func withLineEndings(s, eol string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if eol != "\n" {
		s = strings.ReplaceAll(s, "\n", eol)
	}
	return s
}

// NewNote renders a note from its properties and text. Without properties it is the text as given.
func NewNote(properties map[string]any, text string) ([]byte, error) {
	if len(properties) == 0 {
		return []byte(text), nil
	}
	bom := bomLength([]byte(text))
	if Parse("", []byte(text)).BodyStart > bom {
		return nil, Errorf(InvalidArgument, "the content has frontmatter of its own").
			Next("Give properties, or frontmatter in the content, not both.").
			With("field", "properties")
	}
	front, err := RenderProperties(properties)
	if err != nil {
		return nil, err
	}
	eol := lineEnding([]byte(text), "")
	block := withLineEndings("---\n"+front+"---\n", eol)
	return []byte(text[:bom] + block + text[bom:]), nil
}

// Shrinks reports whether a change from before to after loses more than half of the note.
func Shrinks(before, after []byte) bool { return len(after)*2 < len(before) }
