package vault

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxRendered = 8 // nesting of a property's value

// RenderProperties writes properties as the YAML between two "---" lines: keys in order of the alphabet, lists in block style, and
// quotes wherever a plain text would be read as something else. Dates stay plain, so that they are dates. Values are those of
// encoding/json; anything else is InvalidArgument.
func RenderProperties(properties map[string]any) (string, error) {
	var b strings.Builder
	if err := renderMap(&b, properties, 0); err != nil {
		return "", err
	}
	if b.Len() > maxFrontmatter {
		return "", Errorf(InvalidArgument, "the properties are %d bytes of YAML; a note may have %d", b.Len(), maxFrontmatter).
			Next("Put long texts into the note's body.").With("field", "properties")
	}
	return b.String(), nil
}

func renderMap(b *strings.Builder, m map[string]any, depth int) error {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if key == "" || !utf8.ValidString(key) || strings.ContainsFunc(key, unicode.IsControl) || len(key) > MaxSegment {
			return Errorf(InvalidArgument, "the property name %s is empty, too long or holds a control character", quotePath(key)).
				With("field", "properties")
		}
		b.WriteString(strings.Repeat("  ", depth))
		b.WriteString(renderString(key))
		b.WriteByte(':')
		if err := renderValue(b, key, m[key], depth); err != nil {
			return err
		}
	}
	return nil
}

// renderValue writes what follows "key:" or "-", up to and with the newline.
func renderValue(b *strings.Builder, key string, value any, depth int) error {
	if depth >= maxRendered {
		return Errorf(InvalidArgument, "the property %q is nested more than %d deep", key, maxRendered).With("field", "properties")
	}
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			b.WriteString(" {}\n")
			return nil
		}
		b.WriteByte('\n')
		return renderMap(b, v, depth+1)
	case []any:
		if len(v) == 0 {
			b.WriteString(" []\n")
			return nil
		}
		b.WriteByte('\n')
		for _, item := range v {
			b.WriteString(strings.Repeat("  ", depth+1))
			b.WriteByte('-')
			if err := renderValue(b, key, item, depth+1); err != nil {
				return err
			}
		}
		return nil
	case []string:
		items := make([]any, len(v))
		for i := range v {
			items[i] = v[i]
		}
		return renderValue(b, key, items, depth)
	case nil:
		b.WriteByte('\n') // a key with no value, as editors write it
		return nil
	}
	text, ok := renderScalar(value)
	if !ok {
		return Errorf(InvalidArgument, "the property %q has a value of a kind that frontmatter cannot hold", key).With("field", "properties")
	}
	b.WriteByte(' ')
	b.WriteString(text)
	b.WriteByte('\n')
	return nil
}

func renderScalar(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return renderString(v), utf8.ValidString(v)
	case bool:
		return strconv.FormatBool(v), true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case json.Number:
		_, err := v.Float64()
		return v.String(), err == nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", false
		}
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return strconv.FormatFloat(v, 'f', -1, 64), true
		}
		return strconv.FormatFloat(v, 'g', -1, 64), true
	}
	return "", false
}

func renderString(s string) string {
	if plainYAML(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			b.WriteString(`\U` + hex(r, 8))
		default:
			b.WriteString(`\u` + hex(r, 4))
		}
	}
	b.WriteByte('"')
	return b.String()
}

func hex(r rune, width int) string {
	s := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", max(width-len(s), 0)) + s
}

// plainYAML reports whether s means the same text without quotes, to readers of YAML 1.1 and 1.2 alike.
func plainYAML(s string) bool {
	if plainDate(s) {
		return true
	}
	first, _ := utf8.DecodeRuneInString(s)
	if !unicode.IsLetter(first) && first != '_' {
		return false
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf":
		return false
	}
	for i, r := range s {
		switch {
		case !unicode.IsPrint(r), strings.ContainsRune("{}[],&*!|>'\"%@`\\", r):
			return false
		case r == ':' && (i+1 == len(s) || s[i+1] == ' '), r == '#' && s[i-1] == ' ':
			return false
		}
	}
	return s[len(s)-1] != ' '
}

// plainDate holds for 2026-11-30, and that with a time 2026-11-30T21:04 or 2026-11-30T21:04:05.
func plainDate(s string) bool {
	switch len(s) {
	case len("2026-11-30"), len("2026-11-30T21:04"), len("2026-11-30T21:04:05"):
	default:
		return false
	}
	for i := range len(s) {
		want := "0000-00-00T00:00:00"[i]
		if want == '0' && (s[i] < '0' || s[i] > '9') || want != '0' && s[i] != want {
			return false
		}
	}
	return true
}
