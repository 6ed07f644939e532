package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/notelatch/notelatch/vault"
)

func TestListVaults(t *testing.T) {
	h := build(t)
	a := h.answer(t, "list_vaults", `{}`)
	for path, want := range map[string]any{
		"caller.account": "acc_owner", "caller.client": "test", "caller.scopes.0": "mcp:write", "vaults.0.mappingId": h.notes.ID(), "vaults.0.name": "Notes",
		"vaults.0.provider": "memory", "vaults.0.readOnly": false, "vaults.0.writeAccess": "apply", "vaults.0.encryption": "none", "vaults.0.available": true,
		"vaults.0.noteCount": float64(len(somenotes)), "vaults.0.indexed.state": "ready", "vaults.0.indexed.percent": 100.0, "vaults.0.lastSyncedAt": "2026-11-30T12:00:00Z",
	} {
		if got := at(t, a, path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	if a := h.answer(t, "list_vaults", `{"provider":"gdrive"}`); a["message"] == nil || len(a["vaults"].([]any)) != 0 {
		t.Errorf("a provider without vaults: %v, want a message", a)
	}
	for i := range 60 {
		h.backend.Add(fmt.Sprint("Vault ", i), "none", nil)
	}
	seen := 0
	for args := `{}`; args != ""; {
		a := h.answer(t, "list_vaults", args)
		seen += len(a["vaults"].([]any))
		args = ""
		if next, ok := a["nextCursor"]; ok {
			args = `{"cursor":` + quote(next.(string)) + `}`
		}
	}
	if seen != 61 {
		t.Errorf("the pages list %d vaults, want 61", seen)
	}
}

func TestSearchFindsAndLists(t *testing.T) {
	h := build(t)
	a := h.answer(t, "search_notes", `{"query":"budget"}`)
	for path, want := range map[string]any{
		"results.0.path": "Projects/Alpha.md", "results.0.title": "Alpha", "results.0.tags.0": "project", "results.0.revision": string(h.notes.Revision("Projects/Alpha.md")),
		"results.0.snippets.0.startLine": 8.0, "total": 1.0, "totalIsExact": true, "coverage.searched": float64(len(somenotes)), "freshness.source": "index",
		"results.0.modifiedAt": "2026-11-30T12:00:00Z",
	} {
		if got := at(t, a, path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	a = h.answer(t, "search_notes", `{"pathPrefix":"Projects"}`)
	if a["total"] != 2.0 {
		t.Errorf("listing a folder: total %v, want 2", a["total"])
	}
	a = h.answer(t, "search_notes", `{"properties":{"status":"open"},"tags":["project"]}`)
	if a["total"] != 1.0 {
		t.Errorf("by property and tag: total %v, want 1", a["total"])
	}
	for args, try := range map[string]string{`{"query":"xyzzyx"}`: "other words", `{"query":"alpha","pathPrefix":"Nowhere"}`: "without pathPrefix"} {
		a := h.answer(t, "search_notes", args)
		if m, _ := a["message"].(string); !strings.Contains(m, "7 notes") || !strings.Contains(m, try) {
			t.Errorf("search_notes %s says %q, want what was searched and what to try", args, m)
		}
		if results, ok := a["results"].([]any); !ok || len(results) != 0 {
			t.Errorf("search_notes %s: results %v, want an empty array", args, a["results"])
		}
	}
}

func TestAnswersKeepToTheUsualSizeAndSaySo(t *testing.T) {
	h := build(t)
	for i := range 60 {
		h.notes.Edit(fmt.Sprintf("Big/N%02d.md", i), fmt.Sprintf("# Title %d\n\n%s [[Alpha]] \u202e\n", i, strings.Repeat("lorem ipsum dolor ", 100)))
	}
	for _, call := range [][2]string{{"search_notes", `{"query":"lorem","limit":50}`}, {"query_graph_relations", `{"path":"Alpha","direction":"incoming","limit":200}`}} {
		seen, pages := 0, 0
		for args := call[1]; args != ""; {
			text, err := h.CallJSON(t.Context(), reader, call[0], json.RawMessage(args))
			if err != nil {
				t.Fatal(err)
			}
			if len(text) > 9<<10 {
				t.Errorf("%s answers with %d bytes", call[0], len(text))
			}
			var a map[string]any
			if err := json.Unmarshal(text, &a); err != nil {
				t.Fatal(err)
			}
			list, _ := a["results"].([]any)
			if list == nil {
				list, _ = a["edges"].([]any)
			}
			seen += len(list)
			pages++
			next, more := a["nextCursor"].(string)
			if cut := a["truncated"] == true; cut != (at(t, a, "bounds.0.limit") == "answerBytes") && cut {
				t.Errorf("%s: truncated without its bound: %v", call[0], a["bounds"])
			}
			if args = ""; more {
				args = `{"cursor":` + quote(next) + `}`
			}
		}
		if want := 60; seen < want || pages < 2 {
			t.Errorf("%s: %d items on %d pages, want at least %d on several", call[0], seen, pages, want)
		}
	}
}

func TestReadTellsAllAboutANote(t *testing.T) {
	h := build(t)
	a := h.answer(t, "get_note_content", `{"path":"Alpha"}`)
	for path, want := range map[string]any{
		"path": "Projects/Alpha.md", "title": "Alpha", "content": somenotes["Projects/Alpha.md"], "revision": string(h.notes.Revision("Projects/Alpha.md")),
		"sizeBytes": float64(len(somenotes["Projects/Alpha.md"])), "properties.status": "open", "outline.1.text": "Plan", "outline.1.level": 2.0, "outline.1.line": 10.0,
		"origin.by": "owner", "freshness.source": "live", "nextOffset": nil, "truncated": nil, "problems": nil,
	} {
		if got := at(t, a, path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	for args, want := range map[string]string{
		`{"path":"Alpha","heading":"Plan > Risks"}`: "### Risks\n\nRain & <b>wind</b>.\n\n",
		`{"path":"Alpha","lines":"10-12"}`:          "## Plan\n\nStart in spring, see [[Beta]].\n",
		`{"path":"Alpha","lines":"10"}`:             "## Plan\n",
		`{"path":"Lonely","lines":"1-50"}`:          "Nothing links here.\n",
	} {
		if got := h.answer(t, "get_note_content", args)["content"]; got != want {
			t.Errorf("get_note_content %s: content %q, want %q", args, got, want)
		}
	}
	e := h.refused(t, "get_note_content", `{"path":"Alpha","heading":"Risk"}`, vault.NotFound)
	if near := fmt.Sprint(e.Details["near"]); e.Details["missing"] != "heading" || near != "[Risks]" {
		t.Errorf("a heading that is nearly right: %v, want near Risks", e.Details)
	}
	e = h.refused(t, "get_note_content", `{"path":"pic.png"}`, vault.UnsupportedHere)
	if e.Details["type"] != "image/png" || e.Details["sizeBytes"] != int64(8) {
		t.Errorf("an attachment: %v, want its type and size", e.Details)
	}
}

func TestReadShowsWhatIsNotText(t *testing.T) {
	a := build(t).answer(t, "get_note_content", `{"path":"Broken.md"}`)
	if got, want := a["content"], "---\na: [\n---\nHello \x00 world \\xff end\n"; got != want {
		t.Errorf("content %q, want %q", got, want)
	}
	codes := fmt.Sprint(a["problems"])
	for _, code := range []string{vault.ProblemNUL, vault.ProblemUTF8, vault.ProblemFrontmatter} {
		if !strings.Contains(codes, code) {
			t.Errorf("problems %v do not say %s", codes, code)
		}
	}
}

// TestPartsOfANoteJoinToTheWhole reads long notes to the end, whatever they are made of.
func TestPartsOfANoteJoinToTheWhole(t *testing.T) {
	h := build(t)
	for name, text := range map[string]string{
		"paragraphs": strings.Repeat("A paragraph of some words.\nAnd a line.\n\n", 600),
		"headings":   strings.Repeat("## Heading\n\nText of the section.\n\n", 500),
		"one line":   strings.Repeat("äöü€😀", 2000),
		"crlf":       strings.Repeat("Line one\r\nLine two\r\n\r\n", 700),
		"controls":   strings.Repeat("\x01\x02\x1f\"\\", 3000),
		"one word":   "x",
		"empty":      "",
	} {
		h.notes.Edit("Long.md", text)
		for _, most := range []string{"", `,"maxBytes":200`, `,"maxBytes":49152`} {
			var got strings.Builder
			parts := 0
			for offset := 0; ; parts++ {
				raw, err := h.CallJSON(t.Context(), reader, "get_note_content", fmt.Appendf(nil, `{"path":"Long.md","offset":%d%s}`, offset, most))
				if err != nil {
					t.Fatal(err)
				}
				var a struct {
					Content    string
					NextOffset *int
					Truncated  bool
				}
				if err := json.Unmarshal(raw, &a); err != nil {
					t.Fatal(err)
				}
				if most == "" && len(raw) > 12000 && name != "controls" {
					t.Errorf("%s: a part has %d bytes", name, len(raw))
				}
				got.WriteString(a.Content)
				if a.NextOffset == nil {
					break
				}
				if most == "" && !a.Truncated {
					t.Errorf("%s: a cut that the caller did not ask for is not called truncated", name)
				}
				if *a.NextOffset <= offset {
					t.Fatalf("%s: nextOffset %d after %d", name, *a.NextOffset, offset)
				}
				offset = *a.NextOffset
			}
			if got.String() != text {
				t.Errorf("%s%s: %d parts join to %d bytes that are not the note's %d", name, most, parts, got.Len(), len(text))
			}
		}
	}
	h.notes.Edit("Long.md", strings.Repeat("Some words in a paragraph.\n\n", 190)+"## Cut here\n\n"+strings.Repeat("More words.\n\n", 200))
	a := h.answer(t, "get_note_content", `{"path":"Long.md"}`)
	if c := a["content"].(string); !strings.HasSuffix(c, "paragraph.\n\n") || len(c) != 190*28 {
		t.Errorf("the cut falls after %d bytes, %q; want before the heading", len(c), c[len(c)-30:])
	}
}

func TestSeveralNotesAtOnce(t *testing.T) {
	h := build(t)
	a := h.answer(t, "get_note_content", `{"paths":["Inbox.md","Nowhere","pic.png","/Projects/Beta.md"]}`)
	for path, want := range map[string]any{
		"notes.0.path": "Inbox.md", "notes.0.content": somenotes["Inbox.md"], "notes.1.error.code": "not_found", "notes.1.asked": "Nowhere", "notes.1.path": nil,
		"notes.2.error.code": "unsupported_here", "notes.3.title": "Beta", "freshness.source": "live", "path": nil,
	} {
		if got := at(t, a, path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	big := strings.Repeat("Some words in a paragraph.\n\n", 1000)
	var paths []string
	for i := range 10 {
		h.notes.Edit(fmt.Sprintf("B%d.md", i), big)
		paths = append(paths, fmt.Sprintf(`"B%d.md"`, i))
	}
	text, err := h.CallJSON(t.Context(), reader, "get_note_content", json.RawMessage(`{"paths":[`+strings.Join(paths, ",")+`]}`))
	if err != nil || len(text) > 12000 || strings.Count(string(text), `"nextOffset"`) != 10 {
		t.Errorf("ten long notes: %d bytes, %v; want ten parts in a usual answer", len(text), err)
	}
}

func TestSeveralFullNotesFitOneAnswer(t *testing.T) {
	h := build(t)
	var properties, headings strings.Builder
	for i := range 60 {
		fmt.Fprintf(&properties, "key %d: %s\n", i, strings.Repeat("v", 30))
		fmt.Fprintf(&headings, "## Heading %d of a long outline\n\n\n\n", i)
	}
	text := "---\n" + properties.String() + "---\n" + headings.String() + strings.Repeat("\"quoted\"\n", 2000)
	var paths []string
	for i := range 10 {
		h.notes.Edit(fmt.Sprintf("B%d.md", i), text)
		paths = append(paths, fmt.Sprintf(`"B%d.md"`, i))
	}
	sent, err := h.CallJSON(t.Context(), reader, "get_note_content", json.RawMessage(`{"maxBytes":49152,"paths":[`+strings.Join(paths, ",")+`]}`))
	if err != nil || len(sent) < 40<<10 || len(sent) > 64<<10 {
		t.Fatalf("the answer has %d bytes, %v", len(sent), err)
	}
	var a map[string]any
	if err := json.Unmarshal(sent, &a); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if c, _ := at(t, a, fmt.Sprintf("notes.%d.content", i)).(string); len(c) < 2000 || !strings.HasPrefix(text, c) {
			t.Errorf("note %d has %d bytes of text", i, len(c))
		}
	}
	if at(t, a, "truncated") != true {
		t.Error("the answer does not say that it left something out")
	}
	// With room for it, all is told.
	if one := h.answer(t, "get_note_content", `{"paths":["B1.md"]}`); at(t, one, "notes.0.outline") == nil || at(t, one, "notes.0.properties") == nil {
		t.Errorf("one note alone has no outline or no properties: %v", one)
	}
}

func TestRelations(t *testing.T) {
	h := build(t)
	a := h.answer(t, "query_graph_relations", `{"path":"Alpha","direction":"incoming"}`)
	for path, want := range map[string]any{
		"nodes.0.path": "Projects/Alpha.md", "nodes.0.title": "Alpha", "nodes.0.exists": true, "edges.0.from": "Inbox.md", "edges.0.to": "Projects/Alpha.md",
		"edges.0.kind": "wikilink", "edges.0.text": "Alpha", "edges.0.resolved": true, "edges.0.line": 1.0, "edges.0.context": "see [[Alpha]] first, then [[Nowhere]]",
		"total": 2.0, "freshness.source": "live",
	} {
		if got := at(t, a, path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	a = h.answer(t, "query_graph_relations", `{"filter":"unresolved"}`)
	if got := fmt.Sprintln(at(t, a, "edges.0.to"), at(t, a, "edges.0.text"), at(t, a, "edges.0.resolved")); got != "<nil> Nowhere false\n" || a["total"] != 2.0 {
		t.Errorf("unresolved: %v", a)
	}
	a = h.answer(t, "query_graph_relations", `{"filter":"orphans"}`)
	if got := fmt.Sprint(a["nodes"]); !strings.Contains(got, "Lonely.md") || strings.Contains(got, "Inbox.md") {
		t.Errorf("orphans: %v", got)
	}
	a = h.answer(t, "query_graph_relations", `{"path":"Lonely"}`)
	if m, _ := a["message"].(string); !strings.Contains(m, "no links") {
		t.Errorf("a note without links says %q", m)
	}
	if a = h.answer(t, "query_graph_relations", `{"path":"Inbox","depth":2,"direction":"outgoing"}`); a["total"] != 3.0 {
		t.Errorf("two steps out of Inbox: %v edges, want 3", a["total"])
	}
}

// TestAnswersSatisfyTheirSchemas compares real answers with the published output schemas.
func TestAnswersSatisfyTheirSchemas(t *testing.T) {
	h := build(t)
	schemas := map[string]*jsonschema.Resolved{}
	for _, d := range listed(t, h, "") {
		var s jsonschema.Schema
		if err := json.Unmarshal(d.Output, &s); err != nil {
			t.Fatal(err)
		}
		r, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		schemas[d.Name] = r
	}
	for _, call := range [][2]string{
		{"list_vaults", `{}`}, {"search_notes", `{"query":"alpha"}`}, {"search_notes", `{"q":"xyzzyx"}`}, {"get_note_content", `{"path":"Alpha"}`},
		{"get_note_content", `{"paths":["Alpha","x"]}`}, {"query_graph_relations", `{"path":"Alpha"}`}, {"query_graph_relations", `{"filter":"orphans"}`},
		{"create_or_append_note", `{"path":"Inbox.md","content":"x"}`}, {"create_or_append_note", `{"path":"Inbox.md","content":"y","dryRun":false,"idempotencyKey":"key-12345"}`},
		{"apply_note_transaction", `{"actions":[{"kind":"create","path":"N.md","content":"x"}]}`}, {"propose_knowledge_change", `{"reason":"r","actions":[{"kind":"create","path":"N.md","content":"x"}]}`},
		{"get_knowledge_events", `{}`},
	} {
		a := h.answer(t, call[0], call[1])
		if err := schemas[call[0]].Validate(a); err != nil {
			t.Errorf("%s %s: %v", call[0], call[1], err)
		}
	}
	if err := schemas["search_notes"].Validate(map[string]any{"results": 1}); err == nil {
		t.Error("the output schema of search_notes takes anything")
	}
}

func TestCallReturnsTheSameAsCallJSON(t *testing.T) {
	h := build(t)
	v, err := h.Call(t.Context(), reader, "get_note_content", json.RawMessage(`{"path":"/Alpha"}`))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	text, err := h.CallJSON(t.Context(), reader, "get_note_content", json.RawMessage(`{"path":"/Alpha"}`))
	if err != nil || strings.TrimSpace(b.String()) != string(text) {
		t.Errorf("Call encodes to %s\nCallJSON = %s, %v", b.String(), text, err)
	}
}
