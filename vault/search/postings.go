package search

import "encoding/binary"

// The postings of a term are its number of notes, then the notes in ascending order. A short list is entries and nothing else. A list
// of more than blockSize notes is cut into blocks, each with a header (distance of its last note from the last one of the block
// before, bytes, greatest impact), so that a reader steps over what it does not need.
//
// An entry is a varint (distance from the note before, shifted left by one; the low bit says that the term stands in a title) and
// one byte of impact.
const blockSize = 128

// posting is one note of a term.
type posting struct {
	doc    uint32
	impact uint8 // how much the note is about the term, from 1 to 255: BM25F's saturated term weight
	title  bool  // the term stands in the name, the title or an alias
	near   bool  // of a list that was made for a query: the note holds words one edit away, and not the word
}

func appendPostings(dst []byte, list []posting) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	if len(list) <= blockSize {
		return appendEntries(dst, list, 0)
	}
	var block []byte
	last := uint32(0)
	for len(list) > 0 {
		part := list[:min(blockSize, len(list))]
		list = list[len(part):]
		block = appendEntries(block[:0], part, last)
		end, most := part[len(part)-1].doc, uint8(0)
		for _, p := range part {
			most = max(most, p.impact)
		}
		dst = binary.AppendUvarint(dst, uint64(end-last))
		dst = binary.AppendUvarint(dst, uint64(len(block)))
		dst = append(dst, most)
		dst = append(dst, block...)
		last = end
	}
	return dst
}

func appendEntries(dst []byte, list []posting, last uint32) []byte {
	for _, p := range list {
		v := uint64(p.doc-last) << 1
		if p.title {
			v |= 1
		}
		dst = append(binary.AppendUvarint(dst, v), p.impact)
		last = p.doc
	}
	return dst
}

// cursor walks over the postings of one term in one segment, or over a list that was made for the query.
type cursor struct {
	list []posting // the block at hand
	i    int
	data []byte // blocks that follow
	left int    // notes in data
	last uint32 // last note of the block at hand
	skip bool   // data has block headers
	size int    // notes in all
	buf  [blockSize]posting
}

// open sets c on encoded postings.
func (c *cursor) open(data []byte) {
	n, w := binary.Uvarint(data)
	c.data, c.left, c.last, c.size, c.skip = data[w:], int(n), 0, int(n), n > blockSize
	c.list, c.i = nil, 0
}

// openList sets c on a list.
func (c *cursor) openList(list []posting) {
	c.list, c.i, c.data, c.left, c.size = list, 0, nil, 0, len(list)
}

// next returns the posting at hand and steps on.
func (c *cursor) next() (posting, bool) {
	if c.i == len(c.list) && !c.load(0) {
		return posting{}, false
	}
	p := c.list[c.i]
	c.i++
	return p, true
}

// seek steps to the first posting at or after doc, and returns it without stepping over it.
func (c *cursor) seek(doc uint32) (posting, bool) {
	for {
		if n := len(c.list); n > 0 && c.list[n-1].doc >= doc {
			// A list made for a query may be long: gallop, then search.
			lo, step := c.i, 1
			for lo+step < n && c.list[lo+step].doc < doc {
				lo += step
				step <<= 1
			}
			hi := min(lo+step, n-1)
			for lo < hi {
				mid := int(uint(lo+hi) / 2)
				if c.list[mid].doc < doc {
					lo = mid + 1
				} else {
					hi = mid
				}
			}
			c.i = lo
			return c.list[lo], true
		}
		if !c.load(doc) {
			c.list, c.i = nil, 0
			return posting{}, false
		}
	}
}

// load decodes the next block that may hold a note at or after doc.
func (c *cursor) load(doc uint32) bool {
	for c.left > 0 {
		n, body := c.left, c.data
		first := c.last
		if c.skip {
			n = min(c.left, blockSize)
			distance, w := binary.Uvarint(c.data)
			size, v := binary.Uvarint(c.data[w:])
			start := w + v + 1
			body = c.data[start : start+int(size)]
			c.data = c.data[start+int(size):]
			c.last += uint32(distance)
			c.left -= n
			if c.last < doc {
				continue
			}
		} else {
			c.left, c.data = 0, nil
		}
		c.decode(body, n, first)
		return true
	}
	return false
}

func (c *cursor) decode(body []byte, n int, doc uint32) {
	at := 0
	for k := range n {
		v := uint64(body[at])
		at++
		if v >= 0x80 {
			v &= 0x7f
			for shift := 7; ; shift += 7 {
				b := body[at]
				at++
				v |= uint64(b&0x7f) << shift
				if b < 0x80 {
					break
				}
			}
		}
		doc += uint32(v >> 1)
		c.buf[k] = posting{doc: doc, impact: body[at], title: v&1 == 1}
		at++
	}
	c.list, c.i = c.buf[:n], 0
}
