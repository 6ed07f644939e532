package vault

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxExample = 60   // bytes of a value that is shown
	maxNested  = 3    // maps inside one another whose keys are counted
	maxDigest  = 4096 // bytes kept of one note's properties
)

// PropertyDigest is what a schema needs to know of one note's properties, in a few bytes: keys, types, and the beginnings of values.
type PropertyDigest string

// DigestProperties makes a digest. Keys inside maps are "a.b".
func DigestProperties(ps Properties) PropertyDigest {
	if len(ps) == 0 {
		return ""
	}
	b := make([]byte, 0, 32*len(ps))
	return PropertyDigest(digest(b, "", ps, 0))
}

func digest(b []byte, prefix string, ps Properties, depth int) []byte {
	for _, p := range ps {
		key := prefix + p.Key
		if len(key) > MaxSegment || len(b) > maxDigest {
			continue
		}
		example := exampleOf(p.Value)
		b = append(b, byte(len(key)))
		b = append(b, key...)
		b = append(b, byte(slices.Index(propertyKinds, PropertyType(p.Value))), byte(len(example)))
		b = append(b, example...)
		if m, ok := p.Value.(Properties); ok && depth < maxNested {
			b = digest(b, key+".", m, depth+1)
		}
	}
	return b
}

// propertyKinds are the answers of PropertyType.
var propertyKinds = []string{"text", "number", "checkbox", "date", "datetime", "list", "map", "empty"}

// exampleOf is the beginning of a value, as JSON without its outer quotes.
func exampleOf(v any) string {
	text := ""
	switch v := v.(type) {
	case nil, Properties:
		return ""
	case string:
		text = v
	case []any:
		var items []string
		size := 0
		for _, item := range v {
			if size > maxExample {
				break
			}
			items = append(items, exampleOf(item))
			size += len(items[len(items)-1])
		}
		text = strings.Join(items, ", ")
	default:
		j, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		text = string(j)
	}
	text = oneLine(text, maxExample)
	for len(text) > maxExample {
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
	}
	return text
}

// SchemaKey is one property as a vault uses it.
type SchemaKey struct {
	Key      string
	Count    int            // notes that have it
	Types    map[string]int // by PropertyType, how many notes
	Examples []string       // the values seen most often
	Type     string         // the declared one; else that of most values
	Declared bool           // Type is the owner's
}

// Counted is a tag or folder, and how many notes have it or lie in it.
type Counted struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Schema counts what the notes of a vault have. The zero Schema is empty. The order in which notes are added does not matter.
type Schema struct {
	Notes int

	keys    map[string]*keyCount
	tags    map[string]*tagCount
	folders map[string]int
}

type keyCount struct {
	count    int
	kinds    [8]int
	examples map[string]int
}

type tagCount struct {
	spelling map[string]int
	count    int
}

// Add counts one note.
func (s *Schema) Add(p Path, d PropertyDigest, tags []string) {
	if s.keys == nil {
		s.keys, s.tags, s.folders = make(map[string]*keyCount), make(map[string]*tagCount), make(map[string]int)
	}
	s.Notes++
	for dir := p.Dir(); dir != ""; dir = dir.Dir() {
		s.folders[string(dir)]++
	}
	for _, t := range tags {
		k := Fold(t)
		c := s.tags[k]
		if c == nil {
			c = &tagCount{spelling: make(map[string]int, 1)}
			s.tags[k] = c
		}
		c.spelling[t]++
		c.count++
	}
	for len(d) > 0 {
		n := int(d[0])
		key, kind, m := string(d[1:1+n]), int(d[1+n]), int(d[2+n])
		s.property(key, kind, string(d[3+n:3+n+m]))
		d = d[3+n+m:]
	}
}

func (s *Schema) property(key string, kind int, example string) {
	const mostDifferent = 200 // examples told apart
	c := s.keys[key]
	if c == nil {
		c = &keyCount{examples: make(map[string]int)}
		s.keys[key] = c
	}
	c.count++
	c.kinds[kind]++
	if _, known := c.examples[example]; example != "" && (known || len(c.examples) < mostDifferent) {
		c.examples[example]++
	}
}

// Keys are the properties, the most frequent first, each with a number of examples.
func (s *Schema) Keys(types PropertyTypes, examples int) []SchemaKey {
	keys := make([]SchemaKey, 0, len(s.keys))
	for key, c := range s.keys {
		k := SchemaKey{Key: key, Count: c.count, Types: make(map[string]int), Examples: most(c.examples, examples)}
		best := -1
		for kind, n := range c.kinds {
			if n == 0 {
				continue
			}
			k.Types[propertyKinds[kind]] = n
			if propertyKinds[kind] != "empty" && (best < 0 || n > c.kinds[best]) {
				best = kind
			}
		}
		k.Type = "empty"
		if best >= 0 {
			k.Type = propertyKinds[best]
		}
		if key == "tags" || key == "aliases" {
			k.Type = key
		}
		if t, ok := types.Of(key); ok {
			k.Type, k.Declared = t, true
		}
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b SchemaKey) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key)) })
	return keys
}

// Tags are the tags in the spelling that is used most, the most frequent first.
func (s *Schema) Tags() []Counted {
	tags := make([]Counted, 0, len(s.tags))
	for _, c := range s.tags {
		tags = append(tags, Counted{most(c.spelling, 1)[0], c.count})
	}
	return sortCounted(tags)
}

// Folders are the folders with the notes at or below each, the fullest first.
func (s *Schema) Folders() []Counted {
	folders := make([]Counted, 0, len(s.folders))
	for name, n := range s.folders {
		folders = append(folders, Counted{name, n})
	}
	return sortCounted(folders)
}

// KeyCount is the number of different keys.
func (s *Schema) KeyCount() int { return len(s.keys) }

// TagCount is the number of different tags.
func (s *Schema) TagCount() int { return len(s.tags) }

// FolderCount is the number of folders that hold notes.
func (s *Schema) FolderCount() int { return len(s.folders) }

func sortCounted(list []Counted) []Counted {
	slices.SortFunc(list, func(a, b Counted) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name)) })
	return list
}

// most are the n names with the highest counts; of equal ones the first in order.
func most(counts map[string]int, n int) []string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	return names[:min(n, len(names))]
}
