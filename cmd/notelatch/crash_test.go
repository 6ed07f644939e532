//go:build linux

package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/vault"
)

// The process is killed, as by a power cut, in the midst of writes: after a time, and when a step of a write is seen in the database or
// in the folder. It starts again on the same data, and brings what was cut off to an end by itself. Then each call whose answer was
// lost is sent again with its key, and in the end every line is in its notes exactly once, in its place.
func TestKilledProcessLosesAndDoublesNothing(t *testing.T) {
	t.Run("SQLite and a folder", func(t *testing.T) {
		t.Parallel()
		h := newHome(t)
		testKills(t, h, "sqlite:"+filepath.Join(h.data, "notelatch.db"), true)
	})
	t.Run("SQLite and a hosted vault", func(t *testing.T) {
		t.Parallel()
		h := newHome(t)
		testKills(t, h, "sqlite:"+filepath.Join(h.data, "notelatch.db"), false)
	})
	t.Run("PostgreSQL and a hosted vault", func(t *testing.T) {
		t.Parallel()
		url := sqldbtest.Postgres(t)
		testKills(t, newHome(t, "--database", url), url, false)
	})
}

// trial is one vault whose server is killed again and again.
type trial struct {
	*testing.T
	home    *home
	db      *sqldb.DB
	vault   string // handle
	dir     string // of a folder; "" for a hosted vault
	writers []*writer
	census  map[moment]int // of calls that were cut off
}

// writer appends numbered lines to its notes, to all of them in one call, one call after the other.
type writer struct {
	name  string
	notes []string
	begun atomic.Int64 // lines that were sent
	lost  int          // the line whose answer did not come; 0 for none
	seen  int          // the last line when the process stood still
	last  moment       // of that line then
}

func (w *writer) sent() int { return int(w.begun.Load()) }

func (w *writer) key(n int) string  { return fmt.Sprintf("%s-%08d", w.name, n) }
func (w *writer) line(n int) string { return fmt.Sprintf("- %s %d", w.name, n) }

// call is the tool that appends line n, and its arguments.
func (w *writer) call(n int, vault string) (tool string, args map[string]any) {
	if len(w.notes) == 1 {
		return "create_or_append_note", map[string]any{
			"mappingId": vault, "path": w.notes[0], "content": w.line(n), "mode": "append", "dryRun": false, "idempotencyKey": w.key(n),
		}
	}
	var actions []any
	for _, note := range w.notes {
		actions = append(actions, map[string]any{"kind": "append", "path": note, "content": w.line(n)})
	}
	return "apply_note_transaction", map[string]any{"mappingId": vault, "actions": actions, "dryRun": false, "idempotencyKey": w.key(n)}
}

// want is each note when n lines were written.
func (w *writer) want(n int) string {
	var b strings.Builder
	b.WriteString("# Log\n")
	for i := 1; i <= n; i++ {
		b.WriteString(w.line(i) + "\n")
	}
	return b.String()
}

func testKills(t *testing.T, h *home, url string, inFolder bool) {
	db, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tr := &trial{T: t, home: h, db: db, census: make(map[moment]int), writers: []*writer{
		{name: "one", notes: []string{"One.md"}}, {name: "more", notes: []string{"Two.md", "Three.md", "Four.md"}}, {name: "deaf", notes: []string{"Deaf.md"}},
	}}
	if inFolder { // which takes one note in a transaction
		tr.writers[1].notes = []string{"Two.md"}
	}
	source := t.TempDir()
	for _, w := range tr.writers {
		for _, note := range w.notes {
			if err := os.WriteFile(filepath.Join(source, note), []byte("# Log\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if inFolder {
		tr.dir = source
		tr.vault = added(t, h.run("vault", "add", source, "--json"))
		h.run("vault", "set", tr.vault, "--writes", "on")
	} else {
		tr.vault = added(t, h.run("vault", "add", "--hosted", "Kept", "--json"))
		h.run("vault", "import", tr.vault, source)
	}

	const fewest, most = 20, 90
	s := h.start()
	for round := 0; round < most && (round < fewest || len(tr.missing()) > 0); round++ {
		tr.round(s, round)
		s = h.start()
		tr.recover(s)
		if t.Failed() {
			return
		}
	}
	s.stop()
	if missing := tr.missing(); len(missing) > 0 {
		t.Errorf("no call was cut off when it was %q", missing)
	}
	tr.verify()
	t.Logf("calls cut off: %v", tr.census)
}

func added(t *testing.T, out string) string {
	t.Helper()
	var row struct{ MappingID string }
	if err := json.Unmarshal([]byte(out), &row); err != nil || row.MappingID == "" {
		t.Fatalf("vault add printed %q", out)
	}
	return row.MappingID
}

// missing are the moments that have to come up in every trial, and have not yet.
func (tr *trial) missing() []moment {
	want := []moment{reserved, intended, written, applied}
	if tr.dir != "" {
		want = []moment{reserved, prepared, written, applied}
	}
	var out []moment
	for _, m := range want {
		if tr.census[m] == 0 && (m != written || tr.census[untidied] == 0) {
			out = append(out, m)
		}
	}
	return out
}

// round lets the writers write until the server is killed.
func (tr *trial) round(s *server, round int) {
	trigger := tr.trigger(round)
	var wg sync.WaitGroup
	first := make(chan struct{}, 1) // an answer has come
	for _, w := range tr.writers[:2] {
		wg.Go(func() { tr.write(s, w, first) })
	}
	<-first
	trigger(s)
	for _, w := range tr.writers {
		if w.seen = w.sent(); w.seen > 0 {
			w.last = tr.look(w, w.seen)
		}
	}
	s.kill()
	wg.Wait()
	for _, w := range tr.writers {
		switch w.lost {
		case 0:
		case w.seen:
			tr.census[w.last]++
		default: // an answer was under way, and a call after it
			tr.census[unseen]++
		}
	}
}

// write appends lines until an answer does not come.
func (tr *trial) write(s *server, w *writer, first chan<- struct{}) {
	for {
		n := int(w.begun.Add(1))
		r, err := s.call(w.call(n, tr.vault))
		select {
		case first <- struct{}{}:
		default:
		}
		switch {
		case err != nil:
			w.lost = n
			return
		case r.field("status") != "applied":
			tr.Errorf("line %d of %s was answered %v", n, w.name, r)
			w.lost = n
			return
		}
	}
}

// recover looks at a server that started on what the kill left. Without any call it brings everything to an end: a lost call is
// applied, or its key is free. Sent again, it is applied once.
func (tr *trial) recover(s *server) {
	tr.Helper()
	eventually(tr, "the server settles what was open", func() bool {
		var open int
		err := tr.db.QueryRow(tr.Context(), `
			SELECT COUNT(*)
			FROM transactions
			WHERE state IN ('reserved', 'applying', 'unknown')`).Scan(&open)
		return err == nil && open == 0
	})
	tr.tidy()
	bodies := tr.bodies()
	for _, w := range tr.writers {
		if w.sent() == 0 {
			continue
		}
		landed := bodies[w.notes[0]] == w.want(w.sent())
		want := w.want(w.sent())
		if !landed && w.lost != 0 {
			want = w.want(w.sent() - 1)
		}
		for _, note := range w.notes { // all or none
			if diff := cmp.Diff(want, bodies[note]); diff != "" {
				tr.Fatalf("%s after a kill when line %d was %q (-want +got):\n%s", note, w.sent(), w.last, diff)
			}
		}
		if now := tr.look(w, w.sent()); (now == applied) != landed {
			tr.Fatalf("line %d of %s is %q, in the notes: %v", w.sent(), w.name, now, landed)
		}
		r := s.must(w.call(w.sent(), tr.vault))
		if replayed := strings.Contains(r.Text, `"replayed":true`); r.field("status") != "applied" || replayed != landed {
			tr.Fatalf("line %d again, when it had landed (%v): %v", w.sent(), landed, r)
		}
		w.lost = 0
	}
	bodies = tr.bodies()
	for _, w := range tr.writers {
		for _, note := range w.notes {
			if diff := cmp.Diff(w.want(w.sent()), bodies[note]); diff != "" {
				tr.Fatalf("%s after the lost calls were repeated (-want +got):\n%s", note, diff)
			}
		}
	}
	tr.tidy()
}

// tidy checks that nothing but the notes is in the folder.
func (tr *trial) tidy() {
	tr.Helper()
	if tr.dir == "" {
		return
	}
	entries, err := os.ReadDir(tr.dir)
	if err != nil {
		tr.Fatal(err)
	}
	if want := len(tr.notes()); len(entries) != want {
		tr.Errorf("the folder holds %v, want the %d notes", entries, want)
	}
	if left, err := os.ReadDir(tr.home.temp); err != nil || len(left) != 1 {
		tr.Errorf("the temporary folder holds %v, %v; want what the running server has there", left, err)
	}
}

func (tr *trial) notes() []string {
	var out []string
	for _, w := range tr.writers {
		out = append(out, w.notes...)
	}
	return out
}

// bodies are the notes as they are stored.
func (tr *trial) bodies() map[string]string {
	tr.Helper()
	out := make(map[string]string)
	for _, note := range tr.notes() {
		var body []byte
		var err error
		if tr.dir != "" {
			body, err = os.ReadFile(filepath.Join(tr.dir, note))
		} else {
			err = tr.db.QueryRow(tr.Context(), `
				SELECT r.body
				FROM hosted_notes n
				JOIN hosted_revisions r ON r.vault_id = n.vault_id AND r.seq = n.seq
				WHERE n.path = ?`, note).Scan(&body)
		}
		if err != nil {
			tr.Fatal(err)
		}
		out[note] = string(body)
	}
	return out
}

// verify recomputes the chain of events, which tell of each line once, each on the revision that the one before left.
func (tr *trial) verify() {
	tr.Helper()
	ctx := context.WithoutCancel(tr.Context())
	owner, err := account.New(tr.db, nil, rand.Reader).Owner(ctx)
	if err != nil {
		tr.Fatal(err)
	}
	log := events.New(tr.db, rand.Reader)
	if _, err := log.Verify(ctx, owner.ID); err != nil {
		tr.Errorf("Verify = %v", err)
	}
	for _, w := range tr.writers {
		for _, note := range w.notes {
			all, err := log.List(ctx, owner.ID, tr.vault, events.Filter{Path: vault.Path(note), Limit: 1000, Kinds: []events.Kind{events.NoteChanged}})
			if err != nil {
				tr.Fatal(err)
			}
			if len(all) != w.sent() {
				tr.Errorf("%d events tell of %d lines in %s", len(all), w.sent(), note)
			}
			for i := 0; i+1 < len(all); i++ {
				if all[i].Before != all[i+1].After {
					tr.Errorf("event %d on %s follows %s, but is based on %s", all[i].Sequence, note, all[i+1].After, all[i].Before)
				}
			}
		}
	}
}
