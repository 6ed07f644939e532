package mcphttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/notelatch/notelatch/gateway/mcphttp"
)

// A handlerFunc is one tool of a registry.
type handlerFunc func(ctx context.Context, caller string, r *mcphttp.Request) (mcphttp.Result, error)

// A registry is the tools of a test server. Its principals are the names of the tokens' owners.
type registry struct {
	list     []mcphttp.Tool
	handlers map[string]handlerFunc
}

func (g *registry) add(name, descriptor string, f handlerFunc, aliases ...string) {
	if g.handlers == nil {
		g.handlers = map[string]handlerFunc{}
	}
	if descriptor == "" {
		descriptor = fmt.Sprintf(`{"name":%q,"description":"A tool of a test","inputSchema":{"type":"object"}}`, name)
	}
	g.list = append(g.list, mcphttp.Tool{Name: name, Descriptor: json.RawMessage(descriptor), Aliases: aliases})
	g.handlers[name] = f
}

func (g *registry) Sets() map[string][]mcphttp.Tool {
	return map[string][]mcphttp.Tool{"": g.list, "first": g.list[:1]}
}

func (g *registry) Call(ctx context.Context, caller string, r *mcphttp.Request) (mcphttp.Result, error) {
	return g.handlers[r.Tool](ctx, caller, r)
}

func structured(json string) handlerFunc {
	return func(context.Context, string, *mcphttp.Request) (mcphttp.Result, error) {
		return mcphttp.Result{Structured: []byte(json)}, nil
	}
}

// A fixture is a server with tools that show one behaviour each, and what it logged.
type fixture struct {
	tools registry
	opts  mcphttp.Options[string]
	log   bytes.Buffer
}

func newFixture() *fixture {
	f := &fixture{}
	f.tools.add("echo", `{"name":"echo","title":"Echo","description":"Answers with its arguments","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"idempotentHint":false}}`,
		func(_ context.Context, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
			return mcphttp.Result{Structured: r.Arguments}, nil
		}, "repeat")
	f.tools.add("whoami", "", func(_ context.Context, caller string, r *mcphttp.Request) (mcphttp.Result, error) {
		text, err := json.Marshal(map[string]string{"caller": caller, "version": r.Version})
		return mcphttp.Result{Structured: text}, err
	})
	f.tools.add("markup", "", structured(`{"html":"<b>a & b</b>","big":9007199254740993,"control":"a\u0001b","line":"x\ny"}`))
	f.tools.add("denied", "", func(context.Context, string, *mcphttp.Request) (mcphttp.Result, error) {
		return mcphttp.Result{
			Structured: []byte(`{"error":{"code":"not_found"}}`), IsError: true, Meta: []byte(`{"test/kind":"denied"}`),
		}, nil
	})
	f.tools.add("forbidden", "", func(context.Context, string, *mcphttp.Request) (mcphttp.Result, error) {
		return mcphttp.Result{}, fmt.Errorf("calling: %w", &mcphttp.Error{
			Code: 403, Status: 403, Message: "a scope is missing",
			Header: http.Header{"Www-Authenticate": {`Bearer error="insufficient_scope", scope="mcp:write"`}},
		})
	})
	f.tools.add("broken", "", func(context.Context, string, *mcphttp.Request) (mcphttp.Result, error) {
		return mcphttp.Result{}, fmt.Errorf("the disk is gone")
	})
	f.tools.add("panics", "", func(_ context.Context, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
		panic("secret " + string(r.Arguments))
	})
	f.tools.add("crashes", "", func(context.Context, string, *mcphttp.Request) (mcphttp.Result, error) {
		var none []int
		return mcphttp.Result{}, fmt.Errorf("never: %d", none[len(f.tools.list)])
	})
	f.tools.add("picture", "", func(context.Context, string, *mcphttp.Request) (mcphttp.Result, error) {
		return mcphttp.Result{
			Content:    []byte("[{\"type\":\"image\",\n\"data\":\"AA==\",\"mimeType\":\"image/png\"}]"),
			Structured: []byte(`{"path":"a.png"}`),
		}, nil
	})
	f.tools.add("steps", "", func(_ context.Context, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
		r.Progress(1, 2, `half "way"`)
		r.Progress(2, 2, "")
		return mcphttp.Result{Structured: []byte(`{"done":true}`)}, nil
	})
	f.tools.add("region", `{"name":"region","description":"Mirrors arguments in headers","inputSchema":{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},
		"deep":{"type":"object","properties":{"level":{"type":"integer","x-mcp-header":"Level"}}}}}}`, structured(`{"ok":true}`))
	f.tools.add("asks", "", func(_ context.Context, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
		if r.Param("inputResponses") != nil {
			return mcphttp.Result{Structured: []byte(`{"state":` + string(r.Param("requestState")) + `}`)}, nil
		}
		return mcphttp.Result{}, &mcphttp.InputRequired{Requests: []byte(`{"name":{"method":"elicitation/create"}}`), State: "s1"}
	})
	f.opts = mcphttp.Options[string]{
		Name: "fixture", Version: "1.2.3", Instructions: "Be <brief>.", Tools: &f.tools,
		Authenticate: func(_ context.Context, _ *http.Request, token string) (string, error) {
			switch token {
			case "alice-token":
				return "alice", nil
			case "suspended-token":
				return "", &mcphttp.Error{Code: 403, Status: 403, Message: "the account is suspended"}
			case "panic-token":
				panic("token store")
			case "outage-token":
				return "", fmt.Errorf("the database is away")
			}
			return "", mcphttp.ErrToken
		},
		Challenge:   mcphttp.Challenge{ResourceMetadata: "https://notes.example/.well-known/oauth-protected-resource/api/mcp", Scope: "mcp:read"},
		TokenPrefix: "tst_",
		Methods: map[string]mcphttp.Method[string]{
			"resources/list": {Call: func(context.Context, string, *mcphttp.Request) (json.RawMessage, error) {
				return []byte(`{"resources":[]}`), nil
			}},
			"resources/read": {Call: func(_ context.Context, _ string, r *mcphttp.Request) (json.RawMessage, error) {
				return nil, &mcphttp.Error{Code: mcphttp.CodeInvalidParams, Message: "no resource " + string(r.Param("uri"))}
			}},
			"prompts/list": {Public: true, Call: func(context.Context, string, *mcphttp.Request) (json.RawMessage, error) {
				return []byte("{\n\"prompts\":[]}"), nil
			}},
			"test/panic": {Call: func(context.Context, string, *mcphttp.Request) (json.RawMessage, error) { panic("method") }},
		},
		Capabilities: json.RawMessage(`{"resources":{},"prompts":{}}`),
		Hosts:        []string{"notes.example"},
		Origins:      []string{"https://app.example"},
	}
	f.opts.Log = slog.New(slog.NewTextHandler(&f.log, nil))
	return f
}

func (f *fixture) handler(t testing.TB) *mcphttp.Handler[string] {
	t.Helper()
	h, err := mcphttp.New(f.opts)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// post sends a body with the headers that every client sends, changed by pairs of header: "Name", "value". An empty
// value removes the header.
func post(body string, header ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://localhost/api/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer alice-token")
	return with(r, header...)
}

func with(r *http.Request, header ...string) *http.Request {
	for i := 0; i < len(header); i += 2 {
		switch name, value := header[i], header[i+1]; {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Add(name, value)
			r.Header[http.CanonicalHeaderKey(name)] = r.Header.Values(name)[len(r.Header.Values(name))-1:]
		}
	}
	return r
}

func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
