//go:build linux

package folder_test

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/notelatch/notelatch/vault"
)

// Folders change places faster than the watch can follow. It must neither end the process nor lose a folder: when all is quiet, the feed
// tells what the listing does, and hears of the next edit.
func TestFoldersThatAreRenamedFast(t *testing.T) {
	const times = 4000
	for what, churn := range map[string]func(p place, i int) error{
		"with a link to elsewhere": func(p place, _ int) error {
			return unix.Renameat2(unix.AT_FDCWD, p.name("v/dir"), unix.AT_FDCWD, p.name("v/link"), unix.RENAME_EXCHANGE)
		},
		"with another folder": func(p place, _ int) error {
			return unix.Renameat2(unix.AT_FDCWD, p.name("v/dir"), unix.AT_FDCWD, p.name("v/other"), unix.RENAME_EXCHANGE)
		},
		"away and back": func(p place, i int) error {
			if i%2 == 0 {
				return os.Rename(p.name("v/dir"), p.name("v/away"))
			}
			return os.Rename(p.name("v/away"), p.name("v/dir"))
		},
		"into another and back": func(p place, i int) error {
			if i%2 == 0 {
				return os.Rename(p.name("v/dir"), p.name("v/other/dir"))
			}
			return os.Rename(p.name("v/other/dir"), p.name("v/dir"))
		},
	} {
		t.Run(what, func(t *testing.T) {
			p := place{t, t.TempDir()}
			p.save("v/dir/sub/n.md", "x")
			p.save("v/other/sub/m.md", "x")
			p.save("outside/dir/o.md", "x")
			p.must(os.Symlink("../outside/dir", p.name("v/link")))
			d := open(t, p.name("v"))
			var calls sync.WaitGroup
			stop := make(chan struct{})
			for range 2 {
				calls.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
						}
						if _, err := d.Changes(t.Context(), ""); err != nil {
							t.Errorf("Changes = %v", err)
							return
						}
						_, _ = d.Read(t.Context(), "dir/sub/n.md")
					}
				})
			}
			for i := range times {
				if err := churn(p, i); err != nil {
					t.Error(err)
					break
				}
			}
			close(stop)
			calls.Wait()
			r := read(t, d)
			r.next() // after an overflow what was under way is told once more
			for i, note := range []string{"dir/sub/n.md", "dir/new.md", "other/sub/m.md", "other/sub/new.md"} {
				if what == "with a link to elsewhere" {
					p.save("outside/dir/o.md", fmt.Sprint(i)) // is no news of the vault
				}
				p.save("v/"+note, "changed")
				page := r.next()
				if page.Checked != "inotify" || page.Reset || len(page.Changed) != 1 || page.Changed[0].Path != vault.Path(note) {
					t.Errorf("after the renames and an edit of %s the feed tells %+v", note, page)
				}
			}
		})
	}
}
