package search

import (
	"context"
	"math/bits"
	"slices"
)

const (
	tierWidth     = 8       // segments of one size that are merged into one
	cheapPostings = 100_000 // a merge up to this size is done by the write that calls for it
	mostSegments  = 48      // beyond this, a write merges whatever the size
	mostPostings  = 1 << 30 // of one segment
)

// tier tells the order of magnitude of a segment: eightfold steps.
func (p *part) tier() int { return bits.Len(uint(p.size>>6)) / 3 }

// wasteful reports whether so many of the part's notes are deleted that rewriting it pays.
func (p *part) wasteful() bool { return p.gone > 64 && 3*p.gone > p.docs() }

// candidates returns parts that should become one segment of at most limit postings, or nil. The caller holds mu.
func (ix *Index) candidates(limit int) []part {
	st := ix.state.Load()
	var tiers [24][]part
	for _, p := range st.parts {
		if ix.busy[p.segment] {
			continue
		}
		if p.wasteful() && p.size <= limit {
			return []part{p}
		}
		t := p.tier()
		tiers[t] = append(tiers[t], p)
	}
	for _, group := range tiers {
		if len(group) < tierWidth {
			continue
		}
		if sizeOf(group) <= limit {
			return group
		}
	}
	return nil
}

func sizeOf(group []part) int {
	n := 0
	for i := range group {
		n += group[i].size
	}
	return n
}

// cheapMerge returns what a write should merge at once. The caller holds mu.
func (ix *Index) cheapMerge() []part {
	if group := ix.candidates(cheapPostings); group != nil {
		return group
	}
	st := ix.state.Load()
	if len(st.parts) <= mostSegments {
		return nil
	}
	rest := slices.DeleteFunc(slices.Clone(st.parts), func(p part) bool { return ix.busy[p.segment] })
	slices.SortFunc(rest, func(a, b part) int { return a.size - b.size })
	return fit(rest[:len(rest)/2])
}

// fit returns the longest head of group that can be one segment, or nil if that merges nothing.
func fit(group []part) []part {
	n := 0
	for i := range group {
		if n += group[i].size; n > mostPostings {
			group = group[:i]
			break
		}
	}
	if len(group) < 2 {
		return nil
	}
	return group
}

// Merge joins segments of like size until there is nothing left to join. Writes do the small merges themselves; the owner of an index
// calls Merge now and then, from a goroutine of its own, for the large ones. Neither searches nor writes wait for it.
func (ix *Index) Merge(ctx context.Context) error {
	ix.merge.Lock()
	defer ix.merge.Unlock()
	for {
		done, err := ix.mergeOnce(ctx, func() []part { return ix.candidates(mostPostings) })
		if done || err != nil {
			return err
		}
	}
}

// Compact joins all segments into one: the state in which searches are fastest and memory least. It suits the end of a first build.
func (ix *Index) Compact(ctx context.Context) error {
	ix.merge.Lock()
	defer ix.merge.Unlock()
	_, err := ix.mergeOnce(ctx, func() []part {
		parts := ix.state.Load().parts
		if len(parts) == 1 && parts[0].gone > 0 {
			return parts
		}
		return fit(slices.Clone(parts))
	})
	return err
}

// mergeOnce merges what choose returns. The caller holds merge.
func (ix *Index) mergeOnce(ctx context.Context, choose func() []part) (done bool, err error) {
	ix.mu.Lock()
	group := choose()
	for i := range group {
		ix.busy[group[i].segment] = true
	}
	ix.mu.Unlock()
	if group == nil {
		return true, nil
	}
	seg, numbers, err := merge(ctx, group)
	ix.mu.Lock()
	defer ix.mu.Unlock()
	clear(ix.busy)
	if err == nil {
		ix.replace(group, seg, numbers)
	}
	return false, err
}
