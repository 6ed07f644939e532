package vault

import (
	"bytes"
	"strconv"
	"strings"
)

// SectionEdit puts text in the place of what stands below a heading, its sections included. The heading stays, as do the blank lines
// that set it off from the text and the section from the next. Text that repeats the heading does not double it. Its errors are those
// of Append.
func SectionEdit(note []byte, heading, text string) (Edit, error) {
	n := Parse("", note)
	i, err := n.theHeading(heading)
	if err != nil {
		return Edit{}, err
	}
	_, end := n.SectionOf(i)
	start := nextLine(note, n.Headings[i].End)
	end = max(start, end)
	core := bytes.TrimRight(note[start:end], " \t\r\n")
	text = foldHeading(n.Headings[i], withLineEndings(text, "\n"))
	if end < len(note) && endsOpen([]byte("\n"+text)) {
		return Edit{}, Errorf(InvalidArgument, "the text opens a code block or comment that it does not close").
			Next("What follows in the note would become part of it: close the block in the text.").With("field", "replace")
	}
	eol := lineEnding(note, text)
	text = strings.ReplaceAll(text, "\n", eol)
	switch {
	case text == "":
		return Edit{start, start + len(core), ""}, nil
	case len(core) == 0:
		return insertion(note, start, text, eol), nil
	}
	lead := leadingBlank(core)
	return Edit{start + lead, start + len(core), text}.narrowed(note), nil
}

// insertion puts text on lines of its own at an offset where a line begins or the note ends.
func insertion(note []byte, at int, text, eol string) Edit {
	if at > bomLength(note) && note[at-1] != '\n' {
		text = eol + text
	}
	if at < len(note) || endsLine(note) {
		text += eol
	}
	return Edit{at, at, text}
}

// leadingBlank is the length of the blank lines that text begins with.
func leadingBlank(text []byte) int {
	n := 0
	for {
		end := lineEnd(text, n)
		if end == len(text) || !isBlank(bytes.TrimSuffix(text[n:end], []byte{'\r'})) {
			return n
		}
		n = end + 1
	}
}

// foldHeading takes the heading h from the start of text, and blank lines around it.
func foldHeading(h Heading, text string) string {
	trim := func(s string) string {
		return strings.TrimRight(s[leadingBlank([]byte(s)):], " \t\n")
	}
	text = trim(text)
	first := Parse("", []byte(text))
	if len(first.Headings) == 0 || first.Headings[0].Start != 0 {
		return text
	}
	if k := headingKey(first.Headings[0].Raw); k != headingKey(h.Raw) && headingKey(first.Headings[0].Text) != headingKey(h.Text) {
		return text
	}
	return trim(text[nextLine([]byte(text), first.Headings[0].End):])
}

// BlockEdit puts text in the place of a block. The block keeps its id, whether or not text repeats it. A block that is not there is
// NotFound (details: near, the ids that are).
func BlockEdit(note []byte, id, text string) (Edit, error) {
	n := Parse("", note)
	b, ok := n.Block(id)
	if !ok {
		near := make([]string, 0, maxNear)
		for _, b := range n.Blocks[:min(len(n.Blocks), maxNear)] {
			near = append(near, b.ID)
		}
		return Edit{}, Errorf(NotFound, "the note has no block ^%s", strings.Trim(quotePath(strings.TrimPrefix(id, "^")), `"`)).
			Next("Use one of the note's block ids, or edit by find.").With("missing", "block").With("near", near)
	}
	text = withLineEndings(text, "\n")
	if written, at, ok := blockID([]byte(text)); ok && strings.EqualFold(string(written), b.ID) {
		text = text[:at]
	}
	text = strings.TrimRight(text, " \t\n")
	if strings.TrimSpace(text) == "" {
		return Edit{}, Errorf(InvalidArgument, "a block cannot be empty while it has an id").
			Next("To take the block out, edit its lines.").With("field", "replace")
	}
	if endsOpen([]byte("\n" + text)) {
		return Edit{}, Errorf(InvalidArgument, "the text opens a code block or comment that it does not close").
			Next("The block's id would become part of it: close it in the text.").With("field", "replace")
	}
	_, at, _ := blockID(note[b.Start:b.End])
	end := b.Start + len(bytes.TrimRight(note[b.Start:b.Start+at], " \t\r\n"))
	return Edit{b.Start, end, strings.ReplaceAll(text, "\n", lineEnding(note, text))}.narrowed(note), nil
}

// LinesEdit puts text in the place of lines, "40" or "40-60", counted from 1. Empty text takes the lines out.
func LinesEdit(note []byte, lines, text string) (Edit, error) {
	from, to, ok := parseLines(lines)
	if !ok {
		return Edit{}, Errorf(InvalidArgument, "lines %s is no range of lines", quotePath(lines)).
			Next("Give lines as \"40-60\" or \"40\".").With("field", "lines")
	}
	start, end, count := 0, 0, 0
	for at := 0; at < len(note); {
		count++
		next := nextLine(note, at)
		if count == from {
			start = at
		}
		if count == to {
			end = next
			break
		}
		at = next
	}
	if count < to {
		return Edit{}, Errorf(NotFound, "the note has %d lines", count).
			Next("Give lines within it; get_note_content counts them from 1.").With("missing", "lines").With("lines", count)
	}
	if from == 1 {
		start = bomLength(note)
	}
	if text == "" {
		return Edit{start, end, ""}, nil
	}
	eol := lineEnding(note, text)
	text = withLineEndings(strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), eol)
	if end > start && note[end-1] == '\n' {
		text += eol
	}
	return Edit{start, end, text}.narrowed(note), nil
}

func parseLines(lines string) (from, to int, ok bool) {
	first, last, ranged := strings.Cut(strings.TrimSpace(lines), "-")
	if !ranged {
		last = first
	}
	from, err := strconv.Atoi(strings.TrimSpace(first))
	to, err2 := strconv.Atoi(strings.TrimSpace(last))
	return from, to, err == nil && err2 == nil && from >= 1 && to >= from
}
