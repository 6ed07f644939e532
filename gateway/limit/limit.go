// Package limit holds callers to a rate. It counts by GCRA (the generic cell rate algorithm, ITU-T I.371): each key keeps one time, the
// moment at which its allowance would be full again, so that a key costs a few bytes and a burst may use the whole minute's allowance.
package limit

import (
	"context"
	"time"

	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/vault"
)

// Rate is how many operations are allowed in Per, all of which may come at once. The zero Rate is no limit.
type Rate struct {
	N   int
	Per time.Duration
}

// Left is what remains after a Take.
type Left struct {
	OK         bool
	Remaining  int           // operations that could be taken now
	RetryAfter time.Duration // how long until the refused Take would succeed; zero when OK
}

// Counter counts operations. In memory for one process, in Redis for many.
type Counter interface {
	// Take takes n operations of key, all or none. It needs n ≤ rate.N.
	Take(ctx context.Context, key string, n int, rate Rate) (Left, error)
}

// Meter holds an account to its requests and writes per minute. It is the tools.Meter of the server.
type Meter struct {
	Counter  Counter
	Requests Rate
	Writes   Rate
}

// Reserve takes one request, and one write for a tool that writes. A refusal is vault.RateLimited with details.retryAfterSeconds.
// The request stays taken when the write is refused.
func (m *Meter) Reserve(ctx context.Context, c vault.Caller, tool tools.Definition) error {
	if err := m.Request(ctx, c); err != nil {
		return err
	}
	if !tool.Write {
		return nil
	}
	return m.take(ctx, "w:"+c.Account, m.Writes, "writes")
}

// Request takes one request; doors call it for the methods that are no tool calls.
func (m *Meter) Request(ctx context.Context, c vault.Caller) error {
	return m.take(ctx, "r:"+c.Account, m.Requests, "requests")
}

func (m *Meter) take(ctx context.Context, key string, rate Rate, what string) error {
	if rate.N == 0 {
		return nil
	}
	left, err := m.Counter.Take(ctx, key, 1, rate)
	if err != nil {
		return err
	}
	if left.OK {
		return nil
	}
	seconds := int((left.RetryAfter + time.Second - 1) / time.Second)
	return vault.Errorf(vault.RateLimited, "more than %d %s in a minute", rate.N, what).
		With("retryAfterSeconds", seconds).
		Next("Wait, then send the same call again.")
}
