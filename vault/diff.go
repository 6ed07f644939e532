package vault

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a diff that is shown.
const (
	diffContext = 3       // unchanged lines around a change
	diffLines   = 200     // lines
	diffBytes   = 6 << 10 // bytes
	diffColumns = 400     // bytes of one line
)

// Diff is a unified diff, without file names, of two states of a note. It is bounded, and says when it was cut. Characters that a
// reader would not see are written out, so that what is approved is what is shown.
func Diff(before, after []byte) (text string, truncated bool) {
	if bytes.Equal(before, after) {
		return "", false
	}
	a, b := splitLines(before), splitLines(after)
	w := diffWriter{a: a, b: b, hideCR: hasOnlyCRLF(a) && hasOnlyCRLF(b)}
	for _, h := range hunks(matchLines(a, b), len(a), len(b)) {
		if !w.hunk(h) {
			break
		}
	}
	return w.out.String(), w.truncated
}

// splitLines keeps line endings, so that a missing last newline is a difference.
func splitLines(b []byte) [][]byte {
	lines := bytes.SplitAfter(b, []byte{'\n'})
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func hasOnlyCRLF(lines [][]byte) bool {
	for i, l := range lines {
		if !bytes.HasSuffix(l, []byte("\r\n")) && (i < len(lines)-1 || bytes.HasSuffix(l, []byte("\n"))) {
			return false
		}
	}
	return true
}

// run is a stretch of equal lines: a[a:a+n] is b[b:b+n].
type run struct{ a, b, n int }

// edit is a stretch of lines a[a0:a1] that becomes b[b0:b1].
type edit struct{ a0, a1, b0, b1 int }

// hunks turns runs of equal lines into groups of edits that share their context.
func hunks(runs []run, na, nb int) [][]edit {
	var (
		groups [][]edit
		a, b   int
	)
	for _, r := range append(runs, run{na, nb, 0}) {
		if r.a > a || r.b > b {
			e := edit{a, r.a, b, r.b}
			if last := len(groups) - 1; last >= 0 && a-groups[last][len(groups[last])-1].a1 <= 2*diffContext {
				groups[last] = append(groups[last], e)
			} else {
				groups = append(groups, []edit{e})
			}
		}
		a, b = r.a+r.n, r.b+r.n
	}
	return groups
}

type diffWriter struct {
	a, b      [][]byte
	hideCR    bool
	out       strings.Builder
	lines     int
	full      bool // no more lines fit
	truncated bool // something is left out
}

// hunk writes one group and reports whether there is room for more.
func (w *diffWriter) hunk(edits []edit) bool {
	first, last := edits[0], edits[len(edits)-1]
	before := min(diffContext, first.a0)
	after := min(diffContext, len(w.a)-last.a1)
	w.put(fmt.Sprintf("@@ -%s +%s @@\n", span(first.a0-before, last.a1+after), span(first.b0-before, last.b1+after)))
	w.context(first.a0-before, first.a0)
	for i, e := range edits {
		if i > 0 {
			w.context(edits[i-1].a1, e.a0)
		}
		for k := e.a0; k < e.a1; k++ {
			w.line('-', w.a[k], pair(w.b, e.b0+k-e.a0, e.b1))
		}
		for k := e.b0; k < e.b1; k++ {
			w.line('+', w.b[k], pair(w.a, e.a0+k-e.b0, e.a1))
		}
	}
	w.context(last.a1, last.a1+after)
	return !w.full
}

func pair(lines [][]byte, i, end int) []byte {
	if i < end {
		return lines[i]
	}
	return nil
}

// span writes lines [from, to) as unified diffs do.
func span(from, to int) string {
	switch n := to - from; n {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprintf("%d", from+1)
	default:
		return fmt.Sprintf("%d,%d", from+1, n)
	}
}

func (w *diffWriter) context(from, to int) {
	for _, l := range w.a[from:to] {
		w.line(' ', l, nil)
	}
}

// line writes one line. Of a long one that has a counterpart, the part where the two differ is shown.
func (w *diffWriter) line(sign byte, l, counterpart []byte) {
	if w.full {
		return
	}
	text, ended := bytes.CutSuffix(l, []byte{'\n'})
	if w.hideCR {
		text = bytes.TrimSuffix(text, []byte{'\r'})
	}
	prefix, cut := "", ""
	if len(text) > diffColumns {
		at := 0
		if same := commonPrefix(text, counterpart); counterpart != nil && same > diffColumns/2 {
			at = min(same-diffColumns/4, len(text)-diffColumns)
			for at < same && !utf8.RuneStart(text[at]) {
				at++
			}
			prefix = "…"
		}
		text = text[at:]
		if len(text) > diffColumns {
			end := diffColumns
			for end > 0 && !utf8.RuneStart(text[end]) {
				end--
			}
			text, cut = text[:end], "…"
		}
	}
	shown := string(sign) + prefix + visible(text) + cut + "\n"
	if !ended {
		shown += "\\ No newline at end of file\n"
	}
	w.put(shown)
	w.truncated = w.truncated || prefix != "" || cut != ""
}

func (w *diffWriter) put(s string) {
	if w.full {
		return
	}
	if w.lines >= diffLines || w.out.Len()+len(s) > diffBytes {
		w.full, w.truncated = true, true
		return
	}
	w.lines++
	w.out.WriteString(s)
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// visible writes out what a reader would not see: controls but the tab, invalid bytes, and every character without a shape of its own.
func visible(b []byte) string {
	if !slices.ContainsFunc(b, func(c byte) bool { return c < ' ' && c != '\t' || c >= 0x7f }) {
		return string(b)
	}
	var s strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&s, `\x%02x`, b[0])
		case r == '\r':
			s.WriteString(`\r`)
		case r != '\t' && unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != 0x200d, r == 0x2028, r == 0x2029, r == 0x00a0,
			unicode.Is(unicode.Co, r):
			fmt.Fprintf(&s, `\u{%x}`, r)
		default:
			s.Write(b[:n])
		}
		b = b[n:]
	}
	return EscapeHidden(s.String())
}
