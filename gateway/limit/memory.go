package limit

import (
	"context"
	"sync"
	"time"
)

// sweepEvery is how many Takes go by between two removals of keys whose allowance is full again.
const sweepEvery = 4096

// Memory is a Counter for one process. It forgets keys whose allowance is full again, so that it holds only callers of the last minute.
type Memory struct {
	now func() time.Time

	mu    sync.Mutex // guards full and takes
	full  map[string]time.Time
	takes int
}

// NewMemory returns a Counter that reads the time from now.
func NewMemory(now func() time.Time) *Memory {
	return &Memory{now: now, full: make(map[string]time.Time)}
}

// Take implements Counter.
func (m *Memory) Take(_ context.Context, key string, n int, rate Rate) (Left, error) {
	now := m.now()
	each := rate.Per / time.Duration(rate.N)

	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep(now)
	full := m.full[key]
	if full.Before(now) {
		full = now
	}
	next := full.Add(each * time.Duration(n))
	if over := next.Sub(now) - rate.Per; over > 0 {
		return Left{Remaining: int((rate.Per - full.Sub(now)) / each), RetryAfter: over}, nil
	}
	m.full[key] = next
	return Left{OK: true, Remaining: int((rate.Per - next.Sub(now)) / each)}, nil
}

func (m *Memory) sweep(now time.Time) {
	if m.takes++; m.takes%sweepEvery != 0 {
		return
	}
	for k, t := range m.full {
		if t.Before(now) {
			delete(m.full, k)
		}
	}
}

// Len is the number of keys that are held.
func (m *Memory) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.full)
}
