package vault

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// What follows walks over JSON that is known to be valid, and tells where its parts stand. encoding/json keeps neither the order of
// keys nor the offsets that edits need.

func jsonSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// jsonEnd is the offset behind the value that begins at i.
func jsonEnd(b []byte, i int) int {
	switch b[i] {
	case '"':
		return jsonStringEnd(b, i)
	case '{', '[':
		depth := 0
		for {
			switch b[i] {
			case '"':
				i = jsonStringEnd(b, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
	}
	for i < len(b) && bytes.IndexByte([]byte(",]} \t\r\n"), b[i]) < 0 {
		i++
	}
	return i
}

func jsonStringEnd(b []byte, i int) int {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// jsonMembers are the members of the object that begins at i.
func jsonMembers(b []byte, i int) []member {
	var members []member
	for i = jsonSpace(b, i+1); b[i] == '"'; {
		end := jsonStringEnd(b, i)
		m := member{key: jsonText(b[i:end])}
		m.at = jsonSpace(b, jsonSpace(b, end)+1)
		end = jsonEnd(b, m.at)
		m.raw = b[m.at:end]
		members = append(members, m)
		if i = jsonSpace(b, end); b[i] == ',' {
			i = jsonSpace(b, i+1)
		}
	}
	return members
}

// jsonItems calls yield with the span of each item of the array that begins at i. What is no array has none.
func jsonItems(b []byte, i int, yield func(at, end int)) {
	if b[i] != '[' {
		return
	}
	for i = jsonSpace(b, i+1); b[i] != ']'; {
		end := jsonEnd(b, i)
		yield(i, end)
		if i = jsonSpace(b, end); b[i] == ',' {
			i = jsonSpace(b, i+1)
		}
	}
}

// jsonText is a string's text; "" for what is no string.
func jsonText(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	inner := raw[1 : len(raw)-1]
	i := bytes.IndexByte(inner, '\\')
	if i < 0 {
		return strings.ToValidUTF8(string(inner), "\uFFFD")
	}
	text := make([]byte, 0, len(inner))
	for ; i >= 0; i = bytes.IndexByte(inner, '\\') {
		text = append(text, inner[:i]...)
		r, n := jsonEscape(raw, len(raw)-1-len(inner)+i)
		text = utf8.AppendRune(text, r)
		inner = inner[i+n:]
	}
	return strings.ToValidUTF8(string(append(text, inner...)), "\uFFFD")
}

// jsonEscape reads what the backslash at i begins, and how many bytes that takes. Half a surrogate pair is U+FFFD.
func jsonEscape(raw []byte, i int) (r rune, n int) {
	switch c := raw[i+1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
	default:
		return rune(c), 2
	}
	r = hexRune(raw[i+2:])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if rest := raw[i+6:]; len(rest) > 6 && rest[0] == '\\' && rest[1] == 'u' {
		if pair := utf16.DecodeRune(r, hexRune(rest[2:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

// jsonNumber is a number; 0 for what is none, and for what is too large to be one.
func jsonNumber(raw []byte) float64 {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || raw[0] != '-' && !isDigit(raw[0]) {
		return 0
	}
	return f
}

// jsonOffsets tells for each byte of a string's text, and for its end, where it stands in the string as written. The string holds valid
// UTF-8; the offsets count from its opening quote.
func jsonOffsets(raw []byte) []int {
	at := make([]int, 0, len(raw))
	for i := 1; i < len(raw)-1; {
		n, width := 1, 1 // bytes as written, bytes of text
		if raw[i] == '\\' {
			var r rune
			r, n = jsonEscape(raw, i)
			width = utf8.RuneLen(r)
		}
		for range width {
			at = append(at, i)
		}
		i += n
	}
	return append(at, len(raw)-1)
}

// hexRune reads four hexadecimal digits.
func hexRune(b []byte) rune {
	n, err := strconv.ParseUint(string(b[:4]), 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// jsonQuote writes a string as people write it: <, > and & stand for themselves.
func jsonQuote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always has a JSON text
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}
