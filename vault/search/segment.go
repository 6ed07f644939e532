package search

import (
	"encoding/binary"
	"sort"
	"strings"

	"github.com/notelatch/notelatch/vault"
)

// Terms that are no words begin with a byte that no word begins with.
const (
	tagTerm   = "\x01" // a folded tag, or one that it is nested in
	propTerm  = "\x02" // a folded key; with "=" and a folded value as well
	titleTerm = "\x03" // a whole title, name or alias
	hasTerm   = "\x04" // "attachment", "problem", "encrypted", or "problem=" and a code
	pairTerm  = "\x05" // two words that follow one another in a title, an alias or a heading
	wordTerms = "\x06" // words sort after this
)

// segment is an immutable part of an index: a sorted dictionary, postings, and what results show of each note. Notes are numbered
// from 0 within it.
type segment struct {
	text  string   // the terms, one after another
	ends  []uint32 // where each ends in text
	posts []byte
	at    []uint32 // where the postings of each term begin in posts
	size  int      // postings in all

	shown    string   // path, title, tags and problems of each note
	shownEnd []uint32 // where each of these ends; shownFields for a note
	modified []int64
	created  []int64
	flags    []uint8
}

const shownFields = 4

// listMark separates the items of a list in shown.
const listMark = "\x1f"

func (s *segment) docs() int  { return len(s.flags) }
func (s *segment) terms() int { return len(s.ends) }

func (s *segment) term(i int) string {
	if i == 0 {
		return s.text[:s.ends[0]]
	}
	return s.text[s.ends[i-1]:s.ends[i]]
}

// from returns the first term that is not less than t.
func (s *segment) from(t string) int {
	return sort.Search(len(s.ends), func(i int) bool { return s.term(i) >= t })
}

// find returns the number of term t, or -1.
func (s *segment) find(t string) int {
	if i := s.from(t); i < len(s.ends) && s.term(i) == t {
		return i
	}
	return -1
}

// postings returns the encoded postings of term i, and what follows them.
func (s *segment) postings(i int) []byte { return s.posts[s.at[i]:] }

// df is the number of notes that hold term i, deleted ones included.
func (s *segment) df(i int) int {
	n, _ := binary.Uvarint(s.posts[s.at[i]:])
	return int(n)
}

func (s *segment) field(doc uint32, f int) string {
	k := int(doc)*shownFields + f
	start := uint32(0)
	if k > 0 {
		start = s.shownEnd[k-1]
	}
	return s.shown[start:s.shownEnd[k]]
}

func (s *segment) path(doc uint32) vault.Path { return vault.Path(s.field(doc, 0)) }

func (s *segment) title(doc uint32) string {
	if t := s.field(doc, 1); t != "" {
		return t
	}
	return s.path(doc).Name()
}

func (s *segment) tags(doc uint32) []string     { return split(s.field(doc, 2)) }
func (s *segment) problems(doc uint32) []string { return split(s.field(doc, 3)) }

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, listMark)
}

// part is a segment as one state of the index sees it.
type part struct {
	*segment
	dead []uint64 // a bit for each deleted note; nil when there are none
	gone int      // bits in dead
}

func (p *part) living() int { return p.docs() - p.gone }

func (p *part) isDead(doc uint32) bool {
	return p.dead != nil && p.dead[doc>>6]&(1<<(doc&63)) != 0
}
