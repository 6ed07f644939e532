package mcphttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/notelatch/notelatch/gateway/mcphttp"
)

const benchSchema = `{"type":"object","additionalProperties":false,"required":["query"],"properties":{
	"query":{"type":"string","description":"Words, quoted phrases, -term, tag:, path:"},
	"limit":{"type":"integer","minimum":1,"maximum":50,"description":"How many results at most"},
	"pathPrefix":{"type":"string","description":"Only notes below this folder"},
	"tags":{"type":"array","items":{"type":"string"},"description":"Only notes with all of these"}}}`

// benchTools are 25 tools of the size that a server of notes has. Each checks its arguments against its schema, decodes
// them and encodes an answer.
func benchTools(b testing.TB) *registry {
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(benchSchema), &schema); err != nil {
		b.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		b.Fatal(err)
	}
	type answer struct {
		Query string   `json:"query"`
		Limit int      `json:"limit"`
		Tags  []string `json:"tags"`
		Total int      `json:"total"`
	}
	tools := &registry{}
	for i := range 25 {
		name := fmt.Sprintf("search_notes_%02d", i)
		descriptor := fmt.Sprintf(`{"name":%q,"title":"Search notes","description":%q,"inputSchema":%s,
			"outputSchema":{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"},"tags":{"type":"array"},"total":{"type":"integer"}}},
			"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}`,
			name, strings.Repeat("Finds notes by their words. ", 12), benchSchema)
		tools.add(name, descriptor, func(_ context.Context, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
			var in any
			if err := json.Unmarshal(r.Arguments, &in); err != nil {
				return mcphttp.Result{}, err
			}
			if err := resolved.Validate(in); err != nil {
				return mcphttp.Result{IsError: true, Structured: []byte(`{"error":{"code":"invalid_argument"}}`)}, nil
			}
			var out answer
			if err := json.Unmarshal(r.Arguments, &out); err != nil {
				return mcphttp.Result{}, err
			}
			out.Total = 1
			text, err := json.Marshal(out)
			return mcphttp.Result{Structured: text}, err
		})
	}
	return tools
}

func benchHandler(b testing.TB) http.Handler {
	h, err := mcphttp.New(mcphttp.Options[string]{
		Name: "bench", Version: "1", Tools: benchTools(b),
		Authenticate: func(_ context.Context, _ *http.Request, token string) (string, error) {
			if token != "alice-token" {
				return "", mcphttp.ErrToken
			}
			return "alice", nil
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	return h
}

const benchMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

func benchCall() (string, []string) {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_notes_07","arguments":{"query":"alpha project","limit":10,"tags":["work"]},` + benchMeta + `}}`,
		[]string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "search_notes_07"}
}

func benchList() (string, []string) {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + benchMeta + `}}`,
		[]string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list"}
}

// A sink is a response that keeps nothing but its status and size.
type sink struct {
	header http.Header
	status int
	bytes  int64
}

func (s *sink) Header() http.Header    { return s.header }
func (s *sink) WriteHeader(status int) { s.status = status }
func (s *sink) Write(b []byte) (int, error) {
	s.bytes += int64(len(b))
	return len(b), nil
}
func (s *sink) Flush() {}

// benchmarkPost measures one request in process: the handler, and what a test needs to ask it again.
func benchmarkPost(b *testing.B, h http.Handler, body string, header []string) {
	if w := httptest.NewRecorder(); true {
		h.ServeHTTP(w, post(body, header...))
		if w.Code != 200 || strings.Contains(w.Body.String(), `"error"`) || strings.Contains(w.Body.String(), `"isError":true`) {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	r := post(body, header...)
	w := &sink{header: http.Header{}}
	reader := strings.NewReader(body)
	closer := io.NopCloser(reader)
	b.ReportAllocs()
	for b.Loop() {
		reader.Reset(body)
		r.Body = closer
		clear(w.header)
		h.ServeHTTP(w, r)
	}
	if w.status != http.StatusOK && w.status != 0 {
		b.Fatalf("status %d", w.status)
	}
	b.ReportMetric(float64(w.bytes)/float64(b.N), "answer-B/op")
}

func BenchmarkCall(b *testing.B) {
	body, header := benchCall()
	benchmarkPost(b, benchHandler(b), body, header)
}

func BenchmarkList(b *testing.B) {
	body, header := benchList()
	benchmarkPost(b, benchHandler(b), body, header)
}

// TestCallStaysSmall holds a call to its budget of memory, which unlike its time is the same everywhere.
func TestCallStaysSmall(t *testing.T) {
	const calls, most = 200, 15 << 10
	h := benchHandler(t)
	body, header := benchCall()
	requests := make([]*http.Request, calls)
	for i := range requests {
		requests[i] = post(body, header...)
	}
	w := &sink{header: http.Header{}}
	serve(h, post(body, header...)) // what is made once
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, r := range requests {
		h.ServeHTTP(w, r)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / calls; each > most {
		t.Errorf("a call allocates %d bytes, want at most %d", each, most)
	}
}
