//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// moment is how far a write had come when the process was stopped.
type moment string

const (
	unseen   moment = "not known to the journal"
	reserved moment = "reserved"
	intended moment = "applying, nothing written"
	prepared moment = "applying, temporary file made"
	untidied moment = "applying, written, temporary file still there"
	written  moment = "applying, written"
	applied  moment = "applied, answer lost"
	free     moment = "ended without effect"
)

// look tells how far the call of a writer for line n has come.
func (tr *trial) look(w *writer, n int) moment {
	tr.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(tr.Context()), 10*time.Second)
	defer cancel()
	rows, err := tr.db.Query(ctx, `
		SELECT id, state
		FROM transactions
		WHERE mapping_id = ? AND idempotency_key = ?`, tr.vault, w.key(n))
	if err != nil {
		tr.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() {
		return unseen
	}
	var id, state string
	if err := rows.Scan(&id, &state); err != nil {
		tr.Fatal(err)
	}
	switch state {
	case "reserved":
		return reserved
	case "applying":
		return tr.effects(ctx, w, n, id)
	case "applied":
		return applied
	default:
		return free
	}
}

// effects tells how far the provider has come with a write.
func (tr *trial) effects(ctx context.Context, w *writer, n int, transaction string) moment {
	if tr.dir == "" {
		var rows int
		if err := tr.db.QueryRow(ctx, `SELECT COUNT(*) FROM hosted_revisions WHERE transaction_id = ?`, transaction).Scan(&rows); err != nil {
			tr.Fatal(err)
		}
		if rows != 0 && rows != len(w.notes) {
			tr.Errorf("%d of %d notes of one transaction are written", rows, len(w.notes))
		}
		return map[bool]moment{false: intended, true: written}[rows > 0]
	}
	left, err := filepath.Glob(filepath.Join(tr.dir, ".notelatch-"+transaction+"*"))
	if err != nil {
		tr.Fatal(err)
	}
	body, err := os.ReadFile(filepath.Join(tr.dir, w.notes[0]))
	if err != nil {
		tr.Fatal(err)
	}
	switch landed := strings.HasSuffix(string(body), w.line(n)+"\n"); {
	case landed && len(left) > 0:
		return untidied
	case landed:
		return written
	case len(left) > 0:
		return prepared
	default:
		return intended
	}
}

// trigger chooses what the process is stopped by: what brings up a moment that is missing, or the next in turn.
func (tr *trial) trigger(round int) func(*server) {
	const fewest = 6 // rounds before choosing
	var order []func(*server)
	if tr.dir != "" {
		order = []func(*server){
			tr.atEvent(fsnotify.Create, ".notelatch-"),
			tr.atEvent(fsnotify.Create, "One.md"), // the exchange gives the note's name to another file
			tr.atEvent(fsnotify.Remove, ".notelatch-"),
		}
	}
	order = append(order, tr.atState("reserved"), tr.atState("applying"), tr.deaf, tr.after(time.Duration(round*round)*20*time.Microsecond))
	if missing := tr.missing(); round > fewest && len(missing) > 0 {
		switch m := missing[round%len(missing)]; {
		case m == reserved:
			return tr.atState("reserved")
		case m == applied:
			return tr.deaf
		case tr.dir != "" && m == prepared:
			return tr.atEvent(fsnotify.Create, ".notelatch-")
		case tr.dir != "":
			return order[1+round%2]
		default:
			return tr.atState("applying")
		}
	}
	return order[round%len(order)]
}

// after stops the process after some time.
func (tr *trial) after(d time.Duration) func(*server) {
	return func(s *server) {
		time.Sleep(d)
		tr.freeze(s)
	}
}

// atEvent stops the process when something happens in the folder to a name that begins so. The watch begins at once.
func (tr *trial) atEvent(op fsnotify.Op, prefix string) func(*server) {
	return func(s *server) {
		w, err := fsnotify.NewWatcher()
		if err != nil {
			tr.Fatal(err)
		}
		defer w.Close()
		if err := w.Add(tr.dir); err != nil {
			tr.Fatal(err)
		}
		timeout := time.After(time.Minute)
		for {
			select {
			case e := <-w.Events:
				name := filepath.Base(e.Name)
				if e.Has(op) && strings.HasPrefix(name, prefix) {
					tr.freeze(s)
					return
				}
			case <-timeout:
				tr.Errorf("no %v of %q was seen", op, prefix)
				return
			}
		}
	}
}

// atState stops the process when a transaction is in this state.
func (tr *trial) atState(state string) func(*server) {
	return func(s *server) {
		eventually(tr, "a transaction that is "+state, func() bool {
			for range 50 { // far more often than eventually looks
				var n int
				err := tr.db.QueryRow(tr.Context(), `SELECT COUNT(*) FROM transactions WHERE state = ?`, state).Scan(&n)
				if err == nil && n > 0 {
					tr.freeze(s)
					return true
				}
			}
			return false
		})
	}
}

// deaf sends a call, never reads its answer, and stops the process once it was applied.
func (tr *trial) deaf(s *server) {
	w := tr.writers[2]
	w.begun.Add(1)
	w.lost = w.sent()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		tr.Fatal(err)
	}
	defer conn.Close()
	body := request(w.call(w.sent(), tr.vault))
	if _, err := fmt.Fprintf(conn, "POST /api/mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		strings.TrimPrefix(s.url, "http://"), s.token, len(body), body); err != nil {
		tr.Fatal(err)
	}
	eventually(tr, "the call is applied", func() bool { return tr.look(w, w.sent()) == applied })
	tr.freeze(s)
}

// freeze stops every thread of the process where it is.
func (tr *trial) freeze(s *server) {
	pid := s.cmd.Process.Pid
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		tr.Errorf("stop the server: %v", err)
	}
	eventually(tr, "all threads stand still", func() bool { return frozen(tr.T, pid) })
}

func frozen(t *testing.T, pid int) bool {
	stats, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(stats) == 0 {
		t.Fatalf("the threads of the server cannot be listed: %v", err)
	}
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		_, state, _ := strings.Cut(string(text), ") ")
		if !strings.HasPrefix(state, "T") {
			return false
		}
	}
	return true
}
