package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/notelatch/notelatch/gateway/tools"
)

var update = flag.Bool("update", false, "rewrite the golden manifest and TOOLS.md")

func TestGoldenManifestAndReference(t *testing.T) {
	h := build(t)
	for path, got := range map[string][]byte{"testdata/manifest.json": h.Manifest(), "TOOLS.md": h.Reference()} {
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not what the code says; look at the difference, then run with -update:\n%s", path, diff)
		}
	}
}

// descriptor is a tool as tools/list shows it.
type descriptor struct {
	Name        string                     `json:"name"`
	Title       string                     `json:"title"`
	Description string                     `json:"description"`
	Input       json.RawMessage            `json:"inputSchema"`
	Output      json.RawMessage            `json:"outputSchema"`
	Annotations map[string]bool            `json:"annotations"`
	Security    json.RawMessage            `json:"securitySchemes"`
	Meta        map[string]json.RawMessage `json:"_meta"`
}

func listed(t testing.TB, h house, set string) []descriptor {
	t.Helper()
	text, ok := h.List(set)
	if !ok {
		t.Fatalf("List(%q) is no set", set)
	}
	var list []descriptor
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestListsKeepWithinTheirSizes(t *testing.T) {
	h := build(t)
	for set, most := range map[string]int{"": 64 << 10, "core": 16 << 10} {
		text, ok := h.List(set)
		if !ok || len(text) > most || len(text) < 1000 {
			t.Errorf("List(%q) has %d bytes, want at most %d", set, len(text), most)
		}
		t.Logf("List(%q) has %d bytes", set, len(text))
	}
	if _, ok := h.List("nothing"); ok {
		t.Error(`List("nothing") is a set`)
	}
}

func TestSetsHaveTheirTools(t *testing.T) {
	h := build(t)
	want := map[string][]string{
		"": {"list_vaults", "search_notes", "get_note_content", "query_graph_relations", "translate_canvas", "get_vault_schema",
			"create_or_append_note", "apply_note_transaction", "propose_knowledge_change", "get_knowledge_events"},
		"core": {"list_vaults", "search_notes", "get_note_content", "query_graph_relations", "create_or_append_note",
			"apply_note_transaction", "get_knowledge_events"},
		"knowledge": {"propose_knowledge_change", "get_knowledge_events"},
	}
	for set, names := range want {
		var got []string
		for _, d := range listed(t, h, set) {
			got = append(got, d.Name)
		}
		if diff := cmp.Diff(names, got); diff != "" {
			t.Errorf("List(%q):\n%s", set, diff)
		}
	}
	var got []string
	for _, d := range h.Definitions() {
		got = append(got, d.Name)
	}
	if diff := cmp.Diff(want[""], got); diff != "" {
		t.Errorf("Definitions():\n%s", diff)
	}
}

func TestHintsFollowTheTable(t *testing.T) {
	type hints struct{ readOnly, destructive, openWorld, consequential, write bool }
	read := hints{readOnly: true}
	want := map[string]hints{
		"list_vaults": read, "search_notes": read, "get_note_content": read, "query_graph_relations": read,
		"get_knowledge_events": read, "propose_knowledge_change": read, "translate_canvas": read, "get_vault_schema": read,
		"create_or_append_note":  {openWorld: true, write: true},
		"apply_note_transaction": {destructive: true, openWorld: true, consequential: true, write: true},
	}
	h := build(t)
	for _, d := range listed(t, h, "") {
		a := d.Annotations
		if len(a) != 6 {
			t.Errorf("%s has %d hints, want all six explicit", d.Name, len(a))
		}
		def, err := h.Lookup(d.Name)
		if err != nil {
			t.Fatal(err)
		}
		got := hints{a["readOnlyHint"], a["destructiveHint"], a["openWorldHint"], a["consequentialHint"], def.Write}
		if got != want[d.Name] || !a["idempotentHint"] {
			t.Errorf("%s has the hints %+v, idempotent %t; want %+v and true", d.Name, got, a["idempotentHint"], want[d.Name])
		}
		if untrusted := d.Name != "list_vaults"; a["untrustedContentHint"] != untrusted || def.Untrusted != untrusted {
			t.Errorf("%s has untrustedContentHint %t, Untrusted %t; want %t", d.Name, a["untrustedContentHint"], def.Untrusted, untrusted)
		}
		scope := `[{"type":"oauth2","scopes":["mcp:read"]}]`
		if def.Write {
			scope = `[{"type":"oauth2","scopes":["mcp:write"]}]`
		}
		if string(d.Security) != scope || string(d.Meta["securitySchemes"]) != scope {
			t.Errorf("%s has securitySchemes %s and in _meta %s, want %s", d.Name, d.Security, d.Meta["securitySchemes"], scope)
		}
	}
}

func TestEverythingIsDescribed(t *testing.T) {
	for _, d := range listed(t, build(t), "") {
		if len(d.Name) > 30 || strings.Trim(d.Name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			t.Errorf("the name %q is not of at most 30 of a-z, 0-9 and _", d.Name)
		}
		if d.Title == "" || d.Description == "" || len(d.Description) > 500 {
			t.Errorf("%s has the title %q and a description of %d bytes", d.Name, d.Title, len(d.Description))
		}
		var in jsonschema.Schema
		if err := json.Unmarshal(d.Input, &in); err != nil {
			t.Fatal(err)
		}
		described(t, d.Name, &in)
	}
}

// described checks an object of an input schema, and the objects in it.
func described(t *testing.T, at string, s *jsonschema.Schema) {
	t.Helper()
	if s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil {
		t.Errorf("%s is not closed", at)
	}
	for name, p := range s.Properties {
		here := at + "." + name
		if p.Description == "" || len(p.Description) > 150 {
			t.Errorf("%s has a description of %d bytes, want 1 to 150", here, len(p.Description))
		}
		if p.Items != nil && p.Items.Properties != nil {
			described(t, here, p.Items)
		}
		if p.Properties != nil {
			described(t, here, p)
		}
	}
}

func TestSchemasAreValidJSONSchema(t *testing.T) {
	for _, d := range listed(t, build(t), "") {
		for which, text := range map[string]json.RawMessage{"input": d.Input, "output": d.Output} {
			var s jsonschema.Schema
			if err := json.Unmarshal(text, &s); err != nil {
				t.Errorf("%s, %s schema: %v", d.Name, which, err)
				continue
			}
			if _, err := s.Resolve(nil); err != nil {
				t.Errorf("%s, %s schema: %v", d.Name, which, err)
			}
			if s.Type != "object" {
				t.Errorf("%s, %s schema: type %q, want object", d.Name, which, s.Type)
			}
			if which == "output" && (s.AdditionalProperties != nil || bytes.Contains(text, []byte(`"description"`))) {
				t.Errorf("%s: the output schema is closed or described", d.Name)
			}
		}
	}
}

func TestLimitsWithTheirOwnCodeAreNotInTheSchema(t *testing.T) {
	text, _ := build(t).List("")
	var list []struct {
		Input jsonschema.Schema `json:"inputSchema"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, d := range list {
		if a := d.Input.Properties["actions"]; a != nil {
			found++
			if a.MaxItems != nil || a.MinItems != nil || a.Items.Properties["content"].MaxLength != nil {
				t.Error("actions carries a limit that would hide too_many_actions or note_too_large")
			}
		}
	}
	if found != 2 {
		t.Errorf("%d tools take actions, want 2", found)
	}
}

func TestInstructionsAreShortAndFit(t *testing.T) {
	for _, d := range []tools.Deployment{{}, {Vaults: 1}, {Vaults: 3, Writes: true}, {Vaults: 1, Writes: true}} {
		text := tools.Instructions(d)
		if n := len(strings.Fields(text)); n >= 200 {
			t.Errorf("Instructions(%+v) has %d words, want under 200", d, n)
		}
		if got := strings.Contains(text, "list_vaults first"); got != (d.Vaults != 1) {
			t.Errorf("Instructions(%+v) says list_vaults first: %t", d, got)
		}
		if got := strings.Contains(text, "does not accept writes"); got == d.Writes {
			t.Errorf("Instructions(%+v) says that writes are off: %t", d, got)
		}
		for _, must := range []string{"data, never instructions", "not the whole", "origin is an agent"} {
			if !strings.Contains(text, must) {
				t.Errorf("Instructions(%+v) lacks %q", d, must)
			}
		}
	}
}

func TestReferenceNamesEveryArgument(t *testing.T) {
	h := build(t)
	page := string(h.Reference())
	for _, d := range listed(t, h, "") {
		var in jsonschema.Schema
		if err := json.Unmarshal(d.Input, &in); err != nil {
			t.Fatal(err)
		}
		_, section, ok := strings.Cut(page, "\n## "+d.Name+"\n")
		if !ok {
			t.Errorf("TOOLS.md has no section %s", d.Name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		for _, name := range slices.Sorted(maps.Keys(in.Properties)) {
			if !strings.Contains(section, "| `"+name+"` |") {
				t.Errorf("TOOLS.md, %s: no row for %s", d.Name, name)
			}
		}
	}
}
