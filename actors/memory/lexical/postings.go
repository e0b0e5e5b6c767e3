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

// cursor walks along one list. It decodes a posting when it comes to it: whoever seeks a
// document needs no posting behind that.
type cursor struct {
	weight float64 // weight of the term times its idf
	most   float64 // the highest score of any posting
	within bound   // of all postings
	blocks []block
	tail   []byte
	edge   bound // of the tail
	doc    Doc   // where it stands; end when it is through
	count  uint8
	at     int    // block; len(blocks) is the tail
	loaded int    // block that rest is of
	rest   []byte // of the block, behind the posting at which it stands
}

// end is behind every document.
const end = Doc(1<<32 - 1)

// open starts at the first posting of a list.
func (c *cursor) open(h *head) {
	_, data, b := h.tail()
	c.blocks, c.tail, c.edge = h.blocks, data, b
	c.at = 0
	c.load()
	c.next()
}

// load goes before the first posting of the block at which the cursor stands.
func (c *cursor) load() {
	c.doc, c.rest, c.loaded = 0, nil, c.at
	if c.at > 0 && c.at <= len(c.blocks) {
		c.doc = c.blocks[c.at-1].last
	}
	switch {
	case c.at < len(c.blocks):
		c.rest = c.blocks[c.at].data
	case c.at == len(c.blocks):
		c.rest = c.tail
	}
}

// next goes to the next posting. What is no posting ends its block.
func (c *cursor) next() {
	for {
		if v, n := c.head(); n > 0 {
			c.doc += Doc(v >> 1)
			c.count = 1
			if v&1 != 0 {
				c.count = c.rest[n]
				n++
			}
			c.rest = c.rest[n:]
			return
		}
		if c.at >= len(c.blocks) {
			c.doc = end
			return
		}
		c.at++
		c.load()
	}
}

// head returns the number with which the next posting of the block begins, and of how many
// bytes it is; 0 if the block has no further posting.
func (c *cursor) head() (v uint64, n int) {
	if len(c.rest) == 0 {
		return 0, 0
	}
	v, n = uint64(c.rest[0]), 1
	if v >= 0x80 {
		if v, n = binary.Uvarint(c.rest); n <= 0 || v>>1 > 1<<32-1 {
			return 0, 0
		}
	}
	if v&1 != 0 && n == len(c.rest) {
		return 0, 0
	}
	return v, n
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
	if c.shallow(d); c.loaded != c.at {
		c.load()
		c.next()
	}
	if c.doc < d && c.at < len(c.blocks) {
		c.jump(d)
	}
	for c.doc < d {
		c.skip(d)
		c.next()
	}
}

// jump goes to the last stop of the block before document d, if that is further on.
func (c *cursor) jump(d Doc) {
	b := &c.blocks[c.at]
	for i := len(b.stops.docs) - 1; i >= 0 && b.stops.docs[i] > c.doc; i-- {
		if b.stops.docs[i] < d {
			c.doc, c.rest = b.stops.docs[i], b.data[b.stops.at[i]:]
			return
		}
	}
}

// skip passes the postings of the block below document d whose numbers are of one byte or two,
// which nearly all are, but for the last one.
func (c *cursor) skip(d Doc) {
	rest, doc := c.rest, c.doc
	for len(rest) > 2 {
		v, n := Doc(rest[0]), 1
		if v >= 0x80 {
			if rest[1] >= 0x80 {
				break
			}
			v, n = v&0x7F|Doc(rest[1])<<7, 2
		}
		if doc+v>>1 >= d {
			break
		}
		doc += v >> 1
		rest = rest[n+int(v&1):]
	}
	c.rest, c.doc = rest, doc
}
