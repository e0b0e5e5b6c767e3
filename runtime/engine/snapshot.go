package engine

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
)

// The form of a snapshot: a line that names it and its version; for each key, in
// ascending order, 1, the key and the value, each as its length and its bytes; then
// 0, the number of keys, and the SHA-256 of all of it before. A number is an
// unsigned varint.
const (
	snapshotHead  = "kehai snapshot 1\n"
	snapshotBatch = 512 << 10 // bytes that a reader gets at once, about
)

// Errors of a snapshot.
var (
	// ErrSnapshot marks a snapshot that is cut or damaged, or none at all.
	ErrSnapshot = errors.New("store: the snapshot is cut or damaged, or none at all: take another one")
	// ErrNotEmpty answers a Restore into a store that holds something.
	ErrNotEmpty = errors.New("store: it is not empty: restore a snapshot into a new directory")
)

// WriteSnapshot is for stores: it writes what scan yields, in ascending order of
// keys, as a snapshot. It holds one key and its value in memory.
func WriteSnapshot(w io.Writer, scan func(yield func(key, value []byte) bool) error) error {
	sum := sha256.New()
	buffered := bufio.NewWriterSize(w, 64<<10)
	to := io.MultiWriter(buffered, sum)
	if _, err := io.WriteString(to, snapshotHead); err != nil {
		return err
	}
	var count uint64
	var failed error
	var form []byte
	err := scan(func(key, value []byte) bool {
		form = binary.AppendUvarint(append(form[:0], 1), uint64(len(key)))
		form = binary.AppendUvarint(append(form, key...), uint64(len(value)))
		if _, failed = to.Write(form); failed == nil {
			_, failed = to.Write(value)
		}
		count++
		return failed == nil
	})
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("store: write a snapshot: %w", err)
	}
	if _, err := to.Write(binary.AppendUvarint([]byte{0}, count)); err != nil {
		return fmt.Errorf("store: write a snapshot: %w", err)
	}
	if _, err := buffered.Write(sum.Sum(nil)); err != nil {
		return fmt.Errorf("store: write a snapshot: %w", err)
	}
	return buffered.Flush()
}

// ReadSnapshot is for stores: it hands a snapshot on in batches. The snapshot was whole
// only if it returns nil; until then, nothing handed on may be used. Errors of the
// snapshot wrap [ErrSnapshot].
func ReadSnapshot(r io.Reader, batch func([]Op) error) error {
	s := snapshotReader{from: bufio.NewReaderSize(r, 64<<10), sum: sha256.New()}
	if head := s.take(uint64(len(snapshotHead))); string(head) != snapshotHead {
		return s.bad("it does not begin as one")
	}
	var ops []Op
	var last []byte
	var count uint64
	size := 0
	for {
		tag := s.take(1)
		if s.err != nil || tag[0] > 1 {
			return s.bad("an entry is no entry")
		}
		if tag[0] == 0 {
			break
		}
		op := Op{Key: s.text(MaxKey), Value: s.text(MaxBatch)}
		if s.err != nil || count > 0 && bytes.Compare(op.Key, last) <= 0 {
			return s.bad("an entry is cut or out of order")
		}
		count, last = count+1, op.Key
		ops = append(ops, op)
		if size += len(op.Key) + len(op.Value); size >= snapshotBatch {
			if err := batch(ops); err != nil {
				return err
			}
			ops, size = nil, 0
		}
	}
	if n := s.number(); s.err != nil || n != count {
		return s.bad("keys are missing")
	}
	want := s.sum.Sum(nil)
	if got := s.take(sha256.Size); s.err != nil || !bytes.Equal(got, want) {
		return s.bad("its checksum does not match")
	}
	if _, err := s.from.ReadByte(); err != io.EOF {
		return s.bad("something follows it")
	}
	if len(ops) > 0 {
		return batch(ops)
	}
	return nil
}

type snapshotReader struct {
	from *bufio.Reader
	sum  hash.Hash
	err  error
}

func (s *snapshotReader) bad(what string) error {
	if s.err != nil && !errors.Is(s.err, io.EOF) && !errors.Is(s.err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("store: read a snapshot: %w", s.err)
	}
	return fmt.Errorf("%w (%s)", ErrSnapshot, what)
}

func (s *snapshotReader) take(n uint64) []byte {
	if s.err != nil {
		return nil
	}
	b := make([]byte, n)
	if _, s.err = io.ReadFull(s.from, b); s.err != nil {
		return nil
	}
	s.sum.Write(b)
	return b
}

// ReadByte implements [io.ByteReader], for numbers.
func (s *snapshotReader) ReadByte() (byte, error) {
	b, err := s.from.ReadByte()
	if err == nil {
		s.sum.Write([]byte{b})
	}
	return b, err
}

func (s *snapshotReader) number() (n uint64) {
	if s.err == nil {
		n, s.err = binary.ReadUvarint(s)
	}
	return n
}

func (s *snapshotReader) text(most uint64) []byte {
	n := s.number()
	if n > most && s.err == nil {
		s.err = io.ErrUnexpectedEOF
	}
	return s.take(n)
}
