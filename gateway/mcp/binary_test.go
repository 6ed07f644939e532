package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var endpointLine = regexp.MustCompile(`listening on (http://\S+)`)

// TestProgramAnswersAlikeInEveryRevision does the main job with the official SDK's client and the program itself, as a process: what a
// model reads is the same in every revision of the protocol, but for what is drawn and what the clock says.
func TestProgramAnswersAlikeInEveryRevision(t *testing.T) {
	program := filepath.Join(t.TempDir(), "notelatch")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../../cmd/notelatch").CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	revisions := []string{"2026-07-28", "2025-11-25", "2025-03-26"}
	first := conversation(t, program, revisions[0])
	for _, revision := range revisions[1:] {
		if diff := cmp.Diff(first, conversation(t, program, revision)); diff != "" {
			t.Errorf("%s and %s differ (-first +second):\n%s", revisions[0], revision, diff)
		}
	}
}

// conversation is what each call of the main job answered, without what differs from run to run.
func conversation(t *testing.T, program, revision string) map[string]any {
	t.Helper()
	notes, data := filepath.Join(t.TempDir(), "notes"), t.TempDir()
	if err := os.Mkdir(notes, 0o755); err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(notes, "Log.md")
	const text = "---\nstatus: open\n---\n# Log\n\n- first, see [[Elsewhere]]\n"
	if err := os.WriteFile(note, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	endpoint, token := runProgram(t, program, data, notes)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: endpoint, HTTPClient: &http.Client{Transport: bearerTransport{token}},
	}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatalf("connect with %s: %v", revision, err)
	}
	defer session.Close()
	if got := session.InitializeResult().ProtocolVersion; got != revision {
		t.Errorf("speaks %s, want %s", got, revision)
	}
	seen := map[string]any{"instructions": session.InitializeResult().Instructions}
	var vault string
	call := func(step, tool string, arguments map[string]any) map[string]any {
		t.Helper()
		if vault != "" && tool != "list_vaults" {
			arguments["mappingId"] = vault
		}
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		var answer map[string]any
		if err := json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), &answer); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		if !result.IsError {
			if diff := cmp.Diff(answer, result.StructuredContent); diff != "" {
				t.Errorf("%s: text and structuredContent differ:\n%s", step, diff)
			}
		}
		seen[step] = map[string]any{"isError": result.IsError, "answer": lasting(answer)}
		return answer
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		seen["tool "+tool.Name] = tool.Description
	}
	vault = call("list", "list_vaults", map[string]any{})["vaults"].([]any)[0].(map[string]any)["mappingId"].(string)
	call("search", "search_notes", map[string]any{"query": "first"})
	call("list", "list_vaults", map[string]any{}) // again, now that the vault was read
	read := call("read", "get_note_content", map[string]any{"path": "Log"})
	if read["content"] != text {
		t.Errorf("%s: read %q, want %q", revision, read["content"], text)
	}
	preview := call("preview", "create_or_append_note", map[string]any{"path": "Log.md", "content": "- second"})
	if stored, err := os.ReadFile(note); err != nil || string(stored) != text {
		t.Errorf("%s: after a preview the file holds %q, %v", revision, stored, err)
	}
	next := preview["next"].(map[string]any)
	if a := call("apply", next["tool"].(string), next["arguments"].(map[string]any)); a["status"] != "applied" || a["replayed"] != nil {
		t.Errorf("%s: apply = %v", revision, a)
	}
	if a := call("replay", next["tool"].(string), next["arguments"].(map[string]any)); a["status"] != "applied" || a["replayed"] != true {
		t.Errorf("%s: replay = %v", revision, a)
	}
	conflict := call("conflict", "apply_note_transaction", map[string]any{
		"actions": []any{map[string]any{"kind": "replace", "path": "Log.md", "content": "gone", "expectedRevision": read["revision"]}},
		"dryRun":  false, "idempotencyKey": "stale-key",
	})
	if e, _ := conflict["error"].(map[string]any); e["code"] != "revision_conflict" {
		t.Errorf("%s: conflict = %v", revision, conflict)
	}
	call("events", "get_knowledge_events", map[string]any{"path": "Log.md"})
	if stored, err := os.ReadFile(note); err != nil || string(stored) != text+"- second\n" {
		t.Errorf("%s: at the end the file holds %q, %v", revision, stored, err)
	}
	return seen
}

// runProgram starts the program on a folder that agents may write to, and makes a token with its own command.
func runProgram(t *testing.T, program, data, notes string) (endpoint, token string) {
	t.Helper()
	command := func(ctx context.Context, args ...string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.CommandContext(ctx, program, append(args, "--data", data)...)
		cmd.Env = []string{"HOME=" + data, "PATH=" + os.Getenv("PATH")}
		errs := new(bytes.Buffer)
		cmd.Stderr = errs
		return cmd, errs
	}
	cmd, errs := command(t.Context(), "token", "create", "--name", "test", "--scopes", "mcp:read,mcp:write")
	secret, err := cmd.Output()
	if err != nil {
		t.Fatalf("token create: %v\n%s", err, errs)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd, _ = command(ctx, "serve", "--addr", "127.0.0.1:0", "--vault", notes, "--allow-writes")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = cmd.Wait() }) // it ends because it is killed
	lines := bufio.NewReader(out)
	for endpoint == "" {
		line, err := lines.ReadString('\n')
		if m := endpointLine.FindStringSubmatch(line); m != nil {
			endpoint = m[1]
		} else if err != nil {
			t.Fatalf("the program did not start: %v", err)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }() // Wait closes the pipe
	return endpoint, strings.TrimSpace(string(secret))
}

// perRun are fields that hold what is drawn or the time.
var perRun = map[string]bool{
	"mappingId": true, "transactionId": true, "account": true, "actor": true, "eventId": true, "id": true, "hash": true, "eventHash": true, "previousHash": true,
	"asOf": true, "modifiedAt": true, "at": true, "expiresAt": true, "appliedAt": true, "lastSyncedAt": true, "cursor": true, "nextCursor": true,
}

// lasting is v without the values of fields that differ from run to run. That they are there is kept.
func lasting(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			if out[name] = lasting(value); perRun[name] {
				out[name] = "differs"
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = lasting(e)
		}
		return out
	default:
		return v
	}
}
