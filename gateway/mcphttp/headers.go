package mcphttp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Mcp-Method and Mcp-Name repeat what the body says, so that something in between can route and count without reading
// bodies. That is worth something only if they cannot disagree with it.

// named are the methods whose Mcp-Name repeats a parameter, and that parameter.
func named(method string) string {
	switch method {
	case "tools/call", "prompts/get":
		return "name"
	case "resources/read":
		return "uri"
	}
	return ""
}

// checkHeaders compares the headers with the body. In the modern era they are required; before, they may be left out.
func checkHeaders(h http.Header, m *message, e era) *Error {
	switch got := h.Values("Mcp-Method"); {
	case len(got) == 0 && e == modern:
		return headerMismatch("the Mcp-Method header is missing: it repeats the method, %q", clip(m.method))
	case len(got) > 0 && (len(got) > 1 || got[0] != m.method):
		return headerMismatch("the Mcp-Method header says %q, the body says %q", clip(strings.Join(got, ", ")), clip(m.method))
	}
	param := named(m.method)
	if param == "" {
		return nil
	}
	want, there, ok := m.text(param)
	if !ok || !there {
		return nil // the method refuses this, and says so better
	}
	got := h.Values("Mcp-Name")
	if len(got) == 0 {
		if e == modern {
			return headerMismatch("the Mcp-Name header is missing: it repeats params.%s", param)
		}
		return nil
	}
	name, ok := decodeHeader(got[0])
	if !ok || len(got) > 1 || name != want {
		return headerMismatch("the Mcp-Name header says %q, params.%s says %q", clip(strings.Join(got, ", ")), param, clip(want))
	}
	return nil
}

// decodeHeader reads a header value: =?base64?…?= where the text itself could not be sent, and itself otherwise.
func decodeHeader(v string) (string, bool) {
	encoded, ok := strings.CutPrefix(v, "=?base64?")
	if !ok {
		return v, true
	}
	if encoded, ok = strings.CutSuffix(encoded, "?="); !ok {
		return v, true
	}
	text, err := base64.StdEncoding.Strict().DecodeString(encoded)
	return string(text), err == nil
}

// one is the value of a header that has one. A second line that says something else is refused: what stands between
// may have looked at the other one.
func one(h http.Header, name string) (string, *Error) {
	values := h.Values(name)
	if len(values) == 0 {
		return "", nil
	}
	for _, v := range values[1:] {
		if v != values[0] {
			return "", headerMismatch("the %s header stands twice, and says %q and %q", name, clip(values[0]), clip(v))
		}
	}
	return values[0], nil
}

// checkOnce refuses headers of the protocol that contradict each other, whatever the method makes of them.
func checkOnce(h http.Header) (version string, fault *Error) {
	for _, name := range [...]string{"Mcp-Method", "Mcp-Name"} {
		if _, err := one(h, name); err != nil {
			return "", err
		}
	}
	for name := range h {
		if strings.HasPrefix(name, "Mcp-Param-") {
			if _, err := one(h, name); err != nil {
				return "", err
			}
		}
	}
	return one(h, "MCP-Protocol-Version")
}

// A mirror is an argument that a tool's schema asks to be repeated in a header, by x-mcp-header.
type mirror struct {
	path   []string // of the argument, from the outermost property
	header string
}

// mirrorsOf reads the annotations of a descriptor's inputSchema.
func mirrorsOf(descriptor json.RawMessage) ([]mirror, error) {
	var d struct {
		InputSchema property `json:"inputSchema"`
	}
	if err := json.Unmarshal(descriptor, &d); err != nil {
		return nil, err
	}
	var found []mirror
	return found, d.InputSchema.mirrors(nil, &found)
}

type property struct {
	Type       json.RawMessage            `json:"type"`
	Header     *string                    `json:"x-mcp-header"`
	Properties map[string]json.RawMessage `json:"properties"`
}

func (p property) mirrors(path []string, found *[]mirror) error {
	if p.Header != nil {
		switch string(p.Type) {
		case `"string"`, `"integer"`, `"boolean"`:
		default:
			return fmt.Errorf("x-mcp-header on %s: only a string, an integer or a boolean fits in a header", strings.Join(path, "."))
		}
		if !isToken(*p.Header) {
			return fmt.Errorf("x-mcp-header on %s: %q is no header name", strings.Join(path, "."), *p.Header)
		}
		for _, m := range *found {
			if strings.EqualFold(m.header, *p.Header) {
				return fmt.Errorf("x-mcp-header %q stands on two properties", *p.Header)
			}
		}
		*found = append(*found, mirror{path, *p.Header})
	}
	for name, raw := range p.Properties {
		var deeper property
		if json.Unmarshal(raw, &deeper) != nil {
			continue // true, or false
		}
		if err := deeper.mirrors(append(path[:len(path):len(path)], name), found); err != nil {
			return err
		}
	}
	return nil
}

func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// check compares a call's argument with its header: there if and only if the argument is, and equal.
func (m mirror) check(h http.Header, arguments json.RawMessage, e era) *Error {
	name := "Mcp-Param-" + m.header
	value := lookup(arguments, m.path)
	got := h.Values(name)
	switch {
	case value == nil && len(got) == 0, len(got) == 0 && e != modern:
		return nil
	case value == nil:
		return headerMismatch("the %s header is there, the argument %s is not", name, strings.Join(m.path, "."))
	case len(got) != 1:
		return headerMismatch("the %s header repeats the argument %s, once", name, strings.Join(m.path, "."))
	}
	text, ok := decodeHeader(got[0])
	if !ok || !sameValue(text, value) {
		return headerMismatch("the %s header does not say what the argument %s says", name, strings.Join(m.path, "."))
	}
	return nil
}

// lookup follows path into an object. null counts as absent.
func lookup(object json.RawMessage, path []string) json.RawMessage {
	for _, name := range path {
		if len(object) == 0 || object[0] != '{' {
			return nil
		}
		var m members
		s := scanner{data: object}
		if _, err := s.value(1, &m); err != nil {
			return nil
		}
		object = m.get(name)
	}
	if string(object) == "null" {
		return nil
	}
	return object
}

// sameValue compares a header's text with a JSON value: integers as numbers, everything else as text.
func sameValue(text string, value json.RawMessage) bool {
	switch c := value[0]; {
	case c == '"':
		return text == string(unquote(value))
	case c == '-' || c >= '0' && c <= '9':
		if a, err := strconv.ParseInt(text, 10, 64); err == nil {
			if b, err := strconv.ParseInt(string(value), 10, 64); err == nil {
				return a == b
			}
		}
		a, errA := strconv.ParseFloat(text, 64)
		b, errB := strconv.ParseFloat(string(value), 64)
		return errA == nil && errB == nil && a == b
	}
	return text == string(value)
}
