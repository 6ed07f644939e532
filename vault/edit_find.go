package vault

import (
	"bytes"
	"slices"
	"strings"
)

// FindEdit finds where text stands in a note, and is the edit that puts replace there. Line endings do not matter to the search, and what is
// put in takes on those of the note. occurrence counts from 1; with 0 the text must stand there exactly once.
//
// Text that is not there is NotFound (details: near, lines that are like it); text that is there more often than allowed is
// InvalidArgument (details: candidates, with lines).
func FindEdit(note []byte, find, replace string, occurrence int) (Edit, error) {
	if find == "" {
		return Edit{}, Errorf(InvalidArgument, "find is empty").Next("Give the text to replace, or add text with append.").With("field", "find")
	}
	plain, back := withoutCR(note)
	want := strings.ReplaceAll(find, "\r\n", "\n")
	var found []int
	for at := 0; ; {
		i := bytes.Index(plain[at:], []byte(want))
		if i < 0 {
			break
		}
		found = append(found, at+i)
		at += i + len(want)
	}
	switch {
	case len(found) == 0:
		return Edit{}, Errorf(NotFound, "the text to find is not in the note").
			Next("Copy the text from the note as it is now; get_note_content shows it.").
			With("missing", "text").With("near", nearLines(plain, want))
	case occurrence == 0 && len(found) > 1:
		return Edit{}, Errorf(InvalidArgument, "the text to find is in the note %d times", len(found)).
			Next("Add text around it to find, so that it is there once, or say which one with occurrence.").
			With("field", "find").With("candidates", foundLines(plain, found))
	case occurrence < 0 || occurrence > len(found):
		return Edit{}, Errorf(InvalidArgument, "the text to find is in the note %d times; there is no occurrence %d", len(found), occurrence).
			Next("Occurrences count from 1.").With("field", "occurrence").With("candidates", foundLines(plain, found))
	}
	start := found[max(occurrence, 1)-1]
	return Edit{back(start), back(start + len(want)), withLineEndings(replace, lineEnding(note, replace))}.narrowed(note), nil
}

// withoutCR is the note with line feeds alone, and what turns its offsets into those of the note.
func withoutCR(note []byte) (plain []byte, back func(at int) int) {
	if !bytes.Contains(note, []byte("\r\n")) {
		return note, func(at int) int { return at }
	}
	plain = make([]byte, 0, len(note))
	var gone []int // offsets in plain of line feeds that lost their carriage return
	for i, c := range note {
		if c == '\r' && i+1 < len(note) && note[i+1] == '\n' {
			gone = append(gone, len(plain))
			continue
		}
		plain = append(plain, c)
	}
	return plain, func(at int) int {
		n, _ := slices.BinarySearch(gone, at) // those before at
		return at + n
	}
}

const shownLine = 120 // bytes of a line in an error

// foundLines shows where text was found.
func foundLines(body []byte, found []int) []map[string]any {
	candidates := make([]map[string]any, 0, min(len(found), maxNear))
	for i, at := range found[:min(len(found), maxNear)] {
		candidates = append(candidates, map[string]any{"occurrence": i + 1, "line": lineAt(body, at), "text": showLine(lineOf(body, at))})
	}
	return candidates
}

// nearLines are lines that hold the first words of text but for case and spaces.
func nearLines(body []byte, text string) []map[string]any {
	const most = 5
	near := make([]map[string]any, 0, most)
	want := ""
	for line := range strings.Lines(text) {
		if want = squeezed(line); want != "" {
			break
		}
	}
	if want == "" {
		return near
	}
	number := 0
	for line := range bytes.Lines(body) {
		number++
		if len(near) < most && strings.Contains(squeezed(string(line)), want) {
			near = append(near, map[string]any{"line": number, "text": showLine(line)})
		}
	}
	return near
}

func squeezed(s string) string { return Fold(strings.Join(strings.Fields(s), " ")) }

func lineOf(body []byte, at int) []byte {
	return body[bytes.LastIndexByte(body[:at], '\n')+1 : lineEnd(body, at)]
}

func showLine(line []byte) string {
	text := strings.TrimSpace(string(line))
	if len(text) > shownLine {
		text = strings.ToValidUTF8(text[:shownLine], "") + "…"
	}
	return EscapeHidden(text)
}
