package vaulttest

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"testing"
)

// Big makes n notes out of real paragraphs: folders, frontmatter, headings, and links between the notes, of which some are broken and
// some names are shared, as in real vaults. The same n gives the same notes.
func Big(tb testing.TB, n int) []File {
	tb.Helper()
	paragraphs := paragraphs(tb, Corpus(tb))
	words := []string{"Plan", "Review", "Meeting", "Garden", "Recipe", "Travel", "Budget", "Idea", "Journal", "Paper", "Tool", "Draft"}
	folders := []string{"", "Projects/", "Areas/Home/", "Areas/Work/", "Archive/2025/", "Archive/2024/Old/", "Daily/", "Sources/"}
	tags := []string{"project", "area/home", "area/work", "idea", "reading", "todo"}
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	name := func(i int) string {
		if i%50 == 49 { // a name that notes in other folders have as well
			return words[i%len(words)]
		}
		return fmt.Sprintf("%s %d", words[i%len(words)], i)
	}
	files := make([]File, 0, n)
	taken := make(map[string]bool, n)
	for i := range n {
		path := folders[rng.IntN(len(folders))] + name(i) + ".md"
		if taken[path] {
			path = fmt.Sprintf("Copies/%d/%s.md", i, name(i))
		}
		taken[path] = true
		var b bytes.Buffer
		if rng.IntN(3) > 0 {
			fmt.Fprintf(&b, "---\ntags:\n  - %s\nstatus: %s\ncreated: 2025-%02d-%02d\nparent: \"[[%s]]\"\n---\n",
				tags[rng.IntN(len(tags))], []string{"open", "done"}[rng.IntN(2)], 1+rng.IntN(12), 1+rng.IntN(28), name(rng.IntN(n)))
		}
		fmt.Fprintf(&b, "# %s\n\n", name(i))
		for range 1 + rng.IntN(6) {
			b.Write(paragraphs[rng.IntN(len(paragraphs))])
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "## See also\n\n- [[%s]]\n- [[%s|the other one]] #%s\n", name(rng.IntN(n)), name(rng.IntN(n)), tags[rng.IntN(len(tags))])
		if rng.IntN(10) == 0 {
			fmt.Fprintf(&b, "- [[Missing %d]]\n", rng.IntN(n))
		}
		files = append(files, File{Path: path, Body: b.Bytes()})
	}
	return files
}

// paragraphs cuts the corpus at blank lines. Fences are left out, since half a fence would swallow the rest of a note.
func paragraphs(tb testing.TB, fsys fs.FS) [][]byte {
	tb.Helper()
	var out [][]byte
	for _, f := range Notes(tb, fsys, ".") {
		for p := range bytes.SplitSeq(f.Body, []byte("\n\n")) {
			p = bytes.TrimSpace(p)
			if len(p) > 40 && len(p) < 2000 && !bytes.Contains(p, []byte("```")) && !bytes.Contains(p, []byte("~~~")) && !bytes.HasPrefix(p, []byte("---")) {
				out = append(out, p)
			}
		}
	}
	if len(out) == 0 {
		tb.Fatal("the corpus holds no paragraphs")
	}
	return out
}
