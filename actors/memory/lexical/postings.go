package lexical

import "encoding/binary"

// appendPosting encodes a posting: the distance from the document before it, one
// bit that says whether the count is one, and the count if it is not.
func appendPosting(b []byte, p posting, before Doc) []byte {
	distance := uint64(p.doc-before) << 1
	if p.count == 1 {
		return binary.AppendUvarint(b, distance)
	}
	return append(binary.AppendUvarint(b, distance|1), p.count)
}

// postings is a decoded stretch of up to one block.
type postings struct {
	docs   [blockSize]Doc
	counts [blockSize]uint8
	n      int
}

// decode reads a stretch that this package has encoded. It reports false for bytes
// that are no such stretch, and stops there.
func (p *postings) decode(data []byte, before Doc) bool {
	p.n = 0
	for i := 0; i < len(data); {
		v := uint64(data[i])
		if i++; v >= 0x80 {
			w, n := binary.Uvarint(data[i-1:])
			if n <= 0 || w>>1 > 1<<32-1 {
				return false
			}
			v, i = w, i+n-1
		}
		before += Doc(v >> 1)
		count := uint8(1)
		if v&1 != 0 {
			if i == len(data) {
				return false
			}
			count = data[i]
			i++
		}
		if p.n == blockSize {
			return false
		}
		p.docs[p.n], p.counts[p.n] = before, count
		p.n++
	}
	return true
}

// cursor walks along one list.
type cursor struct {
	weight float64 // weight of the term times its idf
	most   float64 // the highest score of any posting
	blocks []block
	tail   []byte
	edge   bound // of the tail
	doc    Doc   // where it stands; end when it is through
	count  uint8
	at     int // block; len(blocks) is the tail
	loaded int // block that is decoded, -1 for none
	i      int
	postings
}

// end is behind every document.
const end = Doc(1<<32 - 1)

// open starts at the first posting of a list.
func (c *cursor) open(h *head) {
	_, data, b := h.tail()
	c.blocks, c.tail, c.edge = h.blocks, data, b
	c.at, c.loaded, c.i = 0, -1, 0
	c.load()
}

// load decodes the block at which the cursor stands and goes to its first posting.
func (c *cursor) load() {
	var before Doc
	if c.at > 0 && c.at <= len(c.blocks) {
		before = c.blocks[c.at-1].last
	}
	switch {
	case c.at < len(c.blocks):
		c.decode(c.blocks[c.at].data, before)
	case c.at == len(c.blocks) && len(c.tail) > 0:
		c.decode(c.tail, before)
	default:
		c.doc = end
		return
	}
	c.loaded, c.i = c.at, 0
	c.doc, c.count = c.docs[0], c.counts[0]
}

// next goes to the next posting.
func (c *cursor) next() {
	if c.i++; c.i < c.n {
		c.doc, c.count = c.docs[c.i], c.counts[c.i]
		return
	}
	c.at++
	c.load()
}

// shallow goes to the block where document d would be, without decoding it, and
// returns its bound.
func (c *cursor) shallow(d Doc) bound {
	for step := 1; c.at < len(c.blocks) && c.blocks[c.at].last < d; {
		if next := c.at + step; next < len(c.blocks) && c.blocks[next].last < d {
			c.at = next
			step *= 2
			continue
		}
		c.at++
		step = max(1, step/2)
	}
	if c.at < len(c.blocks) {
		return c.blocks[c.at].bound
	}
	return c.edge
}

// seek goes to the first posting at or behind document d.
func (c *cursor) seek(d Doc) {
	if c.doc >= d {
		return
	}
	c.shallow(d)
	if c.loaded != c.at {
		if c.load(); c.doc >= d {
			return
		}
	}
	lo, hi := c.i, c.n
	for lo < hi {
		if mid := (lo + hi) / 2; c.docs[mid] < d {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < c.n {
		c.i, c.doc, c.count = lo, c.docs[lo], c.counts[lo]
		return
	}
	c.at++
	if c.load(); c.doc < d {
		c.seek(d)
	}
}
