package index

import (
	"context"
	"iter"
	"sync/atomic"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// gate is a driver whose reads can be held up, and whose feed can fail.
type gate struct {
	providers.Driver
	open   chan struct{} // reads wait for it while closed is set, after the first free ones
	closed atomic.Bool
	free   int64
	reads  atomic.Int64
	asked  atomic.Int64
	fail   error

	pageSize int // splits the first listing into pages of this many entries, if it is set
	rest     []vault.Entry
	last     providers.ChangePage
}

func (g *gate) Read(ctx context.Context, p vault.Path) (vault.File, error) {
	if g.closed.Load() && g.reads.Add(1) > g.free {
		select {
		case <-g.open:
		case <-ctx.Done():
			return vault.File{}, ctx.Err()
		}
	}
	return g.Driver.Read(ctx, p)
}

func (g *gate) Changes(ctx context.Context, since providers.Cursor) (providers.ChangePage, error) {
	g.asked.Add(1)
	if g.fail != nil {
		return providers.ChangePage{}, g.fail
	}
	if g.pageSize == 0 {
		return g.Driver.(providers.ChangeFeed).Changes(ctx, since)
	}
	if since != "page" {
		page, err := g.Driver.(providers.ChangeFeed).Changes(ctx, since)
		if err != nil || !page.Reset {
			return page, err
		}
		g.last, g.rest = page, page.Changed
	}
	n := min(g.pageSize, len(g.rest))
	page := providers.ChangePage{Changed: g.rest[:n], Reset: since != "page", Next: "page", More: true}
	if g.rest = g.rest[n:]; len(g.rest) == 0 {
		page.Next, page.More = g.last.Next, false
	}
	return page, nil
}

func (g *gate) List(ctx context.Context, dir vault.Path) iter.Seq2[vault.Entry, error] {
	return g.Driver.List(ctx, dir)
}
