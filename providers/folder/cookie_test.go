package folder_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/notelatch/notelatch/vault"
)

// TestCookiesAreUsedAgain has several callers wait at once, and others give up half-way: each call still tells what was saved before it,
// and no file is left for each of them.
func TestCookiesAreUsedAgain(t *testing.T) {
	p := place{t, t.TempDir()}
	d := open(t, p.path)
	start := read(t, d)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	const callers, rounds = 4, 300
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			cursor := start.cursor
			for n := range rounds {
				if n%3 == c%3 {
					_, _ = d.Changes(gone, cursor) // it ended before it began, and its cookie is on its way
				}
				name := fmt.Sprintf("%d-%d.md", c, n)
				if err := os.WriteFile(p.name(name), []byte("x"), 0o644); err != nil {
					t.Error(err)
					return
				}
				page, err := d.Changes(t.Context(), cursor)
				if err != nil {
					t.Error(err)
					return
				}
				cursor = page.Next
				if !slices.ContainsFunc(page.Changed, func(e vault.Entry) bool { return string(e.Path) == name }) {
					t.Errorf("%s was saved before the call, and is not told", name)
				}
			}
		})
	}
	wg.Wait()
	cookies, err := os.ReadDir(d.CookieFolder())
	p.must(err)
	if len(cookies) == 0 || len(cookies) > 4*callers {
		t.Errorf("%d cookies for %d callers", len(cookies), callers)
	}
}
