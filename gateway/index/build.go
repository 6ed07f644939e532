package index

import (
	"cmp"
	"context"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/notelatch/notelatch/vault"
)

// progressEvery is how often a build tells how far it is.
const progressEvery = 500 * time.Millisecond

// build lists the vault and reads every file that nobody has read yet, the newest first: what a person asks about is usually that.
// It runs beside calls, which may read the same files; generations settle who is right.
func (ix *Index) build(ctx context.Context) {
	started := ix.now()
	_, err := ix.Revalidate(ctx)
	if err == nil {
		err = ix.fill(ctx)
	}
	if err == nil {
		err = ix.search.Compact(ctx)
	}
	if ctx.Err() != nil {
		return
	}
	ix.mu.Lock()
	ix.failure, ix.state = err, Ready
	if err != nil {
		ix.state = Failed
	}
	ix.mu.Unlock()
	s := ix.State()
	if err != nil {
		ix.log.LogAttrs(ctx, slog.LevelError, "could not build index", slog.String("mapping", string(ix.mapping)), slog.Any("err", err))
	} else {
		ix.log.LogAttrs(ctx, slog.LevelDebug, "built index", slog.String("mapping", string(ix.mapping)),
			slog.Int("notes", s.Notes), slog.Duration("took", ix.now().Sub(started)))
	}
	ix.progress(ix.mapping, s)
}

// retry starts a build that failed once more. A call that finds the index failed asks for it.
func (ix *Index) retry() {
	ix.mu.Lock()
	failed := ix.state == Failed
	if failed {
		ix.state = Building
	}
	ix.mu.Unlock()
	if failed {
		ix.spawn(ix.build)
	}
}

// catchUp reads what a round left pending. What fails stays pending, and counted, until the next change or retry.
func (ix *Index) catchUp(ctx context.Context) {
	if err := ix.fill(ctx); err != nil && ctx.Err() == nil {
		ix.mu.Lock()
		ix.failure, ix.state = err, Failed // the next round retries
		ix.mu.Unlock()
		ix.log.LogAttrs(ctx, slog.LevelError, "could not catch up with changes", slog.String("mapping", string(ix.mapping)), slog.Any("err", err))
	}
}

// fill reads until nothing is pending, on as many goroutines as there are cores. A second fill waits for the first.
func (ix *Index) fill(ctx context.Context) error {
	ix.filling.Lock()
	defer ix.filling.Unlock()
	for {
		todo := ix.todo()
		if len(todo) == 0 {
			return nil
		}
		if err := ix.readAll(ctx, todo); err != nil {
			return err
		}
	}
}

type job struct {
	entry vault.Entry
	gen   uint64
}

func (ix *Index) todo() []job {
	ix.mu.RLock()
	jobs := make([]job, 0, len(ix.pending))
	for p, e := range ix.pending {
		jobs = append(jobs, job{e, ix.gens[p]})
	}
	ix.mu.RUnlock()
	slices.SortFunc(jobs, func(a, b job) int {
		return cmp.Or(b.entry.ModifiedAt.Compare(a.entry.ModifiedAt), cmp.Compare(a.entry.Path, b.entry.Path))
	})
	return jobs
}

func (ix *Index) readAll(ctx context.Context, jobs []job) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan job)
	var wg sync.WaitGroup
	for range max(1, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			if err := ix.readFrom(ctx, queue); err != nil {
				cancel(err)
			}
		})
	}
	told := ix.now()
feed:
	for _, j := range jobs {
		select {
		case queue <- j:
		case <-ctx.Done():
			break feed
		}
		if now := ix.now(); now.Sub(told) >= progressEvery {
			told = now
			ix.progress(ix.mapping, ix.State())
		}
	}
	close(queue)
	wg.Wait()
	return context.Cause(ctx)
}

// A batch is stored at once: that is cheaper, and no batch holds more than this.
const (
	batchNotes = 128
	batchBytes = 2 << 20 // of bodies
)

// readFrom reads jobs until there are none, and stores them in batches.
func (ix *Index) readFrom(ctx context.Context, queue <-chan job) error {
	var batch []*loaded
	size := 0
	flush := func() {
		ix.store(batch)
		batch, size = nil, 0
	}
	for j := range queue {
		l, err := ix.read(ctx, j)
		if err != nil {
			return err
		}
		if l == nil {
			continue
		}
		batch = append(batch, l)
		if size += len(l.doc.Body); len(batch) >= batchNotes || size >= batchBytes {
			flush()
		}
	}
	flush()
	return nil
}
