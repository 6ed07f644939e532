package vault

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	tests := []struct{ name, before, after, want string }{
		{"nothing", "a\n", "a\n", ""},
		{"a new note", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"a deleted note", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"an added line", "1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n6\n", "@@ -3,3 +3,4 @@\n 3\n 4\n 5\n+6\n"},
		{"a changed line", "1\n2\n3\n", "1\nx\n3\n", "@@ -1,3 +1,3 @@\n 1\n-2\n+x\n 3\n"},
		{"a missing newline", "a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"carriage returns that stay are not shown", "a\r\n", "a\r\nb\r\n", "@@ -1 +1,2 @@\n a\n+b\n"},
		{"carriage returns that go are shown", "a\r\n", "a\n", "@@ -1 +1 @@\n-a\\r\n+a\n"},
		{"hidden characters are shown", "a\n", "a\u202eb\u200b\x00\n", "@@ -1 +1 @@\n-a\n+a\\u{202e}b\\u{200b}\\u{0}\n"},
		{"two places far apart", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n2\n3\n4\n5\n6\n7\n8\ny\n",
			"@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n"},
		{"two places close together", "1\n2\n3\n4\n5\n", "x\n2\n3\n4\ny\n", "@@ -1,5 +1,5 @@\n-1\n+x\n 2\n 3\n 4\n-5\n+y\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, truncated := Diff([]byte(tt.before), []byte(tt.after))
			if got != tt.want || truncated {
				t.Errorf("Diff = %q, %v, want %q", got, truncated, tt.want)
			}
		})
	}
}

func TestDiffIsBounded(t *testing.T) {
	many := strings.Repeat("line\n", 1000)
	got, truncated := Diff(nil, []byte(many))
	if n := strings.Count(got, "\n"); !truncated || n > diffLines || n < diffLines/2 {
		t.Errorf("Diff of 1,000 new lines has %d lines, truncated %v", n, truncated)
	}
	long := strings.Repeat("ä", 5000)
	got, truncated = Diff([]byte(long+"x\n"), []byte(long+"y\n"))
	if !truncated || len(got) > 3*diffColumns || !strings.Contains(got, "äy\n") || !strings.Contains(got, "äx\n") {
		t.Errorf("Diff of a long line = %q, %v: the difference is not shown", got, truncated)
	}
	if got, truncated := Diff(nil, []byte(strings.Repeat("line\n", 100))); truncated {
		t.Errorf("Diff of 100 lines is cut: %q", got)
	}
}

// patch applies the runs that matchLines found: what is kept is equal on both sides, in order, and the rest is replaced.
func checkRuns(t testing.TB, a, b [][]byte, runs []run) {
	t.Helper()
	x, y := 0, 0
	for _, r := range runs {
		if r.a < x || r.b < y || r.n <= 0 || r.a+r.n > len(a) || r.b+r.n > len(b) {
			t.Fatalf("run %+v is out of order in %+v", r, runs)
		}
		for i := range r.n {
			if !bytes.Equal(a[r.a+i], b[r.b+i]) {
				t.Fatalf("run %+v: %q and %q differ", r, a[r.a+i], b[r.b+i])
			}
		}
		x, y = r.a+r.n, r.b+r.n
	}
}

func TestMatchLinesIsShortestForSmallChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		a := randomLines(r, r.IntN(12))
		b := randomLines(r, r.IntN(12))
		runs := matchLines(a, b)
		checkRuns(t, a, b, runs)
		kept := 0
		for _, r := range runs {
			kept += r.n
		}
		if want := longestCommon(a, b); kept != want {
			t.Fatalf("matchLines(%q, %q) keeps %d lines, want %d", a, b, kept, want)
		}
	}
}

func randomLines(r *rand.Rand, n int) [][]byte {
	lines := make([][]byte, n)
	for i := range lines {
		lines[i] = []byte{byte('a' + r.IntN(4)), '\n'}
	}
	return lines
}

func longestCommon(a, b [][]byte) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			up := row[j+1]
			if bytes.Equal(a[i], b[j]) {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = up
		}
	}
	return slices.Max(row)
}

func TestMatchLinesOfLargeChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var a, b [][]byte
	for i := range 20_000 {
		line := fmt.Appendf(nil, "line %d\n", i)
		if r.IntN(3) > 0 {
			a = append(a, line)
		}
		if r.IntN(3) > 0 {
			b = append(b, line)
		}
	}
	runs := matchLines(a, b)
	checkRuns(t, a, b, runs)
	kept := 0
	for _, r := range runs {
		kept += r.n
	}
	if want := 20_000 * 4 / 9; kept < want*9/10 {
		t.Errorf("matchLines keeps %d lines, want about %d", kept, want)
	}
}

func FuzzDiff(f *testing.F) {
	f.Add([]byte("a\nb\n"), []byte("b\nc"))
	f.Add([]byte("\r\n\xff\n"), []byte("\r\n"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		a, b := splitLines(before), splitLines(after)
		checkRuns(t, a, b, matchLines(a, b))
		text, _ := Diff(before, after)
		if len(text) > diffBytes || (text == "") != bytes.Equal(before, after) {
			t.Fatalf("Diff(%q, %q) = %q", before, after, text)
		}
	})
}

func BenchmarkDiff(b *testing.B) {
	for name, change := range map[string]func(i int) bool{
		"one line": func(i int) bool { return i == 10_000 }, "every third": func(i int) bool { return i%3 == 0 }, "all": func(int) bool { return true },
	} {
		var before, after bytes.Buffer
		for i := range 20_000 {
			fmt.Fprintf(&before, "the line with the number %d\n", i)
			if change(i) {
				fmt.Fprintf(&after, "another line with the number %d\n", i)
			} else {
				fmt.Fprintf(&after, "the line with the number %d\n", i)
			}
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(before.Len()))
			for b.Loop() {
				Diff(before.Bytes(), after.Bytes())
			}
		})
	}
}
