//go:build linux

package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// An editor saves a note in a tight loop, each time a text of its own, while agents append lines to the note through the server. What
// must hold:
//
//   - After a save, when the appends that were under way have ended, the note is that save with nothing but appended lines after it;
//     where the editor writes in place, the save may instead be in a conflict copy, if the file that it was writing was exchanged in
//     that moment. It never is an older text.
//   - Each append that was answered "applied" was made on exactly what was there: on a text that the editor wrote, or on what the append
//     before it left.
//   - After the last save, the note is that save and the appends that came after it.
func TestEditorLosesNoSaveBesideAppends(t *testing.T) {
	for name, e := range map[string]editor{
		"into a new file that is renamed": {save: func(name, body string) error {
			if err := os.WriteFile(name+".editor~", []byte(body), 0o644); err != nil {
				return err
			}
			return os.Rename(name+".editor~", name)
		}},
		"into the file in place": {inPlace: true, save: func(name, body string) error { return os.WriteFile(name, []byte(body), 0o644) }},
	} {
		t.Run(name, func(t *testing.T) { testEditor(t, e) })
	}
}

type editor struct {
	inPlace bool // between the truncation and the write the note is empty
	save    func(name, body string) error
}

const saves = 300

func saved(k int) string { return fmt.Sprintf("# Save %d\n\n%s\n", k, strings.Repeat("words ", 100)) }

func testEditor(t *testing.T, e editor) {
	h := newHome(t)
	dir := t.TempDir()
	note := filepath.Join(dir, "Note.md")
	if err := os.WriteFile(note, []byte(saved(0)), 0o644); err != nil {
		t.Fatal(err)
	}
	s := h.start("--vault", dir, "--allow-writes")
	s.must("search_notes", map[string]any{"query": "save"})

	var agents sync.WaitGroup
	var rest sync.RWMutex // held by each append; taken by the editor to look
	stop := make(chan struct{})
	answers := make([]map[string]int, 2)
	for a := range answers {
		answers[a] = make(map[string]int)
		agents.Go(func() {
			for n := 1; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				rest.RLock()
				answers[a][s.appendLine(fmt.Sprintf("- agent %d line %d", a, n), fmt.Sprintf("agent-%d-%06d", a, n))]++
				rest.RUnlock()
			}
		})
	}
	copies := 0
	for k := 1; k <= saves; k++ {
		if err := e.save(note, saved(k)); err != nil {
			t.Fatal(err)
		}
		for range k * k % 400 { // so that the next save comes at another moment of the appends
			if _, err := os.ReadFile(note); err != nil {
				t.Fatal(err)
			}
		}
		if k%5 != 0 {
			continue
		}
		rest.Lock()
		body, err := os.ReadFile(note)
		rest.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		if rest, ok := strings.CutPrefix(string(body), saved(k)); ok {
			onlyLines(t, k, rest)
		} else if !e.inPlace || !copied(t, dir, saved(k)) {
			t.Fatalf("after save %d the note is\n%.200s", k, body)
		} else {
			copies++
		}
	}
	close(stop)
	agents.Wait()
	if got := s.appendLine("- the last line", "agent-0-last"); got != "applied" {
		t.Errorf("an append when the editor rests = %s", got)
	}
	s.stop()
	total := make(map[string]int)
	for _, m := range answers {
		for code, n := range m {
			total[code] += n
			if code != "applied" && code != string(vault.RevisionConflict) && code != string(vault.ProviderUnavailable) {
				t.Errorf("%d appends were answered %s", n, code)
			}
		}
	}
	t.Logf("%d saves, %d of them in conflict copies; appends: %v", saves, copies, total)
	if total["applied"] < 20 {
		t.Errorf("%d appends were applied: the two hardly met", total["applied"])
	}
	checkHistory(t, h, note, e, total["applied"]+1)
}

// appendLine appends and returns "applied", or the code of the refusal.
func (s *server) appendLine(line, key string) string {
	r, err := s.call("create_or_append_note", map[string]any{
		"path": "Note.md", "content": line, "mode": "append", "dryRun": false, "idempotencyKey": key,
	})
	switch {
	case err != nil:
		return err.Error()
	case r.Error:
		return r.Code
	default:
		return r.field("status")
	}
}

func onlyLines(t *testing.T, k int, rest string) {
	t.Helper()
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "- agent ") || !strings.HasSuffix(line, "\n") {
			t.Fatalf("after save %d the note goes on with %q", k, line)
		}
	}
}

// copied reports whether a conflict copy begins with the text.
func copied(t *testing.T, dir, text string) bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "Note (conflict *).md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if body, err := os.ReadFile(name); err == nil && strings.HasPrefix(string(body), text) {
			return true
		}
	}
	return false
}

// checkHistory follows the record of the appends, and the note to its end.
func checkHistory(t *testing.T, h *home, note string, e editor, applied int) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(h.data, "notelatch.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	owner, err := account.New(db, nil, rand.Reader).Owner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	log := events.New(db, rand.Reader)
	if _, err := log.Verify(t.Context(), owner.ID); err != nil {
		t.Errorf("Verify = %v", err)
	}
	editors := map[vault.Revision]bool{providers.ContentRevision(nil): e.inPlace}
	for k := range saves + 1 {
		editors[providers.ContentRevision([]byte(saved(k)))] = true
	}
	var newest []events.Event
	for before := int64(0); ; before = newest[len(newest)-1].Sequence {
		page, err := log.List(t.Context(), owner.ID, "", events.Filter{Path: "Note.md", Before: before, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		newest = append(newest, page...)
	}
	if len(newest) != applied {
		t.Errorf("%d events tell of %d appends", len(newest), applied)
	}
	for i, ev := range newest {
		onAppend := i+1 < len(newest) && ev.Before == newest[i+1].After
		if !onAppend && !editors[ev.Before] {
			t.Errorf("event %d was made on a text that was not there then", ev.Sequence)
		}
	}
	body, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	if len(newest) > 0 && newest[0].After != providers.ContentRevision(body) {
		t.Errorf("the last append is not what the note says:\n%s", body)
	}
	if rest, ok := strings.CutPrefix(string(body), saved(saves)); !ok && !copied(t, filepath.Dir(note), saved(saves)) {
		t.Errorf("the note does not begin with the last save:\n%.200s", body)
	} else if ok && !strings.HasSuffix(rest, "- the last line\n") {
		t.Errorf("the note does not end with the last append: %q", rest)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(note), ".notelatch-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}
