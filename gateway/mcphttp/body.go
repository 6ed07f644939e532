package mcphttp

import (
	"encoding/json"
	"errors"
	"io"
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
	media, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return refusal(http.StatusUnsupportedMediaType, "the body must be application/json")
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return refusal(http.StatusUnsupportedMediaType, "the body must be UTF-8, not %s", clip(charset))
	}
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return refusal(http.StatusUnsupportedMediaType, "the body must not be encoded: %s is not understood", clip(coding))
	}
	return nil
}

// readBody reads a body of a size that some method may have. What it read of a body that is too large comes back for
// its id.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *Error) {
	tooLarge := refusal(http.StatusRequestEntityTooLarge, "a body may have %d bytes for tools/call, and %d otherwise", maxCall, maxOther)
	if r.ContentLength > maxCall {
		prefix := make([]byte, peeked)
		n, _ := io.ReadFull(r.Body, prefix)
		return prefix[:n], tooLarge
	}
	limited := http.MaxBytesReader(w, r.Body, maxCall)
	var body []byte
	var err error
	if r.ContentLength >= 0 {
		body = make([]byte, r.ContentLength)
		_, err = io.ReadFull(limited, body)
	} else {
		body, err = io.ReadAll(limited)
	}
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return body, tooLarge
	}
	if err != nil {
		return nil, invalidRequest("the body ended early")
	}
	return body, nil
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

// peeked is how many bytes are read of a body that will be refused, to find its id.
const peeked = 8 << 10

// peekID finds the id of a request that is refused before its body is read. Clients wait in vain for an answer
// without their id, some of them until their own time is up.
func peekID(r *http.Request) json.RawMessage {
	if r.Method != http.MethodPost || r.ContentLength <= 0 {
		return nil
	}
	prefix := make([]byte, min(r.ContentLength, peeked))
	n, _ := io.ReadFull(r.Body, prefix)
	return prefixID(prefix[:n])
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
