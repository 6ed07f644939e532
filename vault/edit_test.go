package vault

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestAppend(t *testing.T) {
	tests := []struct {
		name, note, text string
		at               Place
		want             string
	}{
		{"goes to the end, on a new line", "a\n", "b", Place{}, "a\nb\n"},
		{"adds no blank line for a text that ends with one", "a\n", "b\n", Place{}, "a\nb\n"},
		{"keeps the habit of no final newline", "a", "b\n", Place{}, "a\nb"},
		{"keeps blank lines that the text has", "a\n", "\nb\n\n", Place{}, "a\n\nb\n\n"},
		{"takes on carriage returns", "a\r\nb\r\n", "c\nd", Place{}, "a\r\nb\r\nc\r\nd\r\n"},
		{"takes off carriage returns", "a\nb\n", "c\r\nd\r\n", Place{}, "a\nb\nc\nd\n"},
		{"fills an empty note", "", "b", Place{}, "b\n"},
		{"fills a note that is a byte order mark", "\ufeff", "b", Place{}, "\ufeffb\n"},
		{"keeps the byte order mark at the start", "\ufeffa\n", "b", Place{Start: true}, "\ufeffb\na\n"},
		{"starts the body after the frontmatter", "---\nk: 1\n---\na\n", "b", Place{Start: true}, "---\nk: 1\n---\nb\na\n"},
		{"starts the body of a note that ends with its frontmatter", "---\nk: 1\n---", "b", Place{Start: true}, "---\nk: 1\n---\nb"},
		{"does nothing with an empty text", "a", "", Place{}, "a"},
		{"ends a section before the blank lines of the next", "# A\nx\n\n# B\ny\n", "z", Place{Heading: "A"}, "# A\nx\nz\n\n# B\ny\n"},
		{"takes the sections below as part of a section", "# A\n## C\nx\n# B\n", "z", Place{Heading: "A"}, "# A\n## C\nx\nz\n# B\n"},
		{"fills an empty section", "# A\n\n# B\n", "z", Place{Heading: "a"}, "# A\nz\n\n# B\n"},
		{"starts a section below its heading", "# A\n\nx\n", "z", Place{Heading: "A", Start: true}, "# A\nz\n\nx\n"},
		{"ends the last section of a note without a final newline", "# A\nx", "z", Place{Heading: "A"}, "# A\nx\nz"},
		{"fills a section that ends with its heading", "# A", "z", Place{Heading: "A"}, "# A\nz"},
		{"finds a nested heading", "# P\n## R\n1\n# Q\n## R\n2\n", "z", Place{Heading: "q > r"}, "# P\n## R\n1\n# Q\n## R\n2\nz\n"},
		{"prefers the heading written to the letter", "# log\n1\n# Log\n2\n", "z", Place{Heading: "Log"}, "# log\n1\n# Log\n2\nz\n"},
		{"passes over a heading in a code block", "```\n# A\n```\n# A\nx\n", "z", Place{Heading: "A"}, "```\n# A\n```\n# A\nx\nz\n"},
		{"comes after a code block that ends the section", "# A\n```\nx\n```\n\n# B\n", "z", Place{Heading: "A"}, "# A\n```\nx\n```\nz\n\n# B\n"},
		{"takes an underlined heading", "A\n===\nx\n\nB\n===\n", "z", Place{Heading: "A"}, "A\n===\nx\nz\n\nB\n===\n"},
		{"may end with an open block when nothing follows", "a\n", "```\nx", Place{}, "a\n```\nx\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Append([]byte(tt.note), tt.text, tt.at)
			if err != nil || string(got) != tt.want {
				t.Errorf("Append(%q, %q, %+v) = %q, %v, want %q", tt.note, tt.text, tt.at, got, err, tt.want)
			}
		})
	}
}

func TestAppendRefuses(t *testing.T) {
	tests := []struct {
		name, note, text string
		at               Place
		want             Code
		twin             string // a text, or a note if it begins with "note:", that is accepted at the same place
	}{
		{"a note that ends inside a code block", "a\n```\nx\n", "b", Place{}, InvalidArgument, "note:a\n```\nx\n```\n"},
		{"a note that ends inside a comment", "a\n<!-- x\n", "b", Place{}, InvalidArgument, "note:a\n<!-- x -->\n"},
		{"a text that swallows what follows", "a\n", "```\nb", Place{Start: true}, InvalidArgument, "```\nb\n```"},
		{"a text that becomes frontmatter", "a\n", "---\nk: 1\n---", Place{Start: true}, InvalidArgument, "k: 1\n---"},
		{"a line that ends what was no frontmatter", "---\na\n", "---", Place{}, InvalidArgument, "- - -"},
		{"a heading that is not there", "# A\n", "b", Place{Heading: "B"}, NotFound, "note:# B\n"},
		{"a heading that is there twice", "# A\n# A\n", "b", Place{Heading: "A"}, InvalidArgument, "note:# A\n"},
		{"a text that is too large", "a\n", strings.Repeat("x", MaxIndexed), Place{}, NoteTooLarge, strings.Repeat("x", MaxIndexed-10)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Append([]byte(tt.note), tt.text, tt.at)
			if !errors.Is(err, tt.want) || got != nil {
				t.Errorf("Append(%q, %.40q, %+v) = %.40q, %v, want %v", tt.note, tt.text, tt.at, got, err, tt.want)
			}
			note, text := tt.note, tt.twin
			if twin, ok := strings.CutPrefix(tt.twin, "note:"); ok {
				note, text = twin, tt.text
			}
			if _, err := Append([]byte(note), text, tt.at); err != nil {
				t.Errorf("Append(%q, %.40q, %+v) fails: %v", note, text, tt.at, err)
			}
		})
	}
}

func TestAppendNamesTheHeadingsThatExist(t *testing.T) {
	_, err := Append([]byte("# Plan\n## Risks\n"), "x", Place{Heading: "Risk"})
	near, _ := AsError(err).Details["near"].([]string)
	if len(near) != 2 || near[1] != "Plan > Risks" {
		t.Errorf("near = %q, want Plan and Plan > Risks", near)
	}
}

func TestNewNote(t *testing.T) {
	got, err := NewNote(map[string]any{"tags": []any{"a", "b"}, "due": "2026-11-30"}, "# T\r\n")
	if want := "---\r\ndue: 2026-11-30\r\ntags:\r\n  - a\r\n  - b\r\n---\r\n# T\r\n"; err != nil || string(got) != want {
		t.Errorf("NewNote = %q, %v, want %q", got, err, want)
	}
	if got, err := NewNote(nil, "---\nk: 1\n---\nx"); err != nil || string(got) != "---\nk: 1\n---\nx" {
		t.Errorf("NewNote without properties = %q, %v", got, err)
	}
	if _, err := NewNote(map[string]any{"k": 1.0}, "---\nk: 1\n---\nx"); !errors.Is(err, InvalidArgument) {
		t.Errorf("NewNote with two frontmatters = %v, want %v", err, InvalidArgument)
	}
}

func TestShrinks(t *testing.T) {
	if Shrinks([]byte("0123456789"), []byte("01234")) {
		t.Error("half is kept, and that is no shrinking")
	}
	if !Shrinks([]byte("0123456789"), []byte("0123")) {
		t.Error("more than half is lost, and that is shrinking")
	}
}

// FuzzAppend: an edit does not panic, and every byte outside of it stays.
func FuzzAppend(f *testing.F) {
	f.Add([]byte("\ufeff---\nk: 1\n---\n# A\r\nx\r\n\r\n## B\r\n```\n# C\n```\n"), "new\ntext", "A", false)
	f.Add([]byte("# A\nx"), "```", "", true)
	f.Add([]byte("---\n"), "---", "", false)
	f.Fuzz(func(t *testing.T, note []byte, text, heading string, start bool) {
		out, err := Append(note, text, Place{Heading: heading, Start: start})
		if err != nil {
			return
		}
		head := commonPrefix(note, out)
		tail := note[head:]
		if len(out) < len(note) || !bytes.HasSuffix(out, tail) {
			t.Fatalf("Append(%q, %q) = %q: bytes outside of the edit changed", note, text, out)
		}
		before, after := Parse("", note), Parse("", out)
		if heading == "" && text != "" && before.BodyStart != after.BodyStart && before.BodyStart != len(note) {
			t.Fatalf("Append(%q, %q) = %q: the frontmatter changed", note, text, out)
		}
	})
}
