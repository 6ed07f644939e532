package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// codexConfig is the configuration that README.md shows, for a server at url.
func codexConfig(tb testing.TB, url string) string {
	tb.Helper()
	var out strings.Builder
	for _, line := range readmeBlock(tb, "toml").lines {
		line, _, _ = strings.Cut(line, "   ")
		out.WriteString(strings.ReplaceAll(line, "http://127.0.0.1:8787", url) + "\n")
	}
	return out.String()
}

// A model stands in for the one that Codex would ask: it speaks the Responses API, makes the calls that it was given one after the other, and
// keeps what Codex lets it see of the answers.
type model struct {
	calls []modelCall

	mu   sync.Mutex // guards seen
	seen []string   // what came of each call
}

// modelCall is a call; its arguments may depend on the answer before.
type modelCall struct {
	namespace, tool string
	args            func(before string) string
}

func calling(tool, args string) modelCall {
	return modelCall{"mcp__notes", tool, func(string) string { return args }}
}

// lookingForToken is a command that the model runs in Codex' shell.
func lookingForToken() modelCall {
	return modelCall{"", "exec_command", func(string) string { return `{"cmd":"echo \"token=$NOTELATCH_MCP_TOKEN.\""}` }}
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Input []struct {
			Type   string
			Output json.RawMessage
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.URL.Path != "/v1/responses" {
		http.Error(w, fmt.Sprintf("%s: %v", r.URL.Path, err), http.StatusNotFound)
		return
	}
	var seen []string
	for _, item := range asked.Input {
		if item.Type == "function_call_output" {
			seen = append(seen, plain(item.Output))
		}
	}
	m.mu.Lock()
	m.seen = seen
	m.mu.Unlock()

	turn := len(seen)
	item := map[string]any{"type": "message", "role": "assistant", "id": "msg_1", "content": []any{map[string]string{"type": "output_text", "text": "Done."}}}
	if turn < len(m.calls) {
		c, before := m.calls[turn], ""
		if turn > 0 {
			before = seen[turn-1]
		}
		item = map[string]any{"type": "function_call", "id": fmt.Sprint("fc_", turn), "call_id": fmt.Sprint("call_", turn), "name": c.tool, "arguments": c.args(before)}
		if c.namespace != "" {
			item["namespace"] = c.namespace
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range []map[string]any{
		{"type": "response.created", "response": map[string]any{"id": "resp_1"}},
		{"type": "response.output_item.done", "output_index": 0, "item": item},
		{"type": "response.completed", "response": map[string]any{"id": "resp_1", "usage": map[string]int{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}},
	} {
		line, err := json.Marshal(event)
		if err != nil {
			panic(err) // these are maps of strings and numbers
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event["type"], line)
	}
}

// plain is the text of an output, which is a string or a list of parts, without the lines that Codex puts before it.
func plain(output json.RawMessage) string {
	var text string
	if json.Unmarshal(output, &text) != nil {
		var parts []struct{ Text string }
		if json.Unmarshal(output, &parts) != nil {
			return string(output)
		}
		for _, p := range parts {
			text += p.Text + "\n"
		}
	}
	if _, after, found := strings.Cut(text, "Output:\n"); found {
		return after
	}
	return text
}

// noSandbox lets commands run where a sandbox cannot be made, such as in a container. It approves every tool too.
var noSandbox = []string{"--sandbox", "danger-full-access"}

// runCodex has Codex work for a model until it has made its calls, and returns what the model saw.
func runCodex(t *testing.T, s *server, config string, calls []modelCall, flags ...string) []string {
	t.Helper()
	m := &model{calls: calls}
	api := httptest.NewServer(m)
	defer api.Close()
	dir := t.TempDir()
	writeNotes(t, dir, map[string]string{".codex/config.toml": `model = "stand-in"
model_provider = "stand-in"
[model_providers.stand-in]
name = "stand-in"
base_url = "` + api.URL + `/v1"
wire_api = "responses"
` + config})
	codex, err := filepath.Abs("../../.ci/agents/node_modules/.bin/codex")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), codex, append(append([]string{"exec", "--skip-git-repo-check"}, flags...), "Work on my notes.")...)
	cmd.Dir = dir
	cmd.Env = append(quietAgents(), "HOME="+dir, "TMPDIR="+t.TempDir(), "PATH="+os.Getenv("PATH"), "NOTELATCH_MCP_TOKEN="+s.token)
	out, err := cmd.CombinedOutput()
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil || len(m.seen) != len(calls) {
		t.Fatalf("codex exec: %v after %d of %d calls:\n%s", err, len(m.seen), len(calls), out)
	}
	return m.seen
}

// TestReadmeCodex holds sessions with the real Codex, configured as README.md says.
func TestReadmeCodex(t *testing.T) {
	if testing.Short() {
		t.Skip("installs packages from npm")
	}
	if out, err := exec.CommandContext(t.Context(), "bash", "../../.ci/npm.sh", "agents").CombinedOutput(); err != nil {
		t.Fatalf("install the agents: %v\n%s", err, out)
	}
	turns := readmeTurns(t)
	config := func(s *server) string { return codexConfig(t, s.url) }

	t.Run("reading runs and writing asks", func(t *testing.T) {
		s := newHome(t).start("--demo")
		defer s.stop()
		seen := runCodex(t, s, config(s), []modelCall{
			calling("list_vaults", `{}`), calling(turns[0].tool, turns[0].args), calling(turns[1].tool, turns[1].args),
		})
		if !strings.Contains(seen[0], `"name":"demo"`) {
			t.Errorf("list_vaults shows the model %s", seen[0])
		}
		turns[0].check(t, reply{Text: seen[1]})
		if !strings.Contains(seen[2], "requires approval") {
			t.Errorf("a write that nobody approved shows the model %s", seen[2])
		}
		strict := strings.Replace(config(s), `"writes"`, `"prompt"`, 1)
		seen = runCodex(t, s, strict, []modelCall{calling(turns[1].tool, turns[1].args)}, noSandbox...)
		turns[1].check(t, reply{Text: seen[0]})
	})
	t.Run("no command sees the token", func(t *testing.T) {
		s := newHome(t).start("--demo")
		defer s.stop()
		without, _, found := strings.Cut(config(s), "[shell_environment_policy]")
		if !found {
			t.Fatal("README.md has no policy for the shell")
		}
		for config, want := range map[string]string{config(s): "token=.", without: "token=" + s.token + "."} {
			if seen := runCodex(t, s, config, []modelCall{lookingForToken()}, noSandbox...); !strings.Contains(seen[0], want) {
				t.Errorf("a command sees %q, want %q, with\n%s", seen[0], want, config)
			}
		}
	})
	t.Run("what was approved is previewed and applied", func(t *testing.T) {
		h := newHome(t)
		s := h.start("--demo")
		defer s.stop()
		var calls []modelCall
		for _, turn := range turns {
			calls = append(calls, modelCall{"mcp__notes", turn.tool, func(before string) string {
				return placeholder.ReplaceAllStringFunc(turn.args, func(name string) string { return reply{Text: before}.next(t, name[1:]) })
			}})
		}
		seen := runCodex(t, s, strings.Replace(config(s), `"writes"`, `"approve"`, 1), calls)
		for i, turn := range turns {
			turn.check(t, reply{Text: seen[i]})
		}
		note, err := os.ReadFile(filepath.Join(h.data, "demo", "Ideas.md"))
		if err != nil || !strings.HasSuffix(string(note), "- [[Beehives]]\n- Order seed before 10 January\n") {
			t.Errorf("at the end the note is %q, %v", note, err)
		}
	})
}
