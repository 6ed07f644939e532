package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/gateway/tools/toolstest"
	"github.com/notelatch/notelatch/vault"
)

func TestUnknownToolNamesTheNearest(t *testing.T) {
	h := build(t)
	for name, nearest := range map[string]string{
		"search_note": "search_notes", "SearchNotes": "search_notes", "listvaults": "list_vaults", "get_note": "get_note_content",
		"apply_transaction": "apply_note_transaction", "zzzzzzzzzzzzzz": "", strings.Repeat("search_notes", 1000): "", "\x00\u202e": "",
	} {
		_, err := h.CallJSON(t.Context(), reader, name, nil)
		var unknown *tools.UnknownTool
		if !errors.As(err, &unknown) {
			t.Errorf("CallJSON(%.40q): %v, want an UnknownTool", name, err)
			continue
		}
		if unknown.Nearest != nearest {
			t.Errorf("CallJSON(%.40q) names %q, want %q", name, unknown.Nearest, nearest)
		}
		if len(err.Error()) > 200 || strings.ContainsAny(err.Error(), "\x00\u202e") {
			t.Errorf("CallJSON(%.40q): the message %q repeats what it was given", name, err)
		}
	}
	if _, err := h.CallJSON(t.Context(), reader, "search_notes", nil); err != nil {
		t.Errorf("search_notes: %v", err)
	}
}

func TestScopeIsCheckedBeforeAnythingElse(t *testing.T) {
	h := build(t)
	none := toolstest.Caller()
	for _, d := range h.Definitions() {
		for name, c := range map[string]vault.Caller{"none": none, "read": reader, "write": writer} {
			_, err := h.CallJSON(t.Context(), c, d.Name, json.RawMessage(`not even JSON`))
			e := vault.AsError(err)
			want := vault.InvalidArgument
			if !c.Has(d.Scope) {
				want = vault.InsufficientScope
			}
			if e.Code != want {
				t.Errorf("%s with scope %s: %v, want %s", d.Name, name, err, want)
			}
			if want == vault.InsufficientScope && !strings.Contains(e.Hint, "--scopes mcp:read") {
				t.Errorf("%s with scope %s: next %q does not say which scope a new token needs", d.Name, name, e.Hint)
			}
		}
	}
}

// counter is a Meter that refuses after some operations.
type counter struct{ left int }

func (m *counter) Reserve(_ context.Context, _ vault.Caller, _ tools.Definition) error {
	if m.left--; m.left < 0 {
		return vault.Errorf(vault.RateLimited, "too many calls").Next("Wait a little.")
	}
	return nil
}

func TestMeterIsAskedOnceForEachCallBeforeItsArguments(t *testing.T) {
	b := toolstest.New(clock)
	b.Add("Notes", "apply", somenotes)
	m := &counter{left: 2}
	inv := tools.New(b, m, []byte("k"), clock, slog.New(slog.DiscardHandler))
	if _, err := inv.CallJSON(t.Context(), toolstest.Caller(), "search_notes", nil); !errors.Is(err, vault.InsufficientScope) || m.left != 2 {
		t.Errorf("a call without scope: %v, left %d; want insufficient_scope and 2", err, m.left)
	}
	if _, err := inv.CallJSON(t.Context(), reader, "search_notes", json.RawMessage(`{"nonsense":1}`)); !errors.Is(err, vault.InvalidArgument) || m.left != 1 {
		t.Errorf("a call with bad arguments: %v, left %d; want invalid_argument and 1", err, m.left)
	}
	if _, err := inv.CallJSON(t.Context(), reader, "search_notes", nil); err != nil || m.left != 0 {
		t.Errorf("a good call: %v, left %d; want no error and 0", err, m.left)
	}
	if _, err := inv.CallJSON(t.Context(), reader, "search_notes", json.RawMessage(`{`)); !errors.Is(err, vault.RateLimited) {
		t.Errorf("one call too many: %v, want rate_limited", err)
	}
}

// faulty is a backend that fails in the way it is told.
type faulty struct {
	*toolstest.Backend
	fail func() error
}

func (f faulty) Vaults(context.Context, vault.Caller) ([]tools.VaultRow, error) { return nil, f.fail() }

func TestFailuresOfAHandlerAreContained(t *testing.T) {
	const secret = "the text of a note"
	cases := map[string]struct {
		fail func() error
		code vault.Code
		logs string // "" logs nothing
	}{
		"a panic":                {func() error { panic(secret) }, vault.Internal, "tool panicked"},
		"a runtime error":        {func() error { return []error{nil}[len(secret)] }, vault.Internal, "out of range"},
		"an unknown error":       {func() error { return errors.New("disk on fire") }, vault.Internal, "disk on fire"},
		"a vault error, wrapped": {func() error { return fmt.Errorf("x: %w", vault.Errorf(vault.ProviderUnavailable, "gone")) }, vault.ProviderUnavailable, ""},
		"a deadline":             {func() error { return fmt.Errorf("x: %w", context.DeadlineExceeded) }, vault.DeadlineExceeded, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			b := faulty{toolstest.New(clock), c.fail}
			inv := tools.New(b, nil, []byte("k"), clock, slog.New(slog.NewTextHandler(&log, nil)))
			_, err := inv.CallJSON(t.Context(), reader, "list_vaults", nil)
			if e := vault.AsError(err); err == nil || e.Code != c.code {
				t.Fatalf("list_vaults: %v, want %s", err, c.code)
			}
			if strings.Contains(err.Error(), "disk") || strings.Contains(err.Error(), secret) {
				t.Errorf("the error %q tells too much", err)
			}
			if c.logs == "" && log.Len() > 0 || !strings.Contains(log.String(), c.logs) || strings.Contains(log.String(), secret) {
				t.Errorf("logged %q, want %q and no text", log.String(), c.logs)
			}
		})
	}
}

func TestFailureHasTheShapeOfTheContract(t *testing.T) {
	full := vault.Errorf(vault.RevisionConflict, "Log.md changed <since>").With("path", "Log.md").Next("Read it again.")
	for _, c := range []struct {
		err  error
		want string
	}{
		{full, `{"error":{"code":"revision_conflict","message":"Log.md changed <since>","retryable":false,"details":{"path":"Log.md"},"next":"Read it again."}}`},
		{vault.Errorf(vault.RateLimited, "slow down"), `{"error":{"code":"rate_limited","message":"slow down","retryable":true}}`},
		{errors.New("secret"), `{"error":{"code":"internal","message":"something went wrong on the server; it is in the log","retryable":false}}`},
	} {
		if got := string(tools.FailJSON(c.err)); got != c.want {
			t.Errorf("FailJSON(%v) = %s\nwant %s", c.err, got, c.want)
		}
	}
}

func TestMappingMayBeLeftOutWhereThereIsOne(t *testing.T) {
	h := build(t)
	a := h.answer(t, "search_notes", `{"query":"alpha"}`)
	if at(t, a, "total") == 0.0 {
		t.Error("search without mappingId finds nothing in the only vault")
	}

	second := h.backend.Add("Work", "none", map[string]string{"Only here.md": "zebra"})
	e := h.refused(t, "search_notes", `{"query":"alpha"}`, vault.InvalidArgument)
	text := string(tools.FailJSON(e))
	for _, want := range []string{h.notes.ID(), second.ID(), `"name":"Notes"`, `"name":"Work"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the error %s does not list %s", text, want)
		}
	}
	for args, total := range map[string]float64{
		`{"mappingId":"` + second.ID() + `","query":"zebra"}`:                1,
		`{"mappingId":"` + h.notes.ID() + `","query":"zebra"}`:               0,
		`{"vault":"work","query":"zebra"}`:                                   1,
		`{"vault":"` + second.ID() + `","query":"zebra"}`:                    1,
		`{"vault":"Work","mappingId":"` + second.ID() + `","query":"zebra"}`: 1,
	} {
		if a := h.answer(t, "search_notes", args); a["total"] != total {
			t.Errorf("search_notes %s has total %v, want %v", args, a["total"], total)
		}
	}
	h.refused(t, "search_notes", `{"vault":"Work","mappingId":"`+h.notes.ID()+`"}`, vault.InvalidArgument)
	h.refused(t, "search_notes", `{"vault":"Nowhere"}`, vault.NotFound)
	h.backend.Add("work", "none", nil)
	h.refused(t, "search_notes", `{"vault":"Work"}`, vault.InvalidArgument)

	held := reader
	held.Mappings = []string{second.ID()}
	if _, err := h.CallJSON(t.Context(), held, "search_notes", json.RawMessage(`{"query":"zebra"}`)); err != nil {
		t.Errorf("a caller that is held to one vault: %v", err)
	}
	stranger := vault.Caller{Account: "acc_other", Scopes: []vault.Scope{vault.ScopeRead}}
	_, foreign := h.CallJSON(t.Context(), stranger, "search_notes", json.RawMessage(`{"mappingId":"`+second.ID()+`"}`))
	_, absent := h.CallJSON(t.Context(), stranger, "search_notes", json.RawMessage(`{"mappingId":"map_zzz"}`))
	if !errors.Is(foreign, vault.NotFound) || foreign.Error() != absent.Error() {
		t.Errorf("a foreign handle: %v; one that does not exist: %v; want the same not_found", foreign, absent)
	}
	if _, err := h.CallJSON(t.Context(), stranger, "search_notes", nil); !errors.Is(err, vault.NotFound) {
		t.Errorf("a caller without vaults: %v, want not_found", err)
	}
}

func TestCursorAloneGoesOn(t *testing.T) {
	now := noon
	b := toolstest.New(func() time.Time { return now })
	many := map[string]string{}
	for i := range 25 {
		many[fmt.Sprintf("Many/N%02d.md", i)] = "word"
	}
	v := b.Add("Notes", "apply", many)
	h := house{tools.New(b, nil, []byte("key"), func() time.Time { return now }, slog.New(slog.DiscardHandler)), b, v}

	seen := map[string]bool{}
	args := `{"folder":"/Many","sort":"path","limit":"10"}`
	pages := 0
	for args != "" {
		a := h.answer(t, "search_notes", args)
		for _, r := range a["results"].([]any) {
			seen[r.(map[string]any)["path"].(string)] = true
		}
		args = ""
		if next, ok := a["nextCursor"].(string); ok {
			args = `{"cursor":` + quote(next) + `}`
		}
		pages++
		b.Add("Another", "apply", nil) // a cursor keeps to its vault
	}
	if len(seen) != 25 || pages != 3 {
		t.Errorf("%d pages with %d notes, want 3 with 25", pages, len(seen))
	}

	first := h.answer(t, "search_notes", `{"mappingId":"`+v.ID()+`","query":"word","limit":10}`)["nextCursor"].(string)
	h.answer(t, "search_notes", `{"query":"word","limit":5,"cursor":`+quote(first)+`}`)
	h.refused(t, "search_notes", `{"query":"other","cursor":`+quote(first)+`}`, vault.InvalidCursor)
	h.refused(t, "search_notes", `{"pathPrefix":"Many","cursor":`+quote(first)+`}`, vault.InvalidCursor)
	h.refused(t, "query_graph_relations", `{"cursor":`+quote(first)+`}`, vault.InvalidCursor)
	for _, bad := range []string{"", "x", "AAAA", first[:len(first)-2], "A" + first, strings.Repeat("A", 100<<10), strings.ToLower(first)} {
		h.refused(t, "search_notes", `{"cursor":`+quote(bad)+`}`, vault.InvalidCursor)
	}
	stranger := vault.Caller{Account: "acc_other", Scopes: []vault.Scope{vault.ScopeRead}}
	if _, err := h.CallJSON(t.Context(), stranger, "search_notes", json.RawMessage(`{"cursor":`+quote(first)+`}`)); !errors.Is(err, vault.InvalidCursor) {
		t.Errorf("the cursor of another account: %v, want invalid_cursor", err)
	}
	now = now.Add(25 * time.Hour)
	h.refused(t, "search_notes", `{"cursor":`+quote(first)+`}`, vault.InvalidCursor)
}

func TestTextIsNotEscapedAsHTML(t *testing.T) {
	h := build(t)
	text, err := h.CallJSON(t.Context(), reader, "get_note_content", json.RawMessage(`{"path":"Alpha"}`))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(`Rain & <b>wind</b>`)) {
		t.Errorf("the answer %s does not hold the text as it is", text)
	}
}

// slow is a backend that waits for the end of the call.
type slow struct{ *toolstest.Backend }

func (slow) Vaults(ctx context.Context, _ vault.Caller) ([]tools.VaultRow, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestACallEndsBeforeItsClientGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inv := tools.New(slow{toolstest.New(time.Now)}, nil, []byte("k"), time.Now, slog.New(slog.DiscardHandler))
		start := time.Now()
		_, err := inv.CallJSON(t.Context(), reader, "list_vaults", nil)
		if took := time.Since(start); !errors.Is(err, vault.DeadlineExceeded) || took >= time.Minute || took < 10*time.Second {
			t.Errorf("after %v: %v, want deadline_exceeded within a minute", took, err)
		}
	})
}
