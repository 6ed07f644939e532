package vault

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// EscapeHidden shows the characters of s that a reader cannot see but a program obeys: control characters but for tab and line ends, tag
// characters, bidirectional controls, characters without width, and joiners and variation selectors with nothing to join or vary, each as
// "\u{202e}". Everything else stays as it is. It is for titles and excerpts, not for content.
func EscapeHidden(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < utf8.RuneSelf && !isControl(rune(s[i]))
	}
	if plain {
		return s
	}
	var out strings.Builder
	var w hiddenWatch
	for i, r := range s {
		if w.next(r, s[i:]) {
			fmt.Fprintf(&out, `\u{%x}`, r)
		} else {
			out.WriteString(s[i : i+max(1, runeLen(s[i:]))])
		}
	}
	return out.String()
}

func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// hiddenWatch goes through a text rune by rune and tells which are hidden.
type hiddenWatch struct {
	prev rune // 0 at the start
	flag int  // runes of a flag that are still to come
}

// next reports whether r is hidden; rest is the text that begins with r.
func (w *hiddenWatch) next(r rune, rest string) bool {
	hidden := w.hides(w.prev, r, rest)
	w.prev = r
	if hidden {
		w.prev = 0 // nothing can stand on it
	}
	return hidden
}

func (w *hiddenWatch) hides(prev, r rune, rest string) bool {
	switch {
	case isControl(r), isInvisible(r):
		return true
	case r == 0x200C, r == 0x200D, r == 0x200E, r == 0x200F, r == 0x061C: // joiners and marks, which scripts and emoji need
		return prev < utf8.RuneSelf || unicode.IsSpace(prev)
	case r >= 0xE0000 && r <= 0xE007F:
		if prev == 0x1F3F4 {
			w.flag = flagLen(rest)
		}
		if w.flag > 0 {
			w.flag--
			return false
		}
		return true
	case isSelector(r):
		return prev == 0 || prev < utf8.RuneSelf && !strings.ContainsRune("0123456789#*", prev) ||
			unicode.IsSpace(prev) || isSelector(prev)
	}
	w.flag = 0
	return false
}

// isControl reports a control character that is no tab and no end of line.
func isControl(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r >= 0x7F && r < 0xA0
}

// isInvisible reports a character that is never seen: the bidirectional controls (Unicode UAX #9), and what has no width or looks like
// nothing (Default_Ignorable_Code_Point, UAX #44) and is needed by no script in the middle of a word.
func isInvisible(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F: // directions and more
		return true
	case r == 0xAD, r == 0x034F, r == 0x115F, r == 0x1160, r >= 0x17B4 && r <= 0x17B5, r >= 0x180B && r <= 0x180F:
		return true
	case r == 0x200B, r == 0x2028, r == 0x2029, r == 0x3164, r == 0xFEFF, r == 0xFFA0, r >= 0xFFF0 && r <= 0xFFFB:
		return true
	}
	return r >= 0x1D173 && r <= 0x1D17A
}

func isSelector(r rune) bool { return r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF }

// flagLen is how many tag characters the flag of a region takes (Scotland: five and an end); 0 when s is no such flag.
func flagLen(s string) int {
	n := 0
	for _, r := range s {
		n++
		switch {
		case r == 0xE007F && n >= 4:
			return n
		case n > 6 || r < 0xE0030 || r > 0xE007A:
			return 0
		}
	}
	return 0
}

// checkCharacters reports invalid UTF-8 and hidden characters, each once, with the first line and how many lines have them.
func (n *Note) checkCharacters(b []byte) {
	var (
		w                   hiddenWatch
		hidden, broken      int // counts
		hiddenAt, brokenAt  int
		hiddenWhat, lastPos = rune(0), -1
	)
	for i := bomLength(b); i < len(b); {
		if i+8 <= len(b) && binary.LittleEndian.Uint64(b[i:])&0x8080808080808080 == 0 {
			i += 8
			continue
		}
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		if i != lastPos {
			w = hiddenWatch{}
			if i > 0 {
				w.prev = rune(b[i-1])
			}
		}
		r, size := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			if broken++; broken == 1 {
				brokenAt = i
			}
			w = hiddenWatch{prev: r}
		case r < 0x2000: // nothing there is hidden
			w = hiddenWatch{prev: r}
		case w.next(r, string(b[i:min(len(b), i+28)])):
			if hidden++; hidden == 1 {
				hiddenAt, hiddenWhat = i, r
			}
		}
		i += size
		lastPos = i
	}
	if broken > 0 {
		n.Problems = append(n.Problems, Problem{Code: ProblemUTF8, Line: lineAt(b, brokenAt), Message: fmt.Sprintf("bytes that are not valid UTF-8: %d", broken)})
	}
	if hidden > 0 {
		n.Problems = append(n.Problems, Problem{Code: ProblemHidden, Line: lineAt(b, hiddenAt),
			Message: fmt.Sprintf("hidden characters: %d, the first is U+%04X; they can carry text that a reader does not see", hidden, hiddenWhat)})
	}
}
