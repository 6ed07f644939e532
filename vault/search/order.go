package search

import (
	"math"
	"slices"
	"strings"

	"github.com/notelatch/notelatch/vault"
)

// manyHits is the size from which a page is cut from a sorted list rather than picked with a heap.
const manyHits = 1024

// best moves the first n of list, in order, to its front and returns them.
func (s *run) best(list []candidate, n int) []candidate {
	for i := range list {
		list[i].key = s.key(&list[i])
	}
	order := func(a, b candidate) int {
		switch {
		case s.before(&a, &b):
			return -1
		case s.before(&b, &a):
			return 1
		}
		return 0
	}
	if n >= len(list) || n > manyHits {
		slices.SortFunc(list, order)
		return list[:min(n, len(list))]
	}
	// A small heap of the best so far, the worst of them on top.
	heap := list[:n]
	for i := n/2 - 1; i >= 0; i-- {
		s.sink(heap, i)
	}
	for i := n; i < len(list); i++ {
		if list[i].key >= heap[0].key && s.before(&list[i], &heap[0]) {
			heap[0], list[i] = list[i], heap[0]
			s.sink(heap, 0)
		}
	}
	slices.SortFunc(heap, order)
	return heap
}

func (s *run) sink(heap []candidate, i int) {
	for {
		k := 2*i + 1
		if k >= len(heap) {
			return
		}
		if k+1 < len(heap) && s.before(&heap[k], &heap[k+1]) {
			k++
		}
		if !s.before(&heap[i], &heap[k]) {
			return
		}
		heap[i], heap[k] = heap[k], heap[i]
		i = k
	}
}

// key is what decides the order unless it is equal: by relevance the score, in which missing words are weighed already; else whether
// the match is full, then what the query sorts by, if it is a number.
func (s *run) key(c *candidate) int64 {
	const full, most = 1 << 61, 1 << 60
	p := &s.pl.st.parts[c.part]
	var k int64
	switch s.q.Sort {
	case ByRelevance:
		k = int64(math.Float32bits(max(c.score, 0))) // the bits of positive numbers are in their order
	case ByModified:
		k = max(-most, min(most, p.modified[c.doc]))
	case ByCreated:
		k = max(-most, min(most, p.created[c.doc]))
	}
	if !c.partial && s.q.Sort != ByRelevance {
		k += full
	}
	return k
}

// before reports whether a is shown before b.
func (s *run) before(a, b *candidate) bool {
	if a.key != b.key {
		return a.key > b.key
	}
	p, q := &s.pl.st.parts[a.part], &s.pl.st.parts[b.part]
	if s.q.Sort == ByTitle {
		if c := strings.Compare(vault.Fold(p.title(a.doc)), vault.Fold(q.title(b.doc))); c != 0 {
			return c < 0
		}
	}
	return p.path(a.doc) < q.path(b.doc)
}
