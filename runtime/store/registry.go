package store

import (
	"crypto/aes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/y"

	"github.com/kehai-run/kehai/runtime/engine"
)

// The KEYREGISTRY begins with a random block and a known text, which is encrypted with the store's key if
// there is one. Badger says of any other text that the key is wrong.
var registryText = []byte("Hello Badger")

const (
	registryAt   = aes.BlockSize // of the text
	registryHead = registryAt + 12
	// registryNear is how many bytes of a text are right only if the key is: of another key's text
	// that many are by chance in one of 10^11.
	registryNear = 6
)

// checkKeys reads the keys that encrypt the files.
func (x *examination) checkKeys() error {
	name := badger.KeyRegistryFileName
	if _, ok := x.names[name]; !ok {
		if slices.ContainsFunc(x.sorted(""), func(n string) bool { return n != badger.ManifestFilename }) {
			return x.corrupt(name, "the file is missing")
		}
		return nil
	}
	head, err := x.head(name, registryHead)
	switch {
	case err != nil:
		return err
	case head == nil:
		return x.corrupt(name, "it ends too early")
	}
	if x.keys, err = x.registry(x.Key); err == nil {
		return nil
	}
	if !errors.Is(err, badger.ErrEncryptionKeyMismatch) {
		return x.unreadable(name, err)
	}
	return x.wrongKey(name, head)
}

func (x *examination) registry(key []byte) (*badger.KeyRegistry, error) {
	return badger.OpenKeyRegistry(badger.KeyRegistryOptions{Dir: x.Dir, ReadOnly: true, EncryptionKey: key})
}

// wrongKey tells a key that is wrong from a damaged registry. The latter's text is nearly right, in plain
// or with the key; or nothing else in the store is encrypted. Damage to the random block of an encrypted
// store looks like another key, and so is named beside that.
func (x *examination) wrongKey(name string, head []byte) error {
	for _, key := range [][]byte{nil, x.Key} {
		if right, at := registryRight(head, key); right >= registryNear && right < len(registryText) {
			return x.corrupt(name, fmt.Sprintf("byte %d was changed", at))
		}
	}
	right, at := registryRight(head, nil)
	if right == len(registryText) {
		return &Fault{Dir: x.Dir, Kind: engine.ErrKey, What: "is not encrypted, but a key was given",
			Next: x.advice().keyless}
	}
	if plain, err := x.plainLogs(); err != nil || plain {
		if err == nil {
			err = x.corrupt(name, fmt.Sprintf("byte %d was changed", at))
		}
		return err
	}
	if len(x.Key) == 0 {
		return &Fault{Dir: x.Dir, Kind: engine.ErrKey, What: "is encrypted and no key was given", Next: x.advice().key}
	}
	return &Fault{Dir: x.Dir, Kind: engine.ErrKey, What: "is encrypted with another key",
		Next: x.advice().key + " If this is that key, " + name + " is damaged. " + x.advice().restore}
}

// registryRight counts the bytes of a registry's text that are right with a key, and finds the first in
// the file that is not.
func registryRight(head, key []byte) (right, wrong int) {
	text := head[registryAt:]
	if len(key) > 0 {
		opened, err := y.XORBlockAllocate(text, key, head[:registryAt])
		if err != nil { // a key of no length for AES, which was refused before
			return 0, 0
		}
		text = opened
	}
	for i := range text {
		if text[i] == registryText[i] {
			right++
		} else if wrong == 0 {
			wrong = registryAt + i
		}
	}
	return right, wrong
}

// plainLogs reports whether there are logs, and none of them is encrypted: each begins with the number of
// its key.
func (x *examination) plainLogs() (plain bool, err error) {
	for _, name := range append(x.sorted(".mem"), x.sorted(".vlog")...) {
		head, err := x.head(name, logHeader)
		if err != nil {
			return false, err
		}
		if head == nil {
			continue
		}
		if binary.BigEndian.Uint64(head) != 0 {
			return false, nil
		}
		plain = true
	}
	return plain, nil
}

// head returns the first bytes of a file, nil if it is shorter.
func (x *examination) head(name string, n int) ([]byte, error) {
	f, err := os.Open(x.path(name))
	if err != nil {
		return nil, barred(x.Dir, "cannot be read", err)
	}
	defer f.Close()
	head := make([]byte, n)
	switch _, err := io.ReadFull(f, head); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, nil
	case err != nil:
		return nil, barred(x.Dir, "cannot be read", err)
	}
	return head, nil
}
