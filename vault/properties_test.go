package vault

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/vault/vaulttest"
)

func TestPropertiesKeepTheirOrder(t *testing.T) {
	n := Parse("a.md", []byte("---\nz: 1\na: {y: [true, null], b: x}\nm: 1.5\nbig: 12345678901234567890\n---\n"))
	got, err := json.Marshal(n.Properties)
	if want := `{"z":1,"a":{"y":[true,null],"b":"x"},"m":1.5,"big":12345678901234567890}`; err != nil || string(got) != want {
		t.Errorf("Marshal = %s, %v, want %s", got, err, want)
	}
	if got, err := json.Marshal(Properties(nil)); err != nil || string(got) != "{}" {
		t.Errorf("Marshal(nil) = %s, %v, want {}", got, err)
	}
}

func TestLookup(t *testing.T) {
	n := Parse("a.md", []byte("---\nauthors: [Ann, Bob]\na: {b: {c: 3}}\nx.y: 1\nx: {y: 2}\nTag: v\n---\n"))
	tests := map[string]any{
		"authors.1": "Bob", "a.b.c": int64(3), "x.y": int64(1), "tag": "v", "A.B": Properties{{Key: "c", Value: int64(3)}},
		"authors.2": nil, "authors.-1": nil, "authors.x": nil, "a.b.c.d": nil, "none": nil, "": nil,
	}
	for path, want := range tests {
		got, ok := n.Properties.Lookup(path)
		if ok != (want != nil) || !reflect.DeepEqual(got, want) {
			t.Errorf("Lookup(%q) = %v, %v, want %v", path, got, ok, want)
		}
	}
}

func TestPlainValue(t *testing.T) {
	tests := map[string]any{
		"":                     nil,
		"~":                    nil,
		"1":                    int64(1),
		"-1":                   int64(-1),
		"+1":                   int64(1),
		"9007199254740992":     int64(1 << 53),
		"9007199254740993":     json.Number("9007199254740993"),
		"1.5":                  1.5,
		".5":                   .5,
		"1e3":                  1000.0,
		"-2E-1":                -.2,
		"1e400":                "1e400",
		"0123":                 "0123",
		"1_000":                "1_000",
		"0x1F":                 "0x1F",
		"1.2.3":                "1.2.3",
		"-":                    "-",
		".":                    ".",
		"-x":                   "-x",
		"2024-01-05":           "2024-01-05",
		"12:30":                "12:30",
		"yes":                  "yes",
		"True":                 true,
		"tRue":                 "tRue",
		".inf":                 ".inf",
		"1e":                   "1e",
		"e1":                   "e1",
		"00":                   "00",
		"0":                    int64(0),
		"-0.0":                 math.Copysign(0, -1),
		"99999999999999999999": json.Number("99999999999999999999"),
	}
	for in, want := range tests {
		if got := plainValue(in); !reflect.DeepEqual(got, want) {
			t.Errorf("plainValue(%q) = %T(%v), want %T(%v)", in, got, got, want, want)
		}
	}
}

func TestPropertyType(t *testing.T) {
	tests := []struct {
		v    any
		want string
	}{
		{nil, "empty"}, {true, "checkbox"}, {int64(1), "number"}, {1.5, "number"}, {json.Number("1"), "number"}, {[]any{}, "list"}, {Properties{}, "map"},
		{"x", "text"}, {"2024-01-05", "date"}, {"2024-13-05", "text"}, {"2024-1-5", "text"}, {"2024-01-05T10:20", "datetime"},
		{"2024-01-05 10:20:30Z", "datetime"}, {"2024-01-05T99:20", "text"}, {"2024-01-05 lunch", "text"}, {"", "text"},
	}
	for _, tt := range tests {
		if got := PropertyType(tt.v); got != tt.want {
			t.Errorf("PropertyType(%v) = %q, want %q", tt.v, got, tt.want)
		}
	}
}

// FuzzSubset holds the subset parser to what it promises: what it reads, YAML reads the same.
func FuzzSubset(f *testing.F) {
	for _, s := range []string{"a: 1\nb: x", "a: [b, 'c', \"d\"]", "a:\n  - b\n  - 'c: d'", "a: b # c\n# d\n\ne: f", "a: 'b'", "k y: v", "a:\n- 1\nb:", "é: ü#", "a: -b", "a: [ ]",
		"\"a b\": c", "a: b:c", "a: x\n\nb: y", "a: http://x", "a: \"b\" ", "a:\tb", "a: b\t# c", "a: [a b, c]", "- a", "a: \u00a0x"} {
		f.Add(s)
	}
	f.Add(strings.Repeat("d", 1100) + ": x")
	f.Fuzz(func(t *testing.T, block string) { compareSubset(t, block) })
}

func compareSubset(t *testing.T, block string) {
	t.Helper()
	b := []byte(block)
	keys := topKeys(b)
	if guard(b, keys) != nil {
		return
	}
	if _, twice := duplicate(keys); twice {
		return
	}
	got, ok := readSubset(b, keys)
	if !ok {
		return
	}
	want, bad := readYAML(b)
	if bad != nil {
		t.Fatalf("the subset reads %q as %v; YAML says %s", block, got, bad.reason)
	}
	if len(got)+len(want) > 0 && cmp.Diff(want, got) != "" {
		t.Fatalf("%q (-YAML +subset):\n%s", block, cmp.Diff(want, got))
	}
}

func TestSubsetAgreesWithYAMLOnTheCorpus(t *testing.T) {
	blocks, read := 0, 0
	for _, f := range vaulttest.Notes(t, vaulttest.Corpus(t), ".") {
		body := f.Body
		fm := findFrontmatter(body)
		if !fm.found {
			continue
		}
		block := body[fm.start:fm.end]
		blocks++
		if _, ok := readSubset(block, topKeys(block)); ok {
			read++
		}
		compareSubset(t, string(block))
	}
	if blocks < 300 || read*100 < blocks*80 {
		t.Errorf("the subset reads %d of %d blocks, want four of five", read, blocks)
	}
}

func FuzzEscapeHidden(f *testing.F) {
	f.Add("a\u202eb\xff\ufe0f\U0001F3F4\U000E0067")
	f.Fuzz(func(t *testing.T, s string) {
		got := EscapeHidden(s)
		if again := EscapeHidden(got); again != got {
			t.Errorf("EscapeHidden(%+q) = %+q, and again %+q", s, got, again)
		}
		if n := Parse("a.md", []byte(got)); len(n.Problems) > 0 && strings.Contains(fmt.Sprint(n.Problems), ProblemHidden) {
			t.Errorf("EscapeHidden(%+q) = %+q, which hides something", s, got)
		}
	})
}
