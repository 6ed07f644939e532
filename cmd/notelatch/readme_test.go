package main

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// block is a fenced block of README.md.
type block struct {
	lang  string
	line  int // of its first line in the file
	lines []string
}

func readme(tb testing.TB) string {
	tb.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// readmeBlocks are the fenced blocks of README.md, in order.
func readmeBlocks(tb testing.TB) []block {
	tb.Helper()
	var out []block
	var open *block
	for i, line := range strings.Split(readme(tb), "\n") {
		lang, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &block{lang: lang, line: i + 2}
		case fence:
			out, open = append(out, *open), nil
		case open != nil:
			open.lines = append(open.lines, line)
		}
	}
	if open != nil {
		tb.Fatalf("README.md:%d: the block has no end", open.line)
	}
	return out
}

// readmeBlock is the only block of a language.
func readmeBlock(tb testing.TB, lang string) block {
	tb.Helper()
	var found []block
	for _, b := range readmeBlocks(tb) {
		if b.lang == lang {
			found = append(found, b)
		}
	}
	if len(found) != 1 {
		tb.Fatalf("README.md has %d blocks of %s, want 1", len(found), lang)
	}
	return found[0]
}

// A turn is a call of the session in README.md and what it shows of the answer.
type turn struct {
	line       int
	tool, args string
	shown      []string
}

func readmeTurns(tb testing.TB) []turn {
	tb.Helper()
	b := readmeBlock(tb, "session")
	var out []turn
	answering := false
	for i, line := range b.lines {
		who, rest, _ := strings.Cut(line, " ")
		switch {
		case who == "you":
			answering = false
		case who == "agent":
			tool, args, _ := strings.Cut(strings.TrimSpace(rest), " ")
			out = append(out, turn{line: b.line + i, tool: tool, args: args})
			answering = true
		case answering:
			last := &out[len(out)-1]
			last.shown = append(last.shown, strings.TrimPrefix(line, "       "))
		case line != "":
			tb.Errorf("README.md:%d: nobody says %q", b.line+i, line)
		}
	}
	return out
}

var placeholder = regexp.MustCompile(`\$(\w+)`)

// TestReadmeSession holds the session that leads README.md with the program, and looks for what it shows.
func TestReadmeSession(t *testing.T) {
	h := newHome(t)
	s := h.start("--demo")
	defer s.stop()
	turns := readmeTurns(t)
	if len(turns) < 3 {
		t.Fatalf("README.md shows %d calls, want a question, a preview and an apply", len(turns))
	}
	var last reply
	var args string
	for _, turn := range turns {
		args = placeholder.ReplaceAllStringFunc(turn.args, func(name string) string {
			return last.next(t, name[1:])
		})
		last = s.must(turn.tool, json.RawMessage(args))
		turn.check(t, last)
	}
	if again := s.must(turns[len(turns)-1].tool, json.RawMessage(args)); !strings.Contains(again.Text, `"replayed":true`) {
		t.Errorf("the last call again = %s; README.md says that it changes nothing and says so", again)
	}
}

// next is an argument of the call that an answer proposes.
func (r reply) next(tb testing.TB, name string) string {
	tb.Helper()
	var a struct {
		Next struct{ Arguments map[string]any }
	}
	if err := json.Unmarshal([]byte(r.Text), &a); err != nil {
		tb.Fatal(err)
	}
	v, ok := a.Next.Arguments[name].(string)
	if !ok {
		tb.Fatalf("the answer proposes no %s: %s", name, r.Text)
	}
	return v
}

// check compares what README.md shows with the answer. A diff is shown whole, of a search all results, anything else where it comes.
func (tu turn) check(tb testing.TB, r reply) {
	tb.Helper()
	var a struct {
		Results []struct {
			Path     string
			Snippets []struct{ Text string }
		}
		Actions []struct{ Diff string }
	}
	if err := json.Unmarshal([]byte(r.Text), &a); err != nil {
		tb.Fatal(err)
	}
	shown := tu.shown
	for len(shown) > 0 && shown[len(shown)-1] == "" {
		shown = shown[:len(shown)-1]
	}
	if len(shown) == 0 {
		tb.Errorf("README.md:%d: nothing of the answer is shown", tu.line)
	}
	if at := slices.IndexFunc(shown, func(l string) bool { return strings.HasPrefix(l, "@@") }); at >= 0 {
		var diff []string
		for _, action := range a.Actions {
			for line := range strings.Lines(action.Diff) {
				diff = append(diff, strings.TrimRight(line, " \n"))
			}
		}
		if d := cmp.Diff(diff, shown[at:]); d != "" {
			tb.Errorf("README.md:%d shows another diff (-true +shown):\n%s", tu.line, d)
		}
		shown = shown[:at]
	}
	results := 0
	for _, line := range shown {
		path, text, found := strings.Cut(line, "   ")
		if !found {
			if !strings.Contains(r.Text, line) {
				tb.Errorf("README.md:%d: %q is not in the answer %s", tu.line, line, r.Text)
			}
			continue
		}
		if results >= len(a.Results) || a.Results[results].Path != path || len(a.Results[results].Snippets) == 0 ||
			!strings.Contains(a.Results[results].Snippets[0].Text, text) {
			tb.Errorf("README.md:%d: result %d is not %q with %q: %s", tu.line, results, path, text, r.Text)
		}
		results++
	}
	if results != len(a.Results) {
		tb.Errorf("README.md:%d shows %d results of %d", tu.line, results, len(a.Results))
	}
}

// TestReadmeSettings compares the table of settings with the program's own.
func TestReadmeSettings(t *testing.T) {
	var want []string
	for _, s := range settings {
		row := "| `--" + s.flag + "` | "
		if s.env != "" {
			row += "`" + s.env + "` "
		}
		row += "| "
		if s.key != "" {
			row += "`" + s.key + "` "
		}
		want = append(want, row+"|")
	}
	var got []string
	for line := range strings.Lines(readme(t)) {
		if strings.HasPrefix(line, "| `--") {
			got = append(got, strings.TrimSuffix(line, "\n"))
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("README.md and settings in config.go differ (-settings +README.md):\n%s", d)
	}
}

// TestReadmeBanner compares the lines that connect clients with those that every start prints.
func TestReadmeBanner(t *testing.T) {
	var printed strings.Builder
	if err := (banner{Endpoint: "http://127.0.0.1:8787/api/mcp", Origin: "http://127.0.0.1:8787", Command: "notelatch"}).print(&printed); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(printed.String()) {
		lines = append(lines, strings.TrimSpace(line))
	}
	clients := 0
	for _, b := range readmeBlocks(t) {
		for i, line := range b.lines {
			words := strings.Fields(line)
			toml := b.lang == "toml" && len(words) > 0 && !strings.HasPrefix(line, "url") && !strings.HasPrefix(line, "bearer")
			if !toml && (b.lang != "sh" || !slices.Contains([]string{"export", "curl", "codex", "claude", "gemini"}, words[0])) {
				continue
			}
			clients++
			line, _, _ = strings.Cut(line, "   ")
			if line == "[mcp_servers.notes]" {
				line = "then, in ~/.codex/config.toml, add below the line " + line
			}
			if !slices.ContainsFunc(lines, func(l string) bool { return l == line || strings.HasPrefix(l, line+", ") }) {
				t.Errorf("README.md:%d: no start prints %q; it prints:\n%s", b.line+i, line, printed.String())
			}
		}
	}
	if clients < 9 {
		t.Errorf("README.md has %d lines that connect clients, want the token, the check, three clients and four lines for Codex", clients)
	}
}
