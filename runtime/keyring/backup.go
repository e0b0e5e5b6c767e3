package keyring

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"

	"github.com/kehai-run/kehai/runtime/private"
)

// ErrBackup marks a file that is no backup of keys, or a damaged one.
var ErrBackup = errors.New("keyring: the backup of the keys is cut or damaged, or none at all")

// Backup writes the keys of a directory as a tar archive, even while a process uses them,
// and returns how many there are. It fails if a key is missing or damaged, as a backup
// without it would be taken for whole.
func Backup(dir string, w io.Writer) (keys int, err error) { return backup(dir, w, true) }

// Share is a Backup for another machine that shares the rows, but not the store and its
// key.
func Share(dir string, w io.Writer) (keys int, err error) { return backup(dir, w, false) }

func backup(dir string, w io.Writer, withStore bool) (keys int, err error) {
	if err := private.Check(dir, private.Closed); err != nil {
		return 0, fmt.Errorf("keyring: %w", err)
	}
	if _, err := Inspect(dir); err != nil {
		return 0, err
	}
	d := &directory{path: dir}
	names, err := d.names()
	if err != nil {
		return 0, fmt.Errorf("keyring: %w", err)
	}
	slices.Sort(names)
	kept, files := newList(len(names)), map[string][]byte{}
	for _, name := range names {
		of, ok := idOf(name)
		if name != nodeFile && (name != StoreKey || !withStore) && !ok {
			continue
		}
		raw, there, err := d.read(name)
		if err != nil {
			return 0, err
		}
		if there && !blank(raw) { // else destroyed since
			files[name] = raw
			if ok {
				kept.should[of] = stampOf(raw)
			}
		}
	}
	// What has ended is listed too: it tells what is older than this backup, and that no older one brings it back.
	l, err := d.readList()
	if err != nil {
		return 0, fmt.Errorf("keyring: %w", err)
	}
	kept.ended = l.ended
	if files[nodeFile] == nil {
		return 0, fmt.Errorf("keyring: there are no keys in %s", dir)
	}
	out := archive{to: tar.NewWriter(w), sum: sha256.New()}
	err = out.add(listFile, kept.bytes())
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err == nil {
			err = out.add(name, files[name])
		}
	}
	if err == nil {
		err = out.end()
	}
	if err != nil {
		return 0, fmt.Errorf("keyring: backup: %w", err)
	}
	return len(files), nil
}

// archive is a backup being written or read: the list, then the keys by their names, and then sumFile, with which
// a cut or a changed byte is noticed. Archives of the first form of the list have no sumFile.
type archive struct {
	to  *tar.Writer
	sum hash.Hash // over what came so far
}

// sumFile holds the checksum of all files before it, in hex.
const sumFile = "sum"

// count takes a file into the checksum.
func (a *archive) count(name string, raw []byte) {
	fmt.Fprintf(a.sum, "%s %d\n", name, len(raw)) // never fails
	a.sum.Write(raw)
}

func (a *archive) total() []byte { return hex.AppendEncode(nil, a.sum.Sum(nil)) }

func (a *archive) add(name string, raw []byte) error {
	a.count(name, raw)
	err := a.to.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(raw)), Typeflag: tar.TypeReg})
	if err == nil {
		_, err = a.to.Write(raw)
	}
	return err
}

func (a *archive) end() error {
	err := a.add(sumFile, a.total())
	if err == nil {
		err = a.to.Close()
	}
	return err
}
