package vault

import (
	"strings"
)

// RenameTag gives a tag, and those below it, another name, in the text and in the properties of a note. Everything else stays byte for
// byte. It returns how many places were changed.
func RenameTag(note []byte, tag, to string) ([]byte, int, error) {
	tag, to = strings.Trim(tag, "#/"), strings.Trim(to, "#/")
	for field, name := range map[string]string{"tag": tag, "newTag": to} {
		if !isTag(name) {
			return nil, 0, Errorf(InvalidArgument, "%s is no tag", quotePath(name)).
				Next("A tag has no spaces and no punctuation but - _ and /, and is not a number.").With("field", field)
		}
	}
	edits := textTags(note, tag, to)
	count := len(edits)
	n := Parse("", note)
	if v, ok := exact(n.Properties, "tags"); ok {
		renamed, k := renamedTags(v, tag, to)
		if k > 0 {
			with, err := SetProperties(note, map[string]any{"tags": renamed}, nil)
			if err != nil {
				return nil, 0, err
			}
			shift := len(with) - len(note) // the text lies behind the properties
			for i := range edits {
				edits[i].Start, edits[i].End = edits[i].Start+shift, edits[i].End+shift
			}
			note, count = with, count+k
		}
	}
	return Splice(note, edits), count, nil
}

// renamedTag is what a tag is called afterwards.
func renamedTag(have, tag, to string) (string, bool) {
	if !HasTag([]string{have}, tag) {
		return "", false
	}
	// Folding may change the length of a name, so that what is below is counted in segments.
	rest := have
	for range strings.Count(tag, "/") + 1 {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			return to, true
		}
		rest = rest[i+1:]
	}
	return to + "/" + rest, true
}

// textTags are the edits of the text of a note.
func textTags(note []byte, tag, to string) []Edit {
	fm := findFrontmatter(note)
	text := note
	if most := MaxIndexed + max(0, fm.next-maxFrontmatter); len(text) > most {
		text = text[:most]
	}
	var edits []Edit
	tags := tagSet{each: func(have []byte) {
		if name, ok := renamedTag(string(have), tag, to); ok {
			at := cap(text) - cap(have) // it is a part of text
			edits = append(edits, Edit{at, at + len(have), name})
		}
	}}
	s := scanner{b: text, n: &Note{}, tags: &tags, line: fm.nextLine}
	s.run(fm.next)
	return edits
}

// renamedTags is the value of the property "tags" afterwards, and how many of them were renamed. A tag that is there twice then is there
// once.
func renamedTags(v any, tag, to string) (any, int) {
	one := func(v any) (any, bool) {
		s, ok := v.(string)
		if !ok {
			return v, false
		}
		name := strings.TrimPrefix(strings.TrimSpace(s), "#")
		renamed, ok := renamedTag(name, tag, to)
		if !ok || !isTag(name) {
			return v, false
		}
		return strings.Replace(s, name, renamed, 1), true
	}
	list, ok := v.([]any)
	if !ok {
		v, ok := one(v)
		if !ok {
			return v, 0
		}
		return v, 1
	}
	key := func(v any) string { return Fold(strings.TrimPrefix(strings.TrimSpace(scalarText(v)), "#")) }
	seen := make(map[string]bool)
	for _, item := range list {
		if _, ok := one(item); !ok {
			seen[key(item)] = true
		}
	}
	out := make([]any, 0, len(list))
	count := 0
	for _, item := range list {
		renamed, ok := one(item)
		if ok {
			count++
			if seen[key(renamed)] {
				continue
			}
			seen[key(renamed)] = true
		}
		out = append(out, renamed)
	}
	return out, count
}
