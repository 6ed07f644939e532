// Package mcphttptest holds endpoints of mcphttp to conversations that are written down, and to the official conformance
// suite. It is for tests.
package mcphttptest

import (
	"bufio"
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

// Conversations holds a handler to the txtar files that glob finds. A file is one conversation, with a handler of its
// own: sections named "… ? --" are requests, and the one behind each, "… ! --", is the whole answer. A request is a line
// "METHOD path", headers, an empty line and the body. The headers in common are added unless they are given; "Name: -"
// leaves one out. With update set, the answers are rewritten instead.
func Conversations(t *testing.T, glob string, common http.Header, update bool, open func(t *testing.T) http.Handler) {
	t.Helper()
	files, err := filepath.Glob(glob)
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations match %s: %v", glob, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			comment, sections := parse(string(archive))
			h := open(t)
			var rewritten []section
			for i, s := range sections {
				name, ok := strings.CutSuffix(s.name, " ?")
				if !ok {
					continue
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, request(t, s.text, common))
				got := show(w)
				rewritten = append(rewritten, s, section{name + " !", got})
				if update {
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
			if update {
				if err := os.WriteFile(file, []byte(format(comment, rewritten)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func request(t *testing.T, text string, common http.Header) *http.Request {
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
	h, given := common.Clone(), http.Header{}
	if method == http.MethodPost {
		h.Set("Content-Type", "application/json")
	}
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

// A section is one file of a txtar archive.
type section struct{ name, text string }

// parse splits an archive into the comment above the first section, and the sections.
func parse(archive string) (comment string, sections []section) {
	text := &comment
	for line := range strings.Lines(archive) {
		name, begins := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
		name, ends := strings.CutSuffix(name, " --")
		if begins && ends {
			sections = append(sections, section{name: name})
			text = &sections[len(sections)-1].text
			continue
		}
		*text += line
	}
	return comment, sections
}

func format(comment string, sections []section) string {
	var b strings.Builder
	b.WriteString(comment)
	for _, s := range sections {
		b.WriteString("-- " + s.name + " --\n" + s.text)
	}
	return b.String()
}
