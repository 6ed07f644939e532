package search

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/notelatch/notelatch/vault"
)

const (
	snippetRunes = 240     // of a snippet, ellipses apart
	snippetLead  = 60      // bytes of context before the first hit
	snippetBytes = 1 << 20 // of a note that are looked at
	snippetHits  = 2000    // places that are looked at
)

// Snippet is a passage of a note. It lies between two headings.
type Snippet struct {
	Text      string // one line, hidden characters escaped
	Heading   string // the headings that it stands under: "Plan > Risks"
	StartLine int    // from 1, of the whole file
	EndLine   int
}

// place of a word of the query in a body.
type spot struct {
	start, end int
	group      int
}

// Snippets returns the passages of body that say most about q, the best first, at most max of them, none overlapping another. Body is
// the whole file, frontmatter included, as stored. If no word of q stands in the body, the answer is its beginning.
func Snippets(body []byte, q Parsed, max int) []Snippet {
	if max <= 0 {
		return nil
	}
	if len(body) > snippetBytes {
		body = body[:snippetBytes]
	}
	o := outlineOf(body)
	spots := q.spots(body, o.start)
	if len(spots) == 0 {
		if s, ok := o.beginning(); ok {
			return []Snippet{s}
		}
		return nil
	}
	var out []Snippet
	var taken []window
	for _, w := range q.windows(o, spots) {
		if slices.ContainsFunc(taken, func(t window) bool { return w.start < t.end && t.start < w.end }) {
			continue
		}
		taken = append(taken, w)
		if out = append(out, o.snippet(w.start, w.end)); len(out) == max {
			break
		}
	}
	return out
}

// spots finds the words of the query from start on.
func (q *Parsed) spots(body []byte, start int) []spot {
	exact := make(map[string]int)
	prefix, prefixed := "", -1
	for i, g := range q.groups {
		for _, t := range append(slices.Clone(g.terms), g.typos...) {
			if _, ok := exact[t]; !ok {
				exact[t] = i
			}
		}
		if g.prefix && utf8.RuneCountInString(g.terms[0]) > 1 {
			prefix, prefixed = g.terms[0], i
		}
	}
	if len(exact) == 0 {
		return nil
	}
	var out []spot
	var t tokens
	t.reset(body)
	t.pos = start
	for t.next() && len(out) < snippetHits {
		if g, ok := exact[string(t.text)]; ok {
			out = append(out, spot{t.start, t.end, g})
		} else if prefixed >= 0 && bytes.HasPrefix(t.text, []byte(prefix)) {
			out = append(out, spot{t.start, t.end, prefixed})
		}
	}
	return out
}

// window is a stretch of the body around hits.
type window struct {
	start, end int
	score      int
}

// windows returns a window for each spot, the best first: those with most different words, then with most words in the order of the
// query, then the earlier.
func (q *Parsed) windows(o *outline, spots []spot) []window {
	out := make([]window, 0, len(spots))
	seen := make([]int, len(q.groups))
	for i, first := range spots {
		start, end := o.around(first)
		w := window{start: start, end: end}
		for k := i; k < len(spots) && spots[k].end <= end; k++ {
			g := spots[k].group
			if seen[g] != i+1 {
				seen[g] = i + 1
				w.score += 100
			} else if w.score%100 < 5 {
				w.score++
			}
			if k > i && spots[k-1].group+1 == g && spots[k].start-spots[k-1].end <= 3 {
				w.score += 40
			}
		}
		out = append(out, w)
	}
	slices.SortStableFunc(out, func(a, b window) int { return b.score - a.score })
	return out
}

// around returns the window for a hit: some context before it, within the section.
func (o *outline) around(s spot) (start, end int) {
	from, to := o.section(s.start)
	start, end = from, to
	if s.start-from > snippetLead {
		start = wordStart(o.body, s.start-snippetLead, s.start)
	}
	// At a paragraph's or line's beginning the passage reads better than some words before it.
	if i := bytes.LastIndexByte(o.body[start:s.start], '\n'); i >= 0 {
		start += i + 1
	}
	n := 0
	for i := start; i < end; n++ {
		if n == snippetRunes {
			end = max(wordCut(o.body, i, s.end), s.end)
			break
		}
		_, size := utf8.DecodeRune(o.body[i:])
		i += size
	}
	return start, end
}

// wordStart returns the first place from i to most where a word begins; most if there is none.
func wordStart(b []byte, i, most int) int {
	for i < most && !utf8.RuneStart(b[i]) {
		i++
	}
	for at := i; at < most; {
		r, n := utf8.DecodeRune(b[at:])
		before, _ := utf8.DecodeLastRune(b[:at])
		if !inWord(r) || !inWord(before) || isGlyph(r) {
			for at < most && unicode.IsSpace(r) {
				at += n
				r, n = utf8.DecodeRune(b[at:])
			}
			return at
		}
		at += n
	}
	return most
}

// wordCut returns the last place up to i, and not before least, where no word is cut; i if there is none.
func wordCut(b []byte, i, least int) int {
	for at := i; at > least; {
		before, n := utf8.DecodeLastRune(b[:at])
		r, _ := utf8.DecodeRune(b[at:])
		if at == len(b) || !inWord(before) || !inWord(r) || isGlyph(r) {
			return at
		}
		at -= n
	}
	return i
}

func inWord(r rune) bool {
	k := classOf(r)
	return k == letter || k == glyph || k == silent
}

// snippet makes the passage from start to end.
func (o *outline) snippet(start, end int) Snippet {
	from, to := o.section(start)
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(o.body[start:end]), "\uFFFD")), " ")
	text = vault.EscapeHidden(text)
	if start > from && o.body[start-1] != '\n' {
		text = "…" + text
	}
	if end < to && len(bytes.TrimSpace(o.body[end:to])) > 0 {
		text += "…"
	}
	trimmed := bytes.TrimRightFunc(o.body[start:end], unicode.IsSpace)
	skipped := len(o.body[start:end]) - len(bytes.TrimLeftFunc(o.body[start:end], unicode.IsSpace))
	first := o.line(start + min(skipped, len(trimmed)))
	return Snippet{Text: text, Heading: vault.EscapeHidden(o.heading(start)), StartLine: first, EndLine: max(first, o.line(start+max(len(trimmed)-1, 0)))}
}
