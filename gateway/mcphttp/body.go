package mcphttp

import (
	"encoding/json"
	"mime"
	"net/http"
	"strings"
)

// How many bytes a body may have: of tools/call, and of anything else.
const (
	maxCall  = 8 << 20
	maxOther = 1 << 20
)

// checkType requires JSON that is sent as it is. It is also what keeps forms of foreign pages out, which can send
// other media types without asking first.
func checkType(h http.Header) *Error {
	value, twice := one(h, "Content-Type")
	if twice != nil {
		return refusal(http.StatusUnsupportedMediaType, "%s", twice.Message)
	}
	media, params, err := mime.ParseMediaType(value)
	if err != nil || media != "application/json" {
		return refusal(http.StatusUnsupportedMediaType, "the body must be application/json")
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return refusal(http.StatusUnsupportedMediaType, "the body must be UTF-8, not %s", clip(charset))
	}
	for _, coding := range h.Values("Content-Encoding") {
		if coding != "" && !strings.EqualFold(coding, "identity") {
			return refusal(http.StatusUnsupportedMediaType, "the body must not be encoded: %s is not understood", clip(coding))
		}
	}
	return nil
}

// checkSize holds everything but tools/call to the smaller limit.
func checkSize(size int, msgs []*message) *Error {
	if size <= maxOther {
		return nil
	}
	for _, m := range msgs {
		if m.method == "tools/call" {
			return nil
		}
	}
	return refusal(http.StatusRequestEntityTooLarge, "a body may have %d bytes, but for tools/call", maxOther)
}

// prefixID is the id of a message whose beginning this is, if it stands there.
func prefixID(prefix []byte) json.RawMessage {
	s := scanner{data: prefix}
	if s.space() != '{' {
		return nil
	}
	m := newMessage()
	s.value(1, &m.top) // an error is expected: the end may be missing
	return m.readID()
}
