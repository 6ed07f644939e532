package index

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/providers"
)

// Options are what a Set cannot know. Now and Log are needed.
type Options struct {
	Now func() time.Time
	Log *slog.Logger

	// Progress is told of each vault's first build now and then, and at its end. It may be nil.
	Progress func(m mapping.ID, s State)
}

// Set holds the open indexes of a server.
type Set struct {
	opts Options
	ctx  context.Context // ends when the set closes
	stop context.CancelFunc
	wg   sync.WaitGroup // what spawn runs

	closing sync.Mutex // held while spawn adds to wg, so that nothing is added once Close waits

	mu   sync.Mutex // guards open; never held across a provider call
	open map[mapping.ID]*Index
}

// NewSet returns an empty set. Close it to end its builds.
func NewSet(opts Options) *Set {
	ctx, stop := context.WithCancel(context.Background())
	return &Set{opts: opts, ctx: ctx, stop: stop, open: make(map[mapping.ID]*Index)}
}

// Open returns the index of m and starts to build it, if that has not begun. It returns at once.
func (s *Set) Open(m mapping.ID, v *providers.Vault) *Index {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ix, ok := s.open[m]; ok {
		if ix.vault == v {
			return ix
		}
		ix.close() // the vault was opened anew
	}
	ix := newIndex(m, v, s.opts, s.spawn)
	s.open[m] = ix
	s.spawn(ix.build)
	return ix
}

// spawn runs f until it ends or the set closes, whichever is first; Close waits for it. It reports false once the set is closed.
func (s *Set) spawn(f func(context.Context)) bool {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.wg.Go(func() { f(s.ctx) })
	return true
}

// State is how far the index of m is; "waiting" while nobody has opened it.
func (s *Set) State(m mapping.ID) State {
	s.mu.Lock()
	ix, ok := s.open[m]
	s.mu.Unlock()
	if !ok {
		return State{State: Waiting}
	}
	return ix.State()
}

// Keep forgets the indexes of all mappings but these: the others were removed, or their connections revoked.
func (s *Set) Keep(these []mapping.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for m, ix := range s.open {
		if !slices.Contains(these, m) {
			ix.close()
			delete(s.open, m)
		}
	}
}

// Close ends the builds and waits for them.
func (s *Set) Close() {
	s.closing.Lock()
	s.stop()
	s.closing.Unlock()
	s.wg.Wait()
}
