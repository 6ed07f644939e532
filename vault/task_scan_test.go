package vault_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

// TestTasksAgreeWithObsidian compares the list items that Obsidian takes for tasks, their status and line.
func TestTasksAgreeWithObsidian(t *testing.T) {
	fsys := vaulttest.Corpus(t)
	files, err := fs.Glob(fsys, "obsidian-oracle/*.json")
	if err != nil || len(files) != 89 {
		t.Fatalf("the oracle has %d files, %v; want 89", len(files), err)
	}
	total := 0
	for _, file := range files {
		body, err := fs.ReadFile(fsys, file)
		if err != nil {
			t.Fatal(err)
		}
		var cache struct {
			FileContents   string
			CachedMetadata struct {
				ListItems []struct {
					Task     *string
					Position position
				}
				Sections []struct {
					Type     string
					Position position
				}
			}
		}
		if err := json.Unmarshal(body, &cache); err != nil {
			t.Fatal(err)
		}
		n := vault.Parse("a.md", []byte(cache.FileContents))
		var want, got []string
		for _, item := range cache.CachedMetadata.ListItems {
			if item.Task != nil {
				want = append(want, fmt.Sprintf("%d [%s]", item.Position.Start.Line+1, *item.Task))
			}
		}
		for _, task := range n.Tasks {
			got = append(got, fmt.Sprintf("%d [%c]", task.Line, task.Status))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: tasks (-obsidian +got):\n%s", file, d)
		}
		total += len(want)
		for _, s := range cache.CachedMetadata.Sections {
			if s.Type != "callout" {
				continue
			}
			found := false
			for _, c := range n.Callouts {
				end := 1 + strings.Count(cache.FileContents[:c.End], "\n")
				found = found || c.Line == s.Position.Start.Line+1 && end == s.Position.End.Line+1
			}
			if !found {
				t.Errorf("%s: no callout in lines %d to %d, but %+v", file, s.Position.Start.Line+1, s.Position.End.Line+1, n.Callouts)
			}
		}
	}
	if total < 200 {
		t.Errorf("the oracle has %d tasks", total)
	}
}

func TestTasksOfTheCorpus(t *testing.T) {
	seen := map[string]int{}
	for _, f := range vaulttest.Notes(t, vaulttest.Corpus(t), "tasks-demo") {
		for _, task := range vault.Parse(vault.Path(f.Path), f.Body).Tasks {
			if line := strings.TrimRight(string(f.Body[task.Start:task.End]), "\r"); task.String() != line {
				t.Errorf("%s: the task is put together as %q, and stands as %q", f.Path, task.String(), line)
			}
			d := task.Details()
			for name, has := range map[string]bool{
				"tasks": true, "due": d.Due != "", "scheduled": d.Scheduled != "", "start": d.Start != "", "created": d.Created != "", "done": d.Done != "",
				"cancelled": d.Cancelled != "", "priority": d.Priority != "", "recurrence": d.Recurrence != "", "id": d.ID != "", "depends": d.DependsOn != nil,
				"fields": d.Fields != nil, "other status": task.Status != ' ' && task.Status != 'x',
			} {
				if has {
					seen[name]++
				}
			}
		}
	}
	for _, name := range []string{"tasks", "due", "scheduled", "start", "created", "done", "cancelled", "priority", "recurrence", "id", "depends", "fields", "other status"} {
		if seen[name] == 0 {
			t.Errorf("no task of the corpus has %s", name)
		}
	}
	t.Logf("%v", seen)
}

func TestTaskDetails(t *testing.T) {
	for text, want := range map[string]vault.TaskDetails{
		"Water the garden #home 🔼 🔁 every week ➕ 2026-01-01 🛫 2026-01-02 ⏳ 2026-01-03 📅 2026-01-04 ✅ 2026-01-05 ❌ 2026-01-06 🏁 delete 🆔 abc ⛔ d1,d2": {
			Description: "Water the garden #home", Priority: "medium", Recurrence: "every week", Created: "2026-01-01", Start: "2026-01-02", Scheduled: "2026-01-03",
			Due: "2026-01-04", Done: "2026-01-05", Cancelled: "2026-01-06", OnCompletion: "delete", ID: "abc", DependsOn: []string{"d1", "d2"}},
		"Call [due:: 2026-02-03] back [priority:: High] (with:: [[Ann]])": {Description: "Call back (with:: [[Ann]])", Due: "2026-02-03", Priority: "high",
			Fields: []vault.InlineField{{"due", "2026-02-03", 5, 23}, {"priority", "High", 29, 46}, {"with", "[[Ann]]", 47, 63}}},
		"Plain":              {Description: "Plain"},
		"Bad 📅 2026-99-99 ⏫": {Description: "Bad", Priority: "high"},
		"🔺":                  {Priority: "highest"},
	} {
		n := vault.Parse("a.md", []byte("- [ ] "+text+" ^id-1\n"))
		if len(n.Tasks) != 1 || n.Tasks[0].Text != text {
			t.Fatalf("%q: %+v", text, n.Tasks)
		}
		if d := cmp.Diff(want, n.Tasks[0].Details()); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
	}
}

func TestWhatIsATask(t *testing.T) {
	for text, want := range map[string]string{
		"- [ ] a": " ", "* [x] a": "x", "1. [/] a": "/", "+ [✓] a": "✓", "> - [ ] a": " ", "- - [ ] a": " ", "\t- [ ] code": "", "- [ ]": " ", "- [] a": "", "- [ab] c": "",
		"- [x]y": "", "[ ] a": "", "```\n- [ ] a\n```": "", "<!--\n- [ ] a\n-->": "", "%%\n- [ ] a\n%%\n- [x] b": "x", "%% c %%\n\n- [ ] a": " ", "- a\n    - [ ] b\n\n      [x] c": " ", "- [ ] a\r\n- [-] b\r\n": " -", "- [ ](b) c": "",
	} {
		got := ""
		for _, task := range vault.Parse("a.md", []byte(text)).Tasks {
			got += string(task.Status)
		}
		if got != want {
			t.Errorf("%q holds the tasks %q, want %q", text, got, want)
		}
	}
}

func TestInlineFields(t *testing.T) {
	for line, want := range map[string][]vault.InlineField{
		"key:: value":                 {{"key", "value", 0, 11}},
		"**Odd key**:: v ":            {{"Odd key", "v", 0, 15}},
		"a [k:: v] b (l:: [w] (x)) c": {{"k", "v", 2, 9}, {"l", "[w] (x)", 12, 25}},
		"no field: here":              nil,
		"std::vector<int>":            {{"std", "vector<int>", 0, 16}},
		"`a`:: b":                     nil,
		"::":                          nil,
		"[k:: open":                   nil,
	} {
		if d := cmp.Diff(want, vault.InlineFields(line)); d != "" {
			t.Errorf("%q (-want +got):\n%s", line, d)
		}
	}
}

func TestCalloutsAndFootnotes(t *testing.T) {
	const text = "> [!Note|wide]- A *title*\n> text\n> > [!tip]\n> > inner\n> end\nlazy\n\n> no callout\n> [!note] late\n\n- > [!todo]+\n  > in a list\n\n> [!]\n\n> [!x\n" +
		"\nText[^1] and [^two], `[^1]`, [^no space] and ^[in *place*].\n\n[^1]: First [^two].\n    more\n[^two]:Second\n"
	n := vault.Parse("a.md", []byte(text))
	var got []string
	for _, c := range n.Callouts {
		got = append(got, fmt.Sprintf("%s %q %q line %d %q", c.Type, c.Title, string(c.Fold), c.Line, text[c.Start:c.End]))
	}
	if d := cmp.Diff([]string{
		`note "A *title*" "-" line 1 "> [!Note|wide]- A *title*\n> text\n> > [!tip]\n> > inner\n> end"`,
		`tip "" "\x00" line 3 "> > [!tip]\n> > inner"`, `todo "" "+" line 11 "- > [!todo]+\n  > in a list"`}, got); d != "" {
		t.Errorf("callouts (-want +got):\n%s", d)
	}
	got = nil
	for _, f := range n.Footnotes {
		got = append(got, fmt.Sprintf("%s %t line %d %q", f.ID, f.Definition, f.Line, text[f.Start:f.End]))
	}
	if d := cmp.Diff([]string{`1 false line 18 "[^1]"`, `two false line 18 "[^two]"`, ` false line 18 "^[in *place*]"`, `1 true line 20 "[^1]: First [^two].\n    more"`, `two false line 20 "[^two]"`, `two true line 22 "[^two]:Second"`}, got); d != "" {
		t.Errorf("footnotes (-want +got):\n%s", d)
	}
}
