package search

import "math/bits"

// desk is what one search works with; it is kept for the next one.
type desk struct {
	cursors []cursor
	needs   []cursor
	bans    []cursor
	found   []candidate
	set     set
	acc     []float32 // for partial matches: the score of each note of a part,
	mass    []float32 // the idf of the words it holds,
	mask    []uint64  // and these words
	name    []byte    // of the note at hand
}

// candidate is a note that may be a hit.
type candidate struct {
	part    int32
	doc     uint32
	score   float32
	partial bool
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
	values []uint16 // impact, shifted left by one, and the title bit
}

func (s *set) fit(docs int) {
	if n := (docs + 63) / 64; len(s.bits) < n {
		s.bits, s.values = make([]uint64, n), make([]uint16, 64*n)
	}
}

// put adds a posting; of two for one note the greater impact stays.
func (s *set) put(doc uint32, impact uint8, title bool) {
	v := uint16(impact) << 1
	old := s.values[doc]
	v = max(v, old&^1) | old&1
	if title {
		v |= 1
	}
	s.values[doc] = v
	s.bits[doc>>6] |= 1 << (doc & 63)
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
			list = append(list, posting{doc: doc, impact: uint8(v >> 1), title: v&1 == 1})
		}
		s.bits[i] = 0
	}
	return list
}
