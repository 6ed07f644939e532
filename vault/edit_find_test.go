package vault

import (
	"errors"
	"strings"
	"testing"
)

func TestFindEdit(t *testing.T) {
	tests := []struct {
		name, note, find, replace string
		occurrence                int
		want                      string
	}{
		{"replaces what is there once", "a b c\n", "b", "x", 0, "a x c\n"},
		{"takes the occurrence that is named", "a a a", "a", "b", 2, "a b a"},
		{"takes text out", "a b c\n", " b", "", 0, "a c\n"},
		{"finds lines whatever their endings", "a\r\nb\r\nc\r\n", "a\nb", "x\ny", 0, "x\r\ny\r\nc\r\n"},
		{"finds lines with carriage returns in a note without", "a\nb\nc\n", "a\r\nb", "x", 0, "x\nc\n"},
		{"keeps the ending of the last line", "a\r\nb\r\n", "b", "c", 0, "a\r\nc\r\n"},
		{"takes an ending away whole", "a\r\nb\r\n", "a\n", "", 0, "b\r\n"},
		{"keeps a byte order mark", "\ufeffa\n", "a", "b", 0, "\ufeffb\n"},
		{"keeps endings that differ outside", "a\nb\r\nc\r\n", "c", "d", 0, "a\nb\r\nd\r\n"},
		{"keeps the endings of lines that stay", "a\r\nb\nc\nd\n", "a\nb\nc", "a\nx\nc", 0, "a\r\nx\nc\nd\n"},
		{"changes nothing when it puts back what is there", "a\r\nb\nc\n", "a\nb\nc", "a\nb\nc", 0, "a\r\nb\nc\n"},
		{"changes properties too", "---\nk: 1\n---\n", "k: 1", "k: 2", 0, "---\nk: 2\n---\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := FindEdit([]byte(tt.note), tt.find, tt.replace, tt.occurrence)
			if got := string(Splice([]byte(tt.note), []Edit{e})); err != nil || got != tt.want {
				t.Errorf("FindEdit(%q, %q, %q, %d) gives %q, %v, want %q", tt.note, tt.find, tt.replace, tt.occurrence, got, err, tt.want)
			}
		})
	}
}

func TestFindEditShowsCandidates(t *testing.T) {
	note := []byte("One thing\n\none  Other\nTwo\nTwo\n")
	_, err := FindEdit(note, "One other", "x", 0)
	near, _ := AsError(err).Details["near"].([]map[string]any)
	if !errors.Is(err, NotFound) || len(near) != 1 || near[0]["line"] != 3 || near[0]["text"] != "one  Other" {
		t.Errorf("text that is not there: %v, near %v", err, near)
	}
	_, err = FindEdit(note, "Two", "x", 0)
	candidates, _ := AsError(err).Details["candidates"].([]map[string]any)
	if !errors.Is(err, InvalidArgument) || len(candidates) != 2 || candidates[0]["line"] != 4 || candidates[1]["line"] != 5 {
		t.Errorf("text that is there twice: %v, candidates %v", err, candidates)
	}
	for _, occurrence := range []int{-1, 3} {
		if _, err := FindEdit(note, "Two", "x", occurrence); !errors.Is(err, InvalidArgument) {
			t.Errorf("occurrence %d: %v", occurrence, err)
		}
	}
	if _, err := FindEdit(note, "", "x", 0); !errors.Is(err, InvalidArgument) {
		t.Errorf("no text: %v", err)
	}
}

func TestPartEdits(t *testing.T) {
	section := func(heading string) func([]byte, string) (Edit, error) {
		return func(note []byte, text string) (Edit, error) { return SectionEdit(note, heading, text) }
	}
	block := func(id string) func([]byte, string) (Edit, error) {
		return func(note []byte, text string) (Edit, error) { return BlockEdit(note, id, text) }
	}
	lines := func(lines string) func([]byte, string) (Edit, error) {
		return func(note []byte, text string) (Edit, error) { return LinesEdit(note, lines, text) }
	}
	tests := []struct {
		name       string
		edit       func([]byte, string) (Edit, error)
		note, text string
		want       string
	}{
		{"a section keeps its heading and blank lines", section("A"), "# A\n\nold\ntext\n\n# B\n", "new\n", "# A\n\nnew\n\n# B\n"},
		{"a section that is given with its heading has it once", section("A"), "# A\n\nold\n\n# B\n", "# A\n\nnew", "# A\n\nnew\n\n# B\n"},
		{"a heading of another level is folded too", section("A"), "## A\nold\n", "# A\nnew\n", "## A\nnew\n"},
		{"another heading stays", section("A"), "# A\nold\n", "## C\nnew", "# A\n## C\nnew\n"},
		{"a section is replaced with the ones below", section("A"), "# A\nold\n## C\nx\n# B\n", "new", "# A\nnew\n# B\n"},
		{"an empty section is filled", section("A"), "# A\n\n# B\n", "new", "# A\nnew\n\n# B\n"},
		{"a heading at the end is followed by its text", section("A"), "# A", "new", "# A\nnew"},
		{"a section is emptied", section("A"), "# A\nold\n\n# B\n", "", "# A\n\n\n# B\n"},
		{"a section takes on carriage returns", section("A"), "# A\r\nold\r\n", "x\ny", "# A\r\nx\r\ny\r\n"},
		{"a section that is put back keeps odd line endings", section("A"), "# A\nx\r\r\ny\n", "x\r\r\ny\n", "# A\nx\r\r\ny\n"},
		{"a block keeps its id", block("q"), "a\n\nold text ^q\n\nb\n", "new", "a\n\nnew ^q\n\nb\n"},
		{"a block that repeats its id has it once", block("^q"), "old ^q\n", "new ^q", "new ^q\n"},
		{"a block whose id stands below keeps that line", block("q"), "- a\n- b\n\n^q\n", "- c\n", "- c\n\n^q\n"},
		{"a list item is replaced with its mark", block("q"), "- a\n- b ^q\n- c\n", "- x", "- a\n- x ^q\n- c\n"},
		{"lines are replaced", lines("2-3"), "1\n2\n3\n4\n", "x\ny\nz\n", "1\nx\ny\nz\n4\n"},
		{"lines are taken out", lines("2"), "1\n2\n3\n", "", "1\n3\n"},
		{"the last line keeps having no newline", lines("2"), "1\n2", "x\n", "1\nx"},
		{"the first line keeps the byte order mark", lines("1"), "\ufeff1\n2\n", "x", "\ufeffx\n2\n"},
		{"lines take on carriage returns", lines("1"), "1\r\n2\r\n", "x\ny", "x\r\ny\r\n2\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := tt.edit([]byte(tt.note), tt.text)
			if got := string(Splice([]byte(tt.note), []Edit{e})); err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestPartEditsRefuse(t *testing.T) {
	note := []byte("# A\nx ^q\n\n# A\ny\n# B\nz\n# C\n")
	tests := []struct {
		name string
		edit func(good bool) error
		want Code
	}{
		{"a heading that is there twice", func(good bool) error { return try(SectionEdit(note, pick(good, "B", "A"), "x")) }, InvalidArgument},
		{"a heading that is not there", func(good bool) error { return try(SectionEdit(note, pick(good, "B", "Z"), "x")) }, NotFound},
		{"a fence that swallows what follows", func(good bool) error { return try(SectionEdit(note, "B", pick(good, "```\nx\n```", "```\nx"))) }, InvalidArgument},
		{"a block that is not there", func(good bool) error { return try(BlockEdit(note, pick(good, "q", "z"), "x")) }, NotFound},
		{"an empty block", func(good bool) error { return try(BlockEdit(note, "q", pick(good, "x", " ^q"))) }, InvalidArgument},
		{"a block that swallows its id", func(good bool) error { return try(BlockEdit(note, "q", pick(good, "x", "```\nx"))) }, InvalidArgument},
		{"lines behind the end", func(good bool) error { return try(LinesEdit(note, pick(good, "8", "8-9"), "x")) }, NotFound},
		{"lines that are no range", func(good bool) error { return try(LinesEdit(note, pick(good, "2-3", "3-2"), "x")) }, InvalidArgument},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.edit(false); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if err := tt.edit(true); err != nil {
				t.Errorf("its twin: %v", err)
			}
		})
	}
}

func try(_ Edit, err error) error { return err }

func pick(good bool, a, b string) string {
	if good {
		return a
	}
	return b
}

// FuzzEdits: an edit changes its span and nothing else, and an edit that puts back what is there changes nothing.
func FuzzEdits(f *testing.F) {
	f.Add("# A\r\n\r\nx ^q\r\n\n# B", "x", "new", "A", "q", "2-3", 1)
	f.Add("\ufeff---\nk: 1\n---\na\n\na\n^b", "a", "", "A", "b", "1", 2)
	f.Fuzz(func(t *testing.T, note, find, replace, heading, id, lines string, occurrence int) {
		body := []byte(note)
		check := func(name string, e Edit, err error) {
			if err != nil {
				return
			}
			got := string(Splice(body, []Edit{e}))
			if e.Start < 0 || e.End < e.Start || e.End > len(note) || got != note[:e.Start]+e.Text+note[e.End:] {
				t.Fatalf("%s on %q: %+v gives %q", name, note, e, got)
			}
			if strings.HasPrefix(note, "\ufeff") && e.Start < len("\ufeff") && !strings.HasPrefix(find, "\ufeff") {
				t.Fatalf("%s on %q: %+v touches the byte order mark", name, note, e)
			}
			Parse("", []byte(got))
		}
		e, err := FindEdit(body, find, replace, occurrence)
		check("FindEdit", e, err)
		if e, err := FindEdit(body, find, find, occurrence); err == nil {
			if got := string(Splice(body, []Edit{e})); got != note {
				t.Fatalf("FindEdit(%q, %q, itself) gives %q", note, find, got)
			}
		}
		e, err = SectionEdit(body, heading, replace)
		check("SectionEdit", e, err)
		e, err = BlockEdit(body, id, replace)
		check("BlockEdit", e, err)
		e, err = LinesEdit(body, lines, replace)
		check("LinesEdit", e, err)
	})
}
