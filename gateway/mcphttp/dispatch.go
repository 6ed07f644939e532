package mcphttp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// An exchange is one POST under way.
type exchange[P any] struct {
	h       *Handler[P]
	r       *http.Request
	caller  P
	out     *output
	version string // the MCP-Protocol-Version header
}

// An answer is what one message gets: a whole JSON-RPC response, or nothing for a notification.
type answer struct {
	body   []byte
	status int
	header http.Header
}

func failure(e era, id json.RawMessage, err *Error) answer {
	return answer{appendError(nil, id, err), e.status(err), err.Header}
}

func success(id, result json.RawMessage) answer {
	return answer{body: appendResult(make([]byte, 0, len(result)+len(id)+40), id, result), status: http.StatusOK}
}

func (x *exchange[P]) single(m *message) {
	e := eraOf(m, x.version)
	a := x.answer(m, e, x.out)
	if a.body == nil {
		x.out.w.WriteHeader(http.StatusAccepted)
		return
	}
	x.out.finish(a.status, a.header, a.body)
}

// batch answers an array, one element after the other. Nothing in it can stream.
func (x *exchange[P]) batch(msgs []*message) {
	if !mayBatch(x.version) {
		writeError(x.out.w, nil, modern, invalidRequest("batches ended with revision 2025-03-26: send one message"))
		return
	}
	var body []byte
	var wait int // the longest Retry-After
	for _, m := range msgs {
		e := eraOf(m, x.version)
		var a answer
		switch {
		case m.fault == nil && m.method == "initialize":
			a = failure(e, m.id, invalidRequest("initialize cannot stand in a batch"))
		case m.fault == nil && e == modern && !m.notification():
			a = failure(e, m.id, invalidRequest("a message of revision %s cannot stand in a batch", Modern))
		default:
			a = x.answer(m, e, nil)
		}
		if a.body == nil {
			continue
		}
		if seconds, err := strconv.Atoi(a.header.Get("Retry-After")); err == nil {
			wait = max(wait, seconds)
		}
		sep := byte(',')
		if body == nil {
			sep = '['
		}
		body = append(append(body, sep), a.body...)
	}
	if body == nil {
		x.out.w.WriteHeader(http.StatusAccepted)
		return
	}
	header := http.Header{}
	if wait > 0 {
		header.Set("Retry-After", strconv.Itoa(wait))
	}
	x.out.finish(http.StatusOK, header, append(body, ']'))
}

// answer applies the rules of a message's era, and then its method.
func (x *exchange[P]) answer(m *message, e era, out *output) answer {
	if m.fault != nil {
		return failure(e, m.id, m.fault)
	}
	if m.answer {
		if e == modern {
			return failure(e, m.id, invalidRequest("a response is not expected: this server asks nothing"))
		}
		return answer{}
	}
	if e == modern {
		if err := checkVersion(m, x.version); err != nil {
			return failure(e, m.id, err)
		}
		if err := checkMeta(m); err != nil {
			return failure(e, m.id, err)
		}
	}
	if out != nil && m.method != "initialize" { // the headers of a batch speak for no element
		if err := checkHeaders(x.r.Header, m, e); err != nil {
			return failure(e, m.id, err)
		}
	}
	if m.notification() {
		return answer{}
	}
	tool, _, _ := m.text("name")
	if m.method != "tools/call" {
		tool = ""
	}
	if x.h.opts.Admit != nil && m.method != "ping" {
		r, err := run(x, m, func(ctx context.Context) (*Refusal, error) {
			return x.h.opts.Admit(ctx, x.caller, Operation{m.method, tool}), nil
		})
		switch {
		case err != nil: // a meter that fails must not let everybody in
			return failure(e, m.id, &Error{Code: CodeInternal, Message: "the server failed; its log says why"})
		case r != nil:
			return x.refuse(m, e, r)
		}
	}
	return x.method(m, e, out)
}

func (x *exchange[P]) refuse(m *message, e era, r *Refusal) answer {
	if m.method == "tools/call" && r.Result != nil {
		return x.h.result(m.id, e, Result{Structured: r.Result, IsError: true, RetryAfter: r.RetryAfter})
	}
	err := refusal(http.StatusTooManyRequests, "%s", r.Message)
	err.Header = r.header()
	return failure(e, m.id, err)
}

func (x *exchange[P]) method(m *message, e era, out *output) answer {
	t := &x.h.texts
	switch {
	case e == modern && slices.Contains(removed, m.method):
		return failure(e, m.id, methodNotFound(m.method))
	case m.method == "tools/call":
		return x.call(m, e, out)
	case m.method == "tools/list":
		return x.list(m, e)
	case m.method == "server/discover" && e == modern:
		return success(m.id, t.discover)
	case m.method == "server/discover":
		return success(m.id, t.discovery)
	case m.method == "subscriptions/listen" && e == modern:
		return x.listen(m, out)
	case m.method == "initialize":
		return x.initialize(m, e)
	case m.method == "ping":
		return success(m.id, json.RawMessage("{}"))
	}
	if method, ok := x.h.opts.Methods[m.method]; ok {
		return x.custom(m, e, out, method)
	}
	return failure(e, m.id, methodNotFound(m.method))
}

func (x *exchange[P]) initialize(m *message, e era) answer {
	if m.params == nil {
		return failure(e, m.id, invalidParams("initialize needs params: protocolVersion, capabilities, clientInfo"))
	}
	if client := m.param.get("clientInfo"); client == nil || client[0] != '{' {
		return failure(e, m.id, invalidParams("initialize needs params.clientInfo, an object"))
	}
	asked, _, ok := m.text("protocolVersion")
	if !ok {
		return failure(e, m.id, invalidParams("params.protocolVersion is a string"))
	}
	result := append([]byte(`{"protocolVersion":"`+negotiate(asked)+`"`), x.h.texts.initialize...)
	return success(m.id, result)
}

func (x *exchange[P]) list(m *message, e era) answer {
	set := toolSet(x.r)
	list, ok := x.h.texts.lists[set]
	if !ok {
		err := invalidParams("there is no set of tools %q", clip(set))
		err.Data = map[string]any{"sets": x.h.texts.sets}
		return failure(e, m.id, err)
	}
	if cursor, there, ok := m.text("cursor"); there || !ok {
		return failure(e, m.id, invalidParams("the cursor %q is not known: the list has one page", clip(cursor)))
	}
	if e == modern {
		return success(m.id, list.modern)
	}
	return success(m.id, list.handshake)
}

// listen acknowledges a subscription to nothing, and ends it: no list changes while this serves.
func (x *exchange[P]) listen(m *message, out *output) answer {
	tag := string(appendString(nil, metaSubscription)) + ":" + string(m.id)
	if out != nil {
		out.notify([]byte(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},"_meta":{` + tag + `}}}`))
	}
	result := `{"resultType":"complete","_meta":{` + tag + `,` + string(appendString(nil, metaServer)) + `:` + string(x.h.texts.server) + `}}`
	return success(m.id, json.RawMessage(result))
}

// custom answers a method that the program brought along.
func (x *exchange[P]) custom(m *message, e era, out *output, method Method[P]) answer {
	object, err := run(x, m, func(ctx context.Context) (json.RawMessage, error) {
		return method.Call(ctx, x.caller, &Request{
			Method: m.method, Version: e.revision(x.version), Params: m.params, msg: m, out: out, era: e,
		})
	})
	if err == nil {
		object, err = x.h.texts.dress(e, object, x.hints(m.method, method.Public))
	}
	if err == nil {
		return success(m.id, object)
	}
	if a, ok := x.protocol(m, e, err); ok {
		return a
	}
	if !errors.Is(err, errPanic) && x.r.Context().Err() == nil {
		x.h.log.LogAttrs(x.r.Context(), slog.LevelError, "could not answer a method", slog.String("method", m.method), slog.Any("error", err))
	}
	return failure(e, m.id, &Error{Code: CodeInternal, Message: "the server failed; its log says why"})
}

// hints are the cache hints that the modern era requires for lists and reads.
func (x *exchange[P]) hints(method string, public bool) string {
	switch {
	case method != "resources/read" && !strings.HasSuffix(method, "/list"):
		return ""
	case public:
		return x.h.texts.public
	}
	return x.h.texts.private
}
