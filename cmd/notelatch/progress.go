package main

import (
	"fmt"
	"io"
	"sync"

	"github.com/notelatch/notelatch/gateway/index"
	"github.com/notelatch/notelatch/governance/mapping"
)

// progressTo tells a person how far the first index of each vault is, a line now and then. Name finds what the vault is called.
func progressTo(w io.Writer, name func(mapping.ID) string) func(mapping.ID, index.State) {
	var mu sync.Mutex // one line at a time
	return func(id mapping.ID, s index.State) {
		m := name(id)
		mu.Lock()
		defer mu.Unlock()
		switch s.State {
		case index.Ready:
			fmt.Fprintf(w, "%s: indexed %d notes\n", m, s.Notes)
		case index.Failed:
			fmt.Fprintf(w, "%s: could not be indexed (%v); the next call tries again\n", m, s.Err)
		default:
			fmt.Fprintf(w, "%s: indexing, %d of %d notes (%d %%); what is indexed answers meanwhile\n", m, s.Notes, s.Of, s.Percent)
		}
	}
}
