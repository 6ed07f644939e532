package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/vault"
)

// apply sends the call that a preview's next shows.
func (h house) apply(t *testing.T, preview map[string]any) map[string]any {
	t.Helper()
	next, ok := preview["next"].(map[string]any)
	if !ok {
		t.Fatalf("the preview %v has no next", preview)
	}
	args, err := json.Marshal(next["arguments"])
	if err != nil {
		t.Fatal(err)
	}
	return h.answer(t, next["tool"].(string), string(args))
}

func TestPreviewThenApplyByItsNext(t *testing.T) {
	for tool, args := range map[string]string{
		"create_or_append_note":    `{"path":"Inbox.md","content":"- new"}`,
		"apply_note_transaction":   `{"actions":[{"kind":"append","path":"Inbox.md","content":"- new"}]}`,
		"propose_knowledge_change": `{"reason":"r","actions":[{"kind":"append","path":"Inbox.md","content":"- new"}]}`,
	} {
		t.Run(tool, func(t *testing.T) {
			h := build(t)
			text, err := h.CallJSON(t.Context(), writer, tool, json.RawMessage(args))
			if err != nil || !strings.HasPrefix(string(text), `{"summary":"Preview only: nothing was written.`) {
				t.Fatalf("%s: %.80s, %v; want the summary first", tool, text, err)
			}
			p := h.answer(t, tool, args)
			if got := fmt.Sprintln(p["dryRun"], p["status"], p["allowed"], p["reason"]); got != "true preview true <nil>\n" {
				t.Errorf("the preview says %s", got)
			}
			if diff := at(t, p, "actions.0.diff").(string); !strings.Contains(diff, "+- new") {
				t.Errorf("diff %q", diff)
			}
			if body, _ := h.notes.Body("Inbox.md"); body != somenotes["Inbox.md"] {
				t.Fatalf("the preview wrote: %q", body)
			}
			a := h.apply(t, p)
			if got := fmt.Sprintln(a["dryRun"], a["status"], a["replayed"]); got != "false applied <nil>\n" {
				t.Errorf("applied: %s", got)
			}
			if body, _ := h.notes.Body("Inbox.md"); body != somenotes["Inbox.md"]+"- new\n" && body != somenotes["Inbox.md"]+"- new" {
				t.Errorf("after the apply the note is %q", body)
			}
			if at(t, a, "actions.0.after.revision") != string(h.notes.Revision("Inbox.md")) {
				t.Errorf("the answer's revision is %v, want that of the note", at(t, a, "actions.0.after.revision"))
			}
			if again := h.apply(t, p); again["replayed"] != true || again["transactionId"] != a["transactionId"] {
				t.Errorf("the same apply again: %v, want it replayed", again)
			}
			events := h.answer(t, "get_knowledge_events", `{"path":"Inbox.md"}`)["events"].([]any)
			if len(events) != 1 || at(t, events, "0.transactionId") != a["transactionId"] || at(t, events, "0.hash") != nil || at(t, events, "0.client") != "test" {
				t.Errorf("events %v, want the one change, without hashes", events)
			}
			if at(t, h.answer(t, "get_knowledge_events", `{"includeHashes":true}`), "events.0.hash") == nil {
				t.Error("includeHashes adds no hash")
			}
			if n := h.answer(t, "get_note_content", `{"path":"Inbox"}`); at(t, n, "origin.by") != "agent" || at(t, n, "origin.client") != "test" {
				t.Errorf("origin %v, want the agent", n["origin"])
			}
		})
	}
}

func TestDirectApplyNeedsAKey(t *testing.T) {
	h := build(t)
	e := h.refused(t, "create_or_append_note", `{"path":"Inbox.md","content":"- new","dryRun":false}`, vault.KeyRequired)
	if !strings.Contains(e.Hint, `create_or_append_note {"content":"- new","dryRun":false,"idempotencyKey":"`) {
		t.Errorf("next %q does not show the call", e.Hint)
	}
	args := `{"path":"Inbox.md","content":"- new","dryRun":false,"idempotencyKey":"key-12345"}`
	a, again := h.answer(t, "create_or_append_note", args), h.answer(t, "create_or_append_note", args)
	if a["status"] != "applied" || again["replayed"] != true || again["transactionId"] != a["transactionId"] {
		t.Errorf("a direct apply: %v, and again: %v", a, again)
	}
	h.refused(t, "create_or_append_note", strings.Replace(args, "new", "other", 1), vault.KeyReused)
	h.refused(t, "create_or_append_note", `{"path":"Inbox.md","content":"`+strings.Repeat("x", 5000)+`","dryRun":false}`, vault.KeyRequired)
}

func TestVaultWithoutWritesCanBePreviewedOnly(t *testing.T) {
	h := build(t)
	v := h.backend.Add("Closed", "propose", map[string]string{"a.md": "a\n"})
	p := h.answer(t, "create_or_append_note", `{"mappingId":"`+v.ID()+`","path":"a.md","content":"b"}`)
	if p["allowed"] != false || at(t, p, "reason.code") != "write_not_enabled" || p["next"] != nil {
		t.Errorf("the preview says allowed %v, reason %v, next %v", p["allowed"], p["reason"], p["next"])
	}
	h.refused(t, "create_or_append_note", `{"mappingId":"`+v.ID()+`","path":"a.md","content":"b","dryRun":false}`, vault.WriteNotEnabled)
	if body, _ := v.Body("a.md"); body != "a\n" {
		t.Errorf("the note is %q", body)
	}
}

func TestConflictsAndRevisions(t *testing.T) {
	h := build(t)
	rev := string(h.notes.Revision("Lonely.md"))
	p := h.answer(t, "apply_note_transaction", `{"actions":[{"kind":"replace","path":"Lonely.md","content":"Changed quite a lot.","expectedRevision":"`+rev+`"}]}`)
	h.notes.Edit("Lonely.md", "Somebody else wrote here.\n")
	next, _ := json.Marshal(at(t, p, "next.arguments"))
	h.refused(t, "apply_note_transaction", string(next), vault.RevisionConflict)
	h.refused(t, "apply_note_transaction", `{"actions":[{"kind":"delete","path":"Lonely.md","expectedRevision":"`+rev+`"}]}`, vault.RevisionConflict)
	rev = string(h.notes.Revision("Lonely.md"))
	h.apply(t, h.answer(t, "apply_note_transaction", `{"actions":[{"kind":"delete","path":"Lonely.md","expectedRevision":"`+rev+`"}]}`))
	if _, ok := h.notes.Body("Lonely.md"); ok {
		t.Error("the note is still there")
	}
	h.refused(t, "apply_note_transaction", `{"transactionId":`+quote(p["transactionId"].(string))+`,"paths":["Inbox.md"],"dryRun":false}`, vault.InvalidArgument)
}

func TestAConflictHoldsAFreshPreviewOfOrdinarySize(t *testing.T) {
	h := build(t)
	p := h.answer(t, "create_or_append_note", `{"path":"Inbox.md","content":`+quote(strings.Repeat("A line of text.\n", 5000))+`}`)
	h.notes.Edit("Inbox.md", "Somebody else wrote here.\n")
	next, _ := json.Marshal(at(t, p, "next.arguments"))
	e := h.refused(t, "apply_note_transaction", string(next), vault.RevisionConflict)
	text := tools.FailJSON(e)
	if len(text) > 12000 {
		t.Errorf("the conflict has %d bytes", len(text))
	}
	var f map[string]any
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	fresh := at(t, f, "error.details.preview")
	if at(t, fresh, "actions.0.before.revision") != string(h.notes.Revision("Inbox.md")) || at(t, fresh, "actions.0.diffTruncated") != true {
		t.Errorf("the fresh preview is %v", fresh)
	}
	again := fmt.Sprintf(`{"transactionId":%q,"paths":["Inbox.md"],"dryRun":false}`, at(t, fresh, "transactionId"))
	if a := h.answer(t, "apply_note_transaction", again); a["status"] != "applied" {
		t.Errorf("applying the fresh preview: %v", a)
	}
}

func TestManyDiffsShareTheAnswer(t *testing.T) {
	h := build(t)
	var actions []string
	for i := range 20 {
		actions = append(actions, fmt.Sprintf(`{"kind":"create","path":"New/N%d.md","content":%s}`, i, quote(strings.Repeat("A line of text.\n", 100))))
	}
	text, err := h.CallJSON(t.Context(), writer, "apply_note_transaction", json.RawMessage(`{"actions":[`+strings.Join(actions, ",")+`]}`))
	if err != nil || len(text) > 12000 {
		t.Fatalf("a preview of 20 long notes has %d bytes, %v", len(text), err)
	}
	var p map[string]any
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	for i, a := range p["actions"].([]any) {
		m := a.(map[string]any)
		if d, _ := m["diff"].(string); m["diffTruncated"] != true || len(d) < 50 {
			t.Errorf("action %d: diff of %d bytes, truncated %v; want a beginning that says so", i, len(d), m["diffTruncated"])
		}
	}
	if p["truncated"] != true || at(t, p, "bounds.0.limit") != "answerBytes" {
		t.Errorf("truncated %v, bounds %v", p["truncated"], p["bounds"])
	}
	if a := h.apply(t, p); a["status"] != "applied" || len(a["actions"].([]any)) != 20 {
		t.Errorf("applied: %v", a["status"])
	}
}

func TestPropertiesKeepTheirDigits(t *testing.T) {
	h := build(t)
	h.apply(t, h.answer(t, "create_or_append_note", `{"path":"P.md","content":"x","properties":{"count":9007199254740993}}`))
	if body, _ := h.notes.Body("P.md"); !strings.Contains(body, "count: 9007199254740993\n") {
		t.Errorf("the note is %q, want the number as it was sent", body)
	}
}
