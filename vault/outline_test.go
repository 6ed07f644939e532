package vault

import (
	"strings"
	"testing"
)

const outlined = `intro
# Plan
one
## Risks: *big* ones
two
### Money
three
## [[Steps|What to do]]
four
# Other
## Risks
five

Last
----
six
`

func TestSection(t *testing.T) {
	tests := []struct{ heading, first, last string }{
		{"Plan", "# Plan", "four"},
		{"#plan", "# Plan", "four"},
		{"Risks big ones", "## Risks: *big* ones", "three"},
		{"risks: *BIG* ones", "## Risks: *big* ones", "three"},
		{"Money", "### Money", "three"},
		{"What to do", "## [[Steps|What to do]]", "four"},
		{"Steps What to do", "## [[Steps|What to do]]", "four"},
		{"Risks", "## Risks", "five"},
		{"Other#Risks", "## Risks", "five"},
		{"Other > Risks", "## Risks", "five"},
		{"#Plan#Money", "### Money", "three"},
		{"Plan#Risks big ones#Money", "### Money", "three"},
		{"Plan > Risks: *big* ones > Money", "### Money", "three"},
		{"Last", "Last", "six"},
		{"Other#Last", "Last", "six"},
		{"Plan#Risks", "", ""},
		{"Money#Plan", "", ""},
		{"None", "", ""},
		{"", "", ""},
		{"#", "", ""},
	}
	n := Parse("a.md", []byte(outlined))
	for _, tt := range tests {
		start, end, ok := n.Section(tt.heading)
		got := strings.Split(strings.TrimSpace(outlined[start:end]), "\n")
		if ok != (tt.first != "") {
			t.Errorf("Section(%q) found = %v", tt.heading, ok)
		} else if ok && (got[0] != tt.first || got[len(got)-1] != tt.last) {
			t.Errorf("Section(%q) = %q to %q, want %q to %q", tt.heading, got[0], got[len(got)-1], tt.first, tt.last)
		}
	}
}

func TestHeadingPath(t *testing.T) {
	n := Parse("a.md", []byte(outlined))
	for line, want := range map[int]string{1: "", 2: "Plan", 3: "Plan", 5: "Plan > Risks: big ones", 7: "Plan > Risks: big ones > Money",
		9: "Plan > What to do", 12: "Other > Risks", 16: "Other > Last", 99: "Other > Last"} {
		if got := n.HeadingPath(line); got != want {
			t.Errorf("HeadingPath(%d) = %q, want %q", line, got, want)
		}
	}
}

func TestTitle(t *testing.T) {
	for body, want := range map[string]string{
		"":                           "My Note",
		"\n# One *x*\n## Two\n":      "One x",
		"## Two\n# One *x*\n":        "My Note",
		"text\n# One\n":              "My Note",
		"---\ntitle: T\n---\n# One":  "T",
		"---\ntitle: 5\n---\n# One":  "One",
		"---\ntitle: ' '\n---\ntext": "My Note",
	} {
		if got := Parse("x/My Note.md", []byte(body)).Title; got != want {
			t.Errorf("Title of %q = %q, want %q", body, got, want)
		}
	}
}

func TestBlock(t *testing.T) {
	n := Parse("a.md", []byte("one ^A-1\n\ntwo\n"))
	if b, ok := n.Block("a-1"); !ok || b.Line != 1 {
		t.Errorf("Block(a-1) = %v, %v", b, ok)
	}
	if b, ok := n.Block("a-2"); ok {
		t.Errorf("Block(a-2) = %v, want none", b)
	}
}

func TestHasTag(t *testing.T) {
	tests := []struct {
		tag  string
		want bool
	}{{"a", true}, {"#A", true}, {"a/b", true}, {"a/", true}, {"b", false}, {"a/b/c", false}, {"work", false}, {"my", false}, {"", false}, {"\u00c9t\u00e9", true}}
	for _, tt := range tests {
		if got := HasTag([]string{"a/b", "myjob/work", "e\u0301t\u00e9"}, tt.tag); got != tt.want {
			t.Errorf("HasTag(%q) = %v, want %v", tt.tag, got, tt.want)
		}
	}
}

func TestEscapeHidden(t *testing.T) {
	for in, want := range map[string]string{
		"plain":              "plain",
		"caf\u00e9 \u65e5":   "caf\u00e9 \u65e5",
		"a\u202eb":           `a\u{202e}b`,
		"\u2066x\u2069":      `\u{2066}x\u{2069}`,
		"x\U000E0041":        `x\u{e0041}`,
		"a\ufe0f":            `a\u{fe0f}`,
		"\ufe0fa":            `\u{fe0f}a`,
		"\u2764\ufe0f":       "\u2764\ufe0f",
		"\u2764\ufe0f\ufe0f": "\u2764\ufe0f" + `\u{fe0f}`,
		"1\ufe0f\u20e3":      "1\ufe0f\u20e3",
		"\u845b\U000E0100":   "\u845b\U000E0100",
		"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F": "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
		"\U0001F3F4\U000E0041":           "\U0001F3F4" + `\u{e0041}`,
		"bad \xff\u202e byte":            "bad \xff" + `\u{202e} byte`,
		"\u05e9\u200f":                   "\u05e9\u200f",
		"a\u200fb":                       `a\u{200f}b`,
		"a\u200bb\u2060":                 `a\u{200b}b\u{2060}`,
		"a\x1b[31mb\x00":                 `a\u{1b}[31mb\u{0}`,
		"a\tb\nc":                        "a\tb\nc",
		"\u200dx":                        `\u{200d}x`,
		"\U0001F469\u200d\U0001F52C":     "\U0001F469\u200d\U0001F52C",
		"\u0646\u0645\u06cc\u200c\u062e": "\u0646\u0645\u06cc\u200c\u062e",
	} {
		if got := EscapeHidden(in); got != want {
			t.Errorf("EscapeHidden(%+q) = %+q, want %+q", in, got, want)
		}
	}
}
