package mcp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearerTransport sends the token that the official client has no option for.
type bearerTransport struct{ token string }

func (b bearerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// TestOfficialClient does the main job with the official SDK's client: find, read, preview, apply, repeat, and meet a
// note that somebody else has changed.
func TestOfficialClient(t *testing.T) {
	for _, revision := range []string{"2026-07-28", "2025-11-25", "2025-03-26"} {
		t.Run(revision, func(t *testing.T) {
			house := newHouse(t, plenty)
			server := httptest.NewServer(house.door)
			defer server.Close()
			session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
				Endpoint: server.URL + "/api/mcp", HTTPClient: &http.Client{Transport: bearerTransport{"write"}},
			}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if got := session.InitializeResult(); got.ProtocolVersion != revision || got.ServerInfo.Title != "Notelatch" {
				t.Errorf("connected with %+v", got)
			}
			list, err := session.ListTools(t.Context(), nil)
			if err != nil || len(list.Tools) != len(listed(t, house, "")) {
				t.Fatalf("ListTools = %v, %v", list, err)
			}
			// call decodes the answer, or the error that the model would read, into out.
			call := func(tool string, arguments map[string]any, out any) (failed bool) {
				t.Helper()
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
				if err != nil {
					t.Fatalf("CallTool(%q): %v", tool, err)
				}
				if err := json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), out); err != nil {
					t.Fatal(err)
				}
				return result.IsError
			}
			var vaults struct {
				Vaults []struct{ MappingID, Name string }
			}
			call("list_vaults", nil, &vaults)
			if len(vaults.Vaults) != 1 || vaults.Vaults[0].MappingID != house.vault.ID() {
				t.Fatalf("list_vaults = %+v", vaults)
			}
			mapping := vaults.Vaults[0].MappingID
			var found struct{ Results []struct{ Path string } }
			call("search_notes", map[string]any{"mappingId": mapping, "query": "launch"}, &found)
			if len(found.Results) != 1 || found.Results[0].Path != "Projects/Alpha.md" {
				t.Errorf("search_notes = %+v", found)
			}
			var note struct{ Content, Revision string }
			call("get_note_content", map[string]any{"mappingId": mapping, "path": found.Results[0].Path}, &note)
			if !strings.Contains(note.Content, "The <b>launch</b> is in June.") {
				t.Errorf("get_note_content = %+v", note)
			}

			type outcome struct {
				Status, TransactionID string
				Replayed              bool
				Next                  struct{ Arguments map[string]any }
				Error                 struct{ Code string }
			}
			var preview, applied, again, conflict outcome
			add := map[string]any{"mappingId": mapping, "path": "Log.md", "content": "- went on"}
			call("create_or_append_note", add, &preview)
			if before, _ := house.vault.Body("Log.md"); preview.Status != "preview" || strings.Contains(before, "went on") {
				t.Errorf("a preview = %+v, and the note is %q", preview, before)
			}
			call("apply_note_transaction", preview.Next.Arguments, &applied)
			if body, _ := house.vault.Body("Log.md"); applied.Status != "applied" || strings.Count(body, "- went on") != 1 {
				t.Errorf("applied = %+v, and the note is %q", applied, body)
			}
			call("apply_note_transaction", preview.Next.Arguments, &again)
			if body, _ := house.vault.Body("Log.md"); !again.Replayed || strings.Count(body, "- went on") != 1 {
				t.Errorf("repeated = %+v, and the note is %q", again, body)
			}
			call("create_or_append_note", add, &preview)
			house.vault.Edit("Log.md", "# Log\n\nchanged by hand\n")
			if failed := call("apply_note_transaction", preview.Next.Arguments, &conflict); !failed || conflict.Error.Code != "revision_conflict" {
				t.Errorf("a conflict = %+v", conflict)
			}
			if body, _ := house.vault.Body("Log.md"); body != "# Log\n\nchanged by hand\n" {
				t.Errorf("after a conflict the note is %q", body)
			}
		})
	}
}
