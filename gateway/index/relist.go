package index

import (
	"context"
	"fmt"

	"github.com/notelatch/notelatch/vault"
)

// relist compares the whole listing with what is known. A listing that would drop more than a tenth of a vault is asked for again, and
// believed only if it says so twice: providers that stall or page wrongly must not empty an index.
func (ix *Index) relist(ctx context.Context) error {
	entries, gone, err := ix.list(ctx)
	if err != nil {
		return err
	}
	if known := len(entries) + len(gone); len(gone) > minDrop && len(gone)*10 > known {
		if entries, gone, err = ix.list(ctx); err != nil {
			return err
		}
	}
	for _, p := range gone {
		ix.remove(p)
	}
	return ix.take(ctx, entries)
}

// minDrop is how many files may vanish without a second listing.
const minDrop = 20

// list returns all files, and the known paths that are not among them.
func (ix *Index) list(ctx context.Context) (entries []vault.Entry, gone []vault.Path, err error) {
	listed := make(map[vault.Path]bool)
	for e, err := range ix.vault.List(ctx, "") {
		if err != nil {
			return nil, nil, fmt.Errorf("list vault: %w", err)
		}
		entries = append(entries, e)
		listed[e.Path] = true
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	for p := range ix.facts {
		if !listed[p] {
			gone = append(gone, p)
		}
	}
	for p := range ix.pending {
		if !listed[p] {
			gone = append(gone, p)
		}
	}
	return entries, gone, nil
}
