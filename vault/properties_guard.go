package vault

import (
	"bytes"
	"fmt"
)

// Limits of frontmatter. They stand before the YAML parser, which takes seconds for what they let pass in microseconds.
const (
	maxFrontmatter = 64 << 10 // bytes
	maxYAMLLines   = 2000
	maxYAMLKeys    = 512
	maxYAMLDepth   = 32
)

// badFrontmatter says why a block was not read. line counts from 1 inside the block.
type badFrontmatter struct {
	line   int
	reason string
}

// topKey is a top-level key as the line scan sees it.
type topKey struct {
	name  string
	line  int // from 1 inside the block
	start int // of its line, inside the block
	value int // where its value begins, inside the block
}

// topKeys finds the top-level keys by their lines alone, so that a block which YAML refuses still tells its keys.
func topKeys(block []byte) []topKey {
	var keys []topKey
	line := 0
	for at := 0; at < len(block); {
		line++
		end := lineEnd(block, at)
		text := block[at:end]
		if name, value, ok := keyOf(text); ok {
			keys = append(keys, topKey{name: name, line: line, start: at, value: at + value})
			if len(keys) > maxYAMLKeys {
				return keys
			}
		}
		at = end + 1
	}
	return keys
}

// keyOf reads "key:" at the start of a line, plain or in quotes.
func keyOf(text []byte) (name string, value int, ok bool) {
	if len(text) == 0 {
		return "", 0, false
	}
	switch c := text[0]; {
	case c == '"' || c == '\'':
		i := bytes.IndexByte(text[1:], c)
		if i < 0 || i+2 >= len(text) || text[i+2] != ':' || bytes.IndexByte(text[1:i+1], '\\') >= 0 {
			return "", 0, false
		}
		if i+3 < len(text) && !isSpace(text[i+3]) {
			return "", 0, false
		}
		return string(text[1 : i+1]), i + 3, true
	case isSpace(c) || bytes.IndexByte([]byte("#[]{},&*!|>%@`?-"), c) >= 0 && !(c == '-' && len(text) > 1 && !isSpace(text[1]) && text[1] != '-'):
		return "", 0, false
	}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '#' && i > 0 && isSpace(text[i-1]):
			return "", 0, false
		case text[i] == ':' && (i+1 == len(text) || isSpace(text[i+1])):
			return string(bytes.TrimRight(text[:i], " \t")), i + 1, i > 0
		}
	}
	return "", 0, false
}

// guard refuses a block that is too large or too deep for YAML, or that uses anchors.
func guard(block []byte, keys []topKey) *badFrontmatter {
	if len(block) > maxFrontmatter {
		return &badFrontmatter{1, fmt.Sprintf("the properties take %d bytes; at most %d are read", len(block), maxFrontmatter)}
	}
	if len(keys) > maxYAMLKeys {
		return &badFrontmatter{keys[maxYAMLKeys].line, fmt.Sprintf("there are more than %d properties", maxYAMLKeys)}
	}
	var indents [maxYAMLDepth + 1]int
	depth, flow, line := 0, 0, 0
	for at := 0; at < len(block); {
		if line++; line > maxYAMLLines {
			return &badFrontmatter{line, fmt.Sprintf("the properties take more than %d lines", maxYAMLLines)}
		}
		end := lineEnd(block, at)
		text := block[at:end]
		at = end + 1
		indent := 0
		for indent < len(text) && text[indent] == ' ' {
			indent++
		}
		if indent == len(text) || text[indent] == '#' {
			continue
		}
		for depth > 0 && indents[depth-1] >= indent {
			depth--
		}
		if indent == 0 {
			flow = 0 // whatever was open, a new key begins
		}
		indents[depth] = indent
		depth++
		dashes := 0
		for i := indent; i+1 < len(text) && (text[i] == '-' || text[i] == '?') && text[i+1] == ' '; i += 2 {
			dashes++
		}
		if deepest := flowDepth(text, &flow); depth+dashes > maxYAMLDepth || deepest > maxYAMLDepth {
			return &badFrontmatter{line, fmt.Sprintf("the properties are nested deeper than %d levels", maxYAMLDepth)}
		}
		if anchored(text[indent:]) {
			return &badFrontmatter{line, "anchors and aliases (&name, *name) are not read in properties"}
		}
	}
	return nil
}

// flowDepth follows brackets and returns how deep they went in this line.
func flowDepth(text []byte, flow *int) int {
	deepest := *flow
	for _, c := range text {
		switch c {
		case '[', '{':
			*flow++
			deepest = max(deepest, *flow)
		case ']', '}':
			*flow = max(0, *flow-1)
		}
	}
	return deepest
}

// anchored reports whether a value in a line begins with & or *, which only an anchor or an alias does.
func anchored(text []byte) bool {
	for len(text) > 1 && text[0] == '-' && text[1] == ' ' {
		text = bytes.TrimLeft(text[2:], " ")
	}
	if _, value, ok := keyOf(text); ok {
		text = bytes.TrimLeft(text[value:], " \t")
	}
	return len(text) > 1 && (text[0] == '&' || text[0] == '*') && (isWord(text[1]))
}

// lineEnd is where the line at offset at ends, without its line break.
func lineEnd(b []byte, at int) int {
	if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(b)
}
