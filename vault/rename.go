package vault

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Retarget is the edit that makes a link lead to another target, in the way in which this one is written: its brackets, its encoding, its
// display and subpath stay. target is what Link.Target shall be. It reports false for a link that has no span of its own, and for a
// target that a link of this kind cannot hold.
func (l Link) Retarget(body []byte, target string) (Edit, bool) {
	if l.TargetEnd == 0 || l.External || target == "" || target != strings.TrimSpace(target) {
		return Edit{}, false
	}
	text := target
	switch old := string(body[l.TargetStart:l.TargetEnd]); {
	case l.card():
	case l.Wiki(body):
		if strings.ContainsAny(target, "#|^[]\n\r") || strings.Contains(target, "://") {
			return Edit{}, false
		}
	default:
		text = encodeTarget(target, old, l.angled(body))
		if i, j := strings.LastIndexByte(old, '/'), strings.LastIndexByte(text, '/'); decode(old[i+1:]) == decode(text[j+1:]) {
			text = text[:j+1] + old[i+1:]
		}
		if external(text) || strings.HasPrefix(text, "//") {
			return Edit{}, false
		}
	}
	return Edit{l.TargetStart, l.TargetEnd, l.inside(body, text)}, true
}

// card reports whether the link is a canvas's file card, whose target is a path and nothing else.
func (l Link) card() bool { return l.Kind == LinkCanvas && !l.InCard }

// Wiki reports whether the link is written between double brackets in body, the bytes that were parsed.
func (l Link) Wiki(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimPrefix(body[l.Start:l.End], []byte{'!'}), []byte("[["))
}

// angled reports whether a Markdown link's destination stands between angle brackets.
func (l Link) angled(body []byte) bool { return l.TargetStart > 0 && body[l.TargetStart-1] == '<' }

// inside writes text for where the link stands: in a string of JSON or YAML, or in text.
func (l Link) inside(body []byte, text string) string {
	switch {
	case l.Kind == LinkCanvas:
		return jsonString(text)
	case l.Kind == LinkProperty && l.Start > 0 && body[l.Start-1] == '"':
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
	case l.Kind == LinkProperty && l.Start > 0 && body[l.Start-1] == '\'':
		return strings.ReplaceAll(text, "'", "''")
	}
	return text
}

// jsonString is text as it stands between the quotes of JSON.
func jsonString(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return text
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// encodeTarget writes a path or subpath as a Markdown destination. Letters beyond ASCII are encoded if like has such.
func encodeTarget(target, like string, angled bool) string {
	special := "%#<>"
	if !angled {
		special = "%#<> ()\"\\"
	}
	all := false
	for i := strings.IndexByte(like, '%'); i >= 0 && i+1 < len(like) && !all; {
		all = strings.IndexByte("89abcdefABCDEF", like[i+1]) >= 0
		next := strings.IndexByte(like[i+1:], '%')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	var b strings.Builder
	for i := 0; i < len(target); i++ {
		if c := target[i]; strings.IndexByte(special, c) >= 0 || c < ' ' || c >= 0x80 && all {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Resubpath is the edit that gives a link another subpath, "#Heading", with the same promises as Retarget. The link must have one.
func (l Link) Resubpath(body []byte, subpath string) (Edit, bool) {
	if l.Subpath == "" || l.TargetEnd == 0 || l.External || l.card() {
		return Edit{}, false
	}
	start, end := l.TargetEnd, l.End
	text := subpath
	if l.Wiki(body) {
		start += bytes.IndexByte(body[start:end], '#')
		end -= len("]]")
		if i := bytes.IndexByte(body[start:end], '|'); i >= 0 {
			end = start + i
			if body[end-1] == '\\' {
				end--
			}
		}
		end = start + len(bytes.TrimRight(body[start:end], " \t"))
		if strings.ContainsAny(subpath, "|[]\n\r") {
			return Edit{}, false
		}
	} else {
		from := l.TargetStart
		if l.angled(body) {
			from--
		}
		_, to, _, ok := destination(body, from)
		if !ok || to < start {
			return Edit{}, false
		}
		end = to
		parts := strings.Split(subpath[1:], "#")
		for i := range parts {
			parts[i] = encodeTarget(parts[i], string(body[start:end]), l.angled(body))
		}
		text = "#" + strings.Join(parts, "#")
	}
	if start >= end || body[start] != '#' || l.Kind == LinkCanvas && bytes.IndexByte(body[start:end], '\\') >= 0 {
		return Edit{}, false
	}
	return Edit{start, end, l.inside(body, text)}, true
}

// RenameHeading is the edit that gives a heading another text, and the index of that heading in Headings. Its marks and its block id stay.
// Its errors are those of Append.
func RenameHeading(note []byte, heading, text string) (Edit, int, error) {
	text = strings.TrimSpace(text)
	if level := len(text) - len(strings.TrimLeft(text, "#")); level > 0 && level <= 6 && level < len(text) && isSpace(text[level]) {
		text = strings.TrimSpace(text[level:])
	}
	if text == "" || strings.ContainsAny(text, "\r\n") {
		return Edit{}, 0, Errorf(InvalidArgument, "the text of a heading is one line that is not empty").With("field", "newHeading")
	}
	n := Parse("", note)
	i, err := n.theHeading(heading)
	if err != nil {
		return Edit{}, 0, err
	}
	h := n.Headings[i]
	raw := h.Raw
	if _, at, ok := blockID([]byte(raw)); ok {
		raw = strings.TrimRight(raw[:at], " \t\n")
	}
	at := bytes.Index(note[h.Start:h.End], []byte(raw))
	if raw == "" || at < 0 {
		return Edit{}, 0, Errorf(InvalidArgument, "this heading cannot be renamed").Next("Edit its line.").With("field", "heading")
	}
	e := Edit{h.Start + at, h.Start + at + len(raw), text}
	after := Parse("", Splice(note, []Edit{e}))
	if len(after.Headings) != len(n.Headings) || after.Headings[i].Level != h.Level || headingKey(after.Headings[i].Raw) == "" {
		return Edit{}, 0, Errorf(InvalidArgument, "with the text %s the line would be another heading, or none", quotePath(text)).With("field", "newHeading")
	}
	return e, i, nil
}

// RenamedSubpath is what a link's subpath has to be once heading i of n has another text. It reports false where the link does not speak of
// that heading.
func (n *Note) RenamedSubpath(subpath string, i int, text string) (string, bool) {
	if !strings.HasPrefix(subpath, "#") || strings.HasPrefix(subpath, "#^") {
		return "", false
	}
	found, ok := n.FindHeading(subpath)
	if !ok {
		return "", false
	}
	var stack []int
	for k := range n.Headings[:found+1] {
		stack = push(stack, n.Headings, k)
	}
	at := slices.Index(stack, i)
	if at < 0 {
		return "", false
	}
	parts := strings.Split(subpath[1:], "#")
	key, keyText := headingKey(n.Headings[i].Raw), headingKey(n.Headings[i].Text)
	renamed := false
	for p := len(parts) - 1; p >= 0 && !renamed; p-- {
		k := headingKey(parts[p])
		if (found == i) == (p == len(parts)-1) && (k == key || k == keyText) {
			parts[p], renamed = linkableHeading(text), true
		}
	}
	return "#" + strings.Join(parts, "#"), renamed
}

// linkableHeading is a heading's text as a link holds it.
func linkableHeading(text string) string {
	if _, at, ok := blockID([]byte(text)); ok {
		text = text[:at]
	}
	text = strings.NewReplacer("%%", " ", "[[", " ", "]]", " ", "#", " ", "|", " ", "^", " ", ":", " ", "[", " ", "]", " ").Replace(plainHeading(text))
	return strings.Join(strings.Fields(text), " ")
}
