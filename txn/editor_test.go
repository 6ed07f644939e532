//go:build linux

package txn_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers/folder"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

// appender is a program that adds lines to a note in place for as long as the test lets it, and returns how many it wrote.
type appender func(name string, tick <-chan time.Time, stop <-chan struct{}) (lines int, err error)

// A shell that opens the note for each line.
func openingEachTime(name string, tick <-chan time.Time, stop <-chan struct{}) (lines int, err error) {
	for {
		select {
		case <-stop:
			return lines, nil
		case <-tick:
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err == nil {
			_, err = fmt.Fprintf(f, "E%d\n", lines)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return lines, err
		}
		lines++
	}
}

// A program that keeps the note open for a while, and opens it again.
func keepingItOpen(name string, tick <-chan time.Time, stop <-chan struct{}) (lines int, err error) {
	for {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err != nil {
			return lines, err
		}
		for range 10 {
			<-tick
			if _, err := fmt.Fprintf(f, "E%d\n", lines); err != nil {
				return lines, errors.Join(err, f.Close())
			}
			lines++
		}
		if err := f.Close(); err != nil {
			return lines, err
		}
		for range 10 {
			select {
			case <-stop:
				return lines, nil
			case <-tick:
			}
		}
	}
}

// Another program writes the note in place while additions are applied. Whatever the answers: each line of both sides is in the note once,
// an addition that was refused is not, and one whose outcome is unknown is there at most once.
func TestAdditionsBesideAProgramThatWritesInPlace(t *testing.T) {
	for what, run := range map[string]appender{"opening it each time": openingEachTime, "keeping it open": keepingItOpen} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			note := filepath.Join(dir, "note.md")
			if err := os.WriteFile(note, []byte("first\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			d, err := folder.Open(t.Context(), dir, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			w := newWorld(t, sqldbtest.Open(t), d)
			w.driver.Before, w.driver.Reading = nil, nil
			access := w.access(t, w.caller(), vault.NeedApply)
			var (
				program sync.WaitGroup
				stop    = make(chan struct{})
				written int
				broke   error
			)
			program.Go(func() {
				tick := time.NewTicker(2 * time.Millisecond)
				defer tick.Stop()
				written, broke = run(note, tick.C, stop)
			})
			// As many as keep the test short where the other program leaves hardly a moment between its writes.
			applied, undecided, refused := make([]bool, 60), make([]bool, 60), make(map[vault.Code]int)
			for i := range applied {
				r := plan.Request{Actions: []plan.Action{add("note.md", fmt.Sprintf("A%d", i))}, Key: fmt.Sprintf("key-12345-%d", i), Tool: "test"}
				_, err := w.service.Apply(t.Context(), access, r)
				applied[i] = err == nil
				if err == nil {
					continue
				}
				refused[vault.AsError(err).Code]++
				undecided[i] = errors.Is(err, vault.OutcomeUnknown)
				if !errors.Is(err, vault.RevisionConflict) && !errors.Is(err, vault.ProviderUnavailable) && !undecided[i] {
					t.Errorf("Apply(A%d) = %v", i, err)
				}
			}
			close(stop)
			program.Wait()
			if broke != nil {
				t.Fatalf("the other program failed: %v", broke)
			}
			body, err := os.ReadFile(note)
			if err != nil {
				t.Fatal(err)
			}
			count := make(map[string]int)
			for line := range strings.Lines(string(body)) {
				count[strings.TrimSuffix(line, "\n")]++
			}
			landed := 0
			for i, yes := range applied {
				want := 0
				if yes {
					want, landed = 1, landed+1
				}
				if got := count[fmt.Sprintf("A%d", i)]; got != want && !(undecided[i] && got <= 1) {
					t.Errorf("A%d is in the note %d times, want %d", i, got, want)
				}
			}
			for i := range written {
				if got := count[fmt.Sprintf("E%d", i)]; got != 1 {
					t.Errorf("E%d of the other program is in the note %d times", i, got)
				}
			}
			files, err := os.ReadDir(dir)
			if err != nil || len(files) != 1 {
				t.Errorf("beside the note there are %v, %v", files, err)
			}
			if landed == 0 || written == 0 {
				t.Errorf("%d additions landed and %d lines were written, so that nothing was tested", landed, written)
			}
			t.Logf("%d additions landed, refused %v, beside %d lines", landed, refused, written)
		})
	}
}
