package lexical

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// ErrSnapshot is returned by [Restore] for bytes that are damaged, cut, or of another
// version of this package. The index is to be rebuilt from the events.
var ErrSnapshot = errors.New("lexical: the snapshot cannot be used: rebuild the index from the events")

// A snapshot is
//
//	"kehai-lex" format analysis | mark | names of conversations and speakers |
//	documents | lists | xxhash64 of all of it
//
// with numbers as varints and strings after their length. Removed documents keep
// their row and their terms, without the id; Index.Compact leaves nothing of them.
const (
	magic      = "kehai-lex"
	formatByte = 2
)

// unusable says what is wrong with a snapshot.
func unusable(what string) error { return fmt.Errorf("%w: %s", ErrSnapshot, what) }

// writer collects the bytes of a snapshot.
type writer struct{ buf []byte }

func (w *writer) uint(n uint64) { w.buf = binary.AppendUvarint(w.buf, n) }
func (w *writer) int(n int64)   { w.buf = binary.AppendVarint(w.buf, n) }
func (w *writer) bytes(b []byte) {
	w.uint(uint64(len(b)))
	w.buf = append(w.buf, b...)
}
func (w *writer) string(s string) {
	w.uint(uint64(len(s)))
	w.buf = append(w.buf, s...)
}

// reader reads the bytes of a snapshot. After the first fault it returns zeros.
type reader struct {
	buf []byte
	bad bool
}

func (r *reader) fail() {
	r.bad, r.buf = true, nil
}

func (r *reader) uint(most uint64) uint64 {
	v, n := binary.Uvarint(r.buf)
	if n <= 0 || v > most {
		r.fail()
		return 0
	}
	r.buf = r.buf[n:]
	return v
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.buf)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.buf = r.buf[n:]
	return v
}

// count is a number of things of at least one byte each.
func (r *reader) count() int {
	n := r.uint(uint64(len(r.buf)))
	if n > uint64(len(r.buf)) { // the number itself has taken some
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) bytes() []byte {
	n := r.count()
	b := r.buf[:n:n]
	r.buf = r.buf[n:]
	return b
}

func (r *reader) string() string { return string(r.bytes()) }

// open checks the frame of a snapshot and returns what is inside.
func open(data []byte) (*reader, error) {
	head := len(magic) + 2
	switch {
	case len(data) < head+8 || string(data[:len(magic)]) != magic:
		return nil, unusable("no snapshot")
	case data[len(magic)] != formatByte || data[len(magic)+1] != analysis:
		return nil, unusable("another version")
	}
	body, sum := data[:len(data)-8], data[len(data)-8:]
	if xxhash.Sum64(body) != binary.LittleEndian.Uint64(sum) {
		return nil, unusable("damaged")
	}
	return &reader{buf: body[head:]}, nil
}

// sealed adds the sum.
func sealed(body []byte) []byte { return binary.LittleEndian.AppendUint64(body, xxhash.Sum64(body)) }

// row is a document in a snapshot.
type row struct {
	id            string
	talk, speaker uint32
	at            int64
	length        uint16
	print         uint32
	dead          bool
}

// stored is a list in a snapshot.
type stored struct {
	key    Key
	blocks []block
	tail   []byte
	edge   bound
	count  int // postings of the tail
	last   Doc
}

func (w *writer) row(d row, before int64) {
	dead := uint64(0)
	if d.dead {
		dead = 1
	}
	w.uint(uint64(d.length)<<1 | dead)
	w.uint(uint64(d.talk))
	w.uint(uint64(d.speaker))
	w.int(d.at - before)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, d.print)
	if d.dead {
		w.string("")
		return
	}
	w.string(d.id)
}

func (r *reader) row(before int64) row {
	v := r.uint(1<<17 - 1)
	d := row{length: uint16(v >> 1), dead: v&1 != 0}
	d.talk, d.speaker = uint32(r.uint(1<<32-1)), uint32(r.uint(1<<32-1))
	d.at = before + r.int()
	if len(r.buf) < 4 {
		r.fail()
		return row{}
	}
	d.print = binary.LittleEndian.Uint32(r.buf)
	r.buf = r.buf[4:]
	d.id = r.string()
	return d
}

func (w *writer) list(l stored) {
	w.uint(uint64(l.key))
	w.uint(uint64(len(l.blocks)))
	before := Doc(0)
	for _, b := range l.blocks {
		w.uint(uint64(b.last - before))
		w.bound(b.bound)
		w.bytes(b.data)
		w.stops(b.stops, before)
		before = b.last
	}
	w.uint(uint64(l.count))
	if l.count > 0 {
		w.uint(uint64(l.last - before))
		w.bound(l.edge)
		w.bytes(l.tail)
	}
}

func (w *writer) bound(b bound) {
	w.buf = append(w.buf, b.count)
	w.uint(uint64(b.length))
}

func (w *writer) stops(s stops, before Doc) {
	for i, d := range s.docs {
		w.uint(uint64(d - before))
		w.uint(uint64(s.at[i]))
		before = d
	}
}

// stops reads the stops of so many bytes.
func (r *reader) stops(size int, before Doc) (s stops) {
	for i := range s.docs {
		before += Doc(r.uint(uint64(end - 1 - before)))
		s.docs[i], s.at[i] = before, uint16(r.uint(uint64(min(size, 1<<16-1))))
	}
	return s
}

func (r *reader) bound() bound {
	if len(r.buf) == 0 {
		r.fail()
		return bound{}
	}
	c := r.buf[0]
	r.buf = r.buf[1:]
	return bound{c, uint16(r.uint(1<<16 - 1))}
}

func (r *reader) list() stored {
	l := stored{key: Key(r.uint(1<<64 - 1)), edge: nothing}
	before := Doc(0)
	if n := r.count(); n > 0 {
		l.blocks = make([]block, 0, n)
		for range n {
			b := block{last: before + Doc(r.uint(uint64(end-1-before))), bound: r.bound(), data: r.bytes()}
			b.stops = r.stops(len(b.data), before)
			l.blocks = append(l.blocks, b)
			before = b.last
		}
	}
	l.last = before
	if l.count = int(r.uint(blockSize - 1)); l.count > 0 {
		l.last = before + Doc(r.uint(uint64(end-1-before)))
		l.edge = r.bound()
		l.tail = r.bytes()
	}
	return l
}
