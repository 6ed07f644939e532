package vault

import (
	"fmt"
	"strings"
	"testing"
)

// marked shows lines with their marks in brackets.
func marked(lines []DiffLine) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteByte(l.Sign)
		at := 0
		for _, m := range l.Marks {
			b.WriteString(l.Text[at:m.Start] + "{" + l.Text[m.Start:m.End] + "}")
			at = m.End
		}
		b.WriteString(l.Text[at:] + "\n")
	}
	return b.String()
}

func TestDiffWords(t *testing.T) {
	tests := []struct{ name, before, after, want string }{
		{"marks the words that changed", "a\nthe quick fox jumps\nb\n", "a\nthe slow fox jumps high\nb\n", "@\n a\n-the {quick} fox jumps\n+the {slow} fox jumps{ high}\n b\n"},
		{"marks nothing in a line that is new", "a\n", "a\nb c\n", "@\n a\n+b c\n"},
		{"marks nothing in lines that have little in common", "one two three four\n", "five six seven eight\n", "@\n-one two three four\n+five six seven eight\n"},
		{"marks inside of links", "see [[Alpha]]\n", "see [[Beta]]\n", "@\n-see [[{Alpha}]]\n+see [[{Beta}]]\n"},
		{"marks characters of writing without blanks", "我喜欢猫\n", "我喜欢狗\n", "@\n-我喜欢{猫}\n+我喜欢{狗}\n"},
		{"shows what cannot be seen", "a b\n", "a\u200b b\n", "@\n-a b\n+a{\\u{200b}} b\n"},
		{"is empty for equal notes", "a\n", "a\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lines, cut := DiffWords([]byte(tt.before), []byte(tt.after))
			if got := marked(lines); cut || got != tt.want {
				t.Errorf("DiffWords(%q, %q) is\n%s%t, want\n%s", tt.before, tt.after, got, cut, tt.want)
			}
		})
	}
	lines, _ := DiffWords([]byte("a\nb\nc\n"), []byte("x\na\nc\n"))
	var numbers []string
	for _, l := range lines[1:] {
		numbers = append(numbers, fmt.Sprint(l.Before, l.After))
	}
	if got := strings.Join(numbers, ","); got != "0 1,1 2,2 0,3 3" {
		t.Errorf("the numbers of the lines are %s", got)
	}
	if _, cut := DiffWords([]byte(strings.Repeat("a\n", 1000)), []byte(strings.Repeat("b\n", 1000))); !cut {
		t.Error("a long diff was not cut")
	}
}

// FuzzDiffWords: marks lie in their lines, in order, and what stands outside of them is the same on both sides.
func FuzzDiffWords(f *testing.F) {
	f.Add("the quick fox\r\nb\n", "the slow fox\r\nb\nc")
	f.Fuzz(func(t *testing.T, before, after string) {
		lines, _ := DiffWords([]byte(before), []byte(after))
		for _, l := range lines {
			at := 0
			for _, m := range l.Marks {
				if m.Start < at || m.End <= m.Start || m.End > len(l.Text) {
					t.Fatalf("%q has the marks %v", l.Text, l.Marks)
				}
				at = m.End
			}
		}
		if (before == after) != (len(lines) == 0) {
			t.Fatalf("DiffWords(%q, %q) has %d lines", before, after, len(lines))
		}
	})
}
