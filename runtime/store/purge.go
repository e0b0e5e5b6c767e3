package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Deleted and overwritten data stays in Badger's files: in the memtable's log until that
// is full, and in a table until a compaction reaches it, which in a small store never
// happens. Purge removes it:
//
//	it fills the memtable, so that its log becomes a table and is deleted;
//	it compacts all tables into one level, which drops what is superseded;
//	it reads all versions of all keys, and writes again those of which an old
//	version is left, so that the next round meets them;
//	it rewrites the files of the value log that hold anything superseded.
//
// Old versions stay while an open view may read them. So a purge first waits for the
// views that began before it.

var (
	// purgeKey holds a number while superseded bytes have to be purged. PurgeLater
	// increments it, so that the end of a purge does not remove a later request.
	purgeKey = []byte{metaKeys, '/', 'p', 'u', 'r', 'g', 'e'}
	// fillKey fills memtables. It is deleted afterwards.
	fillKey = []byte{metaKeys, '/', 'f', 'i', 'l', 'l'}
)

const (
	fillBytes   = 64 << 10
	purgeRounds = 8
	// anyGarbage makes Badger rewrite a file of the value log for even a single byte of
	// garbage.
	anyGarbage = 1e-12
)

// PurgeLater notes that what is deleted from now on must leave the files too. The note
// survives a crash: whoever opens the store calls Purge.
func (s *Store) PurgeLater() error {
	if err := s.gate.enter(); err != nil {
		return err
	}
	defer s.gate.leave()
	s.writing.Lock()
	defer s.writing.Unlock()
	n, err := s.purgeRequest()
	if err != nil {
		return err
	}
	return s.write([]engine.Op{{Key: purgeKey, Value: strconv.AppendUint(nil, n+1, 10)}}, true)
}

// purgeRequest returns the number of the newest request, 0 if there is none.
func (s *Store) purgeRequest() (uint64, error) {
	txn := s.view()
	defer txn.Discard()
	value, ok, err := s.get(txn.Txn, purgeKey)
	if err != nil || !ok {
		return 0, err
	}
	n, err := strconv.ParseUint(string(value), 10, 64)
	if err != nil {
		return 1, nil // still a request
	}
	return n, nil
}

// Purge removes from the files what was deleted or overwritten before the call, if
// PurgeLater was called, and reports whether no request is left. Other calls continue
// meanwhile. It waits for reads that began earlier. A big value (valueThreshold and more)
// that was written, or moved by Compact, since the store was opened cannot be removed
// yet: then the request stays for the next start.
func (s *Store) Purge(ctx context.Context) (gone bool, err error) {
	if err := s.gate.enter(); err != nil {
		return false, err
	}
	defer s.gate.leave()
	s.tidying.Lock()
	defer s.tidying.Unlock()
	wish, err := s.purgeRequest()
	if err != nil || wish == 0 {
		return err == nil, err
	}
	stays := s.bigWritten.Load() // what the purge itself moves there was not deleted earlier
	if err := s.purge(ctx); err != nil {
		return false, err
	}
	if stays {
		return false, nil
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if now, err := s.purgeRequest(); err != nil || now != wish {
		return false, err
	}
	return true, s.write([]engine.Op{{Key: purgeKey, Delete: true}}, true)
}

func (s *Store) purge(ctx context.Context) error {
	if err := s.foldAll(ctx); err != nil { // what is deleted may still be in records
		return err
	}
	view := s.view()
	upTo := view.ReadTs()
	view.Discard()
	if err := s.views.older(ctx); err != nil {
		return err
	}
	for range purgeRounds {
		if err := s.flush(ctx); err != nil {
			return err
		}
		compacted := s.flatten()
		if err := s.gate.halted(); err != nil {
			return err
		}
		old, err := s.superseded(upTo)
		if err != nil {
			return err
		}
		if len(old) > 0 {
			if err := s.rewrite(old); err != nil {
				return err
			}
			continue
		}
		if compacted != nil {
			continue
		}
		if err := s.compactValues(ctx, anyGarbage); err != nil {
			return err
		}
		return s.views.older(ctx) // they may keep the replaced files open
	}
	return &Fault{Dir: s.dir, Kind: errPurge,
		What: "still holds deleted bytes in its files", Next: "They are removed after the next start."}
}

var errPurge = errors.New("store: deleted bytes are left")

// flush turns the memtable into a table.
func (s *Store) flush(ctx context.Context) error {
	full, err := s.fill(ctx)
	if err != nil {
		return err
	}
	for {
		_, err := os.Lstat(filepath.Join(s.dir, memFile(full)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return barred(s.dir, "cannot be read", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.gate.stopped:
			return s.gate.why
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// fill writes until Badger begins a new memtable, and returns the number of the
// full one.
func (s *Store) fill(ctx context.Context) (full int, err error) {
	padding := []engine.Op{{Key: fillKey, Value: make([]byte, fillBytes)}}
	for {
		s.writing.Lock()
		if full == 0 {
			full = s.logs.mem
		}
		begun := s.logs.mem > full
		if begun {
			padding = []engine.Op{{Key: fillKey, Delete: true}}
		}
		err := s.write(padding, true) // in pieces: the next commit that syncs would have to sync it all
		s.writing.Unlock()
		if err == nil && !begun {
			err = s.letCommit(ctx)
		}
		if begun || err != nil {
			return full, err
		}
	}
}

func (s *Store) flatten() error {
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- err }()
		defer s.caught(&err)
		err = s.db.Flatten(1)
	}()
	select {
	case err := <-done:
		return err
	case <-s.gate.stopped: // it may never return
		return s.gate.why
	}
}

// superseded returns the keys that still have a version deleted or overwritten up to a
// time, including deletions themselves, because they contain the key.
func (s *Store) superseded(upTo uint64) (keys [][]byte, err error) {
	defer s.caught(&err)
	defer faults()()
	view := s.view()
	defer view.Discard()
	it := view.NewIterator(badger.IteratorOptions{AllVersions: true})
	defer it.Close()
	var key []byte
	var before uint64 // version of the previous item, if it has the same key
	for it.Rewind(); it.Valid(); it.Next() {
		item := it.Item()
		newest := !bytes.Equal(item.Key(), key)
		if newest {
			key = item.KeyCopy(nil)
		}
		old := !newest && before <= upTo || newest && item.IsDeletedOrExpired() && item.Version() <= upTo
		if old && (len(keys) == 0 || !bytes.Equal(keys[len(keys)-1], key)) {
			keys = append(keys, key)
		}
		before = item.Version()
	}
	if cause := iteratorFault(it); cause != nil {
		why := s.unreadable(cause)
		return nil, s.halt(why, why)
	}
	return keys, nil
}

// rewrite writes keys again in their current state, present or deleted.
func (s *Store) rewrite(keys [][]byte) error {
	for _, key := range keys {
		if err := s.rewriteKey(key); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) rewriteKey(key []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	view := s.view()
	value, ok, err := s.get(view.Txn, key)
	view.Discard()
	if err != nil {
		return err
	}
	big := len(value) >= valueThreshold
	if big {
		s.bigWritten.Store(true)
	}
	return s.write([]engine.Op{{Key: key, Value: value, Delete: !ok}}, big)
}

// views counts the open views, and lets a purge wait for older ones. The zero value
// counts none.
type views struct {
	mu   sync.Mutex
	open *sync.WaitGroup // the views that began since the last call of older
}

func (v *views) begin() (end func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.open == nil {
		v.open = new(sync.WaitGroup)
	}
	v.open.Add(1)
	return v.open.Done
}

// older waits until the views that are open now are closed.
func (v *views) older(ctx context.Context) error {
	v.mu.Lock()
	open := v.open
	v.open = nil
	v.mu.Unlock()
	if open == nil {
		return nil
	}
	closed := make(chan struct{})
	go func() {
		open.Wait()
		close(closed)
	}()
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
