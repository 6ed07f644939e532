package main

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

// TestCorpusIsServedWhole serves real vaults: every note is listed, and each reads back byte for byte.
func TestCorpusIsServedWhole(t *testing.T) {
	t.Run("small", func(t *testing.T) {
		dir := t.TempDir()
		vaulttest.Unpack(t, dir)
		servesWhole(t, dir)
	})
	t.Run("big", func(t *testing.T) {
		if testing.Short() {
			t.Skip("reads 10,800 notes back")
		}
		dir := t.TempDir()
		unpackBig(t, dir)
		servesWhole(t, dir)
	})
}

// unpackBig writes the large corpus below dir, wherever it is kept, and notes of the same number where it is not.
func unpackBig(tb testing.TB, dir string) {
	tb.Helper()
	if os.Getenv("NOTELATCH_CORPORA") == "" {
		beside := filepath.Join("..", "..", "..", "shared", "corpora")
		if _, err := os.Stat(filepath.Join(beside, "vault-big.tar.zst")); err == nil {
			tb.Setenv("NOTELATCH_CORPORA", beside)
		}
	}
	if big, ok := vaulttest.BigCorpus(tb); ok {
		if err := os.CopyFS(dir, big); err != nil {
			tb.Fatalf("unpack the corpus: %v", err)
		}
		return
	}
	unpackMade(tb, dir, 10_800)
}

// unpackMade writes n made notes below dir.
func unpackMade(tb testing.TB, dir string, n int) {
	tb.Helper()
	notes := make(map[string]string, n)
	for _, f := range vaulttest.Big(tb, n) {
		notes[f.Path] = string(f.Body)
	}
	writeNotes(tb, dir, notes)
}

// onDisk are the notes below dir that a vault shows, and how many other files it shows: nothing in dot-folders.
func onDisk(t *testing.T, dir string) (notes map[string]string, others int) {
	t.Helper()
	notes = map[string]string{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		switch p := vault.Path(filepath.ToSlash(rel)); {
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && rel != ".":
			return fs.SkipDir
		case d.IsDir() || p.Hidden():
		case p.IsNote():
			body, err := os.ReadFile(file)
			notes[string(p)] = string(body)
			return err
		default:
			others++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return notes, others
}

func servesWhole(t *testing.T, dir string) {
	want, others := onDisk(t, dir)
	s := newHome(t).start("--vault", dir)

	partial := s.untilIndexed(t, len(want))
	t.Logf("%d answers came with a part of the vault", partial)
	if partial == 0 && len(want) > 10_000 { // a smaller one may be read between two calls
		t.Error("no answer came before the whole vault was read")
	}
	if v := s.vaults(t)[0]; !v.Available || v.NoteCount != len(want) {
		t.Errorf("list_vaults = %+v, want %d notes", v, len(want))
	}
	found := decoded[searchAnswer](t, s.must("search_notes", map[string]any{"query": "the", "limit": 1}))
	if c := found.Coverage; c.Searched+c.Skipped.Encrypted+c.Skipped.Unreadable != len(want) || c.Of != len(want) || len(found.Results) != 1 {
		t.Errorf("the answer of a whole index covers %+v of %d notes", c, len(want))
	}

	if files := decoded[searchAnswer](t, s.must("search_notes", map[string]any{"query": "has:attachment", "limit": 1})); files.Total != others {
		t.Errorf("%d attachments are found, want %d", files.Total, others)
	}

	listed := map[string]bool{}
	for args := map[string]any{"sort": "path", "limit": 50}; ; {
		page := decoded[searchAnswer](t, s.must("search_notes", args))
		if page.Total != len(want) || !page.TotalIsExact {
			t.Fatalf("a listing counts %d notes (exact: %v), want %d", page.Total, page.TotalIsExact, len(want))
		}
		for _, hit := range page.Results {
			if listed[hit.Path] {
				t.Errorf("%s is listed twice", hit.Path)
			}
			listed[hit.Path] = true
		}
		if page.NextCursor == "" {
			break
		}
		args = map[string]any{"cursor": page.NextCursor}
	}
	for path := range want {
		if !listed[path] {
			t.Errorf("%s is not listed", path)
		}
	}
	if len(listed) != len(want) {
		t.Errorf("%d notes are listed, want %d", len(listed), len(want))
	}
	for paths := range slices.Chunk(slices.Sorted(maps.Keys(want)), 10) {
		for path, got := range s.together(t, paths) {
			if got != want[path] {
				t.Errorf("%s reads back as %d bytes that differ from the %d on disk", path, len(got), len(want[path]))
			}
		}
	}
	s.stop()
}

// together reads up to ten notes in one call, and those that did not fit to their ends.
func (s *server) together(t *testing.T, paths []string) map[string]string {
	t.Helper()
	answer := decoded[struct {
		Notes []struct {
			Path, Content string
			NextOffset    *int
		}
	}](t, s.must("get_note_content", map[string]any{"paths": paths, "maxBytes": 48 << 10}))
	if len(answer.Notes) != len(paths) {
		t.Fatalf("asked for %d notes, and read %d", len(paths), len(answer.Notes))
	}
	texts := make(map[string]string, len(paths))
	for i, note := range answer.Notes {
		if note.Path != paths[i] {
			t.Fatalf("asked for %q, and read %q", paths[i], note.Path)
		}
		texts[note.Path] = note.Content
		if note.NextOffset != nil {
			texts[note.Path] = s.whole(t, note.Path)
		}
	}
	return texts
}

// untilIndexed searches until all of the vault is indexed, and counts the answers with results that came before. Answers are of use from the
// first moment: they say how much they cover, and that the count is no last word.
func (s *server) untilIndexed(t *testing.T, most int) (partial int) {
	t.Helper()
	eventually(t, "the index is ready", func() bool {
		a := decoded[searchAnswer](t, s.must("search_notes", map[string]any{"query": "the", "limit": 1}))
		c := a.Coverage
		known := c.Searched + c.Skipped.Encrypted + c.Skipped.Unreadable
		if known > c.Of || c.Of > most || a.TotalIsExact && known < c.Of {
			t.Fatalf("an answer during the first build says %+v of %d notes", a, most)
		}
		if known < c.Of && len(a.Results) > 0 {
			partial++
		}
		return s.vaults(t)[0].Indexed.State == "ready"
	})
	return partial
}

// whole reads a note to its end, part by part.
func (s *server) whole(t *testing.T, path string) string {
	t.Helper()
	var text strings.Builder
	for offset := 0; ; {
		part := decoded[struct {
			Path, Content string
			SizeBytes     int
			NextOffset    *int
		}](t, s.must("get_note_content", map[string]any{"path": path, "offset": offset, "maxBytes": 48 << 10}))
		if part.Path != path {
			t.Fatalf("asked for %q, and read %q", path, part.Path)
		}
		text.WriteString(part.Content)
		if part.NextOffset == nil {
			return text.String()
		}
		if *part.NextOffset <= offset {
			t.Fatalf("%s: the part at %d goes on at %d", path, offset, *part.NextOffset)
		}
		offset = *part.NextOffset
	}
}

type searchAnswer struct {
	Results      []struct{ Path string }
	Total        int
	TotalIsExact bool
	NextCursor   string
	Coverage     struct {
		Searched, Of int
		Skipped      struct{ Encrypted, Unreadable int }
	}
}

type listedVault struct {
	MappingID, Name string
	Available       bool
	NoteCount       int
	Indexed         struct{ State string }
}

func (s *server) vaults(t *testing.T) []listedVault {
	t.Helper()
	return decoded[struct{ Vaults []listedVault }](t, s.must("list_vaults", map[string]any{})).Vaults
}

// decoded is the text of a result, as T.
func decoded[T any](tb testing.TB, r reply) T {
	tb.Helper()
	var v T
	if err := json.Unmarshal([]byte(r.Text), &v); err != nil {
		tb.Fatalf("decode %s: %v", r.Text, err)
	}
	return v
}
