package index

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/graph"
	"github.com/notelatch/notelatch/vault/search"
)

// Index is the search postings, links and facts of one vault, kept in step.
type Index struct {
	mapping  mapping.ID
	vault    *providers.Vault
	now      func() time.Time
	log      *slog.Logger
	progress func(mapping.ID, State)

	search *search.Index
	graph  *graph.Graph
	bodies bodies
	rounds rounds                           // revalidation, one at a time, shared by the calls that wait for it
	cursor providers.Cursor                 // of the change feed; only the running round touches it
	spawn  func(func(context.Context)) bool // runs a goroutine that the set waits for

	changed int // files since the last merge; only the running round touches it

	filling sync.Mutex // held while pending files are read
	writing sync.Mutex // held while search and graph change, so that a generation is compared and acted on as one; taken before mu

	mu      sync.RWMutex // guards what follows; never held across a provider call
	facts   map[vault.Path]*Fact
	gens    map[vault.Path]uint64 // of paths that were ever listed; grows by one at each change
	pending map[vault.Path]vault.Entry
	counts  counts
	state   string
	asOf    time.Time
	failure error
	closed  bool
}

// Fact is what the index knows of one file beside its words and links.
type Fact struct {
	Entry     vault.Entry // with Revision, for what was read
	Title     string
	Tags      []string
	Problems  []vault.Problem
	Encrypted bool
	Unread    bool // it could not be read; Problems says why
	Digest    vault.PropertyDigest
	Note      bool
}

type counts struct{ notes, encrypted, unread, waiting int } // of notes; waiting are pending

// States of an index.
const (
	Waiting  = "waiting"
	Building = "building"
	Ready    = "ready"
	Failed   = "failed"
)

// State is how far an index is.
type State struct {
	State   string
	Percent int
	Notes   int       // that are indexed
	Of      int       // notes that are known; 0 before the first listing
	AsOf    time.Time // of the last revalidation
	Err     error
}

func newIndex(m mapping.ID, v *providers.Vault, o Options, spawn func(func(context.Context)) bool) *Index {
	ix := &Index{
		mapping: m, vault: v, now: o.Now, log: o.Log, progress: o.Progress,
		search: search.New(), graph: graph.New(),
		facts: make(map[vault.Path]*Fact), gens: make(map[vault.Path]uint64), pending: make(map[vault.Path]vault.Entry),
		state: Building, spawn: spawn, rounds: rounds{spawn: spawn},
	}
	if ix.progress == nil {
		ix.progress = func(mapping.ID, State) {}
	}
	return ix
}

// Search is the postings. What it finds is as fresh as the last Revalidate.
func (ix *Index) Search() *search.Index { return ix.search }

// Graph is the links. What it tells is as fresh as the last Revalidate.
func (ix *Index) Graph() *graph.Graph { return ix.graph }

// Fact returns what is known of p.
func (ix *Index) Fact(p vault.Path) (Fact, bool) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	f, ok := ix.facts[p]
	if !ok {
		return Fact{}, false
	}
	return *f, true
}

// EachFact calls yield with what is known of each file at or below dir, in no order. yield must neither keep f nor call the index.
func (ix *Index) EachFact(dir vault.Path, yield func(p vault.Path, f *Fact)) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	for p, f := range ix.facts {
		if p.In(dir) {
			yield(p, f)
		}
	}
}

// PendingNotes counts the notes at or below dir that are known and still to be read.
func (ix *Index) PendingNotes(dir vault.Path) int {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	n := 0
	for p := range ix.pending {
		if p.IsNote() && p.In(dir) {
			n++
		}
	}
	return n
}

// State is how far the index is.
func (ix *Index) State() State {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	known := len(ix.facts) + len(ix.pending)
	s := State{State: ix.state, Notes: ix.counts.notes, Of: ix.counts.notes + ix.counts.waiting, AsOf: ix.asOf, Err: ix.failure}
	switch {
	case ix.state == Ready:
		s.Percent = 100
	case known > 0:
		s.Percent = min(99, 100*len(ix.facts)/known)
	}
	return s
}

// Coverage is how much of the vault the index can answer for.
type Coverage struct {
	Searched  int // notes whose words are known
	Of        int // notes
	Encrypted int
	Unread    int
}

// Coverage counts the notes that are searched, skipped and still to be read.
func (ix *Index) Coverage() Coverage {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	c := Coverage{Encrypted: ix.counts.encrypted, Unread: ix.counts.unread, Of: ix.counts.notes + ix.counts.waiting}
	c.Searched = ix.counts.notes - c.Encrypted - c.Unread
	return c
}

// loaded is what was read of one file, ready to be stored.
type loaded struct {
	fact *Fact
	gen  uint64
	doc  search.Doc
	note *vault.Note // nil for what is no note

	links []vault.Link // of a canvas
}

// store puts what was read into the index, but for paths that have changed since their generation was taken.
func (ix *Index) store(batch []*loaded) {
	ix.writing.Lock()
	defer ix.writing.Unlock()
	batch = ix.current(batch)
	// The words first: a fact promises that the note can be found.
	_ = ix.search.PutAll(context.Background(), func(yield func(search.Doc) bool) {
		for _, l := range batch {
			if !yield(l.doc) {
				return
			}
		}
	})
	for _, l := range batch {
		if l.note != nil {
			ix.graph.Put(l.note.Path, l.note.Aliases, l.note.Links)
		} else {
			ix.graph.Put(l.doc.Path, nil, l.links)
		}
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for _, l := range batch {
		p := l.doc.Path
		ix.count(ix.facts[p], -1)
		ix.count(l.fact, +1)
		ix.facts[p] = l.fact
		ix.await(p, nil)
	}
}

func (ix *Index) current(batch []*loaded) []*loaded {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return slices.DeleteFunc(batch, func(l *loaded) bool { return ix.closed || ix.gens[l.doc.Path] != l.gen })
}

// expect notes that a path has changed: what is known of it is void until it is read again. It returns the generation for store.
func (ix *Index) expect(e vault.Entry) uint64 {
	ix.writing.Lock()
	defer ix.writing.Unlock()
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.gens[e.Path]++
	if f, ok := ix.facts[e.Path]; ok {
		ix.count(f, -1)
		delete(ix.facts, e.Path)
		ix.search.Remove(e.Path)
	}
	ix.await(e.Path, &e)
	return ix.gens[e.Path]
}

// remove forgets a path that is gone.
func (ix *Index) remove(p vault.Path) {
	ix.writing.Lock()
	defer ix.writing.Unlock()
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.gens[p]++
	ix.count(ix.facts[p], -1)
	delete(ix.facts, p)
	ix.await(p, nil)
	ix.search.Remove(p)
	ix.graph.Remove(p)
}

func (ix *Index) count(f *Fact, by int) {
	if f == nil || !f.Note {
		return
	}
	ix.counts.notes += by
	if f.Encrypted {
		ix.counts.encrypted += by
	}
	if f.Unread {
		ix.counts.unread += by
	}
}

// await puts a path among the pending ones, or with nil takes it out. The caller holds mu.
func (ix *Index) await(p vault.Path, e *vault.Entry) {
	_, was := ix.pending[p]
	switch {
	case e == nil && was:
		delete(ix.pending, p)
	case e != nil:
		ix.pending[p] = *e
	}
	if p.IsNote() && was != (e != nil) {
		if was {
			ix.counts.waiting--
		} else {
			ix.counts.waiting++
		}
	}
}

func (ix *Index) close() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.closed = true
}
