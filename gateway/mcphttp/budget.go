package mcphttp

import (
	"errors"
	"sync/atomic"
)

const (
	// defaultBodies is how many bytes of bodies the requests under way hold together, if the program does not say.
	defaultBodies = 64 << 20
	// leastBodies is what one body of the largest size needs while it grows, the part kept for small bodies aside.
	leastBodies = 16 << 20
	// smallBody is the size up to which a body may use the last eighth of a budget, so that large ones, however
	// many, do not stop ordinary calls.
	smallBody = 64 << 10
	// firstStep is what a body begins with. It is counted and never refused: its connection costs more than that.
	firstStep = 4 << 10
)

// errBusy says that there is no memory for a body now.
var errBusy = errors.New("the bodies under way have all memory that is meant for them")

// A budget is what all bodies that are in memory at one time share. It counts what was allocated for bytes that came,
// not what a header announced.
type budget struct {
	most int64
	held atomic.Int64
}

// take adds n bytes for a body that will have size bytes of memory, or reports that there are none left.
func (b *budget) take(n, size int64) bool {
	limit := b.most
	if size > smallBody {
		limit -= limit / 8
	}
	for {
		held := b.held.Load()
		if held+n > limit && size > firstStep {
			return false
		}
		if b.held.CompareAndSwap(held, held+n) {
			return true
		}
	}
}

func (b *budget) give(n int64) { b.held.Add(-n) }
