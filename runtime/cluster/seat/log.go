package seat

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/runtime/cluster/identity"
	"github.com/kehai-run/kehai/runtime/cluster/journal"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

// Files in DATA/cluster/log.
const (
	entriesDir   = "entries"
	snapshotsDir = "snapshots"
)

func (s *Seat) logDir() string { return filepath.Join(identity.Dir(s.o.Data), "log") }

// openLog opens the entries of the log, encrypted if the store is. A log that an older version
// left in plain is encrypted first.
func (s *Seat) openLog(key []byte) (engine.Store, error) {
	st, err := openEntries(s.logDir(), key, s.o.Log)
	if key == nil || !errors.Is(err, engine.ErrKey) {
		return st, err
	}
	if rerr := datadir.RewriteLog(s.o.Data, func(from, to string) error {
		return CopyLog(s.o.Log)(from, to, nil, key)
	}); rerr != nil {
		return nil, errors.Join(err, rerr)
	}
	return openEntries(s.logDir(), key, s.o.Log)
}

func openEntries(dir string, key []byte, log zerolog.Logger) (engine.Store, error) {
	st, err := store.Open(store.Options{Dir: filepath.Join(dir, entriesDir), Key: key, Logger: log})
	if fault := new(store.Fault); errors.As(err, &fault) && errors.Is(err, engine.ErrCorrupt) {
		told := *fault
		told.Next = "`kehai cluster leave --force` puts this machine's copy of the conversations aside; then " +
			"`kehai cluster remove` it on another one, and let it join again."
		err = &told
	}
	if err != nil {
		return nil, fmt.Errorf("seat: the replicated log: %w", err)
	}
	return st, nil
}

// CopyLog returns what copies a log from one key to another, for [datadir.Encryption]. One that is
// in plain is copied too, whatever its key should be.
func CopyLog(log zerolog.Logger) func(from, to string, old, key []byte) error {
	return func(from, to string, old, key []byte) (err error) {
		source, err := openEntries(from, old, log)
		if errors.Is(err, engine.ErrKey) && old != nil {
			old = nil
			source, err = openEntries(from, nil, log)
		}
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, source.Close()) }()
		target, err := openEntries(to, key, log)
		if err != nil {
			return err
		}
		in, out := io.Pipe()
		go func() { out.CloseWithError(source.Snapshot(out)) }()
		err = target.Restore(in)
		in.CloseWithError(io.ErrClosedPipe)
		if err = errors.Join(err, target.Close()); err != nil {
			return err
		}
		return journal.CopySnapshots(journal.Options{Dir: filepath.Join(from, snapshotsDir), Key: old, Log: log},
			journal.Options{Dir: filepath.Join(to, snapshotsDir), Key: key, Log: log})
	}
}
