package vaulttest

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// ReadArchive reads a txtar file: a comment, then files, each below a line "-- name --".
func ReadArchive(tb testing.TB, name string) (comment string, files []File) {
	tb.Helper()
	body, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	for line := range bytes.Lines(body) {
		text := strings.TrimSuffix(string(line), "\n")
		if strings.HasPrefix(text, "-- ") && strings.HasSuffix(text, " --") && len(text) > len("--  --") {
			files = append(files, File{Path: text[3 : len(text)-3]})
			continue
		}
		if len(files) == 0 {
			comment += string(line)
			continue
		}
		last := &files[len(files)-1]
		last.Body = append(last.Body, line...)
	}
	return comment, files
}

// WriteArchive writes what ReadArchive reads.
func WriteArchive(tb testing.TB, name, comment string, files []File) {
	tb.Helper()
	var out bytes.Buffer
	out.WriteString(comment)
	for _, f := range files {
		out.WriteString("-- " + f.Path + " --\n")
		out.Write(f.Body)
		if len(f.Body) > 0 && f.Body[len(f.Body)-1] != '\n' {
			out.WriteByte('\n')
		}
	}
	if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
		tb.Fatal(err)
	}
}
