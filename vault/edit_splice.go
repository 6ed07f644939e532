package vault

import (
	"bytes"
	"cmp"
	"slices"
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
