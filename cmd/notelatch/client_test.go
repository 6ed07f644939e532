package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// clientRun is what .ci/clients/client.mjs prints.
type clientRun struct {
	Server       struct{ Name, Title string }
	Instructions string
	Structured   bool // structuredContent and text said the same
	Tools        []struct {
		Name        string
		InputSchema struct{ Type string }
		Annotations struct{ ReadOnlyHint, DestructiveHint, OpenWorldHint *bool }
	}
	Vaults struct {
		Vaults []struct{ Name, WriteAccess string }
	}
	Search struct {
		Total   int
		Results []struct {
			Path     string
			Snippets []struct {
				Text      string
				StartLine int
			}
		}
	}
	Read, Before, After    struct{ Content, Revision string }
	Preview, Apply, Replay struct {
		Status, TransactionID string
		Replayed, IsError     bool
	}
	Conflict struct {
		IsError bool
		Error   struct {
			Code    string
			Details struct{ Current, Expected string }
		}
	}
}

// TestClientsFromNPM does the main job with the official TypeScript clients of both generations, against the program.
func TestClientsFromNPM(t *testing.T) {
	if testing.Short() {
		t.Skip("installs packages from npm")
	}
	ci := filepath.Join("..", "..", ".ci")
	if out, err := exec.CommandContext(t.Context(), "bash", filepath.Join(ci, "npm.sh"), "conformance", "clients").CombinedOutput(); err != nil {
		t.Fatalf("install the clients: %v\n%s", err, out)
	}
	for _, generation := range []string{"v1", "v2"} {
		t.Run(generation, func(t *testing.T) {
			notes := t.TempDir()
			const bed = "# Beds\n\n## Risks\n\nLate frost.\n"
			writeNotes(t, notes, map[string]string{"Garden/Beds.md": bed, "Log.md": "# Log\n"})
			s := newHome(t).start("--vault", notes, "--allow-writes")
			cmd := exec.CommandContext(t.Context(), filepath.Join(ci, "conformance", "node_modules", ".bin", "node"),
				filepath.Join(ci, "clients", "client.mjs"), generation, s.url+"/api/mcp")
			cmd.Env = append(os.Environ(), "NOTELATCH_MCP_TOKEN="+s.token)
			var errs safeBuffer
			cmd.Stderr = &errs
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("the client ended with %v: %s", err, errs.String())
			}
			var got clientRun
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			got.check(t, bed)
			if stored, err := os.ReadFile(filepath.Join(notes, "Garden", "Beds.md")); err != nil || string(stored) != got.After.Content {
				t.Errorf("the file holds %q, %v; the client read %q", stored, err, got.After.Content)
			}
			s.stop()
		})
	}
}

func (r *clientRun) check(t *testing.T, bed string) {
	t.Helper()
	if r.Server.Name != "notelatch" || !strings.Contains(r.Instructions, "preview first") || !r.Structured {
		t.Errorf("the server is %+v, structured the same as text: %v, instructions: %q", r.Server, r.Structured, r.Instructions)
	}
	var names []string
	for _, tool := range r.Tools {
		names = append(names, tool.Name)
		if a := tool.Annotations; a.ReadOnlyHint == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil || tool.InputSchema.Type != "object" {
			t.Errorf("%s lacks a hint or a schema: %+v", tool.Name, tool)
		}
	}
	for _, name := range []string{"list_vaults", "search_notes", "get_note_content", "create_or_append_note", "apply_note_transaction"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not among %q", name, names)
		}
	}
	if len(r.Vaults.Vaults) != 1 || r.Vaults.Vaults[0].WriteAccess != "apply" {
		t.Errorf("list_vaults = %+v", r.Vaults)
	}
	if s := r.Search; s.Total != 1 || s.Results[0].Path != "Garden/Beds.md" || len(s.Results[0].Snippets) != 1 || s.Results[0].Snippets[0].StartLine != 5 {
		t.Errorf("search_notes = %+v", s)
	}
	if r.Read.Content != bed || r.Before != r.Read {
		t.Errorf("read %q, and %q after the preview, want %q", r.Read, r.Before, bed)
	}
	if p := r.Preview; p.Status != "preview" || p.IsError {
		t.Errorf("preview = %+v", p)
	}
	if a := r.Apply; a.Status != "applied" || a.Replayed || a.TransactionID != r.Preview.TransactionID {
		t.Errorf("apply = %+v", a)
	}
	if a := r.Replay; a.Status != "applied" || !a.Replayed || a.TransactionID != r.Preview.TransactionID {
		t.Errorf("replay = %+v", a)
	}
	if c := r.Conflict; !c.IsError || c.Error.Code != "revision_conflict" || c.Error.Details.Expected != r.Read.Revision || c.Error.Details.Current != r.After.Revision {
		t.Errorf("a stale revision = %+v", c)
	}
	if want := bed + "- seen by a client\n"; r.After.Content != want {
		t.Errorf("at the end the note is %q, want %q", r.After.Content, want)
	}
}

// writeNotes writes files below dir.
func writeNotes(tb testing.TB, dir string, notes map[string]string) {
	tb.Helper()
	for name, text := range notes {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}
