package mcphttp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// A Tool is what a list says about one tool.
type Tool struct {
	Name       string
	Descriptor json.RawMessage // the object of tools/list: name, description, inputSchema, annotations, _meta and so on
	Aliases    []string        // earlier names, which can be called and are not listed
}

// Tools are what an endpoint offers to its callers.
type Tools[P any] interface {
	// Sets are the tools by the name of the set that ?tools=NAME selects, each in the order of its list. "" is all of
	// them, and what can be called whatever a list showed. It is asked once, by New.
	Sets() map[string][]Tool

	// Call runs a tool of the set "". What the model should read, failures included, is a Result. An [*Error] is
	// answered as a protocol error, [*InputRequired] as a question to the client; any other error, and a panic, is an
	// internal error for the client and a line in the log. ctx ends when the client goes away.
	Call(ctx context.Context, caller P, r *Request) (Result, error)
}

// A Result is what a tool answers. Its JSON is encoded already, and written as it is.
type Result struct {
	// Structured is the answer as one JSON value. It is sent as structuredContent and, as text, in content.
	// With IsError it is sent as text alone: clients hold structuredContent to the schema of good answers.
	Structured json.RawMessage

	// Content is an array of content blocks, for what is not JSON. It is sent instead of the text made from Structured.
	Content json.RawMessage

	IsError    bool
	Meta       json.RawMessage // an object whose members join the result's _meta
	RetryAfter time.Duration   // for a limit that was met; sent as the Retry-After header, in whole seconds
}

// A Method answers a method that the kit has none of its own for: resources/read, prompts/list, completion/complete.
type Method[P any] struct {
	// Call returns the result, a JSON object without _meta, resultType and cache hints: the kit adds them.
	// Errors are as for [Tools.Call], but that those of unknown kind become -32603.
	Call func(ctx context.Context, caller P, r *Request) (json.RawMessage, error)

	// Public says that every caller gets the same answer, so that anybody may cache it for a while.
	Public bool
}

// An Operation is what Options.Admit is asked about.
type Operation struct {
	Method string
	Tool   string // of tools/call; not yet known to exist
}

// A Refusal turns down an operation that may be tried again. Clients' agents retry no 429 and never see its text, so
// a tools/call is refused by a result that the model can read, and only the other methods by HTTP status 429.
type Refusal struct {
	Message    string
	Result     json.RawMessage // the JSON that a tools/call shows to the model
	RetryAfter time.Duration
}

func (r *Refusal) header() http.Header {
	if r.RetryAfter <= 0 {
		return nil
	}
	return retryAfter(r.RetryAfter)
}

func retryAfter(d time.Duration) http.Header {
	return http.Header{"Retry-After": {fmt.Sprint(int64((d + time.Second - 1) / time.Second))}}
}
