package mcphttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/notelatch/notelatch/gateway/mcphttp"
)

// greeterTools is a server with one tool. Its principals are account names.
type greeterTools struct{}

func (greeterTools) Sets() map[string][]mcphttp.Tool {
	return map[string][]mcphttp.Tool{"": {{
		Name: "greet",
		Descriptor: json.RawMessage(`{
			"name": "greet",
			"description": "Greets somebody by name",
			"inputSchema": {"type": "object", "properties": {"name": {"type": "string", "description": "Whom to greet"}}, "required": ["name"]},
			"annotations": {"readOnlyHint": true, "destructiveHint": false, "openWorldHint": false}
		}`),
	}}}
}

func (greeterTools) Call(_ context.Context, account string, r *mcphttp.Request) (mcphttp.Result, error) {
	var in struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(r.Arguments, &in); err != nil || in.Name == "" {
		return mcphttp.Result{IsError: true, Structured: json.RawMessage(`{"error":{"code":"invalid_argument","message":"say whom to greet: name"}}`)}, nil
	}
	text, err := json.Marshal(map[string]string{"greeting": "Hello " + in.Name, "from": account})
	return mcphttp.Result{Structured: text}, err
}

func Example() {
	endpoint, err := mcphttp.New(mcphttp.Options[string]{
		Name: "greeter", Version: "1.0.0", Tools: greeterTools{},
		Authenticate: func(_ context.Context, _ *http.Request, token string) (string, error) {
			if token != "let-me-in" {
				return "", mcphttp.ErrToken
			}
			return "desk", nil
		},
		Challenge: mcphttp.Challenge{ResourceMetadata: "https://greeter.example/.well-known/oauth-protected-resource/mcp", Scope: "read"},
		Hosts:     []string{"greeter.example"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	resource := mcphttp.ResourceMetadata{Resource: "https://greeter.example/mcp", Scopes: []string{"read"}}

	mux := http.NewServeMux()
	mux.Handle("/mcp", endpoint)
	mux.Handle("/.well-known/oauth-protected-resource/mcp", resource.Handler())

	for _, token := range []string{"", "let-me-in"} {
		r := httptest.NewRequest("POST", "https://greeter.example/mcp",
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}`))
		r.Header.Set("Content-Type", "application/json")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 401 {"jsonrpc":"2.0","id":1,"error":{"code":401,"message":"a token is missing: send it as Authorization: Bearer TOKEN"}}
	// 200 {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"from\":\"desk\",\"greeting\":\"Hello Ada\"}"}],"structuredContent":{"from":"desk","greeting":"Hello Ada"}}}
}
