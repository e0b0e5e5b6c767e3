package lexical

import (
	"encoding/binary"
	"math"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// The following is written by one goroutine and read by any number. A reader sees the
// number or pointer that was stored last; what is behind it never changes again.

const chunkSize = 1 << 12

// column is a value for each document.
type column[T any] struct {
	chunks atomic.Pointer[[]*[chunkSize]T]
}

// at is the place of document d, which exists.
func (c *column[T]) at(d Doc) *T { return &(*c.chunks.Load())[d/chunkSize][d%chunkSize] }

// grow makes room for document d; documents come in order.
func (c *column[T]) grow(d Doc) *T {
	if d%chunkSize == 0 {
		var chunks []*[chunkSize]T
		if old := c.chunks.Load(); old != nil {
			chunks = *old
		}
		chunks = append(chunks, new([chunkSize]T))
		c.chunks.Store(&chunks)
	}
	return c.at(d)
}

// room is how many values fit.
func (c *column[T]) room() uint32 {
	if chunks := c.chunks.Load(); chunks != nil {
		return uint32(len(*chunks) * chunkSize)
	}
	return 0
}

// numbers is a list of documents that grows at its end.
type numbers struct{ p atomic.Pointer[numberList] }

type numberList struct {
	n    atomic.Uint32
	docs []Doc
}

func (v *numbers) push(d Doc) {
	l := v.p.Load()
	switch {
	case l == nil:
		l = &numberList{docs: make([]Doc, 4)}
		v.p.Store(l)
	case int(l.n.Load()) == len(l.docs):
		bigger := &numberList{docs: make([]Doc, len(l.docs)+len(l.docs)/2+4)}
		copy(bigger.docs, l.docs)
		bigger.n.Store(l.n.Load())
		l = bigger
		v.p.Store(l)
	}
	n := l.n.Load()
	l.docs[n] = d
	l.n.Store(n + 1)
}

// all is what has been pushed.
func (v *numbers) all() []Doc {
	l := v.p.Load()
	if l == nil {
		return nil
	}
	n := l.n.Load()
	return l.docs[:n:n]
}

// blockSize is how many postings are in a full block.
const blockSize = 128

// posting is one document of a list.
type posting struct {
	doc   Doc
	count uint8
}

// bound is the highest count and the shortest length of a stretch of postings.
type bound struct {
	count  uint8
	length uint16
}

// nothing is the bound of an empty stretch.
var nothing = bound{length: math.MaxUint16}

func (b bound) with(count uint8, length uint16) bound {
	return bound{max(b.count, count), min(b.length, length)}
}

// block is a full stretch of postings, encoded.
type block struct {
	data  []byte
	last  Doc
	bound bound
	stops stops
}

// stops are places in a block, a quarter of it apart: behind the posting of each document, data
// goes on at a byte. A search for a document decodes from the last stop before it.
type stops struct {
	docs [3]Doc
	at   [3]uint16
}

// stopsIn returns the stops of a block that follows a document.
func stopsIn(data []byte, before Doc) (s stops) {
	c := cursor{rest: data, doc: before}
	for i := range s.docs {
		for range blockSize / (len(s.docs) + 1) {
			c.next()
		}
		s.docs[i], s.at[i] = c.doc, uint16(len(data)-len(c.rest))
	}
	return s
}

// list is the documents with one key.
type list struct {
	key  Key
	last Doc // the newest document; for the writer
	head atomic.Pointer[head]
}

// head is a state of a list: full blocks, and a tail that still grows.
type head struct {
	blocks []block
	full   bound // of all blocks
	data   []byte
	bound  atomic.Uint32 // of the tail; stored before size
	size   atomic.Uint64 // postings << 32 | bytes of the tail
}

func (h *head) tail() (postings int, data []byte, b bound) {
	size := h.size.Load()
	packed := h.bound.Load()
	return int(size >> 32), h.data[:uint32(size)], bound{uint8(packed >> 16), uint16(packed)}
}

// len is how many documents have the key.
func (h *head) len() int { return len(h.blocks)*blockSize + int(h.size.Load()>>32) }

// maxPosting is how many bytes one posting takes at most.
const maxPosting = binary.MaxVarintLen64 + 1

// add appends a posting of a document that is newer than all others.
func (l *list) add(p posting, length uint16) {
	var buf [maxPosting]byte
	enc := appendPosting(buf[:0], p, l.last)
	l.last = p.doc
	h := l.head.Load()
	n, data, b := h.tail()
	if len(data)+len(enc) > len(h.data) {
		next := &head{blocks: h.blocks, full: h.full, data: make([]byte, len(data)+max(len(enc), len(data)/2))}
		copy(next.data, data)
		next.bound.Store(h.bound.Load())
		next.size.Store(h.size.Load())
		h = next
		l.head.Store(h)
	}
	copy(h.data[len(data):], enc)
	b = b.with(p.count, length)
	h.bound.Store(uint32(b.count)<<16 | uint32(b.length))
	h.size.Store(uint64(n+1)<<32 | uint64(len(data)+len(enc)))
	if n+1 < blockSize {
		return
	}
	whole, before := h.data[:len(data)+len(enc)], Doc(0)
	if at := len(h.blocks); at > 0 {
		before = h.blocks[at-1].last
	}
	full := append(h.blocks, block{data: whole, last: p.doc, bound: b, stops: stopsIn(whole, before)})
	l.head.Store(newHead(full, h.full.with(b.count, b.length)))
}

func newHead(blocks []block, full bound) *head {
	h := &head{blocks: blocks, full: full}
	h.bound.Store(uint32(nothing.length))
	return h
}

// table finds lists by key. It only grows.
type table struct {
	slots atomic.Pointer[[]atomic.Pointer[list]]
	n     int
}

func newTable(room int) *table {
	size := 1 << 10
	for size*3 < room*5 {
		size *= 2
	}
	t := &table{}
	slots := make([]atomic.Pointer[list], size)
	t.slots.Store(&slots)
	return t
}

// mix spreads keys, which may spell letters, over all bits.
func mix(k Key) uint64 {
	x := uint64(k)
	x ^= x >> 32
	x *= 0x9E3779B97F4A7C15
	return x ^ x>>29
}

// find is the list of a key, nil if no document has it.
func (t *table) find(k Key) *list {
	slots := *t.slots.Load()
	mask := uint64(len(slots) - 1)
	for i := mix(k) & mask; ; i = (i + 1) & mask {
		l := slots[i].Load()
		if l == nil || l.key == k {
			return l
		}
	}
}

// put adds a list whose key is new.
func (t *table) put(l *list) {
	slots := *t.slots.Load()
	if t.n++; t.n*5 > len(slots)*3 {
		bigger := make([]atomic.Pointer[list], 2*len(slots))
		for i := range slots {
			if old := slots[i].Load(); old != nil {
				place(bigger, old)
			}
		}
		slots = bigger
		place(slots, l)
		t.slots.Store(&slots)
		return
	}
	place(slots, l)
}

func place(slots []atomic.Pointer[list], l *list) {
	mask := uint64(len(slots) - 1)
	i := mix(l.key) & mask
	for slots[i].Load() != nil {
		i = (i + 1) & mask
	}
	slots[i].Store(l)
}

// names numbers strings in the order of their first appearance.
type names struct {
	slots atomic.Pointer[[]atomic.Uint32] // number + 1
	list  column[string]
	n     atomic.Uint32
}

// find is the number of a name.
func (m *names) find(s string) (uint32, bool) {
	slots := m.slots.Load()
	if slots == nil {
		return 0, false
	}
	mask := uint64(len(*slots) - 1)
	for i := xxhash.Sum64String(s) & mask; ; i = (i + 1) & mask {
		switch v := (*slots)[i].Load(); {
		case v == 0:
			return 0, false
		case *m.list.at(Doc(v - 1)) == s:
			return v - 1, true
		}
	}
}

func (m *names) at(n uint32) string { return *m.list.at(Doc(n)) }

// number is the number of a name, a new one if it has none.
func (m *names) number(s string) uint32 {
	if n, ok := m.find(s); ok {
		return n
	}
	n := m.n.Load()
	*m.list.grow(Doc(n)) = s
	m.n.Store(n + 1)
	slots := m.slots.Load()
	if slots == nil || int(n+1)*2 > len(*slots) {
		m.fill(max(1<<6, 4*int(n+1)))
		return n
	}
	m.place(*slots, n)
	return n
}

// fill makes slots for all names, room of them or more.
func (m *names) fill(room int) {
	size := 1
	for size < room {
		size *= 2
	}
	slots := make([]atomic.Uint32, size)
	for n := range m.n.Load() {
		m.place(slots, n)
	}
	m.slots.Store(&slots)
}

func (m *names) place(slots []atomic.Uint32, n uint32) {
	mask := uint64(len(slots) - 1)
	i := xxhash.Sum64String(m.at(n)) & mask
	for slots[i].Load() != 0 {
		i = (i + 1) & mask
	}
	slots[i].Store(n + 1)
}
