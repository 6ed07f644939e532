package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/gateway/mcphttp"
)

// script calls every tool, well and badly. A house that starts anew gives the same answers to it, whatever the era.
var script = []struct{ tool, arguments string }{
	{"list_vaults", `{}`},
	{"list_vaults", `{"provider":"memory"}`},
	{"search_notes", `{"query":"launch"}`},
	{"search_notes", `{"limit":1}`},
	{"search_notes", `{"q":"launch","limit":"5"}`},
	{"search_notes", `{"limit":0}`},
	{"search_notes", `{"cursor":"no such cursor"}`},
	{"get_note_content", `{"path":"Projects/Alpha.md"}`},
	{"get_note_content", `{"path":"Alpha","heading":"Risks"}`},
	{"get_note_content", `{"paths":["Alpha","Gamma"]}`},
	{"get_note_content", `{"path":"../../etc/passwd"}`},
	{"get_note_content", `{"path":9007199254740993}`},
	{"query_graph_relations", `{"path":"Alpha","depth":2}`},
	{"query_graph_relations", `{"filter":"orphans"}`},
	{"translate_canvas", `{"canvas":{"nodes":[{"id":"a","type":"text","text":"<b>& [[Alpha]]"}],"edges":[{"fromNode":"a","toNode":"a"}]}}`},
	{"translate_canvas", `{"path":"Alpha"}`},
	{"get_vault_schema", `{"include":["keys","tags","folders","stats"]}`},
	{"get_vault_schema", `{"include":["all"]}`},
	{"propose_knowledge_change", `{"actions":[{"kind":"append","path":"Log.md","content":"- <b>& more"}],"reason":"test"}`},
	{"propose_knowledge_change", `{"actions":[]}`},
	{"create_or_append_note", `{"path":"New.md","content":"# New"}`},
	{"create_or_append_note", `{"path":"New.md","content":"# New","dryRun":false,"idempotencyKey":"key-0001"}`},
	{"create_or_append_note", `{"path":"New.md","content":"# New","dryRun":false,"idempotencyKey":"key-0001"}`},
	{"create_or_append_note", `{"path":"New.md","content":"# Newer","dryRun":false,"idempotencyKey":"key-0001"}`},
	{"apply_note_transaction", `{"transactionId":"txn_00000000000000000000000001","paths":["Log.md"],"dryRun":false}`},
	{"apply_note_transaction", `{"transactionId":"txn_none","paths":["Log.md"],"dryRun":false}`},
	{"get_knowledge_events", `{"limit":1}`},
	{"get_knowledge_events", `null`},
	{"no_such_tool", `{}`},
}

// TestErasAnswerAlike plays the script through each era and compares the results, but for what the modern era adds to
// every one.
func TestErasAnswerAlike(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	body := func(tool, arguments, more string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, tool, arguments, more)
	}
	type era struct {
		name string
		body func(tool, arguments string) string
		head func(h http.Header, tool string)
	}
	plain := func(tool, arguments string) string { return body(tool, arguments, "") }
	eras := []era{
		{"no version", plain, func(http.Header, string) {}},
		{"modern", func(tool, arguments string) string { return body(tool, arguments, ","+meta) }, func(h http.Header, tool string) {
			h.Set("MCP-Protocol-Version", mcphttp.Modern)
			h.Set("Mcp-Method", "tools/call")
			h.Set("Mcp-Name", tool)
		}},
		{"no version, in a batch", func(tool, arguments string) string { return "[" + body(tool, arguments, "") + "]" }, func(http.Header, string) {}},
		{"no version, as an event", plain, func(h http.Header, _ string) { h.Set("Accept", "text/event-stream") }},
		{"no version, with progress", func(tool, arguments string) string {
			return body(tool, arguments, `,"_meta":{"progressToken":1}`)
		}, func(h http.Header, _ string) { h.Set("Accept", "application/json, text/event-stream") }},
	}
	for _, version := range mcphttp.Versions()[1:] {
		eras = append(eras, era{version, plain, func(h http.Header, _ string) { h.Set("MCP-Protocol-Version", version) }})
	}
	called := map[string]bool{}
	var want []map[string]any
	for i, era := range eras {
		house := newHouse(t, plenty)
		var got []map[string]any
		for _, line := range script {
			r := httptest.NewRequest(http.MethodPost, "http://localhost/api/mcp", strings.NewReader(era.body(line.tool, line.arguments)))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer write")
			era.head(r.Header, line.tool)
			w := httptest.NewRecorder()
			house.door.ServeHTTP(w, r)
			got = append(got, answer(t, w.Body.String()))
			called[line.tool] = true
		}
		if i == 0 {
			want = got
			continue
		}
		for j, line := range script {
			if diff := cmp.Diff(want[j], got[j]); diff != "" {
				t.Errorf("%s %s, %s (-%s +it):\n%s", line.tool, line.arguments, era.name, eras[0].name, diff)
			}
		}
	}
	for _, tool := range listed(t, newHouse(t, plenty), "") {
		if !called[tool] {
			t.Errorf("the script leaves %s out", tool)
		}
	}
}

// answer takes a response out of its batch or event, and leaves out what the modern era adds.
func answer(t *testing.T, body string) map[string]any {
	t.Helper()
	body = strings.TrimSpace(strings.TrimPrefix(body, "event: message\ndata: "))
	body = strings.TrimSuffix(strings.TrimPrefix(body, "["), "]")
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		t.Fatalf("%q: %v", body, err)
	}
	result, ok := out["result"].(map[string]any)
	if !ok {
		return out
	}
	delete(result, "resultType")
	meta, _ := result["_meta"].(map[string]any)
	delete(meta, "io.modelcontextprotocol/serverInfo")
	if len(meta) == 0 {
		delete(result, "_meta")
	}
	if structured, ok := result["structuredContent"]; ok {
		text := result["content"].([]any)[0].(map[string]any)["text"].(string)
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var same any
		if err := d.Decode(&same); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if diff := cmp.Diff(structured, same); diff != "" {
			t.Errorf("structuredContent and text differ:\n%s", diff)
		}
	}
	return out
}

// listed is the names of a list, in its order.
func listed(t *testing.T, h *house, query string) (names []string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "http://localhost/api/mcp"+query, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer read")
	w := httptest.NewRecorder()
	h.door.ServeHTTP(w, r)
	var list struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
		t.Fatalf("%s: %v", w.Body, err)
	}
	for _, tool := range list.Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}
