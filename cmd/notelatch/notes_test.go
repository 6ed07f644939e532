//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// badNote is a file that something is wrong with, as a vault may hold it.
type badNote struct {
	name    string
	body    string
	make    func(name string) error // instead of body
	listed  string                  // the path in answers; "" if it is name, "-" if it is not listed
	problem string                  // its code; "" for none
	word    string                  // by which the note is found; "" if it is not read
	code    string                  // of the answer to reading it; "" if it can be read
}

var badNotes = []badNote{
	{name: "Good.md", body: "# Good\n\nkestrel\n", word: "kestrel"},
	{name: "Yaml.md", body: "---\ntags: [a\nx: : y\n---\n# Yaml\n\nheron\n", problem: "frontmatter_invalid", word: "heron"},
	{name: "Nul.md", body: "# Nul\n\nfalcon \x00 here\n", problem: "nul_bytes", word: "falcon"},
	{name: "Latin.md", body: "# Latin\n\ncaf\xe9 osprey\n", problem: "invalid_utf8", word: "osprey"},
	{name: "Wide.md", body: "\xff\xfe#\x00 \x00W\x00\n\x00", problem: "nul_bytes"},
	{name: "Five.md", body: "# Five\n\nharrier\n" + strings.Repeat("a word and another\n", 5<<20/19), problem: "indexed_partly", word: "harrier"},
	{name: "Seventeen.md", body: strings.Repeat("a word and another\n", 17<<20/19), problem: "too_large", code: "note_too_large"},
	{name: "Cafe\u0301.md", body: "# Drink\n\nmerlin\n", problem: "name_not_nfc", word: "merlin"},
	{name: "Crlf.md", body: "# Crlf\r\n\r\nhobby\r\n", word: "hobby"},
	{name: "Bom.md", body: "\ufeff# Bom\n\nkite\n", word: "kite"},
	{name: "Empty.md"},
	{name: strings.Repeat("n", 252) + ".md", body: "# Long\n\neagle\n", word: "eagle"},
	{name: "odd\xff.md", body: "goshawk\n", listed: "odd\uFFFD~bd1e0a.md", problem: "unreadable", code: "unsupported_here"},
	{name: "two\nlines.md", body: "goshawk\n", listed: "two\uFFFDlines~6d4efd.md", problem: "unreadable", code: "unsupported_here"},
	{name: "Pipe.md", make: func(name string) error { return syscall.Mkfifo(name, 0o644) }, problem: "unreadable", code: "unsupported_here"},
	{name: "Socket.md", make: listenOn, problem: "unreadable", code: "unsupported_here"},
	{name: "Outside.md", make: linkTo("../outside/secret.md"), problem: "unreadable", code: "unsupported_here"},
	{name: "Outside", make: linkTo("../outside"), listed: "-"},
	{name: "Loop.md", make: linkTo("Loop.md"), problem: "unreadable", code: "unsupported_here"},
	{name: "Folder.md", make: func(name string) error { return os.Mkdir(name, 0o755) }, listed: "-", code: "not_found"},
}

func linkTo(target string) func(string) error {
	return func(name string) error { return os.Symlink(target, name) }
}

// listenOn leaves a socket behind. Its path may have only 108 bytes, so that it is made by the name of the descriptor of its folder.
func listenOn(name string) error {
	dir, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(name))})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return l.Close()
}

// A vault that holds notes of every bad kind opens. Each is listed with what is wrong with it, and all others work.
func TestBadNotesKeepNoOtherFromWorking(t *testing.T) {
	h := newHome(t)
	above := t.TempDir()
	dir := filepath.Join(above, "notes")
	for _, d := range []string{"notes", "outside"} {
		if err := os.Mkdir(filepath.Join(above, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(above, "outside", "secret.md"), []byte("canary\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, n := range badNotes {
		name := filepath.Join(dir, n.name)
		var err error
		if n.make != nil {
			err = n.make(name)
		} else {
			err = os.WriteFile(name, []byte(n.body), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s := h.start("--vault", dir, "--allow-writes")
	eventually(t, "the index is ready", func() bool { return strings.Contains(s.must("list_vaults", struct{}{}).Text, `"state":"ready"`) })

	problems := s.problems(map[string]any{"query": "has:problem", "limit": 50})
	listed := s.problems(map[string]any{"sort": "path", "limit": 50})
	for _, n := range badNotes {
		path := n.name
		if n.listed != "" {
			path = n.listed
		}
		t.Run(fmt.Sprintf("%.20q", n.name), func(t *testing.T) {
			if path == "-" {
				path = n.name
				if _, ok := listed[path]; ok {
					t.Error("it is listed as a note")
				}
			} else if got, ok := listed[path]; !ok {
				t.Errorf("it is not listed as %q among %q", path, listed)
			} else if n.problem != "" && (!slices.Contains(got, n.problem) || !slices.Contains(problems[path], n.problem)) {
				t.Errorf("problems %q, and %q by has:problem, want %s", got, problems[path], n.problem)
			} else if n.problem == "" && (len(got) > 0 || len(problems[path]) > 0) {
				t.Errorf("problems %q, want none", got)
			}
			if n.word != "" {
				if r := s.problems(map[string]any{"query": n.word}); len(r) != 1 {
					t.Errorf("%q finds %q, want this note", n.word, r)
				}
			}
			s.reads(t, path, n)
		})
	}
	if r := s.problems(map[string]any{"query": "canary"}); len(r) > 0 {
		t.Errorf("what a link leads to is found: %q", r)
	}
	s.stop()
}

// problems are the codes of what is wrong with each note that is found.
func (s *server) problems(search map[string]any) map[string][]string {
	s.tb.Helper()
	out := make(map[string][]string)
	for {
		r := s.must("search_notes", search)
		var page struct {
			Results []struct {
				Path     string
				Problems []string
			}
			NextCursor string
		}
		if err := json.Unmarshal([]byte(r.Text), &page); err != nil {
			s.tb.Fatal(err)
		}
		for _, n := range page.Results {
			out[n.Path] = n.Problems
		}
		if page.NextCursor == "" {
			return out
		}
		search = map[string]any{"cursor": page.NextCursor}
	}
}

func (s *server) reads(t *testing.T, path string, n badNote) {
	t.Helper()
	r, err := s.call("get_note_content", map[string]any{"path": path, "maxBytes": 1000})
	if err != nil {
		t.Fatal(err)
	}
	if n.code != "" {
		if r.Code != n.code {
			t.Errorf("reading it = %v, want %s", r, n.code)
		}
		return
	}
	if n.listed == "-" {
		return
	}
	var got struct {
		Content  string
		Problems []struct{ Code, Message string }
	}
	if r.Error || json.Unmarshal([]byte(r.Text), &got) != nil {
		t.Fatalf("reading it = %v", r)
	}
	if n.problem == "" || n.problem == "name_not_nfc" {
		if got.Content != n.body {
			t.Errorf("content %q, want %q", got.Content, n.body)
		}
	}
	if n.problem == "" {
		return
	}
	for _, p := range got.Problems {
		if p.Code == n.problem && p.Message != "" {
			return
		}
	}
	t.Errorf("problems %v, want %s", got.Problems, n.problem)
}

// What is appended to a note takes on its line endings and leaves every other byte as it was; where bytes cannot be kept, it is refused.
func TestAppendKeepsTheBytesOfOddNotes(t *testing.T) {
	h := newHome(t)
	dir := t.TempDir()
	s := h.start("--vault", dir, "--allow-writes")
	for i, c := range []struct{ name, body, want, code string }{
		{name: "Plain.md", body: "# A\n\ntext\n", want: "# A\n\ntext\n- one\n- two\n"},
		{name: "No end.md", body: "# A\n\ntext", want: "# A\n\ntext\n- one\n- two"},
		{name: "Crlf.md", body: "# A\r\n\r\ntext\r\n", want: "# A\r\n\r\ntext\r\n- one\r\n- two\r\n"},
		{name: "Bom.md", body: "\ufeff# A\n", want: "\ufeff# A\n- one\n- two\n"},
		{name: "Bom crlf.md", body: "\ufeff# A\r\n", want: "\ufeff# A\r\n- one\r\n- two\r\n"},
		{name: "Cafe\u0301.md", body: "x\n", want: "x\n- one\n- two\n"},
		{name: "Yaml.md", body: "---\na: [b\n---\nx\n", want: "---\na: [b\n---\nx\n- one\n- two\n"},
		{name: "Empty.md", want: "- one\n- two\n"},
		{name: "Nul.md", body: "a\x00b\n", code: "unsupported_encoding"},
		{name: "Latin.md", body: "caf\xe9\n", code: "unsupported_encoding"},
		{name: "Big.md", body: strings.Repeat("0123456\n", 1<<17), code: "note_too_large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := filepath.Join(dir, c.name)
			if err := os.WriteFile(name, []byte(c.body), 0o644); err != nil {
				t.Fatal(err)
			}
			r, err := s.call("create_or_append_note", map[string]any{
				"path": c.name, "content": "- one\n- two", "mode": "append", "dryRun": false, "idempotencyKey": fmt.Sprintf("key-%08d", i),
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.Code != c.code || c.code == "" && r.field("status") != "applied" {
				t.Fatalf("append = %v, want the code %q", r, c.code)
			}
			want := c.want
			if c.code != "" {
				want = c.body
			}
			if body, err := os.ReadFile(name); err != nil || string(body) != want {
				t.Errorf("the note is %.100q, %v; want %.100q", body, err, want)
			}
		})
	}
	s.stop()
}
