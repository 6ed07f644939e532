package search

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// class says what a character is to the tokenizer.
type class uint8

const (
	gap    class = iota // ends a word
	letter              // part of a word
	glyph               // of a script written without spaces: indexed alone and in pairs
	symbol              // an emoji: a word of its own
	silent              // changes nothing: a combining accent, a joiner, a soft hyphen
)

// asciiClass is 1 for letters and digits.
var asciiClass = func() (t [utf8.RuneSelf]class) {
	for c := range t {
		if unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) {
			t[c] = letter
		}
	}
	return t
}()

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		return asciiClass[r]
	case r < 0x300:
		if r == 0xAD {
			return silent
		}
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return letter
		}
		return gap
	case isAccent(r), 0x200B <= r && r <= 0x200F, r == 0x2060, 0xFE00 <= r && r <= 0xFE0F, r == 0xFEFF:
		return silent
	case isGlyph(r):
		return glyph
	case 0x1F000 <= r && r <= 0x1FAFF, 0x2600 <= r && r <= 0x27BF:
		return symbol
	case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
		return letter
	}
	return gap
}

// isAccent tells the marks that people leave out when they search: combining diacritics, Hebrew points, Arabic vowels and tatweel.
// The vowel signs of Indian scripts are none: without them another word is left.
func isAccent(r rune) bool {
	return 0x300 <= r && r <= 0x36F || 0x591 <= r && r <= 0x5C7 && unicode.IsMark(r) || 0x64B <= r && r <= 0x65F || r == 0x670 || r == 0x640
}

func isGlyph(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r <= 0x0EFF: // Thai, Lao
		return r != 0x0E3F && r != 0x0E4F && r != 0x0E5A && r != 0x0E5B
	case r < 0x3005:
		return 0x1000 <= r && r <= 0x1049 || 0x1100 <= r && r <= 0x11FF || 0x1780 <= r && r <= 0x17D3
	case r <= 0x3007, 0x3041 <= r && r <= 0x309A, 0x309D <= r && r <= 0x309F, 0x30A1 <= r && r <= 0x30FA, 0x30FC <= r && r <= 0x31FF:
		return true
	case 0x3400 <= r && r <= 0x4DBF, 0x4E00 <= r && r <= 0x9FFF, 0xAC00 <= r && r <= 0xD7A3, 0xF900 <= r && r <= 0xFAFF:
		return true
	}
	return 0xFF66 <= r && r <= 0xFFDC || 0x20000 <= r && r <= 0x3FFFF
}

// appendFold appends r without case and accents.
func appendFold(dst []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return append(dst, byte(r))
	}
	switch r = unicode.ToLower(r); r {
	case 'ß':
		return append(dst, "ss"...)
	case 'æ':
		return append(dst, "ae"...)
	case 'œ':
		return append(dst, "oe"...)
	case 'ø':
		return append(dst, 'o')
	case 'ł':
		return append(dst, 'l')
	case 'đ':
		return append(dst, 'd')
	case 'ı':
		return append(dst, 'i')
	case 'ς':
		r = 'σ'
	}
	var enc [utf8.UTFMax]byte
	n := utf8.EncodeRune(enc[:], r)
	if 0xAC00 <= r && r <= 0xD7A3 || 0x3041 <= r && r <= 0x30FF { // the parts of these are not accents
		return append(dst, enc[:n]...)
	}
	parts := norm.NFKD.Properties(enc[:n]).Decomposition()
	if parts == nil {
		return append(dst, enc[:n]...)
	}
	for len(parts) > 0 {
		p, size := utf8.DecodeRune(parts)
		parts = parts[size:]
		if !isAccent(p) {
			dst = utf8.AppendRune(dst, unicode.ToLower(p))
		}
	}
	return dst
}

// composed returns text with the letters of Korean and the voiced marks of Japanese joined, as the tokenizer wants them: file systems
// and editors of some makers store them apart. Accents on other letters need no such care.
func composed(text []byte) []byte {
	for _, part := range [...]string{"\xe1\x84", "\xe1\x85", "\xe1\x86", "\xe1\x87", "\xe3\x82\x99", "\xe3\x82\x9a"} {
		if bytes.Contains(text, []byte(part)) {
			return norm.NFC.Bytes(text)
		}
	}
	return text
}
