package mcphttp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
)

// errPanic stands for a panic that was contained and logged.
var errPanic = errors.New("a panic was recovered")

// internal is what a client learns of a failure that is not its own.
const internal = `{"error":{"code":"internal","message":"The server failed while it answered this call; its log says why.","retryable":false}}`

func (x *exchange[P]) call(m *message, e era, out *output) answer {
	name, there, ok := m.text("name")
	if !ok || !there {
		return failure(e, m.id, invalidParams("tools/call needs params.name, a string"))
	}
	tool := x.h.tools[name]
	if tool == nil {
		err := invalidParams("there is no tool %q", clip(name))
		data := map[string]any{"tool": clip(name)}
		if near := nearest(name, x.h.names); near != "" {
			err.Message += "; the nearest name is " + near
			data["nearest"] = near
		}
		err.Data = data
		return failure(e, m.id, err)
	}
	arguments := json.RawMessage(m.param.get("arguments"))
	switch {
	case arguments == nil, string(arguments) == "null":
		arguments = json.RawMessage("{}")
	case arguments[0] != '{':
		return failure(e, m.id, invalidParams("params.arguments is an object"))
	}
	if out != nil {
		for _, mirror := range tool.mirrors {
			if err := mirror.check(x.r.Header, arguments, e); err != nil {
				return failure(e, m.id, err)
			}
		}
		if out.events && m.meta.get("progressToken") != nil {
			out.format = asEvents
			out.keepAlive()
		}
	}
	request := &Request{
		Method: m.method, Version: e.revision(x.version), Tool: tool.name, Arguments: arguments, Params: m.params, msg: m, out: out, era: e,
	}
	result, err := run(x, m, func(ctx context.Context) (Result, error) { return x.h.opts.Tools.Call(ctx, x.caller, request) })
	if err == nil {
		return x.h.result(m.id, e, result)
	}
	if a, ok := x.protocol(m, e, err); ok {
		return a
	}
	if !errors.Is(err, errPanic) && x.r.Context().Err() == nil {
		x.h.log.LogAttrs(x.r.Context(), slog.LevelError, "could not answer a call", slog.String("tool", tool.name), slog.Any("error", err))
	}
	return x.h.result(m.id, e, Result{Structured: json.RawMessage(internal), IsError: true})
}

// run contains a panic of the program's own code, which would otherwise take down the connection or the process.
func run[P, T any](x *exchange[P], m *message, f func(context.Context) (T, error)) (out T, err error) {
	ctx := x.r.Context()
	defer func() {
		if p := recover(); p != nil {
			tool, _, _ := m.text("name")
			x.h.logPanic(ctx, m.method, clip(tool), p)
			err = errPanic
		}
	}()
	return f(ctx)
}

// protocol answers the errors that are the protocol's.
func (x *exchange[P]) protocol(m *message, e era, err error) (answer, bool) {
	if own := new(Error); errors.As(err, &own) {
		return failure(e, m.id, own), true
	}
	input := new(InputRequired)
	if !errors.As(err, &input) {
		return answer{}, false
	}
	if e != modern {
		return failure(e, m.id, MissingCapability("elicitation")), true
	}
	b := []byte(`{"resultType":"input_required"`)
	if len(input.Requests) > 0 {
		b = append(append(b, `,"inputRequests":`...), oneLine(input.Requests)...)
	}
	if input.State != "" {
		b = appendString(append(b, `,"requestState":`...), input.State)
	}
	return success(m.id, append(x.h.meta(append(b, ','), e, nil), '}')), true
}

// result encodes what a tool answered.
func (h *Handler[P]) result(id json.RawMessage, e era, r Result) answer {
	structured := oneLine(r.Structured)
	dst := make([]byte, 0, 3*len(structured)+len(r.Content)+len(h.texts.finish)+len(id)+160)
	dst = append(appendHead(dst, id), `,"result":{"content":`...)
	switch {
	case r.Content != nil:
		dst = append(dst, oneLine(r.Content)...)
	case structured != nil:
		dst = append(appendString(append(dst, `[{"type":"text","text":`...), structured), `}]`...)
	default:
		dst = append(dst, `[]`...)
	}
	if r.IsError {
		dst = append(dst, `,"isError":true`...)
	} else if structured != nil {
		dst = append(append(dst, `,"structuredContent":`...), structured...)
	}
	if e == modern {
		dst = append(dst, `,"resultType":"complete"`...)
	}
	if e == modern || r.Meta != nil {
		dst = h.meta(append(dst, ','), e, r.Meta)
	}
	a := answer{body: append(dst, "}}"...), status: 200}
	if r.RetryAfter > 0 {
		a.header = retryAfter(r.RetryAfter)
	}
	return a
}

// meta writes a result's _meta: who answers, and what the tool has to say.
func (h *Handler[P]) meta(dst []byte, e era, more json.RawMessage) []byte {
	dst = append(dst, `"_meta":{`...)
	if e == modern {
		dst = append(append(append(dst, '"'), metaServer...), `":`...)
		dst = append(dst, h.texts.server...)
	}
	if more = oneLine(more); len(more) > 2 { // an object with members
		if e == modern {
			dst = append(dst, ',')
		}
		dst = append(dst, oneLine(more[1:len(more)-1])...)
	}
	return append(dst, '}')
}
