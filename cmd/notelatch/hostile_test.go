package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	canary = "canary-5e1b7a" // in files that no answer may hold and no call may change
	public = "public-93cc04" // in the note that anyone may read
)

// hostileRefs name things outside of the vault, in its hidden folders, or nothing at all. None may be read or written, by any argument.
var hostileRefs = []string{
	"../beside.md", "..", "../", ".", "./Note.md", "Folder/../../beside.md", "Folder/../Note.md", "Folder/..", "Folder/./Note.md",
	"/../beside.md", "/etc/passwd", "//Note.md", "Folder//Note.md", "file:///etc/passwd", "..;/beside.md", "C:\\Windows\\win.ini", "..\\beside.md", "Folder\\..\\..\\beside.md",
	"Note.md\x00", "\x00", "../beside.md\x00.md",
	".obsidian/app.json", ".obsidian/app", ".git/config", ".trash/Old.md", ".trash/Old", ".hidden.md", "Folder/.secret/Plan.md", ".Obsidian/app.json", ".OBSIDIAN/APP.JSON",
	"Out/beside.md", "Link.md", "Link", "Up/beside.md",
	"Note.md/", "Note.md/x.md", "Note.md/../../beside.md", "[[../beside]]", "[[.obsidian/app.json]]", "../beside", "beside", "Old", "Plan",
	strings.Repeat("../", 3000) + "etc/passwd", strings.Repeat("a/", 5120) + "a.md", strings.Repeat("a", 10<<10) + ".md", strings.Repeat("n", 300) + ".md",
	"CON.md\x00", "a\nb.md", "a\rb.md", "a\x1bb.md", "x.md\xff", "", " ", "   .md ",
}

// oddRefs look like ways out and are plain names: what is written under one lies in the vault, under that very name.
var oddRefs = []string{
	"%2e%2e/beside.md", "a%2fbeside.md", "~/beside.md", "$HOME/beside.md", "\uff0e\uff0e/beside.md", "\uff0e\uff0e\uff0fbeside.md",
	"a\u2215beside.md", "a\u2044beside.md", "\u2024\u2024/beside.md", "e\u0301/beside.md",
}

// arguments put a reference everywhere that a tool takes one. Writes are asked for with the revision of the note, so that nothing but
// the path keeps them from being made.
func arguments(ref, revision, key string) map[string]map[string]any {
	action := func(kind string) map[string]any {
		a := map[string]any{"kind": kind, "path": ref}
		if kind != "delete" {
			a["content"] = "- written"
		}
		if kind == "replace" || kind == "delete" {
			a["expectedRevision"], a["allowShrink"] = revision, true
			if kind == "delete" {
				delete(a, "allowShrink")
			}
		}
		return a
	}
	out := map[string]map[string]any{
		"get_note_content path":      {"path": ref},
		"get_note_content paths":     {"paths": []string{ref}},
		"query_graph_relations path": {"path": ref},
		"get_knowledge_events path":  {"path": ref},
		"search_notes pathPrefix":    {"pathPrefix": ref},
		"search_notes query":         {"query": "path:" + ref},
		"search_notes words":         {"query": canary + " " + ref},
	}
	for _, mode := range []string{"create", "append", "create_or_append"} {
		out["create_or_append_note "+mode] = map[string]any{"path": ref, "content": "- written", "mode": mode, "dryRun": false, "idempotencyKey": key + mode}
	}
	for _, kind := range []string{"create", "append", "create_or_append", "replace", "delete"} {
		out["apply_note_transaction "+kind] = map[string]any{"actions": []any{action(kind)}, "dryRun": false, "idempotencyKey": key + "apply" + kind}
		out["propose_knowledge_change "+kind] = map[string]any{"actions": []any{action(kind)}, "reason": "to see"}
	}
	return out
}

// hostileWorld is a vault with secrets beside it, in it, and behind links out of it.
func hostileWorld(t *testing.T) (above, dir string) {
	t.Helper()
	above = t.TempDir()
	dir = filepath.Join(above, "vault")
	for name, body := range map[string]string{
		"beside.md": canary, "vault/.obsidian/app.json": canary, "vault/.git/config": canary, "vault/.trash/Old.md": canary,
		"vault/.hidden.md": canary, "vault/Folder/.secret/Plan.md": canary, "vault/Note.md": "# Note\n\n" + public + "\n", "vault/Folder/Other.md": "# Other\n",
	} {
		name = filepath.Join(above, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"Out": "..", "Up": above, "Link.md": "../beside.md"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return above, dir
}

// tree is every file and what it says, or where it leads.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name) // name is below dir
		switch d.Type() {
		case 0:
			body, err := os.ReadFile(name)
			out[rel] = string(body)
			return err
		case fs.ModeSymlink:
			out[rel], err = os.Readlink(name)
			return err
		default:
			out[rel] = d.Type().String()
			return nil
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Nothing outside of a vault, and nothing in its hidden folders, is ever read or written, whatever a caller names.
func TestHostileReferencesReachNothing(t *testing.T) {
	h := newHome(t)
	above, dir := hostileWorld(t)
	s := h.start("--vault", dir, "--allow-writes")
	revision := s.must("get_note_content", map[string]any{"path": "Note.md"}).field("revision")
	before := tree(t, above)
	for i, ref := range hostileRefs {
		calls := arguments(ref, revision, fmt.Sprintf("hostile-%04d-", i))
		for _, form := range slices.Sorted(maps.Keys(calls)) {
			s.mustReachNothing(t, form, ref, calls[form])
		}
	}
	if diff := cmp.Diff(before, tree(t, above)); diff != "" {
		t.Errorf("the calls left another tree (-before +after):\n%s", diff)
	}

	// Names that only look like ways out work, and stay inside.
	for i, ref := range oddRefs {
		s.must("create_or_append_note", arguments(ref, "", fmt.Sprintf("odd-%04d-", i))["create_or_append_note create"])
		before[filepath.Join("vault", ref)] = "- written"
		if folder := filepath.Dir(ref); folder != "." {
			before[filepath.Join("vault", folder)] = fs.ModeDir.String()
		}
	}
	if diff := cmp.Diff(before, tree(t, above)); diff != "" {
		t.Errorf("after writes under odd names (-want +got):\n%s", diff)
	}

	// The same calls with the path of a note work: it was the path that was refused.
	for i, form := range []string{
		"get_note_content path", "get_note_content paths", "query_graph_relations path", "get_knowledge_events path", "search_notes query",
		"propose_knowledge_change append", "propose_knowledge_change replace", "propose_knowledge_change delete",
		"create_or_append_note append", "create_or_append_note create_or_append", "apply_note_transaction append", "apply_note_transaction delete",
	} {
		revision = s.must("get_note_content", map[string]any{"path": "Note.md"}).field("revision")
		tool, _, _ := strings.Cut(form, " ")
		r := s.must(tool, arguments("Note.md", revision, fmt.Sprintf("friendly-%04d", i))[form])
		if tool == "get_note_content" && !strings.Contains(r.Text, public) {
			t.Errorf("%s of the note = %v", form, r)
		}
	}
	for name, body := range tree(t, above) {
		if strings.Contains(body, canary) != strings.Contains(before[name], canary) {
			t.Errorf("%s is now %q", name, body)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "Note.md")); err == nil {
		t.Error("the last of the friendly calls did not delete the note")
	}
	s.stop()
}

// A hosted vault has no folder around it, and holds callers to the same paths: what it stores can be written out as files elsewhere.
func TestHostileReferencesOnAHostedVault(t *testing.T) {
	h := newHome(t)
	above, _ := hostileWorld(t)
	source := filepath.Join(above, "source")
	if err := os.CopyFS(source, os.DirFS(filepath.Join(above, "vault", "Folder"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(source, "Note.md"), []byte("# Note\n\n"+public+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	vault := added(t, h.run("vault", "add", "--hosted", "Kept", "--json"))
	h.run("vault", "import", vault, source)
	s := h.start()
	revision := s.must("get_note_content", map[string]any{"path": "Note.md"}).field("revision")
	for i, ref := range hostileRefs {
		if strings.HasPrefix(ref, "Out/") || strings.HasPrefix(ref, "Up/") || ref == "Link.md" {
			continue // links of the folder: here these are names like others
		}
		calls := arguments(ref, revision, fmt.Sprintf("hostile-%04d-", i))
		for _, form := range slices.Sorted(maps.Keys(calls)) {
			s.mustReachNothing(t, form, ref, calls[form])
		}
	}
	s.must("create_or_append_note", arguments("Sub/New.md", "", "friendly-0001")["create_or_append_note create"])
	out := filepath.Join(above, "out")
	h.run("vault", "export", vault, out)
	want := map[string]string{
		".": fs.ModeDir.String(), "Note.md": "# Note\n\n" + public + "\n", "Other.md": "# Other\n", "Sub": fs.ModeDir.String(), "Sub/New.md": "- written",
	}
	if diff := cmp.Diff(want, tree(t, out)); diff != "" {
		t.Errorf("the vault holds (-want +got):\n%s", diff)
	}
	s.stop()
}

// refusals are the codes that a reference to nothing that may be reached can have.
var refusals = []string{"invalid_argument", "not_found", "ambiguous_path", "unsupported_here", "already_exists"}

func (s *server) mustReachNothing(t *testing.T, form, ref string, args map[string]any) {
	t.Helper()
	tool, _, _ := strings.Cut(form, " ")
	r, err := s.call(tool, args)
	if err != nil {
		t.Fatalf("%s %.60q: %v", form, ref, err)
	}
	text := strings.ReplaceAll(r.Text, canary+" ", "") // the query, where the answer repeats it
	if strings.Contains(text, canary) || strings.Contains(text, "root:x:0") {
		t.Errorf("%s %.60q reads a secret: %.300s", form, ref, r)
	}
	switch {
	case r.RPC != 0: // a body that is no JSON text, such as one with bytes that are not UTF-8
		return
	case r.Error && !slices.Contains(refusals, r.Code):
		t.Errorf("%s %.60q = %.300s", form, ref, r)
	case !r.Error && strings.HasPrefix(form, "apply"), !r.Error && strings.HasPrefix(form, "create"):
		t.Errorf("%s %.60q was accepted: %.300s", form, ref, r)
	case !r.Error && strings.HasPrefix(form, "get_note_content path "):
		t.Errorf("%s %.60q = %.300s", form, ref, r)
	}
}

// A body is refused by its size and its form, and the server goes on.
func TestHostileBodies(t *testing.T) {
	h := newHome(t)
	_, dir := hostileWorld(t)
	s := h.start("--vault", dir, "--allow-writes")
	note := func(bytes int) []byte {
		return request("create_or_append_note", map[string]any{
			"path": "Big.md", "content": strings.Repeat("x", bytes), "dryRun": false, "idempotencyKey": fmt.Sprintf("key-%08d", bytes),
		})
	}
	deep := func(n int) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_notes","arguments":{"properties":%s1%s}}}`,
			strings.Repeat(`{"a":`, n), strings.Repeat(`}`, n))
	}
	for _, c := range []struct {
		name string
		body []byte
		http int    // 200 if it is 0
		rpc  int    // code of a JSON-RPC error
		code string // of a tool's error
	}{
		{name: "the largest note", body: note(1<<20 - 1)},
		{name: "a larger note", body: note(1 << 20), code: "note_too_large"},
		{name: "a note of 7 MB", body: note(7 << 20), code: "note_too_large"},
		{name: "a body of 9 MB", body: note(9 << 20), http: 413},
		{name: "properties", body: deep(1)},
		{name: "properties in properties", body: deep(2), code: "invalid_argument"},
		{name: "a hundred thousand levels", body: deep(100_000), http: 400},
		{name: "no JSON", body: []byte(`{"jsonrpc"`), http: 400, rpc: -32700},
		{name: "nothing", body: nil, http: 400},
		{name: "an array", body: []byte(`[]`), http: 400},
		{name: "a tool that there is not", body: request("drop_vault", struct{}{}), rpc: -32602},
		{name: "arguments that are no object", body: request("search_notes", []int{1})},
		{name: "a number too large", body: request("search_notes", json.RawMessage(`{"limit":1e400}`)), code: "invalid_argument"},
		{name: "an argument that there is not", body: request("search_notes", map[string]any{"quarry": "x"}), code: "invalid_argument"},
		{name: "a type that is another", body: request("create_or_append_note", map[string]any{"path": 7, "content": []int{1}}), code: "invalid_argument"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := s.send(c.body)
			if err != nil {
				t.Fatal(err)
			}
			if c.http == 0 {
				c.http = 200
			}
			if r.HTTP != c.http || r.Code != c.code || c.rpc != 0 && r.RPC != c.rpc {
				t.Errorf("answer %.300s (code %q), want HTTP %d, JSON-RPC %d, code %q", r, r.Code, c.http, c.rpc, c.code)
			}
			s.must("get_note_content", map[string]any{"path": "Note.md"})
		})
	}
	s.stop()
}
