package vault

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

func TestRenderProperties(t *testing.T) {
	properties := map[string]any{
		"title": "Plan: B", "ok": true, "n": 3.0, "big": json.Number("12345678901234567890"), "half": 0.5, "none": nil,
		"yes": "yes", "link": "[[Alpha]]", "due": "2026-11-30", "at": "2026-11-30T21:04", "version": "1.10", "empty": "",
		"tags": []any{"a", "#b"}, "list": []any{}, "map": map[string]any{"x": 1.0, "l": []any{"p", map[string]any{"q": "r"}}},
		"text": "two\nlines\t\"quoted\" \\ \u202e", "plain": "Some words, über",
	}
	want := `at: 2026-11-30T21:04
big: 12345678901234567890
due: 2026-11-30
empty: ""
half: 0.5
link: "[[Alpha]]"
list: []
map:
  l:
    - p
    -
      q: r
  x: 1
"n": 3
none:
ok: true
plain: "Some words, über"
tags:
  - a
  - "#b"
text: "two\nlines\t\"quoted\" \\ \u202e"
title: "Plan: B"
version: "1.10"
"yes": "yes"
`
	got, err := RenderProperties(properties)
	if err != nil || got != want {
		t.Errorf("RenderProperties = %v\n%s\nwant\n%s", err, got, want)
	}
}

func TestRenderPropertiesRefusesWhatFrontmatterCannotHold(t *testing.T) {
	deep := any("x")
	for range maxRendered + 1 {
		deep = []any{deep}
	}
	for name, properties := range map[string]map[string]any{
		"a control character in a name": {"a\nb": 1.0},
		"an empty name":                 {"": 1.0},
		"deep nesting":                  {"a": deep},
		"invalid UTF-8":                 {"a": "\xff"},
		"too much":                      {"a": strings.Repeat("x", maxFrontmatter)},
	} {
		if got, err := RenderProperties(properties); !errors.Is(err, InvalidArgument) {
			t.Errorf("%s: RenderProperties = %.40q, %v, want %v", name, got, err, InvalidArgument)
		}
	}
	if _, err := RenderProperties(map[string]any{"a b": []any{[]any{"x"}}, "c": strings.Repeat("x", 100)}); err != nil {
		t.Errorf("what is fine is refused: %v", err)
	}
}

// FuzzRenderString: whatever a text holds, a YAML reader gets that text back, and the block stays one.
func FuzzRenderString(f *testing.F) {
	for _, s := range []string{"", "a", "a: b", "- a", "null", "~", "0x1f", "1e3", "12:30", "2026-11-30", "a #b", "\ufeffx", "\u0085", "'", "---", "\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		text, err := RenderProperties(map[string]any{"k": s, "l": []any{s}})
		if err != nil {
			return
		}
		var got struct {
			K yaml.Node
			L []yaml.Node
		}
		if err := yaml.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%q renders as %q: %v", s, text, err)
		}
		if got.K.Value != s || len(got.L) != 1 || got.L[0].Value != s {
			t.Fatalf("%q renders as %q and reads as %q", s, text, got.K.Value)
		}
		if tag := got.K.ShortTag(); tag != "!!str" && !(tag == "!!timestamp" && plainDate(s)) {
			t.Fatalf("%q renders as %q, a %s", s, text, tag)
		}
		if strings.Contains(text, "\n---") || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
			t.Fatalf("%q renders as %q", s, text)
		}
	})
}
