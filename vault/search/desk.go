package search

import "math/bits"

// desk is what one search works with; it is kept for the next one.
type desk struct {
	cursors []cursor
	needs   []cursor
	bans    []cursor
	found   []candidate
	set     set
	sums    []evidence // for partial matches: what each note of a part holds,
	mask    []uint64   // and the groups that it holds
	name    []byte     // of the note at hand
}

// candidate is a note that may be a hit.
type candidate struct {
	part    int32
	doc     uint32
	score   float32
	partial bool  // it lacks a word, or holds one only with one edit
	key     int64 // set by run.best: the greater, the better
}

// grown returns s with n elements. What is in them is for the caller to know.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// set gathers postings of several terms. Between uses it is all zeros.
type set struct {
	bits   []uint64
	values []uint16 // titleBit, impact, and exactBit
}

const (
	titleBit = 1
	exactBit = 1 << 9
)

func (s *set) fit(docs int) {
	if n := (docs + 63) / 64; len(s.bits) < n {
		s.bits, s.values = make([]uint64, n), make([]uint16, 64*n)
	}
}

// put adds a posting; of two for one note the greater impact stays.
func (s *set) put(x posting) {
	v := uint16(x.impact) << 1
	old := s.values[x.doc]
	v = max(v, old&(0xff<<1)) | old&(titleBit|exactBit)
	if x.title {
		v |= titleBit
	}
	if !x.near {
		v |= exactBit
	}
	s.values[x.doc] = v
	s.bits[x.doc>>6] |= 1 << (x.doc & 63)
}

// take returns what was put, in ascending order, and empties the set.
func (s *set) take() []posting {
	n := 0
	for _, w := range s.bits {
		n += bits.OnesCount64(w)
	}
	list := make([]posting, 0, n)
	for i, w := range s.bits {
		for ; w != 0; w &= w - 1 {
			doc := uint32(i<<6 + bits.TrailingZeros64(w))
			v := s.values[doc]
			s.values[doc] = 0
			list = append(list, posting{doc: doc, impact: uint8(v >> 1), title: v&titleBit != 0, near: v&exactBit == 0})
		}
		s.bits[i] = 0
	}
	return list
}
