package txn

import (
	"context"
	"slices"
	"sync"

	"github.com/notelatch/notelatch/vault"
)

// noteLocks lines up the writers of one note. Across processes the preconditions of the providers do that; here they would only make
// the writers of one process lose to each other again and again.
type noteLocks struct {
	mu   sync.Mutex // guards held and the counts in it; never held while waiting
	held map[string]*noteLock
}

type noteLock struct {
	turn  chan struct{} // holds one token while somebody writes
	users int
}

// lock waits for all notes, in one order for everyone, and returns what frees them.
func (l *noteLocks) lock(ctx context.Context, mapping string, paths []vault.Path) (unlock func(), err error) {
	keys := make([]string, len(paths))
	for i, p := range paths {
		keys[i] = mapping + "\x00" + p.Key()
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	for i, key := range keys {
		n := l.enter(key)
		select {
		case n.turn <- struct{}{}:
		case <-ctx.Done():
			l.leave(key)
			l.free(keys[:i])
			return nil, ctx.Err()
		}
	}
	return func() { l.free(keys) }, nil
}

func (l *noteLocks) enter(key string) *noteLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.held[key]
	if n == nil {
		n = &noteLock{turn: make(chan struct{}, 1)}
		l.held[key] = n
	}
	n.users++
	return n
}

func (l *noteLocks) leave(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.held[key]
	if n.users--; n.users == 0 {
		delete(l.held, key)
	}
}

func (l *noteLocks) free(keys []string) {
	for _, key := range slices.Backward(keys) {
		l.mu.Lock()
		n := l.held[key]
		l.mu.Unlock()
		<-n.turn
		l.leave(key)
	}
}
