package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
)

// logFiles makes sure that a power cut takes the newest batches first. Badger
// logs a batch in the newest *.mem file, big values in the newest *.vlog file,
// and begins new files as they fill. DB.Sync syncs only the newest: batches at
// the end of an older file could be lost although later ones survive. So each
// file is synced here when its successor appears, before the write that began
// the successor is acknowledged.
//
// DB.Sync also waits for the value log, hardly ever written: a second wait for the disk, as
// long as the first. So a sync is of the memory log alone while the value log is as it was.
type logFiles struct {
	dir       string
	mem, vlog int         // numbers of the newest files
	unsynced  bool        // something was written since the last sync
	values    bool        // so may the value log be
	moving    atomic.Bool // values are being moved within the value log
	newest    *os.File    // the memory log that was synced last, nil for none
}

func memFile(n int) string  { return fmt.Sprintf("%05d.mem", n) }
func vlogFile(n int) string { return fmt.Sprintf("%06d.vlog", n) }

// openLogFiles finds the newest files of an open Badger.
func openLogFiles(dir string) (*logFiles, error) {
	l := &logFiles{dir: dir, unsynced: true, values: true}
	names, err := os.ReadDir(dir)
	for _, e := range names {
		var n int
		if info, err := e.Info(); err == nil && info.Size() == 0 {
			continue // not begun yet
		}
		switch filepath.Ext(e.Name()) {
		case ".mem":
			if _, err := fmt.Sscanf(e.Name(), "%d.mem", &n); err == nil {
				l.mem = max(l.mem, n)
			}
		case ".vlog":
			if _, err := fmt.Sscanf(e.Name(), "%d.vlog", &n); err == nil {
				l.vlog = max(l.vlog, n)
			}
		}
	}
	return l, err
}

// written is called after each commit.
func (l *logFiles) written() error {
	l.unsynced = true
	return l.follow(&l.mem, memFile)
}

// follow syncs the newest file known so far if there is a newer one.
func (l *logFiles) follow(newest *int, name func(int) string) error {
	n, err := l.advance(*newest, name)
	if err != nil || n == *newest {
		return err
	}
	*newest = n
	return syncFile(l.dir) // the names of the new files
}

// advance syncs files that have a successor, and returns the newest number.
func (l *logFiles) advance(n int, name func(int) string) (int, error) {
	for {
		switch next, err := os.Lstat(filepath.Join(l.dir, name(n+1))); {
		case errors.Is(err, fs.ErrNotExist):
			return n, nil
		case err != nil:
			return n, err
		case next.Size() == 0: // not begun yet
			return n, nil
		}
		// A missing file has become a table, which Badger syncs.
		if err := syncFile(filepath.Join(l.dir, name(n))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return n, err
		}
		n++
	}
}

func (l *logFiles) sync(db *badger.DB) error {
	if !l.unsynced {
		return nil
	}
	if !l.values && !l.moving.Load() {
		if err := l.syncNewest(); !errors.Is(err, fs.ErrNotExist) { // it may have become a table by now
			l.unsynced = err != nil
			return err
		}
	}
	// Only batches that end in a sync write to the value log.
	if err := l.follow(&l.vlog, vlogFile); err != nil {
		return err
	}
	if err := db.Sync(); err != nil {
		return err
	}
	if runtime.GOOS == "darwin" {
		// There msync leaves the data in the drive's cache; File.Sync asks for
		// F_FULLFSYNC.
		for _, name := range []string{memFile(l.mem), vlogFile(l.vlog)} {
			if err := syncFile(filepath.Join(l.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	l.unsynced, l.values = false, false
	return nil
}

// syncNewest syncs the newest memory log. Badger writes it through a map of memory, which shares its
// pages with the file.
func (l *logFiles) syncNewest() error {
	path := filepath.Join(l.dir, memFile(l.mem))
	if l.newest == nil || l.newest.Name() != path {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		l.close()
		l.newest = f
	}
	return syncData(l.newest)
}

// close closes the file that is kept open to be synced.
func (l *logFiles) close() {
	if l.newest != nil {
		_ = l.newest.Close() // it was opened for reading
		l.newest = nil
	}
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	return errors.Join(err, f.Close())
}

// Compact returns the space of deleted or overwritten big values (valueThreshold and
// more) to the volume; smaller ones need no help. First it reads every table, because a
// Badger iterator silently skips what it cannot read. The runtime calls Compact about
// once an hour. It may run at the same time as other calls, and returns when there is
// nothing more to gain or ctx ends.
func (s *Store) Compact(ctx context.Context) error {
	if err := s.gate.enter(); err != nil {
		return err
	}
	defer s.gate.leave()
	s.tidying.Lock()
	defer s.tidying.Unlock()
	if err := s.verify(); err != nil {
		return err
	}
	return s.compactValues(ctx, 0.5)
}

// compactValues rewrites files of the value log in which at least a share of the
// bytes is garbage.
func (s *Store) compactValues(ctx context.Context, share float64) error {
	for ctx.Err() == nil {
		more, err := s.collect(share)
		if err != nil || !more {
			return err
		}
	}
	return ctx.Err()
}

// collect rewrites one file of the value log, if one has enough garbage. Badger removes
// the file at once, before the copies of its live values are synced, unless an iterator
// is open. So this keeps one open until they are.
func (s *Store) collect(share float64) (more bool, err error) {
	defer s.caught(&err)
	c, err := s.scan([]byte{metaKeys}, nil)
	if err != nil {
		return false, err
	}
	defer c.close()
	s.logs.moving.Store(true)
	defer s.logs.moving.Store(false)
	err = s.db.RunValueLogGC(share)
	if errors.Is(err, badger.ErrNoRewrite) || errors.Is(err, badger.ErrRejected) {
		return false, nil
	}
	if err != nil {
		return false, s.unwritable(err)
	}
	s.bigWritten.Store(true) // the live values of the file are in the newest one now
	s.writing.Lock()
	defer s.writing.Unlock()
	s.logs.values = true
	if err := s.logs.written(); err != nil {
		return false, s.unwritable(err)
	}
	if err := s.logs.sync(s.db); err != nil {
		return false, s.unwritable(err)
	}
	return true, nil
}
