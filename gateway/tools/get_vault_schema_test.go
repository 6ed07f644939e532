package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/notelatch/notelatch/vault"
)

func TestVaultSchema(t *testing.T) {
	h := build(t)
	h.notes.Configure(vault.Settings{}, vault.PropertyTypes{"due": "date"})
	h.notes.Edit("Projects/Gamma.md", "---\nstatus: done\ndue: 2026-12-24\n---\n#project/big\n")
	h.notes.Edit("Boards/Plan.canvas", board)
	a := h.answer(t, "get_vault_schema", `{"include":["keys","tags","folders","stats"]}`)
	for path, want := range map[string]any{
		"keys.0.key": "status", "keys.0.count": 2.0, "keys.0.type": "text", "keys.0.declared": nil, "keys.0.types.text": 2.0, "keys.0.examples.0": "done",
		"tags.0.name": "project", "tags.0.count": 1.0, "folders.0.name": "Projects", "folders.0.count": 3.0, "counts.keys": 5.0, "counts.tags": 2.0, "counts.folders": 1.0,
		"stats.notes": 7.0, "stats.withProperties": 3.0, "stats.attachments": 2.0, "stats.canvases": 1.0, "stats.encrypted": 1.0, "stats.problems": 1.0,
		"scanned": 6.0, "total": 7.0, "truncated": nil,
	} {
		if got := at(t, a, path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	a = h.answer(t, "get_vault_schema", `{"key":"DUE"}`)
	if at(t, a, "keys.0.type") != "date" || at(t, a, "keys.0.declared") != true || a["tags"] != nil || a["stats"] != nil || len(a["keys"].([]any)) != 1 {
		t.Errorf("one key: %v", a)
	}
	a = h.answer(t, "get_vault_schema", `{"folder":"Projects","limit":1}`)
	if len(a["keys"].([]any)) != 1 || a["scanned"] != 3.0 || a["understood"] == nil {
		t.Errorf("a folder: %v", a)
	}
	for args, says := range map[string]string{`{"pathPrefix":"Nowhere"}`: "Try without pathPrefix", `{"key":"statsu"}`: `did you mean "status"`} {
		if m, _ := h.answer(t, "get_vault_schema", args)["message"].(string); !strings.Contains(m, says) {
			t.Errorf("%s says %q, want %q", args, m, says)
		}
	}
}

func TestALargeSchemaKeepsToTheUsualSize(t *testing.T) {
	h := build(t)
	for i := range 150 {
		h.notes.Edit(fmt.Sprintf("F%03d/%s/N.md", i, strings.Repeat("x", 60)), fmt.Sprintf("---\nkey%03d: %s\u202e\ntags: [tag%03d]\n---\n", i, strings.Repeat("long value ", 9), i))
	}
	a := h.answer(t, "get_vault_schema", `{"include":["keys","tags","folders"],"limit":200}`)
	if size := len(fmt.Sprint(a)); a["truncated"] != true || at(t, a, "bounds.0.limit") != "answerBytes" || size > 10<<10 || strings.Contains(fmt.Sprint(a), "\u202e") {
		t.Errorf("a schema of 150 keys: %d bytes, truncated %v, bounds %v", size, a["truncated"], a["bounds"])
	}
	if at(t, a, "counts.keys") != 154.0 || len(a["tags"].([]any)) < 30 || len(a["folders"].([]any)) < 10 {
		t.Errorf("counts %v, %v tags", a["counts"], a["tags"])
	}
}
