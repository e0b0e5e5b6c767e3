package engine

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/kehai-run/kehai/messages"
)

// The form of a batch on its way to another node or into a log. The first byte is
// the version of the form. A number is an unsigned varint, a text its length and
// its bytes; where nil and empty differ, a text is one longer and 0 is nil. Old
// logs must stay readable: a change of the form raises the version.
const batchForm = 1

// ErrBatch marks bytes that are no batch.
var ErrBatch = errors.New("engine: unreadable batch")

// AppendBinary implements [encoding.BinaryAppender].
func (b Batch) AppendBinary(to []byte) ([]byte, error) {
	w := batchWriter(append(to, batchForm, byte(b.Shard)))
	w.text(b.From)
	w.number(b.Floor)
	w.number(uint64(len(b.Changes)))
	for i := range b.Changes {
		if b.Changes[i].Rises {
			return nil, fmt.Errorf("%w: change %d raises a number, which stays on its node", ErrBatch, i)
		}
		w.change(&b.Changes[i])
	}
	return w, nil
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. The batch keeps parts
// of from.
func (b *Batch) UnmarshalBinary(from []byte) error {
	r := batchReader{left: from}
	if form := r.byte(); r.err == nil && form != batchForm {
		return fmt.Errorf("%w: its form is %d, this program knows %d: upgrade this program", ErrBatch, form, batchForm)
	}
	read := Batch{Shard: Shard(r.below(byte(shards))), From: r.text(), Floor: r.number()}
	if n := r.count(); n > 0 {
		read.Changes = make([]Change, n)
	}
	for i := range read.Changes {
		read.Changes[i] = r.change()
	}
	if r.err == nil && len(r.left) > 0 {
		r.err = fmt.Errorf("%w: %d bytes follow it", ErrBatch, len(r.left))
	}
	if r.err == nil {
		*b = read
	}
	return r.err
}

type batchWriter []byte

func (w *batchWriter) number(n uint64) { *w = binary.AppendUvarint(*w, n) }

func (w *batchWriter) text(s string) {
	w.number(uint64(len(s)))
	*w = append(*w, s...)
}

func (w *batchWriter) bytes(b []byte) {
	if b == nil {
		w.number(0)
		return
	}
	w.number(uint64(len(b)) + 1)
	*w = append(*w, b...)
}

func (w *batchWriter) change(c *Change) {
	w.text(string(c.Actor))
	w.number(c.Epoch)
	w.bytes(c.Receipt)
	w.bytes(c.Once)
	w.bytes(c.Needs)
	w.number(c.Crossed)
	w.number(uint64(len(c.Ops)))
	for _, op := range c.Ops {
		if op.Delete {
			*w = append(*w, 1)
			w.bytes(op.Key)
			continue
		}
		*w = append(*w, 0)
		w.bytes(op.Key)
		w.bytes(op.Value)
	}
	w.number(uint64(len(c.Records)))
	for _, r := range c.Records {
		*w = append(*w, byte(r.Class), byte(r.Shard))
		w.text(string(r.To))
		w.bytes(r.Value)
	}
}

// batchReader reads what batchWriter wrote. After an error it reads zeros.
type batchReader struct {
	left []byte
	err  error
}

func (r *batchReader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrBatch, what)
	}
	r.left = nil
}

func (r *batchReader) byte() byte { return r.below(255) }

func (r *batchReader) below(limit byte) byte {
	if len(r.left) == 0 || r.left[0] >= limit {
		r.fail("it is cut, or of another kind")
		return 0
	}
	b := r.left[0]
	r.left = r.left[1:]
	return b
}

func (r *batchReader) number() uint64 {
	n, size := binary.Uvarint(r.left)
	if size <= 0 {
		r.fail("a number is cut")
		return 0
	}
	r.left = r.left[size:]
	return n
}

// count reads how many parts follow. Each has a byte at least.
func (r *batchReader) count() int {
	n := r.number()
	if n > uint64(len(r.left)) {
		r.fail("parts are missing")
		return 0
	}
	return int(n)
}

func (r *batchReader) take(n uint64) []byte {
	if n > uint64(len(r.left)) {
		r.fail("a text is cut")
		return nil
	}
	b := r.left[:n:n]
	r.left = r.left[n:]
	return b
}

func (r *batchReader) text() string { return string(r.take(r.number())) }

func (r *batchReader) bytes() []byte {
	n := r.number()
	if n == 0 {
		return nil
	}
	return r.take(n - 1)
}

func (r *batchReader) change() Change {
	c := Change{
		Actor: messages.Address(r.text()), Epoch: r.number(),
		Receipt: r.bytes(), Once: r.bytes(), Needs: r.bytes(), Crossed: r.number(),
	}
	if n := r.count(); n > 0 {
		c.Ops = make([]Op, n)
	}
	for i := range c.Ops {
		if c.Ops[i].Delete = r.below(2) == 1; c.Ops[i].Delete {
			c.Ops[i].Key = r.bytes()
			continue
		}
		c.Ops[i].Key, c.Ops[i].Value = r.bytes(), r.bytes()
	}
	if n := r.count(); n > 0 {
		c.Records = make([]Record, n)
	}
	for i := range c.Records {
		c.Records[i] = Record{
			Class: Class(r.below(byte(classes))), Shard: Shard(r.below(byte(shards))),
			To: messages.Address(r.text()), Value: r.bytes(),
		}
	}
	return c
}
