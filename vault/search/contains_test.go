package search

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// containsSlowly is what contains means.
func containsSlowly(text string, want []string) bool {
	have := sequence(text)
	for i := range have {
		if i+len(want) <= len(have) && slices.Equal(have[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

func TestContains(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	pieces := []string{"a", "ab", "Ab", "ba", "B", "é", "e", " ", "-", ". ", "\n", "知", "识", "**", "ß", "\u0301", strings.Repeat("ab", 40)}
	some := func(n int) string {
		var b strings.Builder
		for range n {
			// Many texts are ASCII: they have a way of their own.
			p := pieces[r.IntN(len(pieces))]
			if r.IntN(4) > 0 && !isPlain(p) {
				p = " "
			}
			b.WriteString(p)
		}
		return b.String()
	}
	found, plain := 0, 0
	for range 20_000 {
		text, want := some(r.IntN(30)), sequence(some(1+r.IntN(5)))
		if len(want) == 0 {
			continue
		}
		expect := containsSlowly(text, want)
		if got := contains([]byte(text), want); got != expect {
			t.Fatalf("contains(%q, %q) = %v, want %v", text, want, got, expect)
		}
		if expect {
			found++
		}
		if isPlain(text) {
			plain++
		}
	}
	if found < 500 || plain < 500 {
		t.Errorf("only %d of the texts held the phrase, and %d were ASCII", found, plain)
	}
}
