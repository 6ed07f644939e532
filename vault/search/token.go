package search

import "unicode/utf8"

// maxTerm is the length at which a term is cut, in bytes. Longer ones are hashes and encoded data; a search for one is cut alike.
const maxTerm = 64

type tokenKind uint8

const (
	wordToken  tokenKind = iota // a word, or an emoji
	glyphToken                  // one character of a script without spaces
	pairToken                   // two neighbours of these; comes right after the second one's glyphToken
)

// tokens walks over the terms of a text. After each true from next, the fields hold the term; text is valid until the next call.
type tokens struct {
	src        []byte
	pos        int
	text       []byte
	start, end int // where the term stands in src
	kind       tokenKind

	glyphAt, glyphEnd int // the glyph before, if it ended at pos
	pair              bool
	buf               [maxTerm + 16]byte
}

func (t *tokens) reset(src []byte) {
	t.src, t.pos, t.pair, t.glyphAt, t.glyphEnd = src, 0, false, -1, -1
}

func (t *tokens) next() bool {
	if t.pair {
		t.pair = false
		t.text = t.buf[:0]
		for at := t.glyphAt; at < t.end; {
			r, n := utf8.DecodeRune(t.src[at:])
			t.text = appendFold(t.text, r)
			at += n
		}
		t.glyphAt, t.start, t.kind = t.start, t.glyphAt, pairToken
		return true
	}
	for t.pos < len(t.src) {
		if c := t.src[t.pos]; c < utf8.RuneSelf {
			if asciiClass[c] == letter {
				return t.word()
			}
			t.pos++
			continue
		}
		r, n := utf8.DecodeRune(t.src[t.pos:])
		switch classOf(r) {
		case letter:
			return t.word()
		case glyph:
			t.pair = t.glyphEnd == t.pos
			t.start, t.end = t.pos, t.pos+n
			if !t.pair {
				t.glyphAt = t.start
			}
			t.pos += n
			t.glyphEnd = t.pos
			t.text, t.kind = appendFold(t.buf[:0], r), glyphToken
			return true
		case symbol:
			t.start, t.end = t.pos, t.pos+n
			t.pos += n
			t.text, t.kind = append(t.buf[:0], t.src[t.start:t.end]...), wordToken
			return true
		}
		t.pos += n
	}
	return false
}

// word reads the word at pos.
func (t *tokens) word() bool {
	b := t.buf[:0]
	t.start, t.kind = t.pos, wordToken
	i := t.pos
	for i < len(t.src) {
		c := t.src[i]
		if c < utf8.RuneSelf {
			if asciiClass[c] != letter {
				break
			}
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			i++
			if len(b) < maxTerm {
				b = append(b, c)
			}
			continue
		}
		r, n := utf8.DecodeRune(t.src[i:])
		k := classOf(r)
		if k != letter && k != silent {
			break
		}
		i += n
		if k == letter && len(b)+2*n <= maxTerm {
			b = appendFold(b, r)
		}
	}
	t.pos, t.end, t.text = i, i, b
	if len(b) > maxTerm {
		t.text = b[:maxTerm]
	}
	return true
}

// terms returns what must be looked up for text: its words, and its glyphs in pairs where they have neighbours.
func terms(text string) []string {
	var t tokens
	t.reset(composed([]byte(text)))
	var out []string
	single := "" // a glyph that has met no neighbour yet
	for t.next() {
		if t.kind == glyphToken && t.pair {
			single = ""
			continue
		}
		if single != "" {
			out = append(out, single)
			single = ""
		}
		if t.kind == glyphToken {
			single = string(t.text)
			continue
		}
		if len(t.text) > 0 {
			out = append(out, string(t.text))
		}
	}
	if single != "" {
		out = append(out, single)
	}
	return out
}

// sequence returns the tokens of text in order, without pairs: what a phrase is compared by.
func sequence(text string) []string {
	var t tokens
	t.reset(composed([]byte(text)))
	var out []string
	for t.next() {
		if t.kind != pairToken && len(t.text) > 0 {
			out = append(out, string(t.text))
		}
	}
	return out
}
