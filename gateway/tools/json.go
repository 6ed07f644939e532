package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// maxDepth is how deep arguments may nest. The deepest that a tool takes is a property of an action.
const maxDepth = 32

// parse reads one JSON text as map[string]any, []any, string, json.Number, bool and nil. It differs from encoding/json where
// that would hide something: a name that stands twice, invalid UTF-8 and deep nesting are errors, and numbers keep their digits.
func parse(text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("the arguments are not valid UTF-8")
	}
	p := parser{b: text}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.i < len(p.b) {
		return nil, p.unexpected()
	}
	return v, nil
}

type parser struct {
	b []byte
	i int
}

func (p *parser) unexpected() error {
	if p.i >= len(p.b) {
		return errors.New("the arguments end too early; they are not valid JSON")
	}
	return fmt.Errorf("the arguments are not valid JSON at byte %d", p.i)
}

func (p *parser) space() {
	for p.i < len(p.b) {
		switch p.b[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

// take moves over c, after space, and reports whether it was there.
func (p *parser) take(c byte) bool {
	p.space()
	if p.i < len(p.b) && p.b[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *parser) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("the arguments nest deeper than %d levels", maxDepth)
	}
	p.space()
	if p.i >= len(p.b) {
		return nil, p.unexpected()
	}
	switch c := p.b[p.i]; {
	case c == '{':
		p.i++
		return p.object(depth)
	case c == '[':
		p.i++
		return p.array(depth)
	case c == '"':
		return p.text()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	for _, w := range words {
		if len(p.b)-p.i >= len(w.text) && string(p.b[p.i:p.i+len(w.text)]) == w.text {
			p.i += len(w.text)
			return w.value, nil
		}
	}
	return nil, p.unexpected()
}

var words = [...]struct {
	text  string
	value any
}{{"true", true}, {"false", false}, {"null", nil}}

func (p *parser) object(depth int) (any, error) {
	m := make(map[string]any, 8)
	if p.take('}') {
		return m, nil
	}
	for {
		if p.space(); p.i >= len(p.b) || p.b[p.i] != '"' {
			return nil, p.unexpected()
		}
		name, err := p.text()
		if err != nil {
			return nil, err
		}
		if !p.take(':') {
			return nil, p.unexpected()
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if _, twice := m[name]; twice {
			return nil, fmt.Errorf("the argument %s is given twice", show(name))
		}
		m[name] = v
		if p.take(',') {
			continue
		}
		if p.take('}') {
			return m, nil
		}
		return nil, p.unexpected()
	}
}

func (p *parser) array(depth int) (any, error) {
	list := []any{}
	if p.take(']') {
		return list, nil
	}
	for {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if p.take(',') {
			continue
		}
		if p.take(']') {
			return list, nil
		}
		return nil, p.unexpected()
	}
}

func (p *parser) text() (string, error) {
	start, escaped := p.i, false
	for p.i++; p.i < len(p.b); p.i++ {
		switch c := p.b[p.i]; {
		case c == '\\':
			escaped = true
			p.i++
		case c < 0x20:
			return "", p.unexpected()
		case c == '"':
			p.i++
			if !escaped {
				return string(p.b[start+1 : p.i-1]), nil
			}
			var s string
			if err := json.Unmarshal(p.b[start:p.i], &s); err != nil {
				p.i = start
				return "", p.unexpected()
			}
			return s, nil
		}
	}
	return "", p.unexpected()
}

func (p *parser) number() (any, error) {
	start := p.i
	for p.i < len(p.b) {
		switch c := p.b[p.i]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			p.i++
			continue
		}
		break
	}
	if n := p.b[start:p.i]; len(n) <= 64 && json.Valid(n) {
		return json.Number(n), nil
	}
	p.i = start
	return nil, p.unexpected()
}
