package vault

// Classes of ASCII characters, as bits.
const (
	inTag   = 1 << iota // may stand in a tag
	special             // may begin something inside a line
	word                // letter, digit or underscore
	punct               // may be escaped
)

// class holds the classes of each byte. Bytes from 0x80 on are in none: they take the slow way where it matters.
var class = func() (t [256]uint8) {
	for c := byte('!'); c < 0x7F; c++ {
		switch {
		case isLetter(c) || isDigit(c) || c == '_':
			t[c] |= word
		default:
			t[c] |= punct
		}
	}
	t['_'] |= punct
	for c := range 0x80 {
		t[c] |= inTag
	}
	for _, c := range []byte("\x7f!\"#$%&'()*+,.:;<=>?@^`{|}~[]\\ \t\n\v\f\r") {
		t[c] &^= inTag
	}
	for c := range byte(' ') {
		t[c] &^= inTag
	}
	for _, c := range []byte("\n\\`[]#$<") {
		t[c] |= special
	}
	return t
}()

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

func isWord(c byte) bool { return class[c]&word != 0 || c >= 0x80 }

func isPunct(c byte) bool { return class[c]&punct != 0 }

// isBlank reports whether b holds nothing but blanks.
func isBlank(b []byte) bool {
	for _, c := range b {
		if !isSpace(c) {
			return false
		}
	}
	return true
}
