package mcphttp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/notelatch/notelatch/gateway/mcphttp"
)

func padded(method, params string, size int) string {
	head := fmt.Sprintf(`{"jsonrpc":"2.0","id":31,"method":%q,"params":{%s"pad":"`, method, params)
	return head + strings.Repeat("x", size-len(head)-3) + `"}}`
}

func TestBodySizes(t *testing.T) {
	const call = `"name":"whoami",`
	for _, c := range []struct {
		name   string
		body   string
		status int
	}{
		{"a call may have 8 MiB", padded("tools/call", call, 8<<20), 200},
		{"a call may not have more", padded("tools/call", call, 8<<20+1), 413},
		{"anything else may have 1 MiB", padded("ping", "", 1<<20), 200},
		{"anything else may not have more", padded("ping", "", 1<<20+1), 413},
	} {
		for _, chunked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, chunked %t", c.name, chunked), func(t *testing.T) {
				r := post(c.body)
				if chunked {
					r.ContentLength = -1
				}
				w := serve(newFixture().handler(t), r)
				if w.Code != c.status || !strings.Contains(w.Body.String(), `"id":31`) {
					t.Errorf("status %d, body %.200s; want %d with the id 31", w.Code, w.Body, c.status)
				}
			})
		}
	}
}

func TestAdmitRefuses(t *testing.T) {
	var asked []mcphttp.Operation
	f := newFixture()
	f.opts.Admit = func(_ context.Context, caller string, op mcphttp.Operation) *mcphttp.Refusal {
		asked = append(asked, op)
		if caller != "alice" || op.Tool == "echo" {
			return nil
		}
		return &mcphttp.Refusal{Message: "too many requests", Result: []byte(`{"error":{"code":"rate_limited"}}`), RetryAfter: 1500 * time.Millisecond}
	}
	h := f.handler(t)
	for _, c := range []struct {
		name, body string
		status     int
		retry      string
		want       string
	}{
		{"a method is refused by its status", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 429, "2",
			`{"jsonrpc":"2.0","id":1,"error":{"code":429,"message":"too many requests"}}`},
		{"a call is refused in words", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}`, 200, "2",
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"error\":{\"code\":\"rate_limited\"}}"}],"isError":true}}`},
		{"another call is let through", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`, 200, "",
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}}`},
		{"a ping is not asked about", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200, "", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"a notification is not asked about", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, "", ``},
		{"the longest wait of a batch counts", `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"prompts/list"}]`, 200, "2",
			`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"error":{"code":429,"message":"too many requests"}}]`},
	} {
		w := serve(h, post(c.body))
		if w.Code != c.status || w.Header().Get("Retry-After") != c.retry || w.Body.String() != c.want {
			t.Errorf("%s: %d, Retry-After %q, %s; want %d, %q, %s", c.name, w.Code, w.Header().Get("Retry-After"), w.Body, c.status, c.retry, c.want)
		}
	}
	if len(asked) != 4 || asked[1] != (mcphttp.Operation{Method: "tools/call", Tool: "whoami"}) {
		t.Errorf("asked about %v", asked)
	}
}

func TestAMeterThatPanicsLetsNobodyIn(t *testing.T) {
	f := newFixture()
	f.opts.Admit = func(_ context.Context, _ string, op mcphttp.Operation) *mcphttp.Refusal {
		if op.Tool == "whoami" {
			panic("the meter is broken")
		}
		return nil
	}
	h := f.handler(t)
	w := serve(h, post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}`))
	if !strings.Contains(w.Body.String(), `"code":-32603`) || !strings.Contains(w.Body.String(), `"id":1`) {
		t.Errorf("a panic in Admit: %d, %s; want -32603 with the id", w.Code, w.Body)
	}
	if w = serve(h, post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`)); !strings.Contains(w.Body.String(), `"result"`) {
		t.Errorf("another call: %d, %s; want a result", w.Code, w.Body)
	}
}

func TestLogKeepsSecrets(t *testing.T) {
	f := newFixture()
	h := f.handler(t)
	serve(h, post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"panics","arguments":{"note":"private text"}}}`))
	serve(h, post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"crashes"}}`))
	serve(h, post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"broken"}}`))
	serve(h, post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Authorization", "Bearer outage-token"))
	serve(h, post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Authorization", "Bearer unknown-token"))
	log := f.log.String()
	for _, want := range []string{"recovered a panic", "tool=panics", "index out of range", "the disk is gone", "the database is away"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
	for _, secret := range []string{"private text", "secret", "outage-token", "unknown-token"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q:\n%s", secret, log)
		}
	}
	if lines := strings.Count(log, "level=ERROR"); lines != 4 {
		t.Errorf("%d lines of errors, want 4: a bad token is not one\n%s", lines, log)
	}
}

func TestClientThatGoesAwayCancelsItsCall(t *testing.T) {
	f := newFixture()
	began, ended := make(chan struct{}), make(chan error, 1)
	f.tools.add("waits", "", func(ctx context.Context, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
		close(began)
		<-ctx.Done()
		r.Progress(1, 0, "")
		ended <- ctx.Err()
		return mcphttp.Result{}, ctx.Err()
	})
	server := httptest.NewServer(f.handler(t))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"waits"}}`))
	r.Header = post("").Header
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := http.DefaultClient.Do(r); err == nil {
			t.Error("the cancelled request was answered")
		}
	}()
	<-began
	cancel()
	<-done
	if err := <-ended; err != context.Canceled {
		t.Errorf("the call ended with %v, want %v", err, context.Canceled)
	}
	server.Close() // waits for the handler
	if log := f.log.String(); log != "" {
		t.Errorf("a client that goes away is no failure: %s", log)
	}
}

func TestQuietStreamIsKeptAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		f.tools.add("slow", "", func(_ context.Context, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
			time.Sleep(40 * time.Second)
			r.Progress(1, 0, "")
			return mcphttp.Result{Structured: []byte(`{}`)}, nil
		})
		call := func(meta string) string {
			w := serve(f.handler(t), post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"`+meta+`}}`))
			time.Sleep(time.Minute) // nothing may be written once the call returned
			return w.Body.String()
		}
		want := strings.Repeat(": still at work\n\n", 2) +
			"event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":1}}\n\n" +
			"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{}\"}],\"structuredContent\":{}}}\n\n"
		if got := call(`,"_meta":{"progressToken":1}`); got != want {
			t.Errorf("with progress: %q, want %q", got, want)
		}
		if got := call(""); strings.Contains(got, ": still") {
			t.Errorf("an answer in JSON has no comments: %q", got)
		}
	})
}

func TestProgressArrivesWhileTheCallRuns(t *testing.T) {
	f := newFixture()
	seen := make(chan struct{})
	f.tools.add("halfway", "", func(ctx context.Context, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
		r.Progress(0.5, 1, "")
		select {
		case <-seen:
		case <-ctx.Done():
		}
		return mcphttp.Result{Structured: []byte(`{}`)}, nil
	})
	server := httptest.NewServer(f.handler(t))
	defer server.Close()
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL,
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"halfway","_meta":{"progressToken":1}}}`))
	r.Header = post("").Header
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, `"progress":0.5`) {
			close(seen)
			break
		}
	}
	rest, _ := io.ReadAll(lines)
	if !strings.Contains(string(rest), `"structuredContent"`) {
		t.Errorf("after the progress came %q", rest)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*fixture){
		"no name":                        func(f *fixture) { f.opts.Name = "" },
		"no tools":                       func(f *fixture) { f.opts.Tools = nil },
		"a name that stands twice":       func(f *fixture) { f.tools.add("echo", "", structured("{}")) },
		"an alias that is a name":        func(f *fixture) { f.tools.add("new", "", structured("{}"), "echo") },
		"a descriptor that is not JSON":  func(f *fixture) { f.tools.add("new", "{", structured("{}")) },
		"a descriptor of another name":   func(f *fixture) { f.tools.add("new", `{"name":"old"}`, structured("{}")) },
		"capabilities that are not JSON": func(f *fixture) { f.opts.Capabilities = json.RawMessage("[") },
		"a host with a path":             func(f *fixture) { f.opts.Hosts = []string{"a/b"} },
		"an origin with a path":          func(f *fixture) { f.opts.Origins = []string{"https://a.example/"} },
		"an origin without a scheme":     func(f *fixture) { f.opts.Origins = []string{"a.example"} },
		"a header for an object": func(f *fixture) {
			f.tools.add("new", headerTool(`{"type":"object","x-mcp-header":"A"}`), structured("{}"))
		},
		"a header that is no name": func(f *fixture) {
			f.tools.add("new", headerTool(`{"type":"string","x-mcp-header":"A B"}`), structured("{}"))
		},
		"a header for two": func(f *fixture) {
			f.tools.add("new", headerTool(`{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}`), structured("{}"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture()
			if _, err := mcphttp.New(f.opts); err != nil {
				t.Fatalf("unspoilt: %v", err)
			}
			spoil(f)
			if _, err := mcphttp.New(f.opts); err == nil {
				t.Error("New took it")
			}
		})
	}
}

func headerTool(property string) string {
	return `{"name":"new","inputSchema":{"type":"object","properties":{"a":` + property + `}}}`
}

func TestResourceMetadata(t *testing.T) {
	byHand := mcphttp.ResourceMetadata{Resource: "https://notes.example/api/mcp", Scopes: []string{"mcp:read"}}
	served := mcphttp.ResourceMetadata{Resource: "https://notes.example/api/mcp", AuthorizationServers: []string{"https://notes.example"}}
	for _, c := range []struct {
		name, method string
		document     mcphttp.ResourceMetadata
		status       int
		body         string
	}{
		{"without a server for tokens", "GET", byHand, 200, `{"resource":"https://notes.example/api/mcp","scopes_supported":["mcp:read"],"bearer_methods_supported":["header"]}`},
		{"with one", "GET", served, 200, `{"resource":"https://notes.example/api/mcp","authorization_servers":["https://notes.example"],"bearer_methods_supported":["header"]}`},
		{"its head", "HEAD", byHand, 200, ``},
		{"a preflight", "OPTIONS", byHand, 204, ``},
		{"a change", "POST", byHand, 405, `{"jsonrpc":"2.0","id":null,"error":{"code":405,"message":"this document can only be read"}}`},
	} {
		w := serve(c.document.Handler(), httptest.NewRequest(c.method, "/.well-known/oauth-protected-resource", nil))
		if w.Code != c.status || w.Body.String() != c.body || w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d %v %s; want %d %s, readable from everywhere", c.name, w.Code, w.Header(), w.Body, c.status, c.body)
		}
	}
}

func TestWithoutAuthenticationEverybodyIsNobody(t *testing.T) {
	f := newFixture()
	f.opts.Authenticate = nil
	w := serve(f.handler(t), post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}`, "Authorization", ""))
	if !strings.Contains(w.Body.String(), `"caller":""`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
