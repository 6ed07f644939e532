package search

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// contains reports whether the terms of want follow one another in text.
func contains(text []byte, want []string) bool {
	first := []byte(want[0])
	if isPlain(want[0]) {
		if isPlain(text) {
			return containsASCII(text, want)
		}
		return containsPlain(text, first, want)
	}
	var t tokens
	t.reset(text)
	for t.next() {
		if t.kind != pairToken && bytes.Equal(t.text, first) && follows(text[t.end:], want[1:]) {
			return true
		}
	}
	return false
}

// containsPlain is contains for a first word in ASCII. It looks for the letters before it looks for words. The text may write the word
// with accents, so that only the run up to a character beyond ASCII is compared here.
func containsPlain(text, first []byte, want []string) bool {
	var t tokens
	t.reset(text)
	for t.pos < len(text) {
		c := text[t.pos]
		if c < 0x80 && asciiClass[c] != letter {
			t.pos++
			continue
		}
		if c < 0x80 && c|0x20 != first[0] { // of a word that begins with another letter, skip the rest
			t.pos++
			for t.pos < len(text) && text[t.pos] < 0x80 && asciiClass[text[t.pos]] == letter {
				t.pos++
			}
			if t.pos < len(text) && text[t.pos] >= 0x80 {
				t.pos = wordEnd(text, t.pos)
			}
			continue
		}
		if !t.next() {
			return false
		}
		if t.kind != pairToken && bytes.Equal(t.text, first) && follows(text[t.end:], want[1:]) {
			return true
		}
	}
	return false
}

// wordEnd returns where the word that goes on at i ends.
func wordEnd(text []byte, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRune(text[i:])
		if k := classOf(r); k != letter && k != silent {
			break
		}
		i += n
	}
	return i
}

// follows reports whether text begins with the terms of want.
func follows(text []byte, want []string) bool {
	var t tokens
	t.reset(text)
	for _, w := range want {
		for {
			if !t.next() {
				return false
			}
			if t.kind != pairToken && len(t.text) > 0 {
				break
			}
		}
		if string(t.text) != w {
			return false
		}
	}
	return true
}

// isPlain reports whether s is ASCII.
func isPlain[T string | []byte](s T) bool {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if (s[i]|s[i+1]|s[i+2]|s[i+3]|s[i+4]|s[i+5]|s[i+6]|s[i+7])&utf8.RuneSelf != 0 {
			return false
		}
	}
	for ; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lettersByUse lists letters and digits from the most to the least used in English prose.
const lettersByUse = "etaoinsrhldcumfpgwybvkxjqz0123456789"

// containsASCII is contains for ASCII on both sides: it looks for the rarest letter of the first word, in both cases.
func containsASCII(text []byte, want []string) bool {
	first := want[0]
	if len(first) > len(text) {
		return false
	}
	if len(first) >= maxTerm { // it may be the beginning of a longer word
		return containsPlain(text, []byte(first), want)
	}
	at := 0
	for i := range first {
		if strings.IndexByte(lettersByUse, first[i]) > strings.IndexByte(lettersByUse, first[at]) {
			at = i
		}
	}
	lower := seeker{text: text, char: first[at], at: -1}
	upper := seeker{text: text, char: first[at], at: -1}
	if c := first[at]; 'a' <= c && c <= 'z' {
		upper.char = c - 'a' + 'A'
	}
	for i := at; ; {
		i = min(lower.from(i), upper.from(i))
		start, end := i-at, i-at+len(first)
		if end > len(text) {
			return false
		}
		if (start == 0 || asciiClass[text[start-1]] != letter) && (end == len(text) || asciiClass[text[end]] != letter) &&
			equalFold(text[start:end], first) && follows(text[end:], want[1:]) {
			return true
		}
		i++
	}
}

// seeker finds the places of a character.
type seeker struct {
	text []byte
	char byte
	at   int // of the one that was found last
}

// from returns the first place of the character at or after i; beyond the text if there is none.
func (s *seeker) from(i int) int {
	if s.at < i {
		if n := bytes.IndexByte(s.text[i:], s.char); n >= 0 {
			s.at = i + n
		} else {
			s.at = 2 * len(s.text)
		}
	}
	return s.at
}

// equalFold compares ASCII letters and digits with lower-case ones.
func equalFold(text []byte, lower string) bool {
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
