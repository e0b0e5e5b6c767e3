package journal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hashicorp/raft"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/raftlog"
)

// roomy makes no snapshot on a volume that is full: raft would bring one again and again to a node
// that takes no entries.
type roomy struct {
	raft.SnapshotStore
	volume engine.Store // nil: none is asked
}

// Create implements [raft.SnapshotStore].
func (r roomy) Create(version raft.SnapshotVersion, index, term uint64, members raft.Configuration, at uint64,
	wires raft.Transport) (raft.SnapshotSink, error) {
	if r.volume != nil {
		if err := raftlog.Room(r.volume); err != nil {
			return nil, err
		}
	}
	return r.SnapshotStore.Create(version, index, term, members, at, wires)
}

// veiled encrypts the files of snapshots as Badger does its own: with AES in counter mode, under a
// number that is used once and stands first. Raft checks the sum over what is in the file.
type veiled struct {
	raft.SnapshotStore
	block cipher.Block
}

func encrypted(s raft.SnapshotStore, key []byte) (raft.SnapshotStore, error) {
	if len(key) == 0 {
		return s, nil
	}
	own, err := hkdf.Key(sha256.New, key, nil, "kehai raft snapshots", 32)
	if err != nil {
		return nil, fmt.Errorf("journal: the key of the snapshots: %w", err)
	}
	block, err := aes.NewCipher(own)
	if err != nil {
		return nil, fmt.Errorf("journal: the key of the snapshots: %w", err)
	}
	return veiled{s, block}, nil
}

// Create implements [raft.SnapshotStore].
func (v veiled) Create(version raft.SnapshotVersion, index, term uint64, members raft.Configuration, at uint64,
	wires raft.Transport) (raft.SnapshotSink, error) {
	sink, err := v.SnapshotStore.Create(version, index, term, members, at, wires)
	if err != nil {
		return nil, err
	}
	once := make([]byte, aes.BlockSize)
	rand.Read(once) // never fails
	if _, err := sink.Write(once); err != nil {
		return nil, errors.Join(err, sink.Cancel())
	}
	return veil{sink, cipher.StreamWriter{S: cipher.NewCTR(v.block, once), W: sink}}, nil
}

type veil struct {
	raft.SnapshotSink
	to cipher.StreamWriter
}

func (v veil) Write(p []byte) (int, error) { return v.to.Write(p) }

// List implements [raft.SnapshotStore].
func (v veiled) List() ([]*raft.SnapshotMeta, error) {
	list, err := v.SnapshotStore.List()
	for _, m := range list {
		m.Size -= aes.BlockSize
	}
	return list, err
}

// Open implements [raft.SnapshotStore].
func (v veiled) Open(id string) (*raft.SnapshotMeta, io.ReadCloser, error) {
	meta, file, err := v.SnapshotStore.Open(id)
	if err != nil {
		return nil, nil, err
	}
	once := make([]byte, aes.BlockSize)
	if _, err := io.ReadFull(file, once); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("journal: snapshot %s: %w", id, err), file.Close())
	}
	meta.Size -= aes.BlockSize
	return meta, struct {
		io.Reader
		io.Closer
	}{cipher.StreamReader{S: cipher.NewCTR(v.block, once), R: file}, file}, nil
}

// CopySnapshots copies the snapshots of one node, whose log is not open, from one directory and
// key to others.
func CopySnapshots(from, to Options) error {
	source, err := from.snapshots()
	if err != nil {
		return err
	}
	target, err := to.snapshots()
	if err != nil {
		return err
	}
	list, err := source.List()
	if err != nil {
		return fmt.Errorf("journal: list the snapshots: %w", err)
	}
	_, wires := raft.NewInmemTransport("")
	defer wires.Close()
	for _, m := range slices.Backward(list) { // the newest last, as it was
		if err := copySnapshot(source, target, m, wires); err != nil {
			return fmt.Errorf("journal: copy snapshot %s: %w", m.ID, err)
		}
	}
	return nil
}

func copySnapshot(source, target raft.SnapshotStore, m *raft.SnapshotMeta, wires raft.Transport) error {
	_, file, err := source.Open(m.ID)
	if err != nil {
		return err
	}
	defer file.Close()
	sink, err := target.Create(m.Version, m.Index, m.Term, m.Configuration, m.ConfigurationIndex, wires)
	if err != nil {
		return err
	}
	if _, err := io.Copy(sink, file); err != nil {
		return errors.Join(err, sink.Cancel())
	}
	return sink.Close()
}
