package tools_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/notelatch/notelatch/vault"
)

func TestSlipsAreUnderstood(t *testing.T) {
	h := build(t)
	for name, c := range map[string]struct {
		tool, slip, meant string
		understood        []string // beginnings; nil is none
	}{
		"q for query":                     {"search_notes", `{"q":"alpha"}`, `{"query":"alpha"}`, []string{"q was taken as query"}},
		"text for query":                  {"search_notes", `{"text":"alpha"}`, `{"query":"alpha"}`, []string{"text was taken as query"}},
		"max for limit":                   {"search_notes", `{"max":1}`, `{"limit":1}`, []string{"max was taken as limit"}},
		"per_page for limit, as text":     {"search_notes", `{"per_page":"1"}`, `{"limit":1}`, []string{"per_page was taken as limit", `limit "1" was taken as 1`}},
		"folder for pathPrefix":           {"search_notes", `{"folder":"Projects"}`, `{"pathPrefix":"Projects"}`, []string{"folder was taken as pathPrefix"}},
		"file for path":                   {"get_note_content", `{"file":"Inbox.md"}`, `{"path":"Inbox.md"}`, []string{"file was taken as path"}},
		"note for path, no .md":           {"get_note_content", `{"note":"Inbox"}`, `{"path":"Inbox.md"}`, []string{"note was taken as path", `path "Inbox" was taken as Inbox.md`}},
		"a leading slash":                 {"get_note_content", `{"path":"/Inbox.md"}`, `{"path":"Inbox.md"}`, []string{"path was taken without its leading slash"}},
		"vault by name":                   {"search_notes", `{"vault":"notes"}`, `{}`, []string{`vault "notes" was taken as mappingId map_`}},
		"an array as text":                {"search_notes", `{"tags":"[\"project\"]"}`, `{"tags":["project"]}`, []string{"the text in tags was taken as an array"}},
		"an integer as text":              {"search_notes", `{"limit":"2"}`, `{"limit":2}`, []string{`limit "2" was taken as 2`}},
		"an integer with a point":         {"search_notes", `{"limit":2.0}`, `{"limit":2}`, nil},
		"a boolean as text":               {"get_knowledge_events", `{"includeHashes":"true"}`, `{"includeHashes":true}`, []string{`includeHashes "true" was taken as true`}},
		"null is absent":                  {"search_notes", `{"query":null,"tags":null,"limit":null,"cursor":null,"mappingId":null}`, `{}`, nil},
		"an unknown null is absent":       {"search_notes", `{"banana":null}`, `{}`, nil},
		"the same under two names":        {"search_notes", `{"q":"alpha","query":"alpha"}`, `{"query":"alpha"}`, nil},
		"no arguments":                    {"search_notes", `null`, `{}`, nil},
		"a date for a time":               {"search_notes", `{"modifiedAfter":"2026-11-01"}`, `{"modifiedAfter":"2026-11-01T00:00:00Z"}`, []string{"modifiedAfter was taken as the start of that day"}},
		"a number for a property's value": {"search_notes", `{"properties":{"status":1}}`, `{"properties":{"status":"1"}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, want := h.answer(t, c.tool, c.slip), h.answer(t, c.tool, c.meant)
			understood, _ := got["understood"].([]any)
			if len(understood) != len(c.understood) {
				t.Fatalf("%s understood %v, want %q", c.slip, understood, c.understood)
			}
			for i, u := range c.understood {
				if !strings.HasPrefix(understood[i].(string), u) {
					t.Errorf("%s understood %q, want %q", c.slip, understood[i], u)
				}
			}
			delete(got, "understood")
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s = %v\n%s = %v", c.slip, got, c.meant, want)
			}
		})
	}
}

func TestActionsMayBeTextAndNameTheirPathOtherwise(t *testing.T) {
	h := build(t)
	a := h.answer(t, "propose_knowledge_change", `{"reason":"r","actions":"[{\"kind\":\"append\",\"file\":\"Inbox.md\",\"content\":\"x\"}]"}`)
	if at(t, a, "actions.0.effect") != "changed" {
		t.Errorf("the preview %v changes nothing", a)
	}
	h.refused(t, "propose_knowledge_change", `{"reason":"r","actions":"[1]"}`, vault.InvalidArgument)
}

func TestWritesTakeNoGuessesAboutPaths(t *testing.T) {
	h := build(t)
	h.refused(t, "create_or_append_note", `{"path":"/Inbox.md","content":"x"}`, vault.InvalidArgument)
	h.refused(t, "create_or_append_note", `{"path":"Inbox","content":"x"}`, vault.InvalidArgument)
	h.answer(t, "create_or_append_note", `{"path":"Inbox.md","content":"x"}`)
}

func TestUnknownArgumentsNameTheNearest(t *testing.T) {
	h := build(t)
	for args, nearest := range map[string]string{
		`{"querry":"x"}`: "query", `{"path_prefix":"x"}`: "pathPrefix", `{"mapping_id":"x"}`: "mappingId", `{"modified_after":"x"}`: "modifiedAfter",
	} {
		e := h.refused(t, "search_notes", args, vault.InvalidArgument)
		if e.Details["nearest"] != nearest {
			t.Errorf("search_notes %s names %v, want %q", args, e.Details["nearest"], nearest)
		}
	}
	e := h.refused(t, "propose_knowledge_change", `{"reason":"r","actions":[{"kind":"append","path":"Inbox.md","contents":"x"}]}`, vault.InvalidArgument)
	if e.Details["nearest"] != "content" || !strings.Contains(e.Message, "actions[0]") {
		t.Errorf("an unknown argument of an action: %v %v, want content and its place", e, e.Details)
	}
}

func TestSynonymsThatContradictAreRefused(t *testing.T) {
	h := build(t)
	h.refused(t, "search_notes", `{"q":"a","query":"b"}`, vault.InvalidArgument)
	h.refused(t, "search_notes", `{"limit":1,"max":2}`, vault.InvalidArgument)
	h.refused(t, "get_note_content", `{"path":"Inbox.md","file":"Alpha"}`, vault.InvalidArgument)
	h.answer(t, "search_notes", `{"limit":1,"max":"1"}`)
}
