package mcphttp_test

import "strings"

// A section is one file of a txtar archive.
type section struct{ name, text string }

// parseTxtar splits an archive into the comment above the first section, and the sections.
func parseTxtar(archive string) (comment string, sections []section) {
	text := &comment
	for line := range strings.Lines(archive) {
		name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
		if name, ok2 := strings.CutSuffix(name, " --"); ok && ok2 {
			sections = append(sections, section{name: name})
			text = &sections[len(sections)-1].text
			continue
		}
		*text += line
	}
	return comment, sections
}

func formatTxtar(comment string, sections []section) string {
	var b strings.Builder
	b.WriteString(comment)
	for _, s := range sections {
		b.WriteString("-- " + s.name + " --\n" + s.text)
	}
	return b.String()
}
