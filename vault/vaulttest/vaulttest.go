// Package vaulttest gives tests real notes to work on: the corpus that is kept in vault/testdata/corpora, and larger vaults made from
// its paragraphs. What it returns is the same on every run.
package vaulttest

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"
)

// Corpus is the small corpus: folders named as in its README, with notes, canvases, bases, and the oracle.
func Corpus(tb testing.TB) fs.FS {
	tb.Helper()
	_, here, _, ok := runtime.Caller(0)
	if !ok {
		tb.Fatal("the place of package vaulttest is unknown")
	}
	return unpack(tb, filepath.Join(filepath.Dir(here), "..", "testdata", "corpora", "vault-small.tar.zst"))
}

// BigCorpus is the large corpus, if NOTELATCH_CORPORA names a folder that holds vault-big.tar.zst.
func BigCorpus(tb testing.TB) (fs.FS, bool) {
	tb.Helper()
	dir := os.Getenv("NOTELATCH_CORPORA")
	if dir == "" {
		return nil, false
	}
	return unpack(tb, filepath.Join(dir, "vault-big.tar.zst")), true
}

// Unpack writes the small corpus below dir.
func Unpack(tb testing.TB, dir string) {
	tb.Helper()
	if err := os.CopyFS(dir, Corpus(tb)); err != nil {
		tb.Fatalf("unpack the corpus: %v", err)
	}
}

// File is one file of a corpus.
type File struct {
	Path string // "/"-separated
	Body []byte
}

// Notes are the Markdown files below dir ("." for all), in the order of their paths, which are relative to dir.
func Notes(tb testing.TB, fsys fs.FS, dir string) []File {
	tb.Helper()
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		tb.Fatalf("open %s: %v", dir, err)
	}
	var files []File
	err = fs.WalkDir(sub, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(strings.ToLower(p), ".md") {
			return err
		}
		body, err := fs.ReadFile(sub, p)
		files = append(files, File{Path: p, Body: body})
		return err
	})
	if err != nil {
		tb.Fatalf("read notes in %s: %v", dir, err)
	}
	return files
}

// Attachments are the paths of the attachments that a folder of the corpus has at its source.
func Attachments(tb testing.TB, fsys fs.FS, dir string) []string {
	tb.Helper()
	body, err := fs.ReadFile(fsys, dir+"/ATTACHMENTS.txt")
	if err != nil {
		tb.Fatalf("read the attachments of %s: %v", dir, err)
	}
	var paths []string
	for line := range strings.Lines(string(body)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			paths = append(paths, line)
		}
	}
	return paths
}

// unpack reads an archive into memory.
func unpack(tb testing.TB, archive string) fs.FS {
	tb.Helper()
	packed, err := os.ReadFile(archive)
	if err != nil {
		tb.Fatalf("read the corpus: %v", err)
	}
	files, err := readTar(packed)
	if err != nil {
		tb.Fatalf("unpack %s: %v", filepath.Base(archive), err)
	}
	return files
}

func readTar(packed []byte) (fstest.MapFS, error) {
	z, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	files := make(fstest.MapFS)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		name := strings.TrimPrefix(h.Name, "./")
		if !fs.ValidPath(name) {
			return nil, fmt.Errorf("the archive holds the path %q", h.Name)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		files[name] = &fstest.MapFile{Data: body, Mode: 0o644}
	}
}
