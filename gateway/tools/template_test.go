package tools_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/gateway/tools/toolstest"
	"github.com/notelatch/notelatch/vault"
)

// calendar is a house whose clock can be set.
func calendar(t *testing.T, when time.Time) (house, *time.Time) {
	t.Helper()
	b := toolstest.New(clock)
	v := b.Add("Notes", "apply", somenotes)
	now := &when
	v.Configure(vault.ParseSettings([]byte(`{"folder":"Daily","format":"YYYY/MM/YYYY-MM-DD","template":"Templates/Day"}`), []byte(`{"folder":"Templates"}`)), nil)
	v.Edit("Templates/Day.md", "---\ncreated: {{date}}\n---\n# {{title}}\n\n## Log\n\n## Plan\n")
	return house{tools.New(b, nil, []byte("a key for cursors"), func() time.Time { return *now }, slog.New(slog.DiscardHandler)), b, v}, now
}

func TestDailyNote(t *testing.T) {
	zone := time.FixedZone("east", 3*3600)
	h, now := calendar(t, time.Date(2026, 12, 1, 0, 30, 0, 0, zone)) // in UTC it is still November
	const call = `{"daily":true,"content":"- woke up","heading":"Log","dryRun":false,"idempotencyKey":"day-one-1"}`
	a := h.answer(t, "create_or_append_note", call)
	const path, first = "Daily/2026/12/2026-12-01.md", "---\ncreated: 2026-12-01\n---\n# 2026-12-01\n\n## Log\n- woke up\n\n## Plan\n"
	if text, _ := h.notes.Body(path); text != first || a["status"] != "applied" || !strings.Contains(at(t, a, "understood.0").(string), path) {
		t.Fatalf("the daily note holds %q, want %q; answer %v", text, first, a)
	}
	*now = now.Add(25 * time.Hour)
	if a := h.answer(t, "create_or_append_note", call); a["replayed"] != true || at(t, a, "actions.0.path") != path {
		t.Errorf("the same call a day later: %v, want a replay", a)
	}
	*now = now.Add(-24 * time.Hour)
	h.answer(t, "create_or_append_note", `{"daily":true,"content":"- had tea","heading":"Log","dryRun":false,"idempotencyKey":"day-one-2"}`)
	if text, _ := h.notes.Body(path); text != strings.Replace(first, "woke up\n", "woke up\n- had tea\n", 1) {
		t.Errorf("after a second line the note holds %q", text)
	}
	h.refused(t, "create_or_append_note", `{"daily":true,"content":"x","mode":"create"}`, vault.AlreadyExists)
}

func TestDailyNoteWithoutItsTemplate(t *testing.T) {
	h, _ := calendar(t, noon)
	h.notes.Configure(vault.Settings{Daily: vault.DailySettings{Template: "Gone"}}, nil)
	a := h.answer(t, "create_or_append_note", `{"daily":true,"content":"- x"}`)
	if said := at(t, a, "understood.1"); said == nil || at(t, a, "actions.0.path") != "2026-11-30.md" || at(t, a, "actions.0.effect") != "created" {
		t.Errorf("with a template that is gone: %v", a)
	}
}

func TestTemplate(t *testing.T) {
	h, _ := calendar(t, noon)
	a := h.answer(t, "create_or_append_note", `{"path":"Meetings/Plan.md","template":"day","content":"Agenda","properties":{"created":"never","with":"us"},"dryRun":false,"idempotencyKey":"meeting-1"}`)
	const want = "---\ncreated: never\nwith: us\n---\n# Plan\n\n## Log\n\n## Plan\nAgenda\n"
	if text, _ := h.notes.Body("Meetings/Plan.md"); text != want {
		t.Errorf("a note of a template holds %q, want %q; %v", text, want, a)
	}
	h.answer(t, "create_or_append_note", `{"path":"Inbox.md","template":"day","content":"more","dryRun":false,"idempotencyKey":"meeting-2"}`)
	if text, _ := h.notes.Body("Inbox.md"); text != somenotes["Inbox.md"]+"more\n" {
		t.Errorf("a note that is there holds %q, want its text and the content alone", text)
	}
	h.refused(t, "create_or_append_note", `{"path":"Gone.md","template":"day","content":"x","mode":"append"}`, vault.NotFound)
}

func TestReadABlock(t *testing.T) {
	h := build(t)
	h.notes.Edit("Blocks.md", "One\ntwo ^para-1\n\n- item ^Item\n- other\n")
	for id, want := range map[string]string{"para-1": "One\ntwo ^para-1", "^item": "- item ^Item"} {
		if got := h.answer(t, "get_note_content", `{"path":"Blocks","blockId":`+quote(id)+`}`)["content"]; got != want {
			t.Errorf("block %s is %q, want %q", id, got, want)
		}
	}
	e := h.refused(t, "get_note_content", `{"path":"Blocks","blockId":"none"}`, vault.NotFound)
	if e.Details["missing"] != "block" {
		t.Errorf("a missing block: %v", e.Details)
	}
	h.refused(t, "get_note_content", `{"path":"Blocks","blockId":"item","lines":"1"}`, vault.InvalidArgument)
}
