package vault

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Property is one key of a note's frontmatter.
type Property struct {
	Key string

	// Value is a string, bool, int64, float64, json.Number (digits that neither holds exactly), nil (the key has no value),
	// []any of these, or Properties for a map. Dates are strings, as written.
	Value any

	Line       int // 0 inside a map
	Start, End int // span from the key's line up to the next key's or the end of the block; both 0 inside a map
}

// Properties are a note's properties, or a map inside one, in the order of the note.
type Properties []Property

// Get finds a property by its exact key; failing that, by its key in any case.
func (ps Properties) Get(key string) (any, bool) {
	if p, ok := ps.Find(key); ok {
		return p.Value, true
	}
	return nil, false
}

// Find is Get for the whole Property.
func (ps Properties) Find(key string) (Property, bool) {
	folded := -1
	for i := range ps {
		if ps[i].Key == key {
			return ps[i], true
		}
		if folded < 0 && strings.EqualFold(ps[i].Key, key) {
			folded = i
		}
	}
	if folded < 0 {
		return Property{}, false
	}
	return ps[folded], true
}

// Lookup follows a path of keys and list positions, such as "authors.0" or "a.b". A key that holds dots itself is found first.
func (ps Properties) Lookup(path string) (any, bool) {
	if v, ok := ps.Get(path); ok {
		return v, true
	}
	var at any = ps
	for part := range strings.SplitSeq(path, ".") {
		switch v := at.(type) {
		case Properties:
			next, ok := v.Get(part)
			if !ok {
				return nil, false
			}
			at = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			at = v[i]
		default:
			return nil, false
		}
	}
	return at, true
}

// MarshalJSON writes an object whose keys keep their order.
func (ps Properties) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, p := range ps {
		if i > 0 {
			out.WriteByte(',')
		}
		key, err := json.Marshal(p.Key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(p.Value)
		if err != nil {
			return nil, err
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// PropertyType names the type of a value as people know it: text, number, checkbox, date, datetime, list, map, or empty.
func PropertyType(value any) string {
	switch v := value.(type) {
	case nil:
		return "empty"
	case bool:
		return "checkbox"
	case int64, float64, json.Number:
		return "number"
	case []any:
		return "list"
	case Properties:
		return "map"
	case string:
		switch {
		case isDate(v):
			return "date"
		case len(v) >= len("2006-01-02T15:04") && isDate(v[:10]) && (v[10] == 'T' || v[10] == ' ') && isClock(v[11:]):
			return "datetime"
		}
	}
	return "text"
}

func isDate(s string) bool {
	return len(s) == 10 && s[4] == '-' && s[7] == '-' && digits(s[:4]) && digits(s[5:7]) && digits(s[8:]) &&
		s[5:7] >= "01" && s[5:7] <= "12" && s[8:] >= "01" && s[8:] <= "31"
}

func isClock(s string) bool {
	if s[2] != ':' || !digits(s[:2]) || !digits(s[3:5]) || s[:2] > "23" || s[3:5] > "59" {
		return false
	}
	return strings.Trim(s[5:], "0123456789:.+-Z") == ""
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}
