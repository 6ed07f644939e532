package vault

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tagSet keeps tags in the order and spelling in which they were first seen.
type tagSet struct {
	list []string
	seen map[string]bool  // folded; made when the list outgrows a search by eye
	each func(tag []byte) // told of every tag, if it is set
}

func (t *tagSet) add(tag []byte) {
	const few = 8
	if t.each != nil {
		t.each(tag)
	}
	if t.seen == nil && len(t.list) < few {
		for _, have := range t.list {
			if have == string(tag) || Fold(have) == Fold(string(tag)) {
				return
			}
		}
		t.list = append(t.list, string(tag))
		return
	}
	if t.seen == nil {
		t.seen = make(map[string]bool, 4*few)
		for _, have := range t.list {
			t.seen[Fold(have)] = true
		}
	}
	if k := Fold(string(tag)); !t.seen[k] {
		t.seen[k] = true
		t.list = append(t.list, string(tag))
	}
}

// HasTag reports whether tags hold tag or one below it: "a" is found in "a/b". Case does not matter, nor does a leading "#".
func HasTag(tags []string, tag string) bool {
	want := Fold(strings.Trim(tag, "#/"))
	for _, t := range tags {
		if t = Fold(t); strings.HasPrefix(t, want) && (len(t) == len(want) || t[len(want)] == '/') {
			return want != ""
		}
	}
	return false
}

// tagLen is the length of the tag that b begins with (after its "#"); 0 if there is none: a tag needs one character that is no digit.
func tagLen(b []byte) int {
	i, plain := 0, false
	for i < len(b) {
		c := b[i]
		if c < utf8.RuneSelf {
			if class[c]&inTag == 0 {
				break
			}
			plain = plain || !isDigit(c) && c != '/'
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if !tagRune(r, n) {
			break
		}
		plain = true
		i += n
	}
	if !plain {
		return 0
	}
	return i
}

func tagRune(r rune, n int) bool {
	switch {
	case r == utf8.RuneError && n == 1, r >= 0x2000 && r <= 0x206F, r >= 0x2E00 && r <= 0x2E7F:
		return false
	}
	return !unicode.IsSpace(r)
}

// isTag reports whether the whole of s is a tag.
func isTag(s string) bool { return s != "" && tagLen([]byte(s)) == len(s) }
