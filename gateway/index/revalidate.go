package index

import (
	"context"
	"errors"
	"time"

	"github.com/notelatch/notelatch/vault"
)

// Bounds of one revalidation. What is beyond them is left out of answers and read beside serving.
const (
	MaxReads = 2000     // changed notes read before the answer
	MaxBytes = 64 << 20 // of their bodies

	maxReadsBuilding = 100 // while the first build is under way
)

// Checked says how and when an index was last found to be current.
type Checked struct {
	AsOf    time.Time // everything that was finished by then is known, or pending
	How     string    // as the provider says: "inotify", "sweep", "counter"
	Pending int       // files that are known to have changed and are still to be read
}

// Revalidate makes the index know every change that was finished before the call: one request to the provider, and a read of each
// note that changed. Calls that come at the same time share a round, but never one that began before them. An error is
// vault.FreshnessUnavailable: then the index must not be used as current.
func (ix *Index) Revalidate(ctx context.Context) (Checked, error) {
	return ix.rounds.join(ctx, ix.round)
}

func (ix *Index) round(ctx context.Context) (Checked, error) {
	ix.retry()
	asOf := ix.now()
	how, err := ix.follow(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return Checked{}, vault.Errorf(vault.DeadlineExceeded, "the vault did not answer in time").Next("Send the call again.")
		}
		return Checked{}, freshness(err)
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.asOf = asOf
	return Checked{AsOf: asOf, How: how, Pending: len(ix.pending)}, nil
}

func freshness(err error) error {
	for _, code := range []vault.Code{vault.ConnectionExpired, vault.ConnectionRevoked, vault.FreshnessUnavailable} {
		if errors.Is(err, code) {
			return err
		}
	}
	return errors.Join(vault.Errorf(vault.FreshnessUnavailable, "the place where the notes are kept cannot be checked now").
		Next("Send the call again in a moment."), err)
}

// follow reads the change feed to its end, or lists the vault where there is none. After a reset the feed tells the whole listing.
func (ix *Index) follow(ctx context.Context) (how string, err error) {
	var listing []vault.Entry
	listed := false
	for cursor := ix.cursor; ; {
		page, err := ix.vault.Changes(ctx, cursor)
		if errors.Is(err, vault.UnsupportedHere) {
			return "sweep", ix.relist(ctx)
		}
		if err != nil {
			return "", err
		}
		switch {
		case page.Reset:
			listing, listed = page.Changed, true
		case listed:
			listing = append(listing, page.Changed...)
		default:
			for _, p := range page.Deleted {
				ix.remove(p)
			}
			if err := ix.take(ctx, page.Changed); err != nil {
				return "", err
			}
		}
		if listed && !page.More {
			if err := ix.compare(ctx, listing); err != nil {
				return "", err
			}
		}
		cursor = page.Next
		if !listed || !page.More {
			ix.cursor = cursor // a listing that breaks off is begun again
		}
		if !page.More {
			return page.Checked, nil
		}
	}
}

// take notes changed files and reads them, within the bounds of one round. What is beyond them is pending: left out of answers, counted,
// and read beside serving. The listing of the first build is beyond them in any case, so that no call waits for it.
func (ix *Index) take(ctx context.Context, changed []vault.Entry) error {
	var jobs []job
	var bytes int64
	for _, e := range changed {
		if e.Path.Hidden() || ix.holds(e) {
			continue
		}
		jobs = append(jobs, job{e, ix.expect(e)})
		bytes += e.Size
	}
	if len(jobs) > MaxReads || bytes > MaxBytes || (len(jobs) > maxReadsBuilding && !ix.built()) {
		ix.spawn(ix.catchUp)
		return nil
	}
	var batch []*loaded
	for _, j := range jobs {
		l, err := ix.read(ctx, j)
		if err != nil {
			return err
		}
		if l != nil {
			batch = append(batch, l)
		}
	}
	if len(batch) > 0 {
		ix.store(batch)
		ix.tidy(len(batch))
	}
	return nil
}

// holds reports whether the index has read the entry as it is.
func (ix *Index) holds(e vault.Entry) bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	f, ok := ix.facts[e.Path]
	return ok && e.Stamp != "" && f.Entry.Stamp == e.Stamp
}

func (ix *Index) built() bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.state == Ready
}

// mergeEvery is how many changed files go by between two merges of the postings' larger segments.
const mergeEvery = 256

// tidy merges postings now and then, beside serving. Only the running round calls it.
func (ix *Index) tidy(changed int) {
	if ix.changed += changed; ix.changed < mergeEvery {
		return
	}
	ix.changed = 0
	ix.spawn(func(ctx context.Context) { _ = ix.search.Merge(ctx) }) // it fails only when ctx ends
}
