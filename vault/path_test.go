package vault

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParsePath(t *testing.T) {
	long := strings.Repeat("a", MaxSegment)
	tests := []struct {
		in string
		ok bool
	}{
		{"a.md", true},
		{"Projects/Alpha.md", true},
		{"日本/é.md", true},
		{"a b/c.md", true},
		{".obsidian/app.json", true},
		{"...md", true},
		{"a/..b/c", true},
		{long, true},
		{strings.Repeat(long+"/", 3) + long, true},
		{"", false},
		{"/a.md", false},
		{"a//b.md", false},
		{"a/", false},
		{".", false},
		{"..", false},
		{"../a.md", false},
		{"a/../b.md", false},
		{"a/./b.md", false},
		{`a\b.md`, false},
		{"a\x00.md", false},
		{"a\nb.md", false},
		{"a\u0085b.md", false},
		{"a\xff.md", false},
		{long + "a", false},
		{strings.Repeat(long+"/", 4) + "a", false},
	}
	for _, tt := range tests {
		p, err := ParsePath(tt.in)
		if (err == nil) != tt.ok {
			t.Errorf("ParsePath(%.40q) = %v, want ok = %v", tt.in, err, tt.ok)
		}
		if err == nil && string(p) != tt.in {
			t.Errorf("ParsePath(%.40q) = %.40q, want it as it is", tt.in, p)
		}
		if err != nil && !errors.Is(err, InvalidArgument) {
			t.Errorf("ParsePath(%.40q) = %v, want %v", tt.in, err, InvalidArgument)
		}
	}
}

func TestParseFolder(t *testing.T) {
	for in, want := range map[string]Path{"": "", "/": "", "a": "a", "a/": "a", "a/b/": "a/b"} {
		if got, err := ParseFolder(in); err != nil || got != want {
			t.Errorf("ParseFolder(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"//", "/a", "a//", ".."} {
		if got, err := ParseFolder(in); !errors.Is(err, InvalidArgument) {
			t.Errorf("ParseFolder(%q) = %q, %v, want %v", in, got, err, InvalidArgument)
		}
	}
}

func TestPathKeyFoldsCaseAndUnicodeForm(t *testing.T) {
	same := [][]Path{
		{"A.md", "a.MD"},
		{"Cafe\u0301.md", "caf\u00e9.md", "CAF\u00c9.md"},
		{"Stra\u00dfe.md", "STRASSE.md"},
		{"\u03a3\u03af\u03c2.md", "\u03c3\u03af\u03c3.md"},
	}
	for _, group := range same {
		for _, p := range group[1:] {
			if p.Key() != group[0].Key() {
				t.Errorf("Key(%q) = %q, want that of %q, %q", p, p.Key(), group[0], group[0].Key())
			}
		}
	}
	for _, pair := range [][2]Path{{"a.md", "b.md"}, {"e.md", "\u00e9.md"}, {"a/b.md", "ab.md"}} {
		if pair[0].Key() == pair[1].Key() {
			t.Errorf("Key(%q) = Key(%q)", pair[0], pair[1])
		}
	}
}

func TestPathParts(t *testing.T) {
	tests := []struct {
		p              Path
		dir            Path
		base, ext, nam string
		note, hidden   bool
	}{
		{"a.md", "", "a.md", ".md", "a", true, false},
		{"x/y/v1.2.MD", "x/y", "v1.2.MD", ".md", "v1.2", true, false},
		{"x/pic.PNG", "x", "pic.PNG", ".png", "pic.PNG", false, false},
		{".md", "", ".md", ".md", ".md", false, true},
		{"x/.trash/a.md", "x/.trash", "a.md", ".md", "a", true, true},
		{"README", "", "README", "", "README", false, false},
	}
	for _, tt := range tests {
		if tt.p.Dir() != tt.dir || tt.p.Base() != tt.base || tt.p.Ext() != tt.ext || tt.p.Name() != tt.nam || tt.p.IsNote() != tt.note || tt.p.Hidden() != tt.hidden {
			t.Errorf("%q: %q %q %q %q note=%v hidden=%v, want %q %q %q %q note=%v hidden=%v", tt.p,
				tt.p.Dir(), tt.p.Base(), tt.p.Ext(), tt.p.Name(), tt.p.IsNote(), tt.p.Hidden(), tt.dir, tt.base, tt.ext, tt.nam, tt.note, tt.hidden)
		}
	}
}

func TestPathIn(t *testing.T) {
	for _, tt := range []struct {
		p, dir Path
		want   bool
	}{{"a/b.md", "", true}, {"a/b.md", "a", true}, {"a", "a", true}, {"ab/c.md", "a", false}, {"a", "a/b", false}} {
		if got := tt.p.In(tt.dir); got != tt.want {
			t.Errorf("%q.In(%q) = %v, want %v", tt.p, tt.dir, got, tt.want)
		}
	}
}

func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"a.md", "a/b.md", "../a", "/a", "a//b", "a\\b", "\xff", "é/Ｍ.md", ".x/y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePath(s)
		if err != nil {
			if msg := err.Error(); !utf8.ValidString(msg) || strings.ContainsAny(msg, "\x00\n\x1b") {
				t.Errorf("the message %q shows what it should not", msg)
			}
			return
		}
		if !p.In(p.Dir()) || p.Dir() != "" && string(p.Dir())+"/"+p.Base() != s || strings.HasPrefix(s, "/") {
			t.Errorf("ParsePath(%q): dir %q, base %q", s, p.Dir(), p.Base())
		}
		if k := p.Key(); Fold(k) != k {
			t.Errorf("Key(%q) = %q, whose key is %q", p, k, Fold(k))
		}
	})
}
