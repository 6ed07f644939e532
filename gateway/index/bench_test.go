package index

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/folder"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

// BenchmarkBuild is the first index of a folder of 10,000 notes: list, read, parse, words, links and properties. Its target is CPU time;
// the wall time that is printed has the reading of files in it.
func BenchmarkBuild(b *testing.B) {
	dir := b.TempDir()
	for _, f := range vaulttest.Big(b, 10_000) {
		name := filepath.Join(dir, filepath.FromSlash(string(f.Path)))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, f.Body, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		d, err := folder.Open(b.Context(), dir, time.Now)
		if err != nil {
			b.Fatal(err)
		}
		v := providers.New(d)
		set := NewSet(Options{Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
		ix := set.Open("map_x", v)
		for ix.State().State == Building {
			time.Sleep(time.Millisecond)
		}
		if c := ix.Coverage(); c.Searched != 10_000 {
			b.Fatalf("Coverage() = %+v, want 10,000 searched", c)
		}
		set.Close()
		if err := v.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
