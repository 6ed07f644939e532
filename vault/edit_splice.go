package vault

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Edit puts Text in the place of the bytes [Start, End) of a note.
type Edit struct {
	Start, End int
	Text       string
}

// Splice makes edits, whose spans mean body as it is given. Every other byte stays as it was. Edits that overlap are a bug of the
// caller: the later one is left out.
func Splice(body []byte, edits []Edit) []byte {
	if len(edits) == 0 {
		return body
	}
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	size := len(body)
	for _, e := range edits {
		size += len(e.Text) - (e.End - e.Start)
	}
	var out bytes.Buffer
	out.Grow(max(size, 0))
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(body) {
			continue
		}
		out.Write(body[at:e.Start])
		out.WriteString(e.Text)
		at = e.End
	}
	out.Write(body[at:])
	return out.Bytes()
}

// narrowed is e without the lines at its ends that it leaves as they are, but for how they end: those keep their own endings.
func (e Edit) narrowed(note []byte) Edit {
	text := func(line []byte) []byte { return bytes.TrimSuffix(line, []byte{'\r'}) }
	same := func(old []byte, now string) bool {
		return string(text(old)) == now || string(text(old)) == strings.TrimSuffix(now, "\r")
	}
	for {
		i, j := bytes.IndexByte(note[e.Start:e.End], '\n'), strings.IndexByte(e.Text, '\n')
		if i < 0 || j < 0 || !same(note[e.Start:e.Start+i], e.Text[:j]) {
			break
		}
		e.Start, e.Text = e.Start+i+1, e.Text[j+1:]
	}
	for {
		old := note[e.Start:e.End]
		i, j := bytes.LastIndexByte(old, '\n'), strings.LastIndexByte(e.Text, '\n')
		if i < 0 || j < 0 || !same(old[i+1:], e.Text[j+1:]) {
			break
		}
		e.End, e.Text = e.Start+len(text(old[:i])), strings.TrimSuffix(e.Text[:j], "\r")
	}
	if string(note[e.Start:e.End]) == e.Text {
		return Edit{Start: e.Start, End: e.Start}
	}
	return e
}
