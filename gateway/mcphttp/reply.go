package mcphttp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendString writes text as a JSON string. Markup stays as it is, since models read this and pages do not.
func appendString[T ~string | ~[]byte](dst []byte, text T) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
			dst = append(append(dst, text[start:i]...), "\ufffd"...)
			i++
			start = i
			continue
		}
		dst = append(dst, text[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, text[start:]...), '"')
}

// encode is json.Marshal without escapes for HTML.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// oneLine removes the line breaks between values, which would end an event. Values have none inside.
func oneLine(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// appendHead begins a response.
func appendHead(dst []byte, id json.RawMessage) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	if id == nil {
		return append(dst, "null"...)
	}
	return append(dst, id...)
}

func appendResult(dst []byte, id, result json.RawMessage) []byte {
	dst = append(appendHead(dst, id), `,"result":`...)
	return append(append(dst, result...), '}')
}

func appendError(dst []byte, id json.RawMessage, err *Error) []byte {
	dst = append(appendHead(dst, id), `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(err.Code), 10)
	dst = appendString(append(dst, `,"message":`...), err.Message)
	if err.Data != nil {
		if data, failed := encode(err.Data); failed == nil {
			dst = append(append(dst, `,"data":`...), data...)
		}
	}
	return append(dst, "}}"...)
}

// writeError answers with an error as JSON, whatever the client accepts: what could not be served has no format.
func writeError(w http.ResponseWriter, id json.RawMessage, e era, err *Error) {
	for name, values := range err.Header {
		w.Header()[name] = values
	}
	writeJSON(w, e.status(err), appendError(nil, id, err))
}

var jsonType, noStore = []string{"application/json"}, []string{"no-store"}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Cache-Control"] = noStore
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	if len(body) <= stretch {
		w.Write(body)
		return
	}
	send(w, false, body)
}
