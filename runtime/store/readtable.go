package store

import (
	"bufio"
	"crypto/aes"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/y"
	"google.golang.org/protobuf/proto"
)

var (
	errShort    = errors.New("it ends too early")
	errChecksum = errors.New("a checksum does not match")
)

// readTable verifies each checksum of a table. A table is a row of blocks,
// then the index of the blocks, its length, its checksum, and the length of
// that. In an encrypted table the index and each block end in the vector that
// they were encrypted with.
func readTable(path string, key []byte) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	// The index is trusted once its checksum is right, but a wrong checksum may
	// be right by chance; then reading it may panic.
	defer func() {
		if r := recover(); r != nil {
			err = panicked(r)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	end := &backwards{f: f, at: info.Size()}
	sum := new(pb.Checksum)
	if err := proto.Unmarshal(end.measured(), sum); err != nil && end.err == nil {
		return errChecksum
	}
	raw := end.measured()
	if end.err != nil {
		return end.err
	}
	if y.VerifyChecksum(raw, sum) != nil {
		return errChecksum
	}
	if raw, err = decrypt(raw, key); err != nil {
		return err
	}
	return readBlocks(f, end.at, fb.GetRootAsTableIndex(raw, 0), key)
}

func readBlocks(f *os.File, size int64, index *fb.TableIndex, key []byte) error {
	if index.OffsetsLength() == 0 {
		return errShort
	}
	var buf []byte
	var at int64
	r := bufio.NewReaderSize(io.NewSectionReader(f, 0, size), 256<<10)
	for i := range index.OffsetsLength() {
		var b fb.BlockOffset
		index.Offsets(&b, i)
		if int64(b.Offset()) != at || at+int64(b.Len()) > size {
			return errShort
		}
		at += int64(b.Len())
		if cap(buf) < int(b.Len()) {
			buf = make([]byte, b.Len())
		}
		buf = buf[:b.Len()]
		if _, err := io.ReadFull(r, buf); err != nil {
			return errShort
		}
		block, err := decrypt(buf, key)
		if err != nil {
			return err
		}
		if err := verifyBlock(block); err != nil {
			return err
		}
	}
	return nil
}

// verifyBlock checks entries, their offsets, the number of those, the checksum
// and its length: the order in which they stand.
func verifyBlock(block []byte) error {
	n := len(block) - 4
	if n < 0 {
		return errShort
	}
	sumLen := int64(binary.BigEndian.Uint32(block[n:]))
	if sumLen > int64(n) {
		return errShort
	}
	body := block[:n-int(sumLen)]
	sum := new(pb.Checksum)
	if proto.Unmarshal(block[len(body):n], sum) != nil || len(body) < 4 || y.VerifyChecksum(body, sum) != nil {
		return errChecksum
	}
	if offsets := int64(binary.BigEndian.Uint32(body[len(body)-4:])); offsets*4 > int64(len(body)-4) {
		return errShort
	}
	return nil
}

func decrypt(b, key []byte) ([]byte, error) {
	if len(key) == 0 {
		return b, nil
	}
	if len(b) < aes.BlockSize {
		return nil, errShort
	}
	n := len(b) - aes.BlockSize
	return y.XORBlockAllocate(b[:n], key, b[n:])
}

// backwards reads a file from its end.
type backwards struct {
	f   *os.File
	at  int64
	err error
}

// measured reads bytes that are followed by their length.
func (b *backwards) measured() []byte {
	n := b.take(4)
	if b.err != nil {
		return nil
	}
	return b.take(int64(binary.BigEndian.Uint32(n)))
}

func (b *backwards) take(n int64) []byte {
	if b.err == nil && n > b.at {
		b.err = errShort
	}
	if b.err != nil {
		return nil
	}
	b.at -= n
	p := make([]byte, n)
	if _, err := b.f.ReadAt(p, b.at); err != nil {
		b.err = errShort
	}
	return p
}
