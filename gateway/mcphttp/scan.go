package mcphttp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// maxDepth is how deep arrays and objects may nest in a body.
const maxDepth = 64

// manyKeys is where looking for a duplicate key stops being a walk over the object's keys and becomes a map.
const manyKeys = 24

// A member is one key of an object, and its value as it was sent.
type member struct {
	key   []byte // decoded
	value []byte
}

// members collects what an object holds. If follow names one of its keys and that key's value is an object, next
// collects what that one holds, in the same pass over the bytes.
type members struct {
	list   []member
	follow string
	next   *members
}

func (m *members) get(key string) []byte {
	for i := range m.list {
		if string(m.list[i].key) == key {
			return m.list[i].value
		}
	}
	return nil
}

// A scanner reads JSON text once, strictly: what it accepts is what RFC 8259 allows, in UTF-8, with no key twice in
// an object, and nested at most maxDepth deep. A breach of the last two leaves the text readable, so it is noted in
// fault and scanning goes on: the request's id may stand behind it.
type scanner struct {
	data  []byte
	pos   int
	fault error    // the first duplicate key or the excess of depth
	keys  [][]byte // keys of the objects that are open, innermost last
}

// syntaxError says where the text stopped being JSON.
func (s *scanner) syntaxError(what string) error {
	if s.pos >= len(s.data) {
		return fmt.Errorf("the text ends at byte %d: %s", len(s.data), what)
	}
	return fmt.Errorf("at byte %d: %s", s.pos, what)
}

func (s *scanner) note(format string, args ...any) {
	if s.fault == nil {
		s.fault = fmt.Errorf(format, args...)
	}
}

// space skips white space and reports the byte after it, or 0 at the end.
func (s *scanner) space() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// value scans one value. If it is an object and into is not nil, into gets its members.
func (s *scanner) value(depth int, into *members) ([]byte, error) {
	c := s.space()
	start := s.pos
	var err error
	switch {
	case c == '{' && depth > maxDepth, c == '[' && depth > maxDepth:
		s.note("nested deeper than %d levels", maxDepth)
		err = s.flat()
	case c == '{':
		err = s.object(depth, into)
	case c == '[':
		err = s.array(depth)
	case c == '"':
		_, err = s.text()
	case c == '-' || c >= '0' && c <= '9':
		err = s.number()
	case c == 't':
		err = s.word("true")
	case c == 'f':
		err = s.word("false")
	case c == 'n':
		err = s.word("null")
	default:
		err = s.syntaxError("a value is missing")
	}
	return s.data[start:s.pos], err
}

func (s *scanner) object(depth int, into *members) error {
	s.pos++ // {
	base := len(s.keys)
	defer func() { s.keys = s.keys[:base] }()
	var seen map[string]struct{}
	if s.space() == '}' {
		s.pos++
		return nil
	}
	for {
		if s.space() != '"' {
			return s.syntaxError("a key is missing")
		}
		key, err := s.text()
		if err != nil {
			return err
		}
		if seen = s.unique(key, s.keys[base:], seen); seen == nil {
			s.keys = append(s.keys, key)
		}
		if s.space() != ':' {
			return s.syntaxError("a colon is missing")
		}
		s.pos++
		var deeper *members
		if into != nil && into.next != nil && string(key) == into.follow {
			deeper = into.next
		}
		value, err := s.value(depth+1, deeper)
		if err != nil {
			return err
		}
		end := s.space()
		if end != ',' && end != '}' {
			return s.syntaxError("a comma or the object's end is missing")
		}
		s.pos++
		if into != nil { // only now: a value that the text's end cut short is not one
			into.list = append(into.list, member{key, value})
		}
		if end == '}' {
			return nil
		}
	}
}

// unique notes a key that the object already has. Beyond manyKeys it remembers them in a map, which it returns.
func (s *scanner) unique(key []byte, before [][]byte, seen map[string]struct{}) map[string]struct{} {
	switch {
	case seen != nil:
		if _, twice := seen[string(key)]; twice {
			s.note("the key %s stands twice in one object", quoteKey(key))
		}
		seen[string(key)] = struct{}{}
	case len(before) < manyKeys:
		for _, k := range before {
			if bytes.Equal(k, key) {
				s.note("the key %s stands twice in one object", quoteKey(key))
				break
			}
		}
	default:
		seen = make(map[string]struct{}, 2*manyKeys)
		for _, k := range before {
			seen[string(k)] = struct{}{}
		}
		return s.unique(key, before, seen)
	}
	return seen
}

// quoteKey shows a key in a message, cut where it is long.
func quoteKey(key []byte) string {
	if len(key) > 60 {
		key = append(key[:60:60], "…"...)
	}
	return string(appendString(nil, key))
}

func (s *scanner) array(depth int) error {
	s.pos++ // [
	if s.space() == ']' {
		s.pos++
		return nil
	}
	for {
		if _, err := s.value(depth+1, nil); err != nil {
			return err
		}
		switch s.space() {
		case ',':
			s.pos++
		case ']':
			s.pos++
			return nil
		default:
			return s.syntaxError("a comma or the array's end is missing")
		}
	}
}

// flat skips an array or object by its brackets alone. It is for what is refused anyway, and does not recurse.
func (s *scanner) flat() error {
	open := 0
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case '{', '[':
			open++
		case '}', ']':
			open--
		case '"':
			if _, err := s.text(); err != nil {
				return err
			}
			continue
		}
		s.pos++
		if open == 0 {
			return nil
		}
	}
	return s.syntaxError("an array or object has no end")
}

// text scans a string and returns it decoded.
func (s *scanner) text() ([]byte, error) {
	s.pos++ // "
	start := s.pos
	escaped, ascii := false, true
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c == '"':
			raw := s.data[start:s.pos]
			if !ascii && !utf8.Valid(raw) {
				return nil, s.syntaxError("the string before it is not UTF-8")
			}
			s.pos++
			if !escaped {
				return raw, nil
			}
			return unquote(s.data[start-1 : s.pos]), nil
		case c == '\\':
			escaped = true
			s.pos++
			if err := s.escape(); err != nil {
				return nil, err
			}
		case c < ' ':
			return nil, s.syntaxError("a control character stands in a string")
		default:
			ascii = ascii && c < utf8.RuneSelf
			s.pos++
		}
	}
	return nil, s.syntaxError("a string has no end")
}

// escape scans what follows a backslash.
func (s *scanner) escape() error {
	if s.pos >= len(s.data) {
		return s.syntaxError("a string has no end")
	}
	switch s.data[s.pos] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return nil
	case 'u':
		s.pos++
		for range 4 {
			if s.pos >= len(s.data) || !isHex(s.data[s.pos]) {
				return s.syntaxError("a \\u escape needs four hexadecimal digits")
			}
			s.pos++
		}
		return nil
	}
	return s.syntaxError("an unknown escape stands in a string")
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// unquote decodes a JSON string that was found to be well formed.
func unquote(quoted []byte) []byte {
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return quoted[1 : len(quoted)-1]
	}
	return []byte(s)
}

func (s *scanner) number() error {
	if s.data[s.pos] == '-' {
		s.pos++
	}
	if s.pos < len(s.data) && s.data[s.pos] == '0' {
		s.pos++
	} else if s.digits() == 0 {
		return s.syntaxError("a number needs digits")
	}
	if s.pos < len(s.data) && s.data[s.pos] == '.' {
		s.pos++
		if s.digits() == 0 {
			return s.syntaxError("a number needs digits")
		}
	}
	if s.pos < len(s.data) && (s.data[s.pos] == 'e' || s.data[s.pos] == 'E') {
		s.pos++
		if s.pos < len(s.data) && (s.data[s.pos] == '+' || s.data[s.pos] == '-') {
			s.pos++
		}
		if s.digits() == 0 {
			return s.syntaxError("a number needs digits")
		}
	}
	return nil
}

func (s *scanner) digits() (n int) {
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		s.pos++
		n++
	}
	return n
}

func (s *scanner) word(w string) error {
	if !bytes.HasPrefix(s.data[s.pos:], []byte(w)) {
		return s.syntaxError("a value is missing")
	}
	s.pos += len(w)
	return nil
}
