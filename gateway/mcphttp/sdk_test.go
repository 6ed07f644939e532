package mcphttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/notelatch/notelatch/gateway/mcphttp"
)

var revisions = []string{"2026-07-28", "2025-11-25", "2025-03-26"}

// bearerTransport sends the token that the official client has no option for.
type bearerTransport struct{ token string }

func (b bearerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// TestOfficialClient drives the fixture with the official SDK's client, in each revision that the client can speak.
func TestOfficialClient(t *testing.T) {
	server := httptest.NewServer(newFixture().handler(t))
	defer server.Close()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			ctx := t.Context()
			progress := make(chan float64, 8)
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { progress <- r.Params.Progress },
			})
			session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
				Endpoint: server.URL + "/api/mcp", HTTPClient: &http.Client{Transport: bearerTransport{"alice-token"}},
			}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if got := session.InitializeResult(); got.ProtocolVersion != revision || got.Instructions != "Be <brief>." || got.ServerInfo.Name != "fixture" {
				t.Errorf("connected with %+v", got)
			}
			list, err := session.ListTools(ctx, nil)
			if err != nil || len(list.Tools) != len(newFixture().tools.list) || list.Tools[0].Title != "Echo" {
				t.Errorf("ListTools = %+v, %v", list, err)
			}
			call := func(name string, arguments any, token any) *mcp.CallToolResult {
				params := &mcp.CallToolParams{Name: name, Arguments: arguments}
				if token != nil {
					params.SetProgressToken(token)
				}
				result, err := session.CallTool(ctx, params)
				if err != nil {
					t.Fatalf("CallTool(%q): %v", name, err)
				}
				return result
			}
			who := call("whoami", nil, nil)
			if diff := cmp.Diff(map[string]any{"caller": "alice", "version": revision}, who.StructuredContent); diff != "" {
				t.Errorf("whoami (-want +got):\n%s", diff)
			}
			if text := who.Content[0].(*mcp.TextContent).Text; text != fmt.Sprintf(`{"caller":"alice","version":%q}`, revision) {
				t.Errorf("whoami's text is %s", text)
			}
			if text := call("markup", nil, nil).Content[0].(*mcp.TextContent).Text; !strings.Contains(text, `<b>a & b</b>","big":9007199254740993`) {
				t.Errorf("markup's text is %s", text)
			}
			if denied := call("denied", nil, nil); !denied.IsError || denied.StructuredContent != nil {
				t.Errorf("denied = %+v", denied)
			}
			call("steps", nil, "p1")
			if first, second := <-progress, <-progress; first != 1 || second != 2 {
				t.Errorf("progress %v, %v", first, second)
			}
			if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "ecko"}); err == nil || !strings.Contains(err.Error(), "echo") {
				t.Errorf("an unknown tool: %v", err)
			}
			if resources, err := session.ListResources(ctx, nil); err != nil || len(resources.Resources) != 0 {
				t.Errorf("ListResources = %v, %v", resources, err)
			}
			if panicked := call("panics", nil, nil); !panicked.IsError {
				t.Errorf("panics = %+v", panicked)
			}
			if revision != "2026-07-28" {
				if err := session.Ping(ctx, nil); err != nil {
					t.Errorf("Ping: %v", err)
				}
			}
		})
	}
	t.Run("a token that is not known", func(t *testing.T) {
		_, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
			Endpoint: server.URL + "/api/mcp", HTTPClient: &http.Client{Transport: bearerTransport{"other"}},
		}, nil)
		if err == nil || !strings.Contains(err.Error(), "Unauthorized") {
			t.Errorf("Connect: %v", err)
		}
	})
}

// sdkServer serves the same tools by the official SDK.
func sdkServer(t testing.TB, tools *registry) http.Handler {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "fixture", Version: "1.2.3"}, &mcp.ServerOptions{
		Instructions: "Be <brief>.", Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	for _, tool := range tools.list {
		var d mcp.Tool
		if err := json.Unmarshal(tool.Descriptor, &d); err != nil {
			t.Fatal(err)
		}
		handler := tools.handlers[tool.Name]
		server.AddTool(&d, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			result, err := handler(ctx, "", &mcphttp.Request{Tool: tool.Name, Arguments: r.Params.Arguments})
			if err != nil {
				return nil, err
			}
			out := &mcp.CallToolResult{IsError: result.IsError}
			if result.Meta != nil {
				json.Unmarshal(result.Meta, &out.Meta)
			}
			if result.Content != nil {
				var content []*mcp.ImageContent
				if err := json.Unmarshal(result.Content, &content); err != nil {
					return nil, err
				}
				for _, c := range content {
					out.Content = append(out.Content, c)
				}
			} else {
				out.Content = []mcp.Content{&mcp.TextContent{Text: string(result.Structured)}}
			}
			if !result.IsError {
				out.StructuredContent = result.Structured
			}
			return out, nil
		})
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
}

// TestSameAsOfficialServer sends the same requests to the kit and to the official SDK's server, and compares statuses,
// results and error codes. What differs on purpose is taken out by name.
func TestSameAsOfficialServer(t *testing.T) {
	f := newFixture()
	f.opts.Authenticate, f.opts.Capabilities, f.opts.Methods = nil, nil, nil
	f.tools.list = slices.DeleteFunc(f.tools.list, func(tool mcphttp.Tool) bool {
		return !slices.Contains([]string{"echo", "markup", "denied", "picture", "region"}, tool.Name)
	})
	for i := range f.tools.list {
		f.tools.list[i].Aliases = nil
	}
	slices.SortFunc(f.tools.list, func(a, b mcphttp.Tool) int { return strings.Compare(a.Name, b.Name) }) // the SDK's order
	ours, theirs := f.handler(t), sdkServer(t, &f.tools)
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	type request struct {
		name, body string
		header     []string
	}
	var requests []request
	modern := func(method, params, name string, header ...string) {
		if params != "" {
			params += ","
		}
		header = append([]string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method}, header...)
		if name != "" {
			header = append(header, "Mcp-Name", name)
		}
		requests = append(requests, request{"modern " + method + " " + params, `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + meta + `}}`, header})
	}
	old := func(revision, method, params string) {
		id := `"id":"a",`
		if strings.HasPrefix(method, "notifications/") {
			id = ""
		}
		requests = append(requests, request{revision + " " + method + " " + params, `{"jsonrpc":"2.0",` + id + `"method":"` + method + `","params":` + params + `}`,
			[]string{"MCP-Protocol-Version", revision}})
	}
	modern("server/discover", "", "")
	modern("tools/list", "", "")
	for _, name := range []string{"echo", "markup", "denied", "picture"} {
		call := fmt.Sprintf(`"name":%q,"arguments":{"a":"<é>","n":9007199254740993}`, name)
		modern("tools/call", call, name)
		for _, revision := range revisions[1:] {
			old(revision, "tools/call", "{"+call+"}")
		}
	}
	modern("tools/call", `"name":"region","arguments":{"region":"eu"}`, "region", "Mcp-Param-Region", "eu")
	modern("tools/call", `"name":"region","arguments":{"region":"eu"}`, "region", "Mcp-Param-Region", "us")
	modern("tools/call", `"name":"region","arguments":{"region":"eu"}`, "region")
	modern("tools/call", `"name":"echo"`, "markup")
	modern("tools/call", `"name":"nothing"`, "nothing")
	modern("nothing", "", "")
	modern("ping", "", "")
	modern("tools/list", "", "", "Mcp-Method", "tools/call")
	modern("tools/list", "", "", "MCP-Protocol-Version", "2099-01-01")
	for _, revision := range revisions[1:] {
		old(revision, "initialize", `{"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
		old(revision, "ping", `{}`)
		old(revision, "tools/list", `{}`)
		old(revision, "tools/call", `{"name":"nothing"}`)
		old(revision, "notifications/initialized", `{}`)
	}
	for _, r := range requests {
		a, b := outcome(t, serve(ours, post(r.body, r.header...))), outcome(t, serve(theirs, post(r.body, r.header...)))
		if diff := cmp.Diff(b, a); diff != "" {
			t.Errorf("%s (-official +ours):\n%s", r.name, diff)
		}
	}
}

// outcome is what two servers must agree on.
func outcome(t *testing.T, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	out := map[string]any{"status": w.Code}
	if w.Body.Len() == 0 {
		return out
	}
	decoder := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
	decoder.UseNumber()
	var message map[string]any
	if err := decoder.Decode(&message); err != nil && err != io.EOF {
		t.Fatalf("%d %q: %v", w.Code, w.Body, err)
	}
	out["id"] = message["id"]
	if failure, ok := message["error"].(map[string]any); ok {
		out["code"] = failure["code"]
		return out
	}
	result, _ := message["result"].(map[string]any)
	delete(result, "ttlMs") // how long, and for whom, is each server's own choice
	delete(result, "cacheScope")
	delete(result, "capabilities") // the SDK leaves a false listChanged out, and declares logging
	if versions, ok := result["supportedVersions"].([]any); ok {
		result["supportedVersions"] = slices.DeleteFunc(versions, func(v any) bool { return v == "2024-10-07" })
	}
	out["result"] = result
	return out
}
