//go:build linux

package txn_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers/folder"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

// A note becomes a link to elsewhere and a note again, all the time. Each addition lands once or is refused: none stays undecided.
func TestAdditionsToANoteThatBecomesALink(t *testing.T) {
	dir := t.TempDir()
	name := func(rel string) string { return filepath.Join(dir, rel) }
	for _, err := range []error{
		os.Mkdir(name("v"), 0o755), os.WriteFile(name("v/f.md"), []byte("first\n"), 0o644),
		os.WriteFile(name("outside.md"), []byte("secret\n"), 0o644), os.Symlink("../outside.md", name("v/link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	d, err := folder.Open(t.Context(), name("v"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	w := newWorld(t, sqldbtest.Open(t), d)
	w.driver.Before, w.driver.Reading = nil, nil
	access := w.access(t, w.caller(), vault.NeedApply)
	stop, ended := make(chan struct{}), make(chan error)
	go func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		var err error
		for swapped := false; err == nil; swapped = !swapped {
			<-tick.C
			select {
			case <-stop:
				if !swapped {
					ended <- nil
					return
				}
			default:
			}
			err = unix.Renameat2(unix.AT_FDCWD, name("v/f.md"), unix.AT_FDCWD, name("v/link"), unix.RENAME_EXCHANGE)
		}
		ended <- err
	}()
	applied, refused := make([]bool, 300), make(map[vault.Code]int)
	for i := range applied {
		r := plan.Request{Actions: []plan.Action{add("f.md", fmt.Sprintf("A%d", i))}, Key: fmt.Sprintf("key-12345-%d", i), Tool: "test"}
		_, err := w.service.Apply(t.Context(), access, r)
		applied[i] = err == nil
		if err == nil {
			continue
		}
		refused[vault.AsError(err).Code]++
		if !errors.Is(err, vault.RevisionConflict) && !errors.Is(err, vault.UnsupportedHere) {
			t.Errorf("Apply(A%d) = %v", i, err)
		}
	}
	close(stop)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if open, err := w.journal.Open(t.Context(), w.clock.now().Add(time.Hour)); err != nil || len(open) != 0 {
		t.Errorf("%d transactions are open, %v", len(open), err)
	}
	lines := strings.Split(w.note(t, "f.md"), "\n")
	count := make(map[string]int, len(lines))
	for _, line := range lines {
		count[line]++
	}
	// What the program moves in the very moment of a write may be the new file, which then changes places with the note in its stead.
	link, err := os.Lstat(name("v/link"))
	if err != nil {
		t.Fatal(err)
	}
	taken := link.Mode().IsRegular()
	landed := 0
	for i, yes := range applied {
		want := 0
		if yes {
			want, landed = 1, landed+1
		}
		if got := count[fmt.Sprintf("A%d", i)]; got != want && !(taken && got <= 1) {
			t.Errorf("A%d is in the note %d times, want %d", i, got, want)
		}
	}
	if body, err := os.ReadFile(name("outside.md")); err != nil || string(body) != "secret\n" {
		t.Errorf("where the link leads there is %q, %v", body, err)
	}
	if landed == 0 || len(refused) == 0 {
		t.Errorf("%d additions landed and %v were refused, so that nothing was tested", landed, refused)
	}
	t.Logf("%d additions landed, refused %v", landed, refused)
}
