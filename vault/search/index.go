package search

import (
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/notelatch/notelatch/vault"
)

// Index finds the notes of one vault. It is safe for concurrent use; searches do not wait for writes.
type Index struct {
	state atomic.Pointer[state]
	desks sync.Pool // of *desk: what one search works with

	mu    sync.Mutex // guards the writers' side: what is below, and storing state
	where map[vault.Path]place
	busy  map[*segment]bool // being merged by Merge, outside the lock
	merge sync.Mutex        // held by Merge; taken before mu
}

// state is what a search sees. It never changes.
type state struct {
	parts     []part
	living    int
	encrypted int
	problems  int
}

// place is where a note stands.
type place struct {
	seg *segment
	doc uint32
}

// New returns an empty index.
func New() *Index {
	ix := &Index{where: make(map[vault.Path]place), busy: make(map[*segment]bool)}
	ix.state.Store(&state{})
	ix.desks.New = func() any { return new(desk) }
	return ix
}

// Put indexes d, in place of what was at its path. It does not keep d's bytes.
func (ix *Index) Put(d Doc) {
	b := newBuilder()
	b.add(&d)
	s := b.segment()
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.publish(s)
}

// PutAll is Put for many notes: cheaper, and a search sees them in groups. Of two notes with one path the later one stays.
// It ends early, with what was indexed so far, when ctx does.
func (ix *Index) PutAll(ctx context.Context, docs iter.Seq[Doc]) error {
	b := newBuilder()
	flush := func() {
		if len(b.flags) == 0 {
			return
		}
		s := b.segment()
		b = newBuilder()
		ix.mu.Lock()
		defer ix.mu.Unlock()
		ix.publish(s)
	}
	for d := range docs {
		if err := ctx.Err(); err != nil {
			flush()
			return err
		}
		b.add(&d)
		if b.full() {
			flush()
		}
	}
	flush()
	return ctx.Err()
}

// Remove forgets the note at p. It reports whether there was one.
func (ix *Index) Remove(p vault.Path) bool {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	at, ok := ix.where[p]
	if !ok {
		return false
	}
	delete(ix.where, p)
	e := ix.edit()
	e.kill(at)
	ix.store(e)
	return true
}

// Len returns the number of notes and attachments.
func (ix *Index) Len() int { return ix.state.Load().living }

// Stats tells what an index holds.
type Stats struct {
	Docs      int
	Encrypted int // their bodies are not searched
	Problems  int // notes with a problem
	Segments  int
	Terms     int   // over all segments
	Postings  int   // deleted notes' included
	Bytes     int64 // of the index, without what the runtime adds
}

// Stats returns the figures of this moment.
func (ix *Index) Stats() Stats {
	st := ix.state.Load()
	out := Stats{Docs: st.living, Encrypted: st.encrypted, Problems: st.problems, Segments: len(st.parts)}
	for _, p := range st.parts {
		out.Terms += p.terms()
		out.Postings += p.size
		out.Bytes += int64(len(p.text) + 8*len(p.ends) + len(p.posts) + len(p.shown) + 4*len(p.shownEnd) + 17*len(p.flags) + 8*len(p.dead))
	}
	return out
}

// edit is a state in the making. Bitmaps of the state before are copied once, when they change.
type edit struct {
	state
	index map[*segment]int
	own   map[*segment]bool
}

func (ix *Index) edit() *edit {
	e := &edit{state: *ix.state.Load(), own: make(map[*segment]bool)}
	e.parts = slices.Clone(e.parts)
	e.index = make(map[*segment]int, len(e.parts)+1)
	for i := range e.parts {
		e.index[e.parts[i].segment] = i
	}
	return e
}

func (e *edit) count(flags uint8, by int) {
	e.living += by
	if flags&flagEncrypted != 0 {
		e.encrypted += by
	}
	if flags&flagProblem != 0 {
		e.problems += by
	}
}

func (e *edit) kill(at place) {
	p := &e.parts[e.index[at.seg]]
	if !e.own[at.seg] {
		e.own[at.seg] = true
		dead := make([]uint64, (p.docs()+63)/64)
		copy(dead, p.dead)
		p.dead = dead
	}
	p.dead[at.doc>>6] |= 1 << (at.doc & 63)
	p.gone++
	e.count(p.flags[at.doc], -1)
}

func (ix *Index) store(e *edit) {
	e.parts = slices.DeleteFunc(e.parts, func(p part) bool { return p.living() == 0 })
	st := e.state // a pointer into e would keep e.index, and with it the segments that were merged away
	ix.state.Store(&st)
}

// publish adds s and merges what is cheap to merge. The caller holds mu.
func (ix *Index) publish(s *segment) {
	e := ix.edit()
	e.index[s] = len(e.parts)
	e.parts = append(e.parts, part{segment: s})
	for doc := range uint32(s.docs()) {
		p := s.path(doc)
		if at, ok := ix.where[p]; ok {
			e.kill(at)
		}
		ix.where[p] = place{s, doc}
		e.count(s.flags[doc], 1)
	}
	ix.store(e)
	for {
		group := ix.cheapMerge()
		if group == nil {
			return
		}
		seg, numbers, err := merge(context.Background(), group)
		if err == nil {
			ix.replace(group, seg, numbers)
		}
	}
}

// replace puts seg in the place of group, of which it was made. The caller holds mu. Notes that were deleted since then are deleted
// in seg too.
func (ix *Index) replace(group []part, seg *segment, numbers [][]uint32) {
	e := ix.edit()
	fresh := part{segment: seg, dead: make([]uint64, (seg.docs()+63)/64)}
	for i := range group {
		old := group[i].segment
		for doc, n := range numbers[i] {
			if n == noDoc {
				continue
			}
			if p := seg.path(n); ix.where[p] == (place{old, uint32(doc)}) {
				ix.where[p] = place{seg, n}
			} else {
				fresh.dead[n>>6] |= 1 << (n & 63)
				fresh.gone++
			}
		}
	}
	if fresh.gone == 0 {
		fresh.dead = nil
	}
	e.parts = slices.DeleteFunc(e.parts, func(p part) bool {
		return slices.ContainsFunc(group, func(g part) bool { return g.segment == p.segment })
	})
	e.parts = append(e.parts, fresh)
	ix.store(e)
}
