package mcphttp_test

import (
	"bufio"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata/*.txtar")

// TestConversations holds the fixture to testdata/*.txtar. Each file is a set of requests with their whole answers. A
// request is a line "METHOD path", headers, an empty line and the body; the headers that every client sends are added
// unless they are given, and "Name: -" leaves one out.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			comment, sections := parseTxtar(string(archive))
			h := newFixture().handler(t)
			var rewritten []section
			for i, s := range sections {
				name, ok := strings.CutSuffix(s.name, " ?")
				if !ok {
					continue
				}
				got := show(serve(h, parseRequest(t, s.text)))
				rewritten = append(rewritten, s, section{name + " !", got})
				if *update {
					continue
				}
				want := ""
				if i+1 < len(sections) && sections[i+1].name == name+" !" {
					want = sections[i+1].text
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(file, []byte(formatTxtar(comment, rewritten)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func parseRequest(t *testing.T, text string) *http.Request {
	t.Helper()
	head, body, _ := strings.Cut(text, "\n\n")
	lines := bufio.NewScanner(strings.NewReader(head))
	if !lines.Scan() {
		t.Fatalf("an empty request")
	}
	method, path, ok := strings.Cut(lines.Text(), " ")
	if !ok {
		t.Fatalf("a request begins with METHOD path, not %q", lines.Text())
	}
	r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(strings.TrimSuffix(body, "\n")))
	h := http.Header{"Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer alice-token"}}
	if method == http.MethodPost {
		h.Set("Content-Type", "application/json")
	}
	given := http.Header{}
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), ":")
		if !ok {
			t.Fatalf("no header: %q", lines.Text())
		}
		value = strings.TrimSpace(value)
		switch {
		case name == "Host":
			r.Host = value
		case value == "-":
			h.Del(name)
		default:
			given.Add(name, value)
		}
	}
	maps.Copy(h, given)
	r.Header = h
	return r
}

// show writes a response with its headers in order, so that one that appears or goes is seen.
func show(w *httptest.ResponseRecorder) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d\n", w.Code)
	for _, name := range slices.Sorted(maps.Keys(w.Header())) {
		if name != "Content-Length" {
			fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(w.Header()[name], " | "))
		}
	}
	if w.Body.Len() > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimRight(w.Body.String(), "\n"))
	}
	return b.String()
}
