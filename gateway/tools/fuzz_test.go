package tools_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/vault"
)

// FuzzCall throws arguments at every tool. Whatever they are, the answer is one JSON object of bounded size or an error that says
// what to do, never internal, and the notes of a vault that takes no writes stay as they were.
func FuzzCall(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"query":"alpha","limit":5}`, `{"path":"Alpha","heading":"Plan","maxBytes":200}`, `{"paths":["Inbox","pic.png"]}`, `{"path":"Alpha","lines":"2-9"}`,
		`{"path":"Inbox.md","content":"x","heading":"a","properties":{"a":[1,{"b":null}]}}`, `{"reason":"r","actions":[{"kind":"append","path":"Inbox.md","content":"x"}]}`,
		`{"actions":"[{\"kind\":\"delete\",\"path\":\"Inbox.md\"}]","dryRun":"true"}`, `{"direction":"both","depth":3,"path":"Alpha","kinds":["embed"]}`,
		`{"cursor":"AAAA"}`, `{"since":"2026-11-30","kinds":["x"],"includeHashes":"true"}`, `{"filter":"orphans","limit":1}`, `{"query":"\"a b\" -c tag:x prop:y>3 has:problem"}`,
		`{"query":"modified:>banana"}`, `{"query":"` + strings.Repeat("tag:a ", 40) + `"}`, `{"query":"has:nothing created:2026"}`,
		`{"path":"Inbox.md","content":"x","dryRun":false,"idempotencyKey":"short"}`,
		`{"vault":"notes","q":"x","max":"3","folder":"/"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		h := buildWith(t, "propose")
		for _, d := range h.Definitions() {
			text, err := h.CallJSON(t.Context(), writer, d.Name, args)
			if err == nil {
				if !json.Valid(text) || text[0] != '{' || len(text) > 64<<10 {
					t.Fatalf("%s %q answers with %d bytes that are no object within bounds", d.Name, args, len(text))
				}
				continue
			}
			var e *vault.Error
			if !errors.As(err, &e) || e.Code == vault.Internal || e.Hint == "" {
				t.Fatalf("%s %q: %v, next %q", d.Name, args, err, vault.AsError(err).Hint)
			}
			if fail := tools.FailJSON(err); !json.Valid(fail) || len(fail) > 64<<10 {
				t.Fatalf("%s %q: an error of %d bytes", d.Name, args, len(fail))
			}
		}
		if body, _ := h.notes.Body("Inbox.md"); body != somenotes["Inbox.md"] {
			t.Fatalf("a note changed: %q", body)
		}
	})
}
