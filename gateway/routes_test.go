package gateway_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/notelatch/notelatch/gateway"
	"github.com/notelatch/notelatch/gateway/mcp"
	"github.com/notelatch/notelatch/gateway/mcphttp"
	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/gateway/tools/toolstest"
	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/vault"
)

// open returns the routes over tools in memory. The token "read" is good.
func open(t *testing.T) http.Handler {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }
	door, err := mcp.New(tools.New(toolstest.New(now), nil, []byte("k"), now, slog.Default()), mcp.Options{
		Version: "1",
		Verify: func(_ context.Context, token, _ string) (vault.Caller, error) {
			if token != "read" {
				return vault.Caller{}, account.ErrInvalidToken
			}
			return toolstest.Caller(vault.ScopeRead), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return gateway.Handler(gateway.Routes{
		MCP: door, Resource: mcphttp.ResourceMetadata{Resource: "http://localhost/api/mcp"}.Handler(),
		Ready: func(context.Context) error { return errors.New("away") }, Endpoint: "http://localhost/api/mcp", Version: "1",
	})
}

func TestEveryMethodReachesTheDoors(t *testing.T) {
	h := open(t)
	methods := []string{"GET", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "FOO", "post", "PROPFIND"}
	for _, path := range []string{"/api/mcp", "/api/mcp/"} {
		for _, method := range methods {
			r := httptest.NewRequest(method, "http://localhost"+path, nil)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != 401 || !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("%s %s without a token: %d %v; want the challenge", method, path, w.Code, w.Header())
			}
			want := 405
			if method == "GET" {
				want = 200
			} else if method == "POST" {
				want = 415
			}
			r.Header.Set("Authorization", "Bearer read")
			w = httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != want || want == 405 && w.Header().Get("Allow") != "POST" {
				t.Errorf("%s %s with a token: %d %v, want %d", method, path, w.Code, w.Header(), want)
			}
		}
	}
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/api/mcp/"} {
		for _, method := range methods {
			want := 405
			switch method {
			case "GET":
				want = 200
			case "OPTIONS":
				want = 204
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
			if w.Code != want || want == 405 && w.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
				t.Errorf("%s %s: %d %v, want %d", method, path, w.Code, w.Header(), want)
			}
		}
	}
}

func TestOtherPaths(t *testing.T) {
	h := open(t)
	for _, c := range []struct {
		method, path string
		status       int
		media        string
	}{
		{"GET", "/", 200, "text/html"},
		{"GET", "/healthz", 200, "application/json"},
		{"GET", "/readyz", 503, "application/json"},
		{"GET", "/api/mcpx", 404, "application/json"},
		{"FOO", "/api/mcp/more", 404, "application/json"},
		{"GET", "/.well-known/other", 404, "application/json"},
		{"FOO", "/elsewhere", 404, "text/plain"},
		{"POST", "/", 404, "text/plain"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.status || !strings.HasPrefix(w.Header().Get("Content-Type"), c.media) {
			t.Errorf("%s %s: %d %v; want %d %s", c.method, c.path, w.Code, w.Header(), c.status, c.media)
		}
	}
}

// TestNoAnswerWaitsForTheBody announces a body and sends nothing of it.
func TestNoAnswerWaitsForTheBody(t *testing.T) {
	server := httptest.NewServer(open(t))
	defer server.CloseClientConnections()
	for _, c := range []struct {
		request string
		status  int
	}{
		{"POST /elsewhere", 404}, {"FOO /api/other", 404}, {"GET /healthz", 200}, {"GET /", 200},
		{"POST /api/mcp", 401}, {"FOO /api/mcp", 401}, {"POST /.well-known/oauth-protected-resource", 405},
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n", c.request)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", c.request, err)
		}
		if _, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != c.status || !resp.Close {
			t.Errorf("%s: %d %v %v; want %d and the connection's end", c.request, resp.StatusCode, resp.Header, err, c.status)
		}
	}
}
