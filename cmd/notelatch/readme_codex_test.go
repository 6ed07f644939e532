package main

import (
	"strings"
	"testing"
)

// codexConfig is the configuration that README.md shows, for a server at url.
func codexConfig(tb testing.TB, url string) string {
	tb.Helper()
	var out strings.Builder
	for _, line := range readmeBlock(tb, "toml").lines {
		line, _, _ = strings.Cut(line, "   ")
		out.WriteString(strings.ReplaceAll(line, "http://127.0.0.1:8787", url) + "\n")
	}
	return out.String()
}
