package vault

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// SetProperties gives properties new values and takes others out; nil in set keeps what is there. What is not named stays byte for byte,
// comments and the order of keys included; a property that has its value already stays as it is written; a new value takes on the quotes
// and the kind of list that the old one had. New keys come last, and frontmatter is made where there is none.
//
// It refuses, with InvalidArgument, frontmatter that cannot be read or is written in a way that would not survive.
func SetProperties(note []byte, set map[string]any, unset []string) ([]byte, error) {
	set = maps.Clone(set)
	maps.DeleteFunc(set, func(_ string, v any) bool { return v == nil })
	fm := findFrontmatter(note)
	if !fm.found {
		return newProperties(note, set)
	}
	n := Parse("", note)
	for _, p := range n.Problems {
		if p.Code == ProblemFrontmatter {
			return nil, Errorf(InvalidArgument, "the frontmatter cannot be read: line %d: %s", p.Line, p.Message).
				Next("Correct it first, with an edit of those lines.").With("field", "path").With("line", p.Line)
		}
	}
	e := propertyEditor{note: note, fm: fm, block: note[fm.start:fm.end], eol: lineEnding(note, "")}
	e.keys = topKeys(e.block)
	want := wanted(n.Properties, set, unset)
	for _, key := range unset {
		if p, ok := n.Properties.Find(key); ok {
			i, ok := e.key(p.Key)
			if !ok {
				return nil, unusual()
			}
			e.edits = append(e.edits, Edit{fm.start + e.keys[i].start, fm.start + e.valueEnd(i), ""})
		}
	}
	fresh := make(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(set)) {
		p, ok := n.Properties.Find(key)
		if !ok || slices.Contains(unset, p.Key) {
			fresh[key] = set[key]
			continue
		}
		if sameValue(p.Value, set[key]) {
			continue
		}
		i, ok := e.key(p.Key)
		if !ok {
			return nil, unusual()
		}
		if err := e.replace(i, p.Value, set[key]); err != nil {
			return nil, err
		}
	}
	if err := e.add(fresh); err != nil {
		return nil, err
	}
	after := Splice(note, e.edits)
	return after, survived(note, after, want)
}

func newProperties(note []byte, set map[string]any) ([]byte, error) {
	if len(set) == 0 {
		return note, nil
	}
	front, err := RenderProperties(set)
	if err != nil {
		return nil, err
	}
	bom := bomLength(note)
	after := Splice(note, []Edit{{bom, bom, withLineEndings("---\n"+front+"---\n", lineEnding(note, ""))}})
	return after, survived(note, after, wanted(nil, set, nil))
}

func unusual() error {
	return Errorf(InvalidArgument, "the frontmatter is written in a way in which single properties cannot be set").
		Next("Change it with an edit of its lines.").With("field", "path")
}

// wanted are the properties that there should be afterwards.
func wanted(ps Properties, set map[string]any, unset []string) map[string]any {
	want := make(map[string]any, len(ps)+len(set))
	for _, p := range ps {
		want[p.Key] = p.Value
	}
	for _, key := range unset {
		if p, ok := ps.Find(key); ok {
			delete(want, p.Key)
		}
	}
	for key, v := range set {
		if p, ok := ps.Find(key); ok && !slices.Contains(unset, p.Key) {
			key = p.Key
		}
		want[key] = v
	}
	return want
}

// survived holds a result to what was wanted: the last guard against frontmatter of a kind that nobody thought of.
func survived(before, after []byte, want map[string]any) error {
	n := Parse("", after)
	ok := len(n.Properties) == len(want) && bytes.Equal(after[n.BodyStart:], before[findFrontmatter(before).next:])
	for _, p := range n.Properties {
		v, there := want[p.Key]
		ok = ok && there && sameValue(p.Value, v)
	}
	for _, p := range n.Problems {
		ok = ok && p.Code != ProblemFrontmatter
	}
	if !ok {
		return unusual()
	}
	return nil
}

// sameValue compares values as JSON, in which a number is its digits and the order of keys does not matter.
func sameValue(a, b any) bool {
	x, err := json.Marshal(plainMaps(a))
	y, err2 := json.Marshal(plainMaps(b))
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

func plainMaps(v any) any {
	switch v := v.(type) {
	case Properties:
		m := make(map[string]any, len(v))
		for _, p := range v {
			m[p.Key] = plainMaps(p.Value)
		}
		return m
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, x := range v {
			m[k] = plainMaps(x)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = plainMaps(x)
		}
		return list
	case []string:
		return v
	}
	return v
}

// propertyEditor edits one block of frontmatter.
type propertyEditor struct {
	note  []byte
	fm    frontmatter
	block []byte
	keys  []topKey
	eol   string
	edits []Edit // of note
}

func (e *propertyEditor) key(name string) (int, bool) {
	i := slices.IndexFunc(e.keys, func(k topKey) bool { return k.name == name })
	return i, i >= 0
}

// valueEnd is where key i's value ends in the block, with its line break: before the blank lines and comments that follow it.
func (e *propertyEditor) valueEnd(i int) int {
	start, end := e.keys[i].start, len(e.block)
	if i+1 < len(e.keys) {
		end = e.keys[i+1].start
	}
	first := trimBlanks(bytes.TrimRight(e.block[e.keys[i].value:lineEnd(e.block, start)], "\r"))
	scalar := len(first) > 0 && (first[0] == '|' || first[0] == '>') // whose indented lines are all text
	for {
		text := bytes.TrimRight(e.block[start:end], "\r\n")
		at := bytes.LastIndexByte(text, '\n') + 1
		if at == 0 {
			return min(end, nextLine(e.block, start))
		}
		line := bytes.TrimRight(text[at:], " \t\r")
		trimmed := bytes.TrimLeft(line, " \t")
		comment := len(trimmed) > 0 && trimmed[0] == '#' && (!scalar || len(trimmed) == len(line))
		if len(trimmed) > 0 && !comment {
			return min(end, nextLine(e.block, start+at))
		}
		end = start + at
	}
}

// add puts new keys at the end of the block.
func (e *propertyEditor) add(fresh map[string]any) error {
	if len(fresh) == 0 {
		return nil
	}
	if trimmed := bytes.TrimSpace(e.block); len(trimmed) > 0 && trimmed[0] == '{' {
		return unusual()
	}
	text, err := RenderProperties(fresh)
	if err != nil {
		return err
	}
	e.edits = append(e.edits, Edit{e.fm.end, e.fm.end, withLineEndings(text, e.eol)})
	return nil
}

// replace gives key i a new value.
func (e *propertyEditor) replace(i int, old, value any) error {
	k, end := e.keys[i], e.valueEnd(i)
	written := e.block[k.value:end]
	if text, ok := e.restyle(written, old, value); ok {
		e.edits = append(e.edits, Edit{e.fm.start + k.value, e.fm.start + end, text})
		return nil
	}
	var b strings.Builder
	if err := renderValue(&b, k.name, value, 0); err != nil {
		return err
	}
	text := withLineEndings(b.String(), e.eol)
	if i := trailingComment(written); i >= 0 && strings.Count(b.String(), "\n") == 1 {
		text = strings.TrimRight(text, "\r\n") + string(written[i:])
	}
	e.edits = append(e.edits, Edit{e.fm.start + k.value, e.fm.start + end, text})
	return nil
}
