package index

import (
	"context"
	"sync"
	"time"

	"github.com/notelatch/notelatch/vault"
)

// roundTime bounds a round that several calls wait for.
const roundTime = 20 * time.Second

// rounds runs one revalidation at a time. A call joins the round that has not begun yet, never the one that is under way: that one
// may have asked the provider before the call's own edit was finished.
type rounds struct {
	spawn func(func(context.Context)) bool // runs a goroutine that the index's owner waits for; false once it closes

	mu      sync.Mutex // guards running and next
	running bool
	next    *round
}

type round struct {
	done    chan struct{}
	checked Checked
	err     error
}

func (r *rounds) join(ctx context.Context, run func(context.Context) (Checked, error)) (Checked, error) {
	r.mu.Lock()
	if !r.running {
		r.running = true
		r.mu.Unlock()
		defer r.release(run)
		return run(ctx)
	}
	if r.next == nil {
		r.next = &round{done: make(chan struct{})}
	}
	n := r.next
	r.mu.Unlock()
	select {
	case <-n.done:
		return n.checked, n.err
	case <-ctx.Done():
		return Checked{}, vault.Errorf(vault.DeadlineExceeded, "the vault did not answer in time").Next("Send the call again.")
	}
}

// release starts the round that was asked for meanwhile, if any. It is not the caller's own, so another goroutine runs it.
func (r *rounds) release(run func(context.Context) (Checked, error)) {
	r.mu.Lock()
	n := r.next
	r.next = nil
	if n == nil {
		r.running = false
	}
	r.mu.Unlock()
	if n == nil {
		return
	}
	spawned := r.spawn(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, roundTime)
		defer cancel()
		defer r.release(run)
		defer close(n.done)
		n.checked, n.err = run(ctx)
	})
	if !spawned {
		n.err = vault.Errorf(vault.FreshnessUnavailable, "the server is stopping").Next("Send the call again in a moment.")
		close(n.done)
	}
}
