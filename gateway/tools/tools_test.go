package tools_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/gateway/tools/toolstest"
	"github.com/notelatch/notelatch/vault"
)

// noon is the time at which every test takes place.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

// house is an inventory over a vault of a few notes.
type house struct {
	*tools.Inventory
	backend *toolstest.Backend
	notes   *toolstest.Vault
}

var somenotes = map[string]string{
	"Projects/Alpha.md": "---\nstatus: open\ntags: [project]\naliases: [First]\n---\n# Alpha\n\nThe alpha project needs a budget.\n\n## Plan\n\nStart in spring, see [[Beta]].\n\n### Risks\n\nRain & <b>wind</b>.\n\n## Log\n\n- began\n",
	"Projects/Beta.md":  "# Beta\n\nBeta follows [[Alpha]]. owner:: [[Missing]]\n",
	"Inbox.md":          "see [[Alpha]] first, then [[Nowhere]]\n",
	"Lonely.md":         "Nothing links here.\n",
	"pic.png":           "\x89PNG....",
	"Locked.md":         "-----BEGIN AGE ENCRYPTED FILE-----\nYWdlLWVuY3J5cHRpb24ub3JnL3YxCg==\n-----END AGE ENCRYPTED FILE-----\n",
	"Broken.md":         "---\na: [\n---\nHello \x00 world \xff end\n",
}

func build(tb testing.TB) house {
	tb.Helper()
	return buildWith(tb, "apply")
}

func buildWith(tb testing.TB, access string) house {
	tb.Helper()
	b := toolstest.New(clock)
	v := b.Add("Notes", access, somenotes)
	return house{tools.New(b, nil, []byte("a key for cursors"), clock, slog.New(slog.DiscardHandler)), b, v}
}

var (
	reader = toolstest.Caller(vault.ScopeRead)
	writer = toolstest.Caller(vault.ScopeWrite)
)

// answer calls a tool as a writer and returns its answer.
func (h house) answer(tb testing.TB, tool, args string) map[string]any {
	tb.Helper()
	text, err := h.CallJSON(tb.Context(), writer, tool, json.RawMessage(args))
	if err != nil {
		tb.Fatalf("%s %.200s: %v", tool, args, err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		tb.Fatalf("%s %.200s answered no JSON object: %v", tool, args, err)
	}
	return m
}

// refused calls a tool as a writer and returns the error, which must have the code.
func (h house) refused(tb testing.TB, tool, args string, code vault.Code) *vault.Error {
	tb.Helper()
	text, err := h.CallJSON(tb.Context(), writer, tool, json.RawMessage(args))
	if err == nil {
		tb.Fatalf("%s %.200s = %.300s, want the error %s", tool, args, text, code)
	}
	e, ok := err.(*vault.Error)
	if !ok || e.Code != code {
		tb.Fatalf("%s %.200s: %v, want the error %s", tool, args, err, code)
	}
	if e.Hint == "" {
		tb.Errorf("%s %.200s: %v says nothing about what to do next", tool, args, err)
	}
	return e
}

// at follows a path such as "results.0.path" through decoded JSON.
func at(tb testing.TB, v any, path string) any {
	tb.Helper()
	for part := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[part]
		case []any:
			i := int(part[0] - '0')
			if i >= len(x) {
				tb.Fatalf("%s: there are %d items", path, len(x))
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
