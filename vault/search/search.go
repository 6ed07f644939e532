package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/notelatch/notelatch/vault"
)

const (
	usualLimit = 10
	usualReads = 200
)

// Search answers q from one state of the index. The order is deterministic: notes that match all of the query before partial
// matches, then by q.Sort, then by path. src may be nil: then phrases match wherever their words are, and TotalIsExact is false.
//
// Errors are those of Parse and of ctx.
func (ix *Index) Search(ctx context.Context, q Query, src Source) (Page, error) {
	parsed, err := Parse(q.Text)
	if err != nil {
		return Page{}, err
	}
	q.complete()
	st := ix.state.Load()
	d := ix.desks.Get().(*desk)
	defer ix.desks.Put(d)
	s := &run{desk: d, q: &q, src: src, page: Page{Parsed: parsed, TotalIsExact: true}}
	d.found = d.found[:0]
	if err := s.search(ctx, st); err != nil {
		return Page{}, err
	}
	return s.page, nil
}

func (q *Query) complete() {
	if q.Limit <= 0 {
		q.Limit = usualLimit
	}
	q.Offset = max(q.Offset, 0)
	if q.MaxReads <= 0 {
		q.MaxReads = usualReads
	}
}

// run is one search.
type run struct {
	*desk
	q     *Query
	src   Source
	pl    *plan
	page  Page
	reads int
}

func (s *run) search(ctx context.Context, st *state) error {
	parsed := &s.page.Parsed
	if s.q.Sort == ByRelevance && parsed.Empty() {
		s.q.Sort = ByModified
	}
	s.pl = s.plan(st, s.q, parsed)
	err := s.all(ctx, s.pl)
	if err == nil {
		err = s.check(ctx, 0)
	}
	if err == nil && len(s.found) < fewestHits && s.correct(parsed) {
		s.found = s.found[:0]
		if err = s.all(ctx, s.pl); err == nil {
			err = s.check(ctx, 0)
		}
	}
	if full := len(s.found); err == nil && full < fewHits && len(s.pl.groups) > 1 {
		if err = s.some(ctx, s.pl); err == nil {
			err = s.check(ctx, full)
		}
	}
	if err != nil {
		return err
	}
	if s.pl.cut || parsed.Dropped > 0 {
		s.page.TotalIsExact = false
	}
	s.page.Total = len(s.found)
	for i := range s.found {
		if !s.found[i].partial {
			s.page.Full++
		}
	}
	s.fill()
	return nil
}

// fill puts the hits that were asked for on the page.
func (s *run) fill() {
	top := s.best(s.found, s.q.Offset+s.q.Limit)
	for _, c := range top[min(s.q.Offset, len(top)):] {
		p := &s.pl.st.parts[c.part]
		h := Hit{
			Path: vault.Path(strings.Clone(string(p.path(c.doc)))), Title: strings.Clone(p.title(c.doc)), Tags: p.tags(c.doc), Problems: p.problems(c.doc),
			Modified: p.modified[c.doc], Created: p.created[c.doc], Partial: c.partial,
			Attachment: p.flags[c.doc]&flagAttachment != 0, Encrypted: p.flags[c.doc]&flagEncrypted != 0,
		}
		if !s.page.Parsed.Empty() {
			h.Score = float64(c.score)
		}
		s.page.Hits = append(s.page.Hits, h)
	}
}

// best moves the first n of list, in order, to its front and returns them.
func (s *run) best(list []candidate, n int) []candidate {
	order := s.order()
	if n >= len(list) || n > 1024 {
		slices.SortFunc(list, order)
		return list[:min(n, len(list))]
	}
	// A small heap of the best so far, the worst of them on top.
	heap := list[:n]
	for i := n/2 - 1; i >= 0; i-- {
		sink(heap, i, order)
	}
	for i := n; i < len(list); i++ {
		if order(list[i], heap[0]) < 0 {
			heap[0], list[i] = list[i], heap[0]
			sink(heap, 0, order)
		}
	}
	slices.SortFunc(heap, order)
	return heap
}

func sink(heap []candidate, i int, order func(a, b candidate) int) {
	for {
		k := 2*i + 1
		if k >= len(heap) {
			return
		}
		if k+1 < len(heap) && order(heap[k+1], heap[k]) > 0 {
			k++
		}
		if order(heap[k], heap[i]) <= 0 {
			return
		}
		heap[i], heap[k] = heap[k], heap[i]
		i = k
	}
}

// order compares candidates: less is better.
func (s *run) order() func(a, b candidate) int {
	parts := s.pl.st.parts
	var by func(a, b candidate) int
	switch s.q.Sort {
	case ByModified:
		by = func(a, b candidate) int {
			return cmp.Compare(parts[b.part].modified[b.doc], parts[a.part].modified[a.doc])
		}
	case ByCreated:
		by = func(a, b candidate) int {
			return cmp.Compare(parts[b.part].created[b.doc], parts[a.part].created[a.doc])
		}
	case ByTitle:
		by = func(a, b candidate) int {
			return cmp.Compare(vault.Fold(parts[a.part].title(a.doc)), vault.Fold(parts[b.part].title(b.doc)))
		}
	case ByPath:
		by = func(a, b candidate) int { return 0 }
	default:
		by = func(a, b candidate) int { return cmp.Compare(b.score, a.score) }
	}
	return func(a, b candidate) int {
		if a.partial != b.partial {
			if b.partial {
				return -1
			}
			return 1
		}
		if c := by(a, b); c != 0 {
			return c
		}
		return strings.Compare(string(parts[a.part].path(a.doc)), string(parts[b.part].path(b.doc)))
	}
}
