//go:build linux

package folder_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/folder"
	"github.com/notelatch/notelatch/vault"
)

// The two ways in which editors save.
var editors = map[string]func(name, body string) error{
	"into a new file that is renamed": func(name, body string) error {
		if err := os.WriteFile(name+".editor~", []byte(body), 0o644); err != nil {
			return err
		}
		return os.Rename(name+".editor~", name)
	},
	"into the file in place": func(name, body string) error { return os.WriteFile(name, []byte(body), 0o644) },
}

const line = "appended\n"

// appendTo reads the note and writes it back with a line more, as a transaction does, and reports whether that was accepted.
func appendTo(t *testing.T, d *folder.Driver, p vault.Path, id string) bool {
	f, err := d.Read(t.Context(), p)
	if err != nil {
		if !errors.Is(err, vault.ProviderUnavailable) && !errors.Is(err, vault.NotFound) {
			t.Errorf("Read = %v", err)
		}
		return false
	}
	_, err = d.Write(t.Context(), providers.Change{
		Path: p, Body: append(f.Body, line...), Pre: vault.MustBe(f.Revision), Attempt: providers.Attempt{Transaction: "txn_" + id},
	})
	if err != nil && !errors.Is(err, vault.RevisionConflict) && !errors.Is(err, vault.ProviderUnavailable) {
		t.Errorf("Write = %v", err)
	}
	return err == nil
}

// An editor saves in a tight loop while others append. After each save, when the appends that were under way have ended, the note must
// be that save, with nothing but appended lines after it.
func TestAnEditorsSaveIsNeverLost(t *testing.T) {
	for name, save := range editors {
		t.Run(name, func(t *testing.T) {
			p := place{t, t.TempDir()}
			p.save("a.md", "save 0\n")
			d := open(t, p.path)
			var (
				rest     sync.RWMutex // held by each append; taken by the editor to look
				appends  sync.WaitGroup
				stop     = make(chan struct{})
				accepted atomic.Int32
			)
			for w := range 2 {
				appends.Go(func() {
					for i := 0; ; i++ {
						select {
						case <-stop:
							return
						default:
						}
						rest.RLock()
						if appendTo(t, d, "a.md", fmt.Sprintf("%d_%d", w, i)) {
							accepted.Add(1)
						}
						rest.RUnlock()
					}
				})
			}
			for k := 1; k <= 400 || accepted.Load() == 0 && k <= 10_000; k++ {
				body := fmt.Sprintf("save %d\n%s\n", k, strings.Repeat("text ", 200))
				if err := save(p.name("a.md"), body); err != nil {
					t.Error(err)
					break
				}
				if k%3 != 0 {
					continue // several saves on one append
				}
				rest.Lock()
				got, err := os.ReadFile(p.name("a.md"))
				rest.Unlock()
				after, kept := strings.CutPrefix(string(got), body)
				if err != nil || !kept || strings.ReplaceAll(after, line, "") != "" {
					t.Errorf("after save %d the note holds %.40q…, %v", k, got, err)
					break
				}
			}
			close(stop)
			appends.Wait()
			if accepted.Load() == 0 {
				t.Error("no append was ever accepted, so that nothing was tested")
			}
			copies := 0
			for rel := range p.files() {
				switch {
				case strings.HasPrefix(rel, "a (conflict "):
					copies++
				case rel != "a.md":
					t.Errorf("%s was left behind", rel)
				}
			}
			t.Logf("%d appends accepted, %d conflict copies kept", accepted.Load(), copies)
		})
	}
}

// A program that has the note open may still save into what is exchanged: such a write waits, and is refused if the program stays.
func TestANoteThatIsOpenForWritingIsLeftAlone(t *testing.T) {
	p := place{t, t.TempDir()}
	p.save("a.md", "old")
	d := open(t, p.path)
	editor, err := os.OpenFile(p.name("a.md"), os.O_RDWR, 0)
	p.must(err)
	defer editor.Close()
	c := providers.Change{Path: "a.md", Body: []byte("new"), Pre: vault.MustBe(providers.ContentRevision([]byte("old"))), Attempt: attempt}
	if _, err := d.Write(t.Context(), c); !errors.Is(err, vault.ProviderUnavailable) || !providers.Untouched(err) {
		t.Errorf("Write = %v, want %s with nothing touched", err, vault.ProviderUnavailable)
	}
	p.holds(map[string]string{"a.md": "old"})
	_, err = editor.WriteAt([]byte("saved"), 0)
	p.must(err)
	p.holds(map[string]string{"a.md": "saved"})
	if _, err := d.Write(t.Context(), c); !errors.Is(err, vault.RevisionConflict) {
		t.Errorf("Write after the save = %v, want %s", err, vault.RevisionConflict)
	}
	p.must(editor.Close())
	c.Pre = vault.MustBe(providers.ContentRevision([]byte("saved")))
	if _, err := d.Write(t.Context(), c); err != nil {
		t.Errorf("Write after the editor closed = %v", err)
	}
	p.holds(map[string]string{"a.md": "new"})
}

func TestAReplacedFileKeepsItsModeAndAttributes(t *testing.T) {
	p := place{t, t.TempDir()}
	p.save("a.md", "old")
	p.must(os.Chmod(p.name("a.md"), 0o640))
	attributes := setAttribute(p.name("a.md"), "user.color", "green")
	d := open(t, p.path)
	c := providers.Change{Path: "a.md", Body: []byte("new"), Pre: vault.MustBe(providers.ContentRevision([]byte("old"))), Attempt: attempt}
	if _, err := d.Write(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(p.name("a.md"))
	p.must(err)
	if info.Mode() != 0o640 {
		t.Errorf("the mode became %v, want 0640", info.Mode())
	}
	if attributes == nil {
		if got := attribute(p.name("a.md"), "user.color"); got != "green" {
			t.Errorf("the attribute became %q, want green", got)
		}
	}
}

// A half-saved text is not one to which the other half was added.
func TestAnAppendDoesNotPartASave(t *testing.T) {
	p := place{t, t.TempDir()}
	p.save("a.md", "half")
	d := open(t, p.path)
	editor, err := os.OpenFile(p.name("a.md"), os.O_WRONLY|os.O_APPEND, 0)
	p.must(err)
	c := providers.Change{Path: "a.md", Body: []byte("half, appended"), Pre: vault.MustBe(providers.ContentRevision([]byte("half"))), Attempt: attempt}
	done := make(chan error)
	go func() {
		_, err := d.Write(context.Background(), c)
		done <- err
	}()
	_, err = editor.WriteString(" and half")
	p.must(errors.Join(err, editor.Close()))
	if err := <-done; !errors.Is(err, vault.RevisionConflict) {
		t.Errorf("Write = %v, want %s", err, vault.RevisionConflict)
	}
	p.holds(map[string]string{"a.md": "half and half"})
}
