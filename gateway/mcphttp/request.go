package mcphttp

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A Request is what a tool or a method sees of the message that it answers. Its bytes may be kept.
type Request struct {
	Method    string
	Version   string          // the revision that it is answered in
	Tool      string          // of tools/call: the name, an alias already resolved
	Arguments json.RawMessage // of tools/call: an object; never nil
	Params    json.RawMessage // all params: an object, or nil

	msg *message
	out *output
	era era
}

// Param is one of the params as it was sent, or nil.
func (r *Request) Param(name string) json.RawMessage { return r.msg.param.get(name) }

// Meta is a member of the params' _meta as it was sent, or nil. It is for logs; a client may say anything there.
func (r *Request) Meta(name string) json.RawMessage { return r.msg.meta.get(name) }

// Declares reports whether the client declared a capability with this request, such as "sampling". Requests of the
// handshake era declare nothing: what initialize said is not remembered.
func (r *Request) Declares(capability string) bool {
	return r.era == modern && lookup(r.msg.meta.get(metaCapabilities), []string{capability}) != nil
}

// Progress reports how far the work is, if the caller asked for it and accepts a stream. done must grow from call to
// call; total may be 0 for unknown. It may be called from any goroutine, and does nothing once the call returned.
func (r *Request) Progress(done, total float64, message string) {
	token := r.msg.meta.get("progressToken")
	if token == nil || !isID(token) || r.out == nil || math.IsInf(done, 0) || math.IsNaN(done) {
		return
	}
	b := append([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`), token...)
	b = strconv.AppendFloat(append(b, `,"progress":`...), done, 'f', -1, 64)
	if total > 0 && !math.IsInf(total, 0) {
		b = strconv.AppendFloat(append(b, `,"total":`...), total, 'f', -1, 64)
	}
	if message != "" {
		b = appendString(append(b, `,"message":`...), message)
	}
	r.out.notify(append(b, "}}"...))
}

// levels of log messages, the least urgent first.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// Log sends the client a log message, if it accepts a stream and, in the modern era, asked for messages of this
// level. data is any JSON value. The protocol discourages new uses of this.
func (r *Request) Log(level, logger string, data json.RawMessage) {
	if r.out == nil || !slices.Contains(levels, level) {
		return
	}
	if r.era == modern {
		least, there, ok := textOf(r.msg.meta.get(metaLogLevel))
		if !there || !ok || !slices.Contains(levels, least) || slices.Index(levels, level) < slices.Index(levels, least) {
			return
		}
	}
	b := appendString([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":`), level)
	if logger != "" {
		b = appendString(append(b, `,"logger":`...), logger)
	}
	b = append(append(b, `,"data":`...), oneLine(data)...)
	r.out.notify(append(b, "}}"...))
}

// toolSet is the name of the part of the tools that the address selects by ?tools=NAME, or "".
func toolSet(r *http.Request) string {
	if !strings.Contains(r.URL.RawQuery, "tools=") {
		return ""
	}
	return r.URL.Query().Get("tools")
}
