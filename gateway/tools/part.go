package tools

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/notelatch/notelatch/vault"
)

// part is which part of a note is wanted.
type part struct {
	heading  string
	block    string
	from, to int // lines; 0 is not given
	offset   int
	most     int  // bytes
	room     int  // bytes in JSON; 0 for what an answer with one note has
	asked    bool // most is the caller's own
}

func (in *getNoteContentIn) part() (part, error) {
	p := part{heading: in.Heading, block: in.BlockID, offset: in.Offset, most: in.MaxBytes, asked: in.MaxBytes > 0}
	if !p.asked {
		p.most = usualContent
	}
	wrong := func(field, message, next string) (part, error) {
		return part{}, vault.Errorf(vault.InvalidArgument, "%s", message).With("field", field).Next(next)
	}
	switch {
	case in.Path == "" && len(in.Paths) == 0:
		return wrong("path", "path is missing", "Give path, or paths for several notes. search_notes finds paths.")
	case in.Path != "" && len(in.Paths) > 0:
		return wrong("paths", "path and paths exclude each other", "Give all notes in paths.")
	case len(in.Paths) > 0 && (in.Heading != "" || in.BlockID != "" || in.Lines != "" || in.Offset > 0):
		return wrong("paths", "heading, blockId, lines and offset belong to a single note", "Give path instead of paths.")
	case in.Heading != "" && in.Lines != "":
		return wrong("lines", "heading and lines exclude each other", "Give one of the two.")
	case in.BlockID != "" && (in.Heading != "" || in.Lines != ""):
		return wrong("blockId", "blockId excludes heading and lines", "Give one of them.")
	}
	if in.Lines == "" {
		return p, nil
	}
	from, to, ranged := strings.Cut(in.Lines, "-")
	var err1, err2 error
	p.from, err1 = strconv.Atoi(strings.TrimSpace(from))
	p.to = p.from
	if ranged {
		p.to, err2 = strconv.Atoi(strings.TrimSpace(to))
	}
	if err1 != nil || err2 != nil || p.from < 1 || p.to < p.from {
		return wrong("lines", "lines "+show(in.Lines)+" is no range of lines", `Give lines as "40-60" or "40".`)
	}
	return p, nil
}

// span is the bytes of the wanted part, from the offset on.
func (p part) span(n *vault.Note, body []byte) (start, end int, err error) {
	end = len(body)
	switch {
	case p.heading != "":
		s, e, ok := n.Section(p.heading)
		if !ok {
			return 0, 0, noHeading(n, p.heading)
		}
		start, end = s, e
	case p.block != "":
		b, ok := n.Block(p.block)
		if !ok {
			return 0, 0, noBlock(n, p.block)
		}
		start, end = b.Start, b.End
	case p.from > 0:
		last := 0
		start, end, last = lineSpan(body, p.from, p.to)
		if start < 0 {
			return 0, 0, vault.Errorf(vault.NotFound, "the note has %s; there is no line %d", count(last, "line"), p.from).
				With("missing", "lines").With("lines", last).Next("Ask for lines within 1-" + strconv.Itoa(last) + ".")
		}
	}
	if p.offset == 0 {
		return start, end, nil
	}
	if p.offset > end {
		return 0, 0, vault.Errorf(vault.InvalidArgument, "offset %d lies behind the end, which is at %d", p.offset, end).
			With("field", "offset").With("sizeBytes", len(body)).Next("The note may have become shorter; read it again from the start.")
	}
	start = max(start, p.offset)
	for start < end && start > 0 && !utf8.RuneStart(body[start]) {
		start--
	}
	return start, end, nil
}

func noBlock(n *vault.Note, id string) error {
	const most = 20
	var ids []string
	for _, b := range n.Blocks[:min(len(n.Blocks), most)] {
		ids = append(ids, b.ID)
	}
	e := vault.Errorf(vault.NotFound, "the note %s has no block with the id %s", n.Path, show(id)).With("missing", "block")
	if len(ids) == 0 {
		return e.Next("The note has no blocks with ids; read it without blockId.")
	}
	return e.With("near", ids).Next("Use one of details.near, or read the note without blockId.")
}

func noHeading(n *vault.Note, heading string) error {
	const most = 5
	var names []string
	for _, h := range n.Headings {
		names = append(names, vault.EscapeHidden(cutLines(h.Text, 200)))
	}
	e := vault.Errorf(vault.NotFound, "the note %s has no heading %s", n.Path, show(heading)).With("missing", "heading")
	if len(names) == 0 {
		return e.Next("The note has no headings; read it without heading.")
	}
	near := names[:min(len(names), most)]
	if best := Nearest(heading, names); best != "" {
		near = []string{best}
	}
	return e.With("near", near).Next("Use one of details.near, or read the note without heading for its outline.")
}

// lineSpan is the bytes of the lines from…to. start is -1 when the note has fewer than from lines; last is then its number of lines.
func lineSpan(body []byte, from, to int) (start, end, last int) {
	line, at := 1, 0
	start = -1
	for {
		if line == from {
			start = at
		}
		i := bytes.IndexByte(body[at:], '\n')
		if i < 0 {
			return start, len(body), line
		}
		at += i + 1
		if line == to {
			return start, at, line
		}
		if at == len(body) {
			return start, at, line
		}
		line++
	}
}

// cut is where a part that begins at start ends, so that it has at most n bytes and an answer stays below its hard cap: at the end,
// else before a heading, else at a blank line, else at a line, else between characters.
func cut(n *vault.Note, body []byte, start, end, most int) int {
	most = min(most, mostContent)
	if size := jsonSize(body[start:min(end, start+most)], mostContent); size < most {
		most = max(size, 1)
	}
	if end-start <= most {
		return end
	}
	limit, low := start+most, start+most/2
	best := -1
	for _, h := range n.Headings {
		if h.Start > low && h.Start <= limit {
			best = h.Start
		}
	}
	if best > 0 {
		return best
	}
	for i := limit; i > low; i-- {
		if body[i-1] == '\n' && (i >= 2 && body[i-2] == '\n' || i >= 3 && body[i-2] == '\r' && body[i-3] == '\n') {
			return i
		}
	}
	for i := limit; i > low; i-- {
		if body[i-1] == '\n' {
			return i
		}
	}
	for limit > start+1 && !utf8.RuneStart(body[limit]) {
		limit--
	}
	return limit
}

// jsonSize is how many bytes of b fit into room bytes of JSON.
func jsonSize(b []byte, room int) int {
	for i, c := range b {
		switch {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t':
			room -= 2
		case c < 0x20, c == 0x7f:
			room -= 6
		case c >= utf8.RuneSelf:
			room -= 3 // a byte that is no UTF-8 becomes U+FFFD, which takes three
		default:
			room--
		}
		if room < 0 {
			return i
		}
	}
	return len(b)
}

// validText is b as a string that JSON can hold. Bytes that are no UTF-8 are shown as "\xNN", so that nothing is lost unseen; the
// note's problems say so.
func validText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	const hex = "0123456789abcdef"
	var out strings.Builder
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			out.WriteString(`\x`)
			out.WriteByte(hex[b[0]>>4])
			out.WriteByte(hex[b[0]&15])
		} else {
			out.Write(b[:size])
		}
		b = b[size:]
	}
	return out.String()
}

// mediaType is the type of an attachment, by its name.
func mediaType(p vault.Path) string {
	types := map[string]string{
		".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".svg": "image/svg+xml", ".webp": "image/webp",
		".avif": "image/avif", ".bmp": "image/bmp", ".pdf": "application/pdf", ".mp3": "audio/mpeg", ".wav": "audio/wav", ".m4a": "audio/mp4",
		".ogg": "audio/ogg", ".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime", ".canvas": "application/json",
		".json": "application/json", ".base": "application/yaml", ".txt": "text/plain", ".csv": "text/csv", ".html": "text/html",
		".zip": "application/zip",
	}
	if t, ok := types[p.Ext()]; ok {
		return t
	}
	return "application/octet-stream"
}
