package vault

import (
	"encoding/json"
	"strings"
)

// PropertyTypes are the types that a vault's owner gave to properties: text, multitext, number, checkbox, date, datetime, tags, aliases.
// A type belongs to a name, in every note.
type PropertyTypes map[string]string

// ParsePropertyTypes reads .obsidian/types.json. What is no such file has no types.
func ParsePropertyTypes(file []byte) PropertyTypes {
	var read struct {
		Types map[string]any `json:"types"`
	}
	if json.Unmarshal(file, &read) != nil {
		return nil
	}
	types := make(PropertyTypes, len(read.Types))
	for name, t := range read.Types {
		if s, ok := t.(string); ok && s != "" && len(s) <= MaxSegment {
			types[name] = s
		}
	}
	return types
}

// Of is the type of a property, by its exact name, else by its name in any case.
func (t PropertyTypes) Of(key string) (string, bool) {
	if s, ok := t[key]; ok {
		return s, true
	}
	best, found := "", false
	for name := range t {
		if strings.EqualFold(name, key) && (!found || name < best) {
			best, found = name, true
		}
	}
	return t[best], found
}
