package plan

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/vault"
)

var update = flag.Bool("update", false, "rewrite the expected plans in testdata")

// shelf is a vault in memory. The revision of a note is "r-" and the start of its hash.
type shelf map[vault.Path][]byte

func (s shelf) read(_ context.Context, p vault.Path) (vault.File, error) {
	for stored, body := range s {
		if stored.Key() == p.Key() {
			return vault.File{Entry: vault.Entry{Path: stored, Revision: revision(body)}, Body: body}, nil
		}
	}
	return vault.File{}, vault.Errorf(vault.NotFound, "there is no note at %s", p)
}

// today is the day of every plan here.
var today = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func (s shelf) world() World {
	return World{Read: s.read, Today: today, Links: func(context.Context) (Links, error) { return s.links(), nil }}
}

func revision(body []byte) vault.Revision { return vault.Revision("r-" + Hash(body)[:8]) }

// TestPlans runs testdata/*.txtar: "actions" is JSON in which REV(path) stands for a revision, "vault/…" are the notes before, "plan"
// is what is expected: the steps and what each changed note holds, or the error. In notes, "␍" is a carriage return, "␄" as last
// character takes the final newline away, and "␀" is a NUL.
func TestPlans(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("testdata has %d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			given, want, ok := strings.Cut(string(data), "-- plan --\n")
			if !ok {
				t.Fatal("the file has no plan")
			}
			notes, actions := shelf{}, ""
			for _, section := range strings.Split(given, "\n-- ")[1:] {
				name, text, _ := strings.Cut(section+"\n", " --\n")
				if p, ok := strings.CutPrefix(name, "vault/"); ok {
					notes[vault.Path(p)] = unescape(strings.TrimSuffix(text, "\n"))
				} else {
					actions = text
				}
			}
			for p, body := range notes {
				actions = strings.ReplaceAll(actions, "REV("+string(p)+")", string(revision(body)))
			}
			var list []Action
			d := json.NewDecoder(strings.NewReader(actions))
			d.DisallowUnknownFields()
			if err := d.Decode(&list); err != nil {
				t.Fatal(err)
			}
			p, err := Make(t.Context(), list, notes.world())
			got := show(t, p, err)
			if *update {
				if err := os.WriteFile(file, []byte(given+"-- plan --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("plan (-want +got):\n%s", d)
			}
		})
	}
}

func unescape(text string) []byte {
	s := strings.NewReplacer("␍", "\r", "␄\n", "", "␀", "\x00", "␘", "\xff").Replace(text)
	return []byte(s)
}

func escape(b []byte) string {
	s := string(b)
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "␄\n"
	}
	return strings.NewReplacer("\r", "␍", "\x00", "␀").Replace(s)
}

func show(t *testing.T, p Plan, err error) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err != nil {
		var ve *vault.Error
		if !errors.As(err, &ve) {
			t.Fatalf("Make failed with what is no vault.Error: %v", err)
		}
		if err := e.Encode(map[string]any{"code": ve.Code, "message": ve.Message, "next": ve.Hint, "details": ve.Details}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, s := range p.Steps {
		diff := s.Diff
		s.Diff = ""
		if err := e.Encode(s); err != nil {
			t.Fatal(err)
		}
		b.WriteString(diff)
	}
	for _, c := range p.Changes {
		b.WriteString("== " + string(c.Path))
		if c.Delete {
			b.WriteString(" is deleted")
		}
		if c.Pre().Absent() {
			b.WriteString(" (new)")
		}
		b.WriteString("\n" + escape(c.Body))
	}
	return b.String()
}

func text(s string) *string { return &s }

func TestPlanGoesThroughJSON(t *testing.T) {
	notes := shelf{"a.md": []byte("a\xef\xbb\xbf\r\n"), "b.md": []byte("b\xff")}
	p, err := Make(t.Context(), []Action{
		{Kind: Append, Path: "a.md", Content: text("x")},
		{Kind: Delete, Path: "b.md", ExpectedRevision: revision(notes["b.md"])},
		{Kind: Create, Path: "c.md", Content: text(""), Properties: map[string]any{"k": "v"}},
	}, World{Read: notes.read})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var back Plan
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p, back); d != "" {
		t.Errorf("the plan changed on its way (-before +after):\n%s", d)
	}
}

func TestMakeBounds(t *testing.T) {
	many := make([]Action, MaxActions+1)
	for i := range many {
		many[i] = Action{Kind: Append, Path: "a.md", Content: text("x")}
	}
	notes := shelf{"a.md": []byte("a\n")}
	if _, err := Make(t.Context(), many, World{Read: notes.read}); !errors.Is(err, vault.TooManyActions) {
		t.Errorf("%d actions: %v, want %v", len(many), err, vault.TooManyActions)
	}
	p, err := Make(t.Context(), many[:MaxActions], World{Read: notes.read})
	if err != nil || len(p.Steps) != MaxActions || len(p.Changes) != 1 || len(p.Changes[0].Body) != 2+2*MaxActions {
		t.Errorf("%d actions: %v, %d steps, %d changes", MaxActions, err, len(p.Steps), len(p.Changes))
	}
	if _, err := Make(t.Context(), nil, World{Read: notes.read}); !errors.Is(err, vault.InvalidArgument) {
		t.Errorf("no actions: %v, want %v", err, vault.InvalidArgument)
	}
	large := strings.Repeat("x", MaxNote)
	if _, err := Make(t.Context(), []Action{{Kind: Create, Path: "b.md", Content: text(large + "x")}}, World{Read: notes.read}); !errors.Is(err, vault.NoteTooLarge) {
		t.Errorf("a large note: %v, want %v", err, vault.NoteTooLarge)
	}
	if _, err := Make(t.Context(), []Action{{Kind: Create, Path: "b.md", Content: &large}}, World{Read: notes.read}); err != nil {
		t.Errorf("a note of the most bytes: %v", err)
	}
}

func TestMakeReturnsWhatReadFailsWith(t *testing.T) {
	broken := errors.New("the disk is gone")
	_, err := Make(t.Context(), []Action{{Kind: Append, Path: "a.md", Content: text("x")}},
		World{Read: func(context.Context, vault.Path) (vault.File, error) { return vault.File{}, broken }})
	if !errors.Is(err, broken) {
		t.Errorf("Make = %v, want %v", err, broken)
	}
}

func TestChangeLanded(t *testing.T) {
	write, gone := Change{Body: []byte("x")}, Change{Delete: true}
	file := func(s string) *vault.File { return &vault.File{Body: []byte(s)} }
	for _, tt := range []struct {
		c    Change
		f    *vault.File
		want bool
	}{{write, file("x"), true}, {write, file("y"), false}, {write, nil, false}, {gone, nil, true}, {gone, file("x"), false}} {
		if got := tt.c.Landed(tt.f); got != tt.want {
			t.Errorf("Landed(%+v, %+v) = %v", tt.c, tt.f, got)
		}
	}
}
