package vault

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DiffLine is one line of a diff that is shown with its words.
type DiffLine struct {
	Sign  byte   // ' ', '-' or '+'; '@' begins a group of changes, and has no text
	Text  string // as Diff shows it: what a reader would not see is written out
	Marks []Mark // the words that differ from the line's counterpart; none where the whole line is new or gone

	Before, After int // numbers of the line in the two states, from 1; 0 where it is not
}

// Mark is a span of a DiffLine's Text, in bytes.
type Mark struct{ Start, End int }

// Bounds of the words that are compared.
const (
	diffWords  = 400 // words of a line; longer lines are marked as a whole
	alikeWords = 3   // of ten words, how many two lines share at least to be counterparts
)

// DiffWords is Diff as lines, with the words that changed marked in lines that have a counterpart. Its bounds are those of Diff.
func DiffWords(before, after []byte) (lines []DiffLine, truncated bool) {
	if bytes.Equal(before, after) {
		return nil, false
	}
	w := wordDiffer{a: splitLines(before), b: splitLines(after)}
	w.hideCR = hasOnlyCRLF(w.a) && hasOnlyCRLF(w.b)
	for _, h := range hunks(matchLines(w.a, w.b), len(w.a), len(w.b)) {
		w.hunk(h)
	}
	return w.lines, w.truncated
}

type wordDiffer struct {
	a, b      [][]byte
	hideCR    bool
	lines     []DiffLine
	bytes     int
	truncated bool
}

func (w *wordDiffer) hunk(edits []edit) {
	first, last := edits[0], edits[len(edits)-1]
	lead := min(diffContext, first.a0)
	w.put(DiffLine{Sign: '@', Before: first.a0 - lead + 1, After: first.b0 - lead + 1})
	w.context(first.a0-lead, first.a0, first.b0-first.a0)
	for i, e := range edits {
		if i > 0 {
			w.context(edits[i-1].a1, e.a0, e.b0-e.a0)
		}
		w.edit(e)
	}
	w.context(last.a1, last.a1+min(diffContext, len(w.a)-last.a1), last.b1-last.a1)
}

func (w *wordDiffer) context(from, to, shift int) {
	for k := from; k < to; k++ {
		w.put(DiffLine{Sign: ' ', Text: w.shown(w.a[k]), Before: k + 1, After: k + shift + 1})
	}
}

// edit writes the lines that go, then those that come. A line's counterpart is the one at its place.
func (w *wordDiffer) edit(e edit) {
	olds, news := make([]DiffLine, 0, e.a1-e.a0), make([]DiffLine, 0, e.b1-e.b0)
	for k := e.a0; k < e.a1; k++ {
		olds = append(olds, DiffLine{Sign: '-', Text: w.shown(w.a[k]), Before: k + 1})
	}
	for k := e.b0; k < e.b1; k++ {
		news = append(news, DiffLine{Sign: '+', Text: w.shown(w.b[k]), After: k + 1})
	}
	for i := range min(len(olds), len(news)) {
		olds[i].Marks, news[i].Marks = wordMarks(olds[i].Text, news[i].Text)
	}
	for _, l := range append(olds, news...) {
		w.put(l)
	}
}

func (w *wordDiffer) put(l DiffLine) {
	if w.truncated {
		return
	}
	if len(w.lines) >= diffLines || w.bytes+len(l.Text) > diffBytes {
		w.truncated = true
		return
	}
	w.bytes += len(l.Text)
	w.lines = append(w.lines, l)
}

func (w *wordDiffer) shown(line []byte) string {
	text := bytes.TrimSuffix(line, []byte{'\n'})
	if w.hideCR {
		text = bytes.TrimSuffix(text, []byte{'\r'})
	}
	if len(text) > diffBytes {
		text = append(bytes.ToValidUTF8(text[:diffBytes], nil), "…"...)
	}
	return visible(text)
}

// wordMarks are the words of two lines that the other does not have in that order; none if the lines have too little in common.
func wordMarks(old, now string) (gone, come []Mark) {
	a, b := words(old), words(now)
	if len(a) > diffWords || len(b) > diffWords || len(a) == 0 || len(b) == 0 {
		return nil, nil
	}
	ids := make(map[string]int)
	number := func(list []string) []int {
		out := make([]int, len(list))
		for i, s := range list {
			if _, ok := ids[s]; !ok {
				ids[s] = len(ids)
			}
			out[i] = ids[s]
		}
		return out
	}
	m := matcher{a: number(a), b: number(b)}
	m.match(0, len(a), 0, len(b))
	runs := m.joined()
	same := 0
	for _, r := range runs {
		for _, s := range a[r.a : r.a+r.n] {
			if strings.TrimSpace(s) != "" {
				same++
			}
		}
	}
	if same*10 < alikeWords*min(solid(a), solid(b)) || same == 0 {
		return nil, nil
	}
	return unmatched(a, runs, func(r run) int { return r.a }), unmatched(b, runs, func(r run) int { return r.b })
}

func solid(list []string) int {
	n := 0
	for _, s := range list {
		if strings.TrimSpace(s) != "" {
			n++
		}
	}
	return n
}

// unmatched are the spans between the runs.
func unmatched(list []string, runs []run, start func(run) int) []Mark {
	offsets := make([]int, len(list)+1)
	for i, s := range list {
		offsets[i+1] = offsets[i] + len(s)
	}
	var marks []Mark
	at := 0
	for _, r := range append(runs, run{len(list), len(list), 0}) {
		if from := start(r); from > at {
			marks = append(marks, Mark{offsets[at], offsets[from]})
		}
		at = start(r) + r.n
	}
	return marks
}

// words cuts text into words, blanks, and single other characters.
func words(text string) []string {
	kind := func(r rune) int {
		switch {
		case unicode.IsLetter(r) && r < 0x2e80 || unicode.IsDigit(r) || unicode.Is(unicode.M, r):
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0 // writing without blanks between words is compared by character
	}
	var out []string
	start, last := 0, 0
	for i, r := range text {
		k := kind(r)
		if i > start && (k == 0 || k != last) {
			out = append(out, text[start:i])
			start = i
		}
		last = k
	}
	if start < len(text) && utf8.ValidString(text) {
		out = append(out, text[start:])
	}
	return out
}
