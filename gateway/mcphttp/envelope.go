package mcphttp

import (
	"bytes"
	"encoding/json"
	"strings"
)

// maxBatch is how many messages one array may hold.
const maxBatch = 20

// A message is one JSON-RPC message of a body, taken apart but not yet judged by any revision's rules.
type message struct {
	id     json.RawMessage // as it was sent; nil for a notification, and where none could be read
	method string
	params json.RawMessage // an object, or nil
	answer bool            // a result or an error: something that a client sends to a server that asked
	fault  *Error          // why it is no JSON-RPC message

	top, param, meta members
	buf              [3][8]member // where the three usually fit
}

// newMessage returns a message whose members are collected in one allocation.
func newMessage() *message {
	m := new(message)
	m.top = members{list: m.buf[0][:0], follow: "params", next: &m.param}
	m.param = members{list: m.buf[1][:0], follow: "_meta", next: &m.meta}
	m.meta = members{list: m.buf[2][:0]}
	return m
}

// decodeBody takes a body apart. The error is for the body as a whole, and comes with the id if one was readable;
// what is wrong with one message stands in its fault.
func decodeBody(body []byte) (msgs []*message, batch bool, id json.RawMessage, fault *Error) {
	s := scanner{data: body}
	switch s.space() {
	case '[':
		msgs, fault = s.batch()
		batch = true
	case '{':
		m := newMessage()
		_, err := s.value(1, &m.top)
		id = m.readID()
		if err != nil {
			return nil, false, id, parseError(err.Error())
		}
		msgs = []*message{m}
	default:
		if _, err := s.value(1, nil); err != nil {
			return nil, false, nil, parseError(err.Error())
		}
		return nil, false, nil, invalidRequest("the body is JSON, but no JSON-RPC message: send one object")
	}
	if fault != nil {
		return nil, batch, id, fault
	}
	if s.space() != 0 || s.pos < len(s.data) {
		return nil, batch, id, parseError(s.syntaxError("text follows the message").Error())
	}
	if s.fault != nil {
		return nil, batch, id, parseError(s.fault.Error())
	}
	for _, m := range msgs {
		if m.fault == nil {
			m.judge()
		}
	}
	return msgs, batch, id, nil
}

// batch scans an array of messages. More than maxBatch are refused, once the text was seen to be JSON.
func (s *scanner) batch() (msgs []*message, fault *Error) {
	s.pos++ // [
	if s.space() == ']' {
		s.pos++
		return nil, invalidRequest("the batch is empty")
	}
	for n := 1; ; n++ {
		var into *members
		if n <= maxBatch {
			m := newMessage()
			msgs = append(msgs, m)
			if s.space() == '{' {
				into = &m.top
			} else {
				m.fault = invalidRequest("an element of the batch is no JSON-RPC message: send objects")
			}
		}
		if _, err := s.value(2, into); err != nil {
			return nil, parseError(err.Error())
		}
		switch s.space() {
		case ',':
			s.pos++
		case ']':
			s.pos++
			if n > maxBatch {
				return nil, invalidRequest("a batch may hold %d messages, this one has %d", maxBatch, n)
			}
			return msgs, nil
		default:
			return nil, parseError(s.syntaxError("a comma or the array's end is missing").Error())
		}
	}
}

// readID is the id if it is one: a string or an integer, and there once.
func (m *message) readID() json.RawMessage {
	var id json.RawMessage
	for _, member := range m.top.list {
		if string(member.key) != "id" {
			continue
		}
		if id != nil || !isID(member.value) {
			return nil
		}
		id = member.value
	}
	return id
}

func isID(value []byte) bool {
	return value[0] == '"' || (value[0] == '-' || value[0] >= '0' && value[0] <= '9') && !bytes.ContainsAny(value, ".eE")
}

// judge holds a message to the rules of JSON-RPC, and of MCP where they are the same in every revision.
func (m *message) judge() {
	m.id = m.readID()
	if v := m.top.get("jsonrpc"); string(v) != `"2.0"` {
		m.fault = invalidRequest(`a message needs "jsonrpc":"2.0"`)
		return
	}
	if v := m.top.get("id"); v != nil && m.id == nil {
		m.fault = invalidRequest("an id is a string or an integer, and not null")
		return
	}
	method := m.top.get("method")
	if method == nil {
		m.answer = m.top.get("result") != nil || m.top.get("error") != nil
		if !m.answer || m.id == nil {
			m.fault = invalidRequest("a message needs a method")
		}
		return
	}
	if method[0] != '"' {
		m.fault = invalidRequest("a method is a string")
		return
	}
	m.method = string(unquote(method))
	switch v := m.top.get("params"); {
	case v == nil || string(v) == "null":
	case v[0] == '{':
		m.params = v
	case v[0] == '[':
		m.fault = invalidParams("params are an object: every parameter has a name")
		return
	default:
		m.fault = invalidRequest("params are an object")
		return
	}
	if m.id == nil && !strings.HasPrefix(m.method, "notifications/") {
		m.fault = invalidRequest("%s is a request and needs an id", clip(m.method))
	}
}

func (m *message) notification() bool { return m.id == nil && m.fault == nil && !m.answer }

// text is a string among the params. ok is false if it is there, and no string.
func (m *message) text(key string) (value string, there, ok bool) {
	return textOf(m.param.get(key))
}

func textOf(raw []byte) (value string, there, ok bool) {
	switch {
	case raw == nil || string(raw) == "null":
		return "", false, true
	case raw[0] != '"':
		return "", true, false
	}
	return string(unquote(raw)), true, true
}

// clip shortens what a caller sent for a message that quotes it.
func clip(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
