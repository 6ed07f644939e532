package index

import (
	"context"
	"sync"

	"github.com/notelatch/notelatch/vault"
)

// Bounds of the notes that are kept from one answer to the next.
const (
	mostKept    = 8 << 20   // bytes of an index
	mostKeptOne = 256 << 10 // bytes of a note
)

// Read returns a note for an answer that was revalidated: as stored now, or as stored at the last revalidation if an earlier answer read it
// with that stamp. Nobody may change the body.
func (ix *Index) Read(ctx context.Context, p vault.Path) (vault.File, error) {
	if f, ok := ix.Fact(p); ok && f.Entry.Stamp != "" {
		if file, ok := ix.bodies.get(p, f.Entry.Stamp); ok {
			return file, nil
		}
	}
	file, err := ix.vault.Read(ctx, p)
	if err == nil && file.Stamp != "" {
		ix.bodies.put(file)
	}
	return file, err
}

// bodies are notes that were read not long ago. It has two generations: what is asked for moves to the young one, and when that is full,
// the old one is dropped.
type bodies struct {
	mu    sync.Mutex // guards all below
	young map[vault.Path]vault.File
	old   map[vault.Path]vault.File
	bytes int // of the young
}

func (b *bodies) get(p vault.Path, stamp string) (vault.File, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f, ok := b.young[p]; ok {
		return f, f.Stamp == stamp
	}
	f, ok := b.old[p]
	if !ok || f.Stamp != stamp {
		return vault.File{}, false
	}
	b.keep(f)
	return f, true
}

func (b *bodies) put(f vault.File) {
	if len(f.Body) > mostKeptOne {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.keep(f)
}

// keep is called with mu held.
func (b *bodies) keep(f vault.File) {
	b.bytes += len(f.Body) - len(b.young[f.Path].Body)
	if b.young == nil || b.bytes > mostKept/2 {
		b.young, b.old, b.bytes = make(map[vault.Path]vault.File), b.young, len(f.Body)
	}
	b.young[f.Path] = f
}
