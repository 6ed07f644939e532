package vault

import (
	"errors"
	"testing"
)

func TestSetProperties(t *testing.T) {
	type m = map[string]any
	tests := []struct {
		name, note string
		set        m
		unset      []string
		want       string
	}{
		{"makes frontmatter", "# A\n", m{"b": "x", "a": int64(1)}, nil, "---\na: 1\nb: x\n---\n# A\n"},
		{"makes frontmatter behind a byte order mark", "\ufeff# A\r\n", m{"a": true}, nil, "\ufeff---\r\na: true\r\n---\r\n# A\r\n"},
		{"makes none for nothing", "# A\n", m{"a": nil}, []string{"b"}, "# A\n"},
		{"adds a key at the end", "---\nb: 1\n# end\n---\nx", m{"a": "w"}, nil, "---\nb: 1\n# end\na: w\n---\nx"},
		{"fills an empty block", "---\n---\nx\n", m{"a": "w"}, nil, "---\na: w\n---\nx\n"},
		{"keeps order and comments", "---\n# top\nb: 1 # one\n\na: 2\n---\n", m{"b": int64(3)}, nil, "---\n# top\nb: 3 # one\n\na: 2\n---\n"},
		{"keeps what has the value already", "---\na:   \"x\"\nb: 1.50\n---\n", m{"a": "x", "b": 1.5}, nil, "---\na:   \"x\"\nb: 1.50\n---\n"},
		{"keeps double quotes", "---\na: \"x\" # c\n---\n", m{"a": "y z"}, nil, "---\na: \"y z\" # c\n---\n"},
		{"keeps single quotes", "---\na: 'x'\n---\n", m{"a": "it's"}, nil, "---\na: 'it''s'\n---\n"},
		{"quotes what would be another kind", "---\na: x\n---\n", m{"a": "no"}, nil, "---\na: \"no\"\n---\n"},
		{"keeps a date plain", "---\na: 2024-01-01\n---\n", m{"a": "2026-12-01"}, nil, "---\na: 2026-12-01\n---\n"},
		{"keeps a list in brackets", "---\na: [x, \"y\", 'z'] # c\n---\n", m{"a": []any{"x", "y", "q"}}, nil, "---\na: [x, \"y\", 'q'] # c\n---\n"},
		{"adds to a list in brackets", "---\na: [x,y]\n---\n", m{"a": []any{"x", "y", "z"}}, nil, "---\na: [x,y,z]\n---\n"},
		{"keeps a list of lines", "---\na:\n- x # first\n-   \"y\"\n---\n", m{"a": []any{"x", "y", "z"}}, nil, "---\na:\n- x # first\n-   \"y\"\n- \"z\"\n---\n"},
		{"takes an item out", "---\na:\n  - x\n  # about y\n  - y\n  - z\nb: 1\n---\n", m{"a": []any{"x", "z"}}, nil, "---\na:\n  - x\n  # about y\n  - z\nb: 1\n---\n"},
		{"turns a text into a list", "---\na: x\nb: 1\n---\n", m{"a": []any{"x", "w"}}, nil, "---\na:\n  - x\n  - w\nb: 1\n---\n"},
		{"turns a list into a text", "---\na:\n  - x\n  - y\n\nb: 1\n---\n", m{"a": "x"}, nil, "---\na: x\n\nb: 1\n---\n"},
		{"empties a list", "---\na: [x]\n---\n", m{"a": []any{}}, nil, "---\na: []\n---\n"},
		{"empties a text", "---\na: x\n---\n", m{"a": ""}, nil, "---\na: \"\"\n---\n"},
		{"fills an empty key", "---\na:\nb: 1\n---\n", m{"a": "x"}, nil, "---\na: x\nb: 1\n---\n"},
		{"sets a map", "---\na: 1\n---\n", m{"a": m{"k": []any{"v"}}}, nil, "---\na:\n  k:\n    - v\n---\n"},
		{"replaces a long text", "---\na: |\n  one\n  # no comment\n\n# a comment\nb: 1\n---\n", m{"a": "two"}, nil, "---\na: two\n\n# a comment\nb: 1\n---\n"},
		{"finds a key in another case", "---\nTags: [a]\n---\n", m{"tags": []any{"b"}}, nil, "---\nTags: [b]\n---\n"},
		{"takes keys out", "---\na: 1\n# of b\nb:\n  - x\n  - y\n# of c\nc: 3\n---\n", nil, []string{"b", "z"}, "---\na: 1\n# of b\n# of c\nc: 3\n---\n"},
		{"takes the last key out", "---\na: 1\n---\nx", nil, []string{"a"}, "---\n---\nx"},
		{"keeps carriage returns", "---\r\na: \"x\"\r\nb: [p]\r\nc:\r\n  - q\r\n---\r\nt", m{"a": "y", "b": []any{"p", "r"}, "c": []any{"q", "s"}, "d": int64(1)}, nil,
			"---\r\na: \"y\"\r\nb: [p, r]\r\nc:\r\n  - q\r\n  - s\r\nd: 1\r\n---\r\nt"},
		{"quotes a link", "---\nup: \"[[A]]\"\n---\n", m{"up": "[[B]]", "down": "[[C]]"}, nil, "---\nup: \"[[B]]\"\ndown: \"[[C]]\"\n---\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := SetProperties([]byte(tt.note), tt.set, tt.unset)
			if err != nil || string(got) != tt.want {
				t.Errorf("SetProperties(%q, %v, %q) = %q, %v, want %q", tt.note, tt.set, tt.unset, got, err, tt.want)
			}
		})
	}
}

func TestSetPropertiesRefuses(t *testing.T) {
	tests := []struct{ name, note, twin string }{
		{"frontmatter that cannot be read", "---\na: 1\na: 2\n---\n", "---\na: 1\nb: 2\n---\n"},
		{"a JSON object", "---\n{\"a\": 1}\n---\n", "---\na: 1\n---\n"},
		{"a key that lines do not show", "---\n? a\n: 1\n---\n", "---\na: 1\n---\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := SetProperties([]byte(tt.note), map[string]any{"a": "x"}, nil); !errors.Is(err, InvalidArgument) {
				t.Errorf("SetProperties(%q) = %q, %v", tt.note, got, err)
			}
			if _, err := SetProperties([]byte(tt.twin), map[string]any{"a": "x"}, nil); err != nil {
				t.Errorf("SetProperties(%q) = %v", tt.twin, err)
			}
		})
	}
}

// FuzzSetProperties: what is set is there afterwards, what is not named keeps its value, the text keeps every byte, and setting it again
// changes nothing.
func FuzzSetProperties(f *testing.F) {
	f.Add("---\na: [x, y] # c\nb: 'q'\n---\nt", "a", "v", true, "b")
	f.Add("\ufeff---\r\nk:\r\n  - 1\r\n---\r\n", "k", "no", false, "")
	f.Add("---\na: |\n  x\n # y\nb: &x 1\n---\n", "b", "it's", false, "a")
	f.Fuzz(func(t *testing.T, note, key, value string, list bool, unset string) {
		body := []byte(note)
		var v any = value
		if list {
			v = []any{value, "x"}
		}
		set := map[string]any{key: v}
		var gone []string
		if unset != "" && unset != key {
			gone = []string{unset}
		}
		got, err := SetProperties(body, set, gone)
		if err != nil {
			return
		}
		before, after := Parse("", body), Parse("", got)
		if string(got[after.BodyStart:]) != note[before.BodyStart:] {
			t.Fatalf("the text of %q became %q", note, got)
		}
		if p, ok := after.Properties.Find(key); !ok || !sameValue(p.Value, v) {
			t.Fatalf("SetProperties(%q, %v, %q) = %q: %v", note, set, gone, got, p)
		}
		for _, p := range before.Properties {
			if q, ok := after.Properties.Find(p.Key); ok && p.Key != key && q.Key == p.Key && !sameValue(p.Value, q.Value) && q.Key != key {
				if found, _ := before.Properties.Find(key); found.Key != p.Key {
					t.Fatalf("SetProperties(%q, %v) = %q changes %s", note, set, got, p.Key)
				}
			}
		}
		again, err := SetProperties(got, set, nil)
		if err != nil || string(again) != string(got) {
			t.Fatalf("SetProperties twice on %q: %q, then %q, %v", note, got, again, err)
		}
	})
}
