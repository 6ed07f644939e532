package mcp_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/gateway/mcp"
	"github.com/notelatch/notelatch/gateway/mcphttp"
	"github.com/notelatch/notelatch/gateway/mcphttp/mcphttptest"
	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/gateway/tools/toolstest"
	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/vault"
)

func TestListsHaveSets(t *testing.T) {
	h := newHouse(t, plenty)
	all, core := listed(t, h, ""), listed(t, h, "?tools=core")
	if len(core) == 0 || len(core) >= len(all) {
		t.Errorf("core has %d tools, all of them are %d", len(core), len(all))
	}
	for _, name := range core {
		if !slices.Contains(all, name) {
			t.Errorf("%s is in core alone", name)
		}
	}
	defs := tools.New(toolstest.New(clock), nil, []byte("k"), clock, slog.Default()).Definitions()
	var want []string
	for _, d := range defs {
		want = append(want, d.Name)
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("the list is not the Inventory's, in its order (-want +got):\n%s", diff)
	}
}

// TestRateLimit meets the limit with a method, which is an HTTP status, and with a tool, which is a result.
func TestRateLimit(t *testing.T) {
	h := newHouse(t, 2)
	send := func(body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/api/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer read")
		w := httptest.NewRecorder()
		h.door.ServeHTTP(w, r)
		return w
	}
	const list, call = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_vaults"}}`
	if w := send(list); w.Code != 200 || strings.Contains(w.Body.String(), `"error"`) {
		t.Errorf("the first request: %d %s", w.Code, w.Body)
	}
	if w := send(call); w.Code != 200 || !strings.Contains(w.Body.String(), `"structuredContent"`) {
		t.Errorf("the second request: %d %s", w.Code, w.Body)
	}
	if w := send(list); w.Code != 429 || w.Header().Get("Retry-After") != "30" || !strings.Contains(w.Body.String(), `"id":1,"error":{"code":429`) {
		t.Errorf("a method over the limit: %d %v %s", w.Code, w.Header(), w.Body)
	}
	if w := send(call); w.Code != 200 || w.Header().Get("Retry-After") != "30" ||
		!strings.Contains(w.Body.String(), `\"code\":\"rate_limited\"`) || !strings.Contains(w.Body.String(), `"isError":true`) {
		t.Errorf("a tool over the limit: %d %v %s", w.Code, w.Header(), w.Body)
	}
	if w := send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`); w.Code != 200 {
		t.Errorf("a ping takes no operation: %d %s", w.Code, w.Body)
	}
}

// TestTokenInTheAddressIsRefused takes a token as the store makes it, so that the prefix cannot drift.
func TestTokenInTheAddressIsRefused(t *testing.T) {
	store := account.New(sqldbtest.Open(t), clock, rand.Reader)
	owner, err := store.EnsureOwner(t.Context(), "Owner")
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := store.CreateToken(t.Context(), account.NewToken{Account: owner.ID, Name: "test", Scopes: []vault.Scope{vault.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, plenty)
	for query, status := range map[string]int{
		"?bearer=" + token: 401, "?x=" + token: 401, "?" + token: 401, "?x=1;y=" + token: 401, "?x=%62" + token[1:]: 401,
		"": 200, "?tools=core": 200, "?x=bda_": 200,
	} {
		r := httptest.NewRequest(http.MethodGet, "http://localhost/api/mcp"+query, nil)
		r.Header.Set("Authorization", "Bearer read")
		w := httptest.NewRecorder()
		h.door.ServeHTTP(w, r)
		if w.Code != status {
			t.Errorf("%s: %d %s, want %d", query, w.Code, w.Body, status)
		}
	}
}

func TestVerifyLearnsTheAddress(t *testing.T) {
	h := newHouse(t, plenty)
	listed(t, h, "")
	if diff := cmp.Diff([]string{"192.0.2.1"}, h.from); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
}

func TestInstructionsFitTheServer(t *testing.T) {
	verify := func(context.Context, string, string) (vault.Caller, error) {
		return toolstest.Caller(vault.ScopeRead), nil
	}
	for _, c := range []struct {
		name      string
		options   mcp.Options
		has, lack string
	}{
		{"one vault", mcp.Options{Vaults: 1}, "There is one vault", "list_vaults first"},
		{"an unknown number", mcp.Options{}, "list_vaults first", "does not accept writes"},
		{"no writes", mcp.Options{ReadOnly: true}, "does not accept writes", "apply it"},
	} {
		c.options.Version, c.options.Verify = "1", verify
		door, err := mcp.New(tools.New(toolstest.New(clock), nil, []byte("k"), clock, slog.Default()), c.options)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodGet, "http://localhost/api/mcp", nil)
		r.Header.Set("Authorization", "Bearer x")
		w := httptest.NewRecorder()
		door.ServeHTTP(w, r)
		if body := w.Body.String(); !strings.Contains(body, c.has) || strings.Contains(body, c.lack) {
			t.Errorf("%s: %s; want %q and not %q", c.name, body, c.has, c.lack)
		}
		if words := len(strings.Fields(w.Body.String())); words > 220 {
			t.Errorf("%s: %d words", c.name, words)
		}
	}
	if _, err := mcp.New(nil, mcp.Options{Version: "1"}); err == nil {
		t.Error("New took options without Verify")
	}
}

// TestConformance runs the scenarios that need no fixtures on the real tools, through a proxy that adds the token.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a Node program for some seconds")
	}
	server := httptest.NewServer(newHouse(t, plenty).door)
	defer server.Close()
	endpoint := mcphttptest.WithToken(t, server.URL+"/api/mcp", "read")
	for _, c := range []struct {
		revision, scenario string
		passed             int
	}{
		{mcphttp.Modern, "tools-list", 4},
		{mcphttp.Modern, "http-header-validation", 14},
		{mcphttp.Modern, "dns-rebinding-protection", 2},
		{mcphttp.Modern, "server-sse-multiple-streams", 1},
		{"2025-11-25", "server-initialize", 2},
		{"2025-11-25", "ping", 2},
		{"2025-11-25", "tools-list", 3},
		{"2025-11-25", "dns-rebinding-protection", 2},
	} {
		t.Run(fmt.Sprintf("%s %s", c.revision, c.scenario), func(t *testing.T) {
			if got := mcphttptest.Scenario(t, endpoint, c.revision, c.scenario); got != c.passed {
				t.Errorf("%d checks passed, want %d", got, c.passed)
			}
		})
	}
}
