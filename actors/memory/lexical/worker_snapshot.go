package lexical

import (
	"slices"
	"sync/atomic"
)

// Snapshot writes down what the index has now, beside any reading and writing, and
// with it a mark: how far into the events the caller had come before it called. Give
// [Restore] these bytes and add what came after the mark. The bytes are private.
func (x *Index) Snapshot(mark uint64) []byte {
	limit := Doc(x.n.Load())
	w := &writer{buf: make([]byte, 0, 1<<16+int(limit)*48)}
	w.buf = append(append(w.buf, magic...), formatByte, analysis)
	w.uint(mark)
	for _, n := range []*names{&x.talking, &x.people} {
		count := n.n.Load()
		w.uint(uint64(count))
		for i := range count {
			w.string(n.at(i))
		}
	}
	w.uint(uint64(limit))
	before := int64(0)
	for d := range limit {
		e := x.entries.at(d)
		w.row(row{id: x.ids.at(e.id), talk: e.talk, speaker: e.speaker, at: e.at, length: *x.length.at(d),
			print: e.print, dead: e.dead.Load()}, before)
		before = e.at
	}
	var p postings
	for i := range *x.lists.slots.Load() {
		if l := (*x.lists.slots.Load())[i].Load(); l != nil {
			if s, ok := x.written(l, limit, &p); ok {
				w.list(s)
			}
		}
	}
	w.uint(0) // no key is zero
	return sealed(w.buf)
}

// written is a list as a snapshot has it, without documents from limit on.
func (x *Index) written(l *list, limit Doc, p *postings) (stored, bool) {
	h := l.head.Load()
	count, data, edge := h.tail()
	s := stored{key: l.key, blocks: h.blocks, tail: data, edge: edge, count: count}
	for len(s.blocks) > 0 && s.blocks[len(s.blocks)-1].last >= limit {
		last := s.blocks[len(s.blocks)-1]
		s.blocks = s.blocks[:len(s.blocks)-1]
		s.tail, s.edge = last.data, last.bound
	}
	before := Doc(0)
	if n := len(s.blocks); n > 0 {
		before = s.blocks[n-1].last
	}
	p.decode(s.tail, before)
	n, _ := slices.BinarySearch(p.docs[:p.n], limit)
	if s.count = n; n < p.n {
		s.tail = nil
		for i, d := range p.docs[:n] {
			s.tail = appendPosting(s.tail, posting{d, p.counts[i]}, before)
			before = d
		}
	}
	if n == 0 {
		return s, len(s.blocks) > 0
	}
	s.last = p.docs[n-1]
	return s, true
}

// Restore makes the index of a snapshot and returns the mark that was written with
// it. The index keeps the bytes; do not change them. It fails with [ErrSnapshot].
func Restore(data []byte) (*Index, uint64, error) {
	r, err := open(data)
	if err != nil {
		return nil, 0, err
	}
	x := sized(0)
	mark := r.uint(1<<64 - 1)
	for _, n := range []*names{&x.talking, &x.people} {
		x.readNames(r, n)
	}
	if !x.readRows(r) {
		return nil, 0, unusable("its documents")
	}
	if !x.readLists(r) || len(r.buf) > 0 {
		return nil, 0, unusable("its lists")
	}
	return x, mark, nil
}

func (x *Index) readNames(r *reader, n *names) {
	count := r.count()
	for i := range count {
		*n.list.grow(Doc(i)) = r.string()
	}
	n.n.Store(uint32(count))
	n.fill(4 * (count + 1))
}

// readRows reads the documents, and numbers their ids anew.
func (x *Index) readRows(r *reader) bool {
	count := r.count()
	for range x.talking.n.Load()/chunkSize + 1 {
		x.talks.grow(Doc(x.talks.room()))
	}
	before, length := int64(0), uint64(0)
	for d := range Doc(count) {
		row := r.row(before)
		if r.bad || row.talk >= x.talking.n.Load() || row.speaker >= x.people.n.Load() {
			return false
		}
		before, length = row.at, length+uint64(row.length)
		x.dated(row.at)
		e := x.entries.grow(d)
		e.at, e.talk, e.speaker, e.print = row.at, row.talk, row.speaker, row.print
		*x.length.grow(d) = row.length
		// Ids get numbers without a look whether they repeat: live ones do not.
		e.id = uint32(d)
		*x.ids.list.grow(d) = row.id
		x.current.grow(d).Store(uint32(d))
		t := x.talks.at(Doc(row.talk))
		t.docs.push(d)
		x.settle(t, d)
		if row.dead {
			e.dead.Store(true)
			x.dead.Add(1)
		}
	}
	x.n.Store(uint32(count))
	x.ids.n.Store(uint32(count))
	x.lengths.Store(length)
	x.placeIDs()
	return !r.bad
}

// placeIDs makes the ids of live documents findable.
func (x *Index) placeIDs() {
	size := 1 << 6
	for size < 2*int(x.n.Load()+1) {
		size *= 2
	}
	slots := make([]atomic.Uint32, size)
	for d := range Doc(x.n.Load()) {
		if !x.entries.at(d).dead.Load() {
			x.ids.place(slots, uint32(d))
		}
	}
	x.ids.slots.Store(&slots)
}

// readLists reads the lists. Each must be in order and end within the documents.
func (x *Index) readLists(r *reader) bool {
	limit := Doc(x.n.Load())
	var room []stored
	for len(r.buf) > 0 {
		if r.buf[0] == 0 {
			r.buf = r.buf[1:]
			break
		}
		s := r.list()
		if r.bad || s.last >= limit || len(s.blocks) == 0 && s.count == 0 {
			return false
		}
		room = append(room, s)
	}
	x.lists = newTable(len(room))
	lists, heads := make([]list, len(room)), make([]head, len(room))
	for i, s := range room {
		h := &heads[i]
		h.blocks, h.full, h.data = s.blocks, nothing, s.tail
		for _, b := range s.blocks {
			h.full = h.full.with(b.bound.count, b.bound.length)
		}
		h.bound.Store(uint32(s.edge.count)<<16 | uint32(s.edge.length))
		h.size.Store(uint64(s.count)<<32 | uint64(len(s.tail)))
		l := &lists[i]
		l.key, l.last = s.key, s.last
		l.head.Store(h)
		x.lists.put(l)
	}
	return !r.bad
}

// Compact makes an index without the documents that were removed or replaced. Hold
// back writers, or add again to the new one what came meanwhile. Documents get new
// numbers.
func (x *Index) Compact() *Index {
	limit := Doc(x.n.Load())
	y := sized(x.lists.n)
	renamed := make([]Doc, limit)
	for d := range limit {
		renamed[d] = end
		if e := x.entries.at(d); !e.dead.Load() {
			renamed[d] = y.adopt(x, d)
		}
	}
	var c cursor
	for i := range *x.lists.slots.Load() {
		old := (*x.lists.slots.Load())[i].Load()
		if old == nil {
			continue
		}
		l := &list{key: old.key}
		l.head.Store(newHead(nil, nothing))
		for c.open(old.head.Load()); c.doc < limit; c.next() {
			if d := renamed[c.doc]; d != end {
				l.add(posting{d, c.count}, *y.length.at(d))
			}
		}
		if l.head.Load().len() > 0 {
			y.lists.put(l)
		}
	}
	return y
}

// adopt adds a document of another index, without its terms.
func (y *Index) adopt(x *Index, from Doc) Doc {
	e, length := x.entries.at(from), *x.length.at(from)
	y.makeRoom()
	d := Doc(y.n.Load())
	into := y.entries.grow(d)
	into.at, into.print = e.at, e.print
	*y.length.grow(d) = length
	into.id = y.ids.number(x.ids.at(e.id))
	into.talk, into.speaker = y.talking.number(x.talking.at(e.talk)), y.people.number(x.people.at(e.speaker))
	y.lengths.Add(uint64(length))
	y.dated(e.at)
	y.n.Store(uint32(d) + 1)
	t := y.talks.at(Doc(into.talk))
	t.docs.push(d)
	y.settle(t, d)
	y.current.at(Doc(into.id)).Store(uint32(d))
	return d
}
