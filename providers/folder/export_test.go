package folder

import (
	"context"
	"time"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// OpenPlain opens a vault as on a system that can neither exchange files nor watch folders.
func OpenPlain(ctx context.Context, path string, clock func() time.Time) (*Driver, error) {
	d, err := Open(ctx, path, clock)
	if err != nil {
		return nil, err
	}
	d.swaps, d.caps.Replace = false, "check-and-rename"
	if d.feed.watch != nil {
		d.feed.watch.broken.Store(true)
	}
	d.caps.Freshness = d.feed.checked()
	return d, nil
}

// TempName is the name of an attempt's temporary file.
func TempName(a providers.Attempt, p vault.Path) string { return tempName(a, p) }

// Lose is what the watch does after the kernel dropped events.
func (d *Driver) Lose() { d.feed.watch.recover() }

// Break is what the watch does when it ends for no good reason.
func (d *Driver) Break(how func() error) error { return d.feed.watch.survive(how) }

// CookieFolder is where cookies are made.
func (d *Driver) CookieFolder() string { return d.feed.private }
