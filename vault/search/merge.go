package search

import (
	"container/heap"
	"context"
	"math"
	"slices"
	"strings"
)

// merge joins parts into one segment without their deleted notes. It returns the new number of each old note, or noDoc.
func merge(ctx context.Context, parts []part) (*segment, [][]uint32, error) {
	s := &segment{}
	numbers := make([][]uint32, len(parts))
	var shown strings.Builder
	for i := range parts {
		p := &parts[i]
		numbers[i] = make([]uint32, p.docs())
		for d := range uint32(p.docs()) {
			if p.isDead(d) {
				numbers[i][d] = noDoc
				continue
			}
			numbers[i][d] = uint32(len(s.flags))
			for f := range shownFields {
				shown.WriteString(p.field(d, f))
				s.shownEnd = append(s.shownEnd, uint32(shown.Len()))
			}
			s.modified = append(s.modified, p.modified[d])
			s.created = append(s.created, p.created[d])
			s.flags = append(s.flags, p.flags[d])
		}
	}
	w, err := mergeTerms(ctx, parts, numbers)
	if err != nil {
		return nil, nil, err
	}
	out := w.segment()
	out.shown, out.shownEnd = strings.Clone(shown.String()), slices.Clip(s.shownEnd)
	out.modified, out.created, out.flags = slices.Clip(s.modified), slices.Clip(s.created), slices.Clip(s.flags)
	return out, numbers, nil
}

const noDoc = math.MaxUint32

func mergeTerms(ctx context.Context, parts []part, numbers [][]uint32) (*writer, error) {
	terms, postings := 0, 0
	var q termQueue
	for i := range parts {
		terms = max(terms, parts[i].terms())
		postings += parts[i].size
		if parts[i].terms() > 0 {
			q = append(q, termAt{term: parts[i].term(0), part: i})
		}
	}
	heap.Init(&q)
	w := newWriter(terms, postings)
	var list []posting
	var cur cursor
	for n := 0; len(q) > 0; n++ {
		if n&0xfff == 0xfff && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		term := q[0].term
		list = list[:0]
		for len(q) > 0 && q[0].term == term {
			i, k := q[0].part, q[0].index
			cur.open(parts[i].postings(k))
			for p, ok := cur.next(); ok; p, ok = cur.next() {
				if p.doc = numbers[i][p.doc]; p.doc != noDoc {
					list = append(list, p)
				}
			}
			if k++; k < parts[i].terms() {
				q[0].index, q[0].term = k, parts[i].term(k)
				heap.Fix(&q, 0)
			} else {
				heap.Pop(&q)
			}
		}
		if len(list) > 0 {
			w.add(term, list)
		}
	}
	return w, nil
}

// termAt is a place in the dictionary of a part. Of equal terms the lower part comes first, so that notes stay in ascending order.
type termAt struct {
	term  string
	part  int
	index int
}

type termQueue []termAt

func (q termQueue) Len() int { return len(q) }
func (q termQueue) Less(i, j int) bool {
	if c := strings.Compare(q[i].term, q[j].term); c != 0 {
		return c < 0
	}
	return q[i].part < q[j].part
}
func (q termQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *termQueue) Push(x any)   { *q = append(*q, x.(termAt)) }
func (q *termQueue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}
