package datadir

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/private"
)

// sealed is a file sealed with a key that other things do not use:
//
//	"kehai-index" format | for each piece of up to 1 MB: length (4 bytes), sealed piece
//
// The place of each piece is what the file is, its number and whether it is the last, so
// that none can be left out or moved.
type sealed struct {
	path, what string
	subject    string // of the key; no conversation has such an ID
	keys       engine.Sealer
}

const (
	sealedHead  = "kehai-index\x01"
	sealedPiece = 1 << 20
	maxSealed   = 4 << 30
)

// Index keeps the saved index of the memory in a file of the data directory, sealed with
// its own key. It is a recall.Saved.
type Index struct{ sealed }

// SavedIndex returns the index of a data directory.
func SavedIndex(data string, keys engine.Sealer) *Index {
	return &Index{sealed{filepath.Join(data, "index", "memory"), "memory index ", indexKey, keys}}
}

const indexKey = "\x00memory index"

func (x *sealed) place(n int, last bool) []byte {
	mark := byte(0)
	if last {
		mark = 1
	}
	return append(binary.BigEndian.AppendUint64([]byte(x.what), uint64(n)), mark)
}

// Load implements recall.Saved.
func (x *sealed) Load() ([]byte, bool) {
	f, err := os.Open(x.path)
	if err != nil || private.CheckFile(x.path) != nil {
		return nil, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() > maxSealed {
		return nil, false
	}
	in := bufio.NewReaderSize(f, sealedPiece)
	head := make([]byte, len(sealedHead))
	if _, err := io.ReadFull(in, head); err != nil || string(head) != sealedHead {
		return nil, false
	}
	data := make([]byte, 0, info.Size())
	for n := 0; ; n++ {
		piece, err := x.piece(in)
		if err != nil {
			return nil, false
		}
		_, err = in.Peek(1)
		plain, bad := x.keys.Open(x.place(n, err == io.EOF), piece)
		if bad != nil {
			return nil, false
		}
		if data = append(data, plain...); err == io.EOF {
			return data, true
		}
	}
}

func (x *sealed) piece(in io.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(in, size[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > uint32(sealedPiece+x.keys.Overhead()) {
		return nil, errors.New("datadir: a sealed file is damaged")
	}
	piece := make([]byte, n)
	_, err := io.ReadFull(in, piece)
	return piece, err
}

// Save implements recall.Saved. A crash leaves the previous file.
func (x *sealed) Save(data []byte) error {
	if err := private.Make(filepath.Dir(x.path), private.Closed); err != nil {
		return err
	}
	err := private.Replace(x.path, func(to io.Writer) error { return x.write(to, data) })
	if err != nil {
		return fmt.Errorf("datadir: save %s: %w", x.path, err)
	}
	return nil
}

func (x *sealed) write(to io.Writer, data []byte) error {
	if _, err := io.WriteString(to, sealedHead); err != nil {
		return err
	}
	var buf []byte
	for n := 0; n == 0 || len(data) > 0; n++ {
		plain := data[:min(sealedPiece, len(data))]
		data = data[len(plain):]
		sealed, err := x.keys.Seal(buf[:0], x.subject, x.place(n, len(data) == 0), plain)
		if err != nil {
			return err
		}
		buf = sealed
		size := binary.BigEndian.AppendUint32(nil, uint32(len(sealed)))
		if _, err := io.Copy(to, io.MultiReader(bytes.NewReader(size), bytes.NewReader(sealed))); err != nil {
			return err
		}
	}
	return nil
}

// Destroy implements recall.Saved. It destroys the key first, so that remains of the file
// on a disk are useless.
func (x *Index) Destroy() error {
	err := x.keys.Destroy(indexKey)
	for _, path := range []string{x.path, x.path + ".tmp"} {
		if e := os.Remove(path); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	if err != nil {
		return fmt.Errorf("datadir: destroy the saved index: %w", err)
	}
	return nil
}
