package index

import (
	"context"
	"fmt"

	"github.com/notelatch/notelatch/vault"
)

// minDrop is how many files may vanish without a second listing.
const minDrop = 20

// relist compares the whole vault with what is known.
func (ix *Index) relist(ctx context.Context) error {
	entries, err := ix.list(ctx)
	if err != nil {
		return err
	}
	return ix.compare(ctx, entries)
}

// compare takes a whole listing for what there is. One that would drop more than a tenth of a vault is asked for again, and believed
// only if the second says so too: providers that stall or page wrongly must not empty an index.
func (ix *Index) compare(ctx context.Context, entries []vault.Entry) error {
	gone := ix.missing(entries)
	if known := len(entries) + len(gone); len(gone) > minDrop && len(gone)*10 > known {
		var err error
		if entries, err = ix.list(ctx); err != nil {
			return err
		}
		gone = ix.missing(entries)
	}
	for _, p := range gone {
		ix.remove(p)
	}
	return ix.take(ctx, entries)
}

func (ix *Index) list(ctx context.Context) ([]vault.Entry, error) {
	var entries []vault.Entry
	for e, err := range ix.vault.List(ctx, "") {
		if err != nil {
			return nil, fmt.Errorf("list vault: %w", err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// missing are the known paths that a listing does not have.
func (ix *Index) missing(entries []vault.Entry) []vault.Path {
	listed := make(map[vault.Path]bool, len(entries))
	for _, e := range entries {
		listed[e.Path] = true
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	var gone []vault.Path
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
	return gone
}
