package vault_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/notelatch/notelatch/vault"
)

// TestParseRefusesHostileProperties holds the guard to its promise: no block makes YAML work hard, and every note stays usable.
func TestParseRefusesHostileProperties(t *testing.T) {
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "k%d: v\n", i)
		}
		return b.String()
	}
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 10 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 10), ","))
	}
	nested := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + "k:\n")
		}
		return b.String()
	}
	tests := []struct {
		name, block string
		refused     bool
	}{
		{"a ten-level alias bomb", bomb, true},
		{"an alias inside brackets", "a: [&x 1, *x]\n", true},
		{"a cyclic anchor", "a: &a [*a]\n", true},
		{"512 keys", keys(512), false},
		{"513 keys", keys(513), true},
		{"50,000 keys", keys(50000), true},
		{"100,000 brackets", "a: " + strings.Repeat("[", 100000) + "\n", true},
		{"33 brackets", "a: " + strings.Repeat("[", 33) + strings.Repeat("]", 33) + "\n", true},
		{"31 brackets", "a: " + strings.Repeat("[", 31) + strings.Repeat("]", 31) + "\n", false},
		{"10,000 braces", "a: " + strings.Repeat("{", 10000) + "\n", true},
		{"5,000 dashes", "a:\n  " + strings.Repeat("- ", 5000) + "x\n", true},
		{"300 nested maps", nested(300), true},
		{"20 nested maps", nested(20), false},
		{"a text of 4 MB", "a: " + strings.Repeat("x", 4<<20) + "\n", true},
		{"a text of 60 KB", "a: " + strings.Repeat("x", 60000) + "\n", false},
		{"a list of 200,000", "a: [" + strings.Repeat("1,", 200000) + "1]\n", true},
		{"2,100 lines", "a:\n" + strings.Repeat("  - x\n", 2100), true},
		{"a merge key", "a: {<<: *x}\n", true},
		{"invalid UTF-8", "a: \xff\n", true},
		{"a NUL byte", "a: x\x00\n", true},
		{"a tag of YAML", "a: !!binary aGk=\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := []byte("---\n" + tt.block + "---\n# Title\n[[Link]]\n")
			const most = 40 << 20 // bytes; what YAML would take for the same is a hundred MB and more
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			n := vault.Parse("a.md", body)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("Parse took %d bytes of memory, want at most %d", took, most)
			}
			if got := problem(n, vault.ProblemFrontmatter); got != tt.refused {
				t.Errorf("refused = %v, want %v: %v", got, tt.refused, n.Problems)
			}
			if len(body) < vault.MaxIndexed && (len(n.Links) == 0 || len(n.Headings) == 0) {
				t.Errorf("the text was not read: %d links, %d headings", len(n.Links), len(n.Headings))
			}
		})
	}
}

func problem(n *vault.Note, code string) bool {
	for _, p := range n.Problems {
		if p.Code == code {
			return true
		}
	}
	return false
}

// hostile are texts on which a careless scanner takes quadratic time.
var hostile = map[string]string{
	"opening brackets":            "[",
	"opening wikilinks":           "[[",
	"wikilinks in wikilinks":      "[[a",
	"links without an end":        "[a](b",
	"links in brackets":           "[a](<b",
	"links with a title":          "[a](b \"c",
	"links with a title in ()":    "[a](b (c",
	"images":                      "![",
	"backticks":                   "`a``b```c````d",
	"dollars":                     "$a $",
	"double dollars":              "$$a $b",
	"tags of HTML":                "<a b=\"",
	"tags of HTML without quotes": "<a b c=d ",
	"comments of HTML":            "<!-- a ",
	"hashes":                      "#",
	"tags":                        "#a1",
	"escapes":                     "\\",
	"quotes":                      ">",
	"deep quotes":                 "> > ",
	"list marks":                  "- ",
	"relations":                   "a:: [[b]] ",
	"links":                       "[[a]] ",
	"markdown links":              "[a](b) ",
	"references":                  "[a][b] ",
	"closers":                     "]]",
	"emphasis":                    "*_~=",
	"autolinks":                   "<http:",
	"tabs":                        "\t",
	"invalid bytes":               "\xff\xf3\xa0",
	"selectors":                   "\ufe0f",
}

// TestParseIsLinear reads a MiB of each in one line, and less of it in the lines of quotes. It states no times, which depend on the machine:
// a quadratic scanner would take minutes to hours for one of them, and the test's time limit would stop it.
func TestParseIsLinear(t *testing.T) {
	for name, unit := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one := strings.Repeat(unit, vault.MaxIndexed/len(unit)-1)
			line := strings.Repeat(unit, 100) + "\n> "
			for _, body := range []string{"[b]: x\n\n" + one, "[b]: x\n\n" + strings.Repeat(line, vault.MaxIndexed/8/len(line))} {
				if n := vault.Parse("a.md", []byte(body)); n.Size != len(body) {
					t.Errorf("Size = %d, want %d", n.Size, len(body))
				}
			}
		})
	}
}

func TestParseReadsTheFirstMiB(t *testing.T) {
	line := strings.Repeat("x", 98) + "\n"
	body := "[[First]]\n" + strings.Repeat(line, 10<<20/len(line)) + "[[Last]]\n"
	n := vault.Parse("a.md", []byte(body))
	if len(n.Links) != 1 || n.Links[0].Target != "First" || n.Size != len(body) || !problem(n, vault.ProblemPartly) {
		t.Errorf("Links = %v, Size = %d, Problems = %v", n.Links, n.Size, n.Problems)
	}
	n = vault.Parse("a.md", []byte(body[:vault.MaxIndexed]))
	if problem(n, vault.ProblemPartly) {
		t.Errorf("a note of just a MiB has %v", n.Problems)
	}
}

func TestParseReads100000Links(t *testing.T) {
	const links = 100_000
	n := vault.Parse("a.md", []byte(strings.Repeat("[[a]] ", links)))
	if len(n.Links) != links {
		t.Errorf("Parse found %d links, want %d", len(n.Links), links)
	}
}

func TestParseReadsDeepQuotes(t *testing.T) {
	n := vault.Parse("a.md", []byte(strings.Repeat(strings.Repeat("> ", 10_000)+"[[a]] #t\n", 10)))
	if len(n.Links) != 10 || len(n.Tags) != 1 {
		t.Errorf("Parse found %d links and %d tags, want 10 and 1", len(n.Links), len(n.Tags))
	}
}

func TestParseTellsProblems(t *testing.T) {
	tests := []struct {
		name, path, body, code string
		line                   int
	}{
		{"invalid UTF-8", "a.md", "a\nb\xffc\n", vault.ProblemUTF8, 2},
		{"NUL bytes", "a.md", "a\n\nb\x00c\n", vault.ProblemNUL, 3},
		{"a name that is not in NFC", "Cafe\u0301.md", "", vault.ProblemName, 0},
		{"hidden characters", "a.md", "a\n\u2066b\n", vault.ProblemHidden, 2},
		{"an orphan selector", "a.md", "a\ufe0f\n", vault.ProblemHidden, 1},
		{"a broken property", "a.md", "---\na: 1\nb: @x\n---\n", vault.ProblemFrontmatter, 3},
		{"an unquoted link", "a.md", "---\na: 1\nb:\n  - [[X]]\n---\n", vault.ProblemUnquoted, 3},
	}
	for _, tt := range tests {
		n := vault.Parse(vault.Path(tt.path), []byte(tt.body))
		if len(n.Problems) != 1 || n.Problems[0].Code != tt.code || n.Problems[0].Line != tt.line {
			t.Errorf("%s: Problems = %+v, want %s in line %d", tt.name, n.Problems, tt.code, tt.line)
		}
	}
	for _, fine := range []string{"", "a\n", "\uFEFFa\r\nb\r\n", "---\r\na: 1\r\n---\r\n", "❤️ é 日本 שלום\u200f\n"} {
		if n := vault.Parse("Caf\u00e9.md", []byte(fine)); len(n.Problems) != 0 {
			t.Errorf("Parse(%q) has %v, want no problems", fine, n.Problems)
		}
	}
}
