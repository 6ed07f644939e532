package vault

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// restyle writes a new value in the style of the old one, if it has one that can be kept: written is what stands behind the key's
// colon, up to and with the last line break.
func (e *propertyEditor) restyle(written []byte, old, value any) (string, bool) {
	line, rest, _ := bytes.Cut(written, []byte{'\n'})
	trimmed := trimBlanks(bytes.TrimRight(line, "\r"))
	switch value := value.(type) {
	case string:
		if len(bytes.TrimSpace(rest)) > 0 || len(trimmed) < 2 || !utf8.ValidString(value) {
			return "", false
		}
		q, ok := quotedLike(trimmed[0], value)
		n := scalarLen(trimmed)
		if !ok || n < 0 {
			return "", false
		}
		lead := bytes.Index(line, trimmed)
		return string(line[:lead]) + q + string(line[lead+n:]) + lineBreak(written), true
	case []any, []string:
		was, ok := old.([]any)
		items := anySlice(value)
		if !ok || len(was) == 0 || len(items) == 0 || !scalars(items) || !scalars(was) {
			return "", false
		}
		if len(trimmed) > 0 && trimmed[0] == '[' && len(bytes.TrimSpace(rest)) == 0 {
			return restyleFlow(line, was, items, lineBreak(written))
		}
		if len(trimmed) == 0 || trimmed[0] == '#' {
			return e.restyleBlock(line, rest, was, items)
		}
	}
	return "", false
}

func lineBreak(written []byte) string {
	if bytes.HasSuffix(written, []byte{'\n'}) {
		return "\n"
	}
	return ""
}

func anySlice(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	var out []any
	for _, s := range v.([]string) {
		out = append(out, s)
	}
	return out
}

func scalars(items []any) bool {
	for _, item := range items {
		switch item.(type) {
		case []any, []string, map[string]any, Properties:
			return false
		}
	}
	return true
}

// quotedLike writes s between quotes of a kind, if it can be.
func quotedLike(mark byte, s string) (string, bool) {
	switch {
	case mark == '"':
		if !plainYAML(s) {
			return renderString(s), true
		}
		return `"` + s + `"`, true
	case mark == '\'' && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0:
		return "'" + strings.ReplaceAll(s, "'", "''") + "'", true
	}
	return "", false
}

// scalarLen is the length of the quoted scalar that text begins with; -1 if there is none.
func scalarLen(text []byte) int {
	mark := text[0]
	if mark != '"' && mark != '\'' {
		return -1
	}
	for i := 1; i < len(text); i++ {
		switch {
		case mark == '"' && text[i] == '\\':
			i++
		case text[i] == mark && mark == '\'' && i+1 < len(text) && text[i+1] == mark:
			i++
		case text[i] == mark:
			return i + 1
		}
	}
	return -1
}

// trailingComment is where the blanks before a comment on the first line begin, if a value of one line has one; else -1.
func trailingComment(written []byte) int {
	line, rest, _ := bytes.Cut(written, []byte{'\n'})
	if len(bytes.TrimSpace(rest)) > 0 {
		return -1
	}
	from := len(line) - len(bytes.TrimLeft(line, " \t"))
	if from < len(line) {
		switch line[from] {
		case '"', '\'':
			n := scalarLen(line[from:])
			if n < 0 {
				return -1
			}
			from += n
		case '|', '>', '[', '{':
			return -1
		}
	}
	for i := max(from, 1); i < len(line); i++ {
		if line[i] == '#' && isSpace(line[i-1]) {
			for i > from && isSpace(line[i-1]) {
				i--
			}
			return i
		}
	}
	return -1
}

// pairItems tells which of the old items each new one is, -1 if none.
func pairItems(was, items []any) (same []int) {
	same = make([]int, len(items))
	if len(was) == len(items) {
		changed := 0
		for i := range items {
			same[i] = i
			if !sameValue(was[i], items[i]) {
				same[i] = -1
				changed++
			}
		}
		if changed*2 <= len(items)+1 {
			return same
		}
	}
	used := make([]bool, len(was))
	for i := range items {
		same[i] = -1
		for j := range was {
			if !used[j] && sameValue(was[j], items[i]) {
				same[i], used[j] = j, true
				break
			}
		}
	}
	return same
}

// restyleFlow writes "[a, b]" on one line.
func restyleFlow(line []byte, was, items []any, ending string) (string, bool) {
	open := bytes.IndexByte(line, '[')
	raw, closer, ok := flowItems(line, open+1)
	if !ok || len(raw) != len(was) {
		return "", false
	}
	sep := ", "
	if len(raw) > 1 && !bytes.Contains(line[open:closer], []byte(", ")) {
		sep = ","
	}
	var b strings.Builder
	b.Write(line[:open+1])
	for i, j := range pairItems(was, items) {
		if i > 0 {
			b.WriteString(sep)
		}
		if j >= 0 {
			b.Write(raw[j])
			continue
		}
		text, ok := itemText(raw[min(i, len(raw)-1)], items[i])
		if !ok || text == "" {
			return "", false
		}
		b.WriteString(text)
	}
	b.Write(line[closer:])
	b.WriteString(ending)
	return b.String(), true
}

// flowItems are the items of a list as they are written, and where its "]" stands.
func flowItems(line []byte, at int) (raw [][]byte, closer int, ok bool) {
	for start := at; at < len(line); {
		switch c := line[at]; c {
		case '"', '\'':
			if len(trimBlanks(line[start:at])) > 0 {
				at++
				continue
			}
			n := scalarLen(line[at:])
			if n < 0 {
				return nil, 0, false
			}
			at += n
		case '[', '{', '}':
			return nil, 0, false
		case ',', ']':
			item := trimBlanks(line[start:at])
			if len(item) > 0 {
				raw = append(raw, item)
			}
			if c == ']' {
				return raw, at, true
			}
			at++
			start = at
		default:
			at++
		}
	}
	return nil, 0, false
}

// itemText writes an item in the quotes that a like one has.
func itemText(like []byte, item any) (string, bool) {
	if s, ok := item.(string); ok {
		if len(like) > 0 {
			if q, ok := quotedLike(like[0], s); ok && utf8.ValidString(s) {
				return q, true
			}
		}
	}
	if item == nil {
		return "null", true
	}
	return renderScalar(item)
}

// restyleBlock writes "- item" lines with the indent of the old ones. An item that stays keeps its line, and the comments below it.
func (e *propertyEditor) restyleBlock(line, rest []byte, was, items []any) (string, bool) {
	var raw [][]byte // an item's line and what belongs to it
	indent, mark := "", "- "
	head := 0 // lines before the first item
	for at := 0; at < len(rest); {
		next := nextLine(rest, at)
		text := bytes.TrimRight(rest[at:next], "\r\n")
		trimmed := bytes.TrimLeft(text, " ")
		switch {
		case len(trimmed) > 1 && trimmed[0] == '-' && isSpace(trimmed[1]):
			lead := len(text) - len(trimmed)
			if raw == nil {
				indent = string(text[:lead])
				mark = string(trimmed[:len(trimmed)-len(bytes.TrimLeft(trimmed[1:], " "))])
			}
			if lead != len(indent) {
				return "", false
			}
			raw = append(raw, rest[at:next])
		case raw == nil:
			head = next
		default:
			raw[len(raw)-1] = raw[len(raw)-1][:len(raw[len(raw)-1])+next-at]
		}
		at = next
	}
	if len(raw) != len(was) {
		return "", false
	}
	var b strings.Builder
	b.Write(line)
	b.WriteByte('\n')
	b.Write(rest[:head])
	for i, j := range pairItems(was, items) {
		if j >= 0 {
			b.Write(raw[j])
			if !bytes.HasSuffix(raw[j], []byte{'\n'}) {
				b.WriteString(e.eol)
			}
			continue
		}
		like := raw[min(i, len(raw)-1)]
		text, ok := itemText(bytes.TrimLeft(bytes.TrimLeft(like, " ")[1:], " "), items[i])
		if !ok {
			return "", false
		}
		b.WriteString(indent + mark + text)
		if at := len(indent) + len(mark); len(was) == len(items) { // it takes the place of the old one, and what is said of that
			if i := trailingComment(like[at:nextLine(like, 0)]); i >= 0 {
				b.WriteString(strings.TrimRight(string(like[at+i:nextLine(like, 0)]), "\r\n"))
			}
			b.WriteString(e.eol)
			b.Write(like[nextLine(like, 0):])
			continue
		}
		b.WriteString(e.eol)
	}
	return b.String(), true
}
