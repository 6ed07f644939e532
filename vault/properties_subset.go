package vault

import (
	"bytes"
	"fmt"
	"strings"
)

// readProperties reads a block: the plain forms that nine of ten notes keep to by itself, everything else through YAML.
func readProperties(block []byte, keys []topKey) (Properties, *badFrontmatter) {
	if bad := guard(block, keys); bad != nil {
		return nil, bad
	}
	if len(bytes.TrimSpace(block)) == 0 {
		return nil, nil
	}
	if k, dup := duplicate(keys); dup {
		return nil, &badFrontmatter{k.line, fmt.Sprintf("the property %q is there twice", k.name)}
	}
	if ps, ok := readSubset(block, keys); ok {
		return ps, nil
	}
	return readYAML(block)
}

func duplicate(keys []topKey) (topKey, bool) {
	const few = 16
	if len(keys) <= few {
		for i := range keys {
			for j := range i {
				if keys[i].name == keys[j].name {
					return keys[i], true
				}
			}
		}
		return topKey{}, false
	}
	seen := make(map[string]bool, len(keys))
	for _, k := range keys {
		if seen[k.name] {
			return k, true
		}
		seen[k.name] = true
	}
	return topKey{}, false
}

// readSubset reads scalars on one line, lists in brackets of such scalars, and lists with dashes of such scalars. At anything else it
// gives up, so that it never reads what YAML reads otherwise.
func readSubset(block []byte, keys []topKey) (Properties, bool) {
	ps := make(Properties, 0, len(keys))
	seen := 0 // keys that lines were read for
	for at := 0; at < len(block); {
		end := lineEnd(block, at)
		text := bytes.TrimRight(block[at:end], "\r")
		start := at
		if !clean(text) {
			return nil, false
		}
		at = end + 1
		if len(text) == 0 || text[0] == '#' || len(bytes.TrimLeft(text, " ")) == 0 {
			continue
		}
		if seen == len(keys) || keys[seen].start != start {
			return nil, false
		}
		k := keys[seen]
		seen++
		value := trimBlanks(text[k.value-start:])
		var v any
		var ok bool
		switch {
		case len(value) == 0 || value[0] == '#':
			v, at, ok = subsetList(block, at)
		case value[0] == '[':
			v, ok = subsetFlow(value)
			ok = ok && !continued(block, at)
		default:
			v, ok = subsetScalar(value, false)
			ok = ok && !continued(block, at)
		}
		const longest = 1000 // YAML takes 1,024 characters
		if !ok || strings.IndexByte(k.name, '\t') >= 0 || k.name == "<<" || len(k.name) > longest {
			return nil, false
		}
		ps = append(ps, Property{Key: k.name, Value: v})
	}
	return ps, seen == len(keys)
}

// continued reports whether the line at offset at goes on with the value above: it is indented, or a list item that would need a
// key without value.
func continued(block []byte, at int) bool {
	for at < len(block) {
		end := lineEnd(block, at)
		text := bytes.TrimRight(block[at:end], " \t\r")
		if len(text) > 0 {
			return isSpace(text[0]) || text[0] == '-'
		}
		at = end + 1
	}
	return false
}

// subsetList reads "- item" lines, all with the same indent.
func subsetList(block []byte, at int) (v any, next int, ok bool) {
	var items []any
	indent := -1
	for at < len(block) {
		end := lineEnd(block, at)
		text := bytes.TrimRight(block[at:end], " \r")
		if !clean(text) {
			return nil, 0, false
		}
		trimmed := bytes.TrimLeft(text, " ")
		if len(trimmed) == 0 {
			at = end + 1
			continue
		}
		n := len(text) - len(trimmed)
		if trimmed[0] == '#' && n > 0 {
			return nil, 0, false
		}
		if trimmed[0] != '-' || len(trimmed) > 1 && trimmed[1] != ' ' {
			if n > 0 {
				return nil, 0, false
			}
			break
		}
		if indent < 0 {
			indent = n
		}
		if n != indent {
			return nil, 0, false
		}
		item, ok := subsetScalar(trimBlanks(trimmed[1:]), false)
		if !ok {
			return nil, 0, false
		}
		items = append(items, item)
		at = end + 1
	}
	if indent < 0 {
		return nil, at, true
	}
	return items, at, true
}

// subsetFlow reads "[a, b]" of scalars.
func subsetFlow(text []byte) (any, bool) {
	if len(text) < 2 || text[len(text)-1] != ']' {
		return nil, false
	}
	items := []any{}
	rest := trimBlanks(text[1 : len(text)-1])
	for len(rest) > 0 {
		n := bytes.IndexByte(rest, ',')
		if c := rest[0]; c == '"' || c == '\'' {
			i := bytes.IndexByte(rest[1:], c)
			if i < 0 {
				return nil, false
			}
			if n = bytes.IndexByte(rest[i+2:], ','); n >= 0 {
				n += i + 2
			}
		}
		item := rest
		rest = nil
		if n >= 0 {
			item, rest = item[:n], trimBlanks(item[n+1:])
		}
		item = trimBlanks(item)
		if len(item) == 0 {
			return nil, false
		}
		v, ok := subsetScalar(item, true)
		if !ok {
			return nil, false
		}
		items = append(items, v)
	}
	return items, true
}

// subsetScalar reads one scalar that fills text.
func subsetScalar(text []byte, flow bool) (any, bool) {
	if len(text) == 0 {
		return nil, true
	}
	switch c := text[0]; c {
	case '"':
		if n := len(text); n < 2 || text[n-1] != '"' || bytes.IndexByte(text, '\\') >= 0 || bytes.IndexByte(text[1:n-1], '"') >= 0 {
			return nil, false
		}
		return string(text[1 : len(text)-1]), true
	case '\'':
		if n := len(text); n < 2 || text[n-1] != '\'' || bytes.IndexByte(text[1:n-1], '\'') >= 0 {
			return nil, false
		}
		return string(text[1 : len(text)-1]), true
	case '[', ']', '{', '}', ',', '#', '&', '*', '!', '|', '>', '%', '@', '`':
		return nil, false
	case '-', '?', ':':
		if len(text) == 1 || isSpace(text[1]) || c == ':' || c == '?' {
			return nil, false
		}
	}
	for i, c := range text {
		switch {
		case c == ':' && (i+1 == len(text) || isSpace(text[i+1])), c == '#' && isSpace(text[i-1]):
			return nil, false
		case flow && (c == '[' || c == ']' || c == '{' || c == '}' || c == ',' || c == '"' || c == ':' || c == '?'):
			return nil, false
		}
	}
	return plainValue(string(text)), true
}

// clean reports whether text holds only what YAML lets stand in a line.
func clean(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c >= 0x7F { // beyond ASCII there are line breaks and characters that YAML refuses
			return cleanText(text)
		}
	}
	return true
}

func trimBlanks(b []byte) []byte { return bytes.Trim(b, " \t") }
