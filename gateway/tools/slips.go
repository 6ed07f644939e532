package tools

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/notelatch/notelatch/vault"
)

// synonym is a name that agents use for an argument that is called otherwise here.
type synonym struct{ from, to string }

var synonyms = [...]synonym{
	{"q", "query"}, {"text", "query"},
	{"max", "limit"}, {"per_page", "limit"},
	{"file", "path"}, {"note", "path"},
	{"folder", "pathPrefix"},
	{"vault", "mappingId"},
	{"old_str", "find"}, {"new_str", "replace"},
}

// cleanRef takes a leading slash off; what is left must be a path, as every link text is that resolves.
func cleanRef(s string) (string, string, error) {
	t := strings.TrimLeft(s, "/")
	if _, err := vault.ParsePath(t); err != nil {
		return "", "", err
	}
	return t, slash(s, t), nil
}

func cleanFolder(s string) (string, string, error) {
	t := strings.TrimLeft(s, "/")
	p, err := vault.ParseFolder(t)
	if err != nil {
		return "", "", err
	}
	return string(p), slash(s, t), nil
}

func slash(from, to string) string {
	if from == to {
		return ""
	}
	return "without its leading slash"
}

func cleanPath(s string) (string, string, error) {
	p, err := vault.ParsePath(s)
	return string(p), "", err
}

// show quotes a name that may be hostile, cut to what helps.
func show(s string) string {
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return `"` + strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError || r == '"' {
			return '?'
		}
		return r
	}, vault.EscapeHidden(s)) + `"`
}

// Nearest is the candidate that s was most probably meant to be, or "" when none is close.
func Nearest(s string, candidates []string) string {
	if len(s) > 64 {
		return ""
	}
	want, best, least := squeeze(s), "", 1000
	for _, c := range candidates {
		have := squeeze(c)
		d := distance(want, have)
		if len(want) > 2 && (strings.Contains(have, want) || strings.Contains(want, have)) {
			d = min(d, 2)
		}
		if d < least && d <= max(len(want), len(have))/2 {
			best, least = c, d
		}
	}
	return best
}

// squeeze leaves out what names differ in without being different: case and what joins words.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', '.', ' ':
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// distance is the number of insertions, deletions and replacements between two short strings.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// mean is what an unknown name gets told.
func mean(s string, candidates []string) string {
	if n := Nearest(s, candidates); n != "" {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	return ""
}
