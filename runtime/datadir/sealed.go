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
// that none can be left out or moved. A file that shows conversations begins with
// "kehai-debug" format | how many (1 byte), and each piece is first sealed for every one
// of them: without the key of any the file cannot be read.
type sealed struct {
	path, what string
	head       string
	subject    string // of the key; no conversation has such an ID
	shows      []string
	keys       engine.Sealer
}

const (
	sealedHead  = "kehai-index\x01"
	showsHead   = "kehai-debug\x01"
	maxShows    = 255
	sealedPiece = 1 << 20
	maxSealed   = 4 << 30
)

// Index keeps the saved index of the memory in a file of the data directory, sealed with
// its own key. It is a recall.Saved.
type Index struct{ sealed }

// SavedIndex returns the index of a data directory.
func SavedIndex(data string, keys engine.Sealer) *Index {
	return &Index{sealed{path: filepath.Join(data, "index", "memory"), what: "memory index ", head: sealedHead,
		subject: indexKey, keys: keys}}
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
	times, ok := x.begins(in)
	if !ok {
		return nil, false
	}
	data := make([]byte, 0, info.Size())
	for n := 0; ; n++ {
		piece, err := x.piece(in, times)
		if err != nil {
			return nil, false
		}
		_, err = in.Peek(1)
		plain, bad := x.open(piece, x.place(n, err == io.EOF), times)
		if bad != nil {
			return nil, false
		}
		if data = append(data, plain...); err == io.EOF {
			return data, true
		}
	}
}

// begins reads how a file begins, and returns how many times its pieces are sealed. A
// file may also be of the form without conversations.
func (x *sealed) begins(in io.Reader) (times int, ok bool) {
	head := make([]byte, len(sealedHead))
	if _, err := io.ReadFull(in, head); err != nil {
		return 0, false
	}
	switch string(head) {
	case sealedHead:
		return 1, true
	case x.head:
		var shows [1]byte
		_, err := io.ReadFull(in, shows[:])
		return 1 + int(shows[0]), err == nil
	}
	return 0, false
}

func (x *sealed) open(piece, place []byte, times int) (plain []byte, err error) {
	for range times {
		if piece, err = x.keys.Open(place, piece); err != nil {
			return nil, err
		}
	}
	return piece, nil
}

func (x *sealed) seal(to, place, plain []byte) (_ []byte, err error) {
	for _, c := range x.shows {
		if plain, err = x.keys.Seal(nil, c, place, plain); err != nil {
			return nil, err
		}
	}
	return x.keys.Seal(to, x.subject, place, plain)
}

func (x *sealed) piece(in io.Reader, times int) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(in, size[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > uint32(sealedPiece+times*x.keys.Overhead()) {
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
	head := []byte(x.head)
	if x.head == showsHead {
		head = append(head, byte(len(x.shows)))
	}
	if _, err := to.Write(head); err != nil {
		return err
	}
	var buf []byte
	for n := 0; n == 0 || len(data) > 0; n++ {
		plain := data[:min(sealedPiece, len(data))]
		data = data[len(plain):]
		sealed, err := x.seal(buf[:0], x.place(n, len(data) == 0), plain)
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
