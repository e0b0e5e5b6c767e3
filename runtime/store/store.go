// Package store keeps a runtime's data on disk. Its main type, Store, is an
// engine.Store on Badger, and this is the only package that imports Badger.
// Open (open.go) is the place to start; errors.go lists what can be wrong with
// a directory and what a person can do about it.
//
// Keys. The first byte tells the owner:
//
//	k<key>       a key of the engine
//	m/format     version of this layout, a decimal number
//	m/purge      present while deleted bytes are to leave the files, see purge.go
//	m/restore    present while a snapshot is restored, see snapshot.go
//	m/fill       what a purge fills memtables with; never there for long
//	b/<n>        the record of a batch whose rows may not be written yet, see recent.go
//	r/<n>        one part of the redo record of a large batch, see large.go
//	r/end        present while that record is complete but not yet applied
//
// What a crash can lose: if the process is killed, nothing that Apply acknowledged. In a
// power cut, batches after the last Apply with sync, and always the newest first: see
// durable.go. A full disk kills the process only if it fills up while a table is made:
// Badger writes through memory maps, and the system raises a signal that Go cannot catch;
// see room.go. Ask Free before writing.
package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/kehai-run/kehai/runtime/engine"
)

// closeLimit is how long Close waits: longer than it takes to write two memtables to a slow disk.
const closeLimit = time.Minute

// Owners of keys.
const (
	userKeys   = 'k'
	metaKeys   = 'm'
	recordKeys = 'b'
	redoKeys   = 'r'
)

// Store is an engine.Store in a directory. All methods may be called
// concurrently.
type Store struct {
	dir    string
	alone  bool
	db     *badger.DB
	lock   *dirLock
	statFS func(dir string) (uint64, error)
	onStop func(why error)
	was    fs.FileInfo // the directory, when it was opened
	opened atomic.Bool // Open returns what goes wrong before

	gate *gate
	// whole is held for writing while a large batch is carried out in several
	// transactions, and for reading while a view is taken: no view sees a part
	// of one.
	whole   sync.RWMutex
	writing sync.Mutex     // one write at a time
	ops     []engine.Op    // space of the write in progress
	entries []badger.Entry // the same
	recent  *recent
	logs    *logFiles
	room    room
	looks   looks

	views      views
	tidying    sync.Mutex  // one Compact or Purge at a time
	bigWritten atomic.Bool // the newest file of the value log may hold anything
}

var (
	_ engine.Store  = (*Store)(nil)
	_ engine.Viewer = (*Store)(nil)
)

func userKey(key []byte) []byte {
	return append(append(make([]byte, 0, len(key)+1), userKeys), key...)
}

// view is a consistent read of everything that is applied.
type view struct {
	*badger.Txn
	store *Store
	end   func()
}

func (s *Store) view() view {
	s.whole.RLock()
	defer s.whole.RUnlock()
	end := s.views.begin() // first, so that a purge does not miss it
	return view{s.db.NewTransaction(false), s, end}
}

// Discard ends the view. Badger panics here if an earlier panic left an iterator open;
// the store has stopped by then.
func (v view) Discard() {
	defer v.end()
	var again error
	defer v.store.caught(&again)
	v.Txn.Discard()
}

// Get returns a copy of a value.
func (s *Store) Get(key []byte) (value []byte, ok bool, err error) {
	if err := s.gate.enter(); err != nil {
		return nil, false, err
	}
	defer s.gate.leave()
	key = userKey(key)
	if value, ok, known := s.recent.get(key); known {
		return value, ok, s.gate.halted()
	}
	txn := s.view()
	defer txn.Discard()
	return s.get(txn.Txn, key)
}

// View implements [engine.Viewer]: one view for many keys.
func (s *Store) View(fn func(engine.View) error) (err error) {
	if err := s.gate.enter(); err != nil {
		return err
	}
	defer s.gate.leave()
	r := &reader{store: s, moves: s.recent.moves.Load()}
	r.txn = s.view()
	defer func() { r.txn.Discard() }()
	return fn(r)
}

// reader is a view of the engine's keys, for one goroutine.
type reader struct {
	store *Store
	txn   view
	moves int64  // those that txn has seen at least
	key   []byte // space for a key
}

// Get implements [engine.View].
func (r *reader) Get(key []byte) (value []byte, ok bool, err error) {
	r.key = append(append(r.key[:0], userKeys), key...)
	if value, ok, known := r.store.recent.get(r.key); known {
		return value, ok, nil
	}
	if moves := r.store.recent.moves.Load(); moves != r.moves { // of a purge: nobody else writes
		r.txn.Discard()
		r.txn, r.moves = r.store.view(), moves
	}
	return r.store.get(r.txn.Txn, r.key)
}

// get reads one key through an iterator. Badger's own Get treats an unreadable block as
// one without the key: it would find nothing, or an older value.
func (s *Store) get(txn *badger.Txn, key []byte) (value []byte, ok bool, err error) {
	defer s.caught(&err)
	defer faults()()
	it := txn.NewKeyIterator(key, badger.IteratorOptions{})
	defer it.Close()
	it.Seek(key)
	if cause := iteratorFault(it); cause != nil {
		why := s.unreadable(cause)
		return nil, false, s.halt(why, why)
	}
	if !it.Valid() || it.Item().IsDeletedOrExpired() {
		return nil, false, nil
	}
	if value, err = valueOf(it.Item()); err != nil {
		why := s.unreadable(err)
		return nil, false, s.halt(why, why)
	}
	return value, true, nil
}

// valueOf copies a value. If a value in the value log cannot be read, Badger only logs it
// and returns an empty value without an error.
func valueOf(item *badger.Item) ([]byte, error) {
	value, err := item.ValueCopy(nil)
	if err == nil && len(value) == 0 && item.ValueSize() > 0 {
		err = errValue
	}
	return value, err
}

// Scan allows yield to call the store, except Close. If it finds damage it says so at the
// end: it may not have yielded everything.
func (s *Store) Scan(prefix, from []byte, yield func(key, value []byte) bool) (err error) {
	if err := s.gate.enter(); err != nil {
		return err
	}
	defer s.gate.leave()
	c, err := s.scan(userKey(prefix), userKey(from))
	if err != nil {
		return err
	}
	defer c.close()
	for {
		key, value, ok, err := c.next()
		if err != nil {
			return err
		}
		if !ok || !yield(key[1:], value) {
			return c.fault()
		}
	}
}

// cursor walks over the keys of one view.
type cursor struct {
	store        *Store
	txn          view
	it           *badger.Iterator
	prefix, from []byte
	started      bool
	recent       []row // those that are still to come

	// The next of Badger's, if ahead is set.
	ahead, more bool
	key, value  []byte
}

func (s *Store) scan(prefix, from []byte) (c *cursor, err error) {
	defer s.caught(&err)
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	c = &cursor{store: s, prefix: prefix, from: from}
	s.recent.mu.RLock() // both at once: a fold moves rows from one to the other
	c.recent = s.recent.from(prefix, from)
	c.txn = s.view()
	s.recent.mu.RUnlock()
	defer func() {
		if c.it == nil {
			c.txn.Discard()
		}
	}()
	// Values are stored with the keys: fetching them ahead gains nothing.
	c.it = c.txn.NewIterator(badger.IteratorOptions{Prefix: prefix})
	return c, nil
}

// next returns copies.
func (c *cursor) next() (key, value []byte, ok bool, err error) {
	for {
		if !c.ahead {
			if c.key, c.value, c.more, err = c.stored(); err != nil {
				return nil, nil, false, err
			}
			c.ahead = true
		}
		if len(c.recent) == 0 || c.more && bytes.Compare(c.key, c.recent[0].key) < 0 {
			c.ahead = false
			return c.key, c.value, c.more, nil
		}
		at := c.recent[0]
		c.recent = c.recent[1:]
		if c.more && bytes.Equal(c.key, at.key) {
			c.ahead = false
		}
		if !at.gone {
			return slices.Clone(at.key), append([]byte{}, at.value...), true, nil
		}
	}
}

// stored returns the next of Badger's.
func (c *cursor) stored() (key, value []byte, ok bool, err error) {
	defer c.store.caught(&err)
	defer faults()()
	if c.started {
		c.it.Next()
	} else {
		c.it.Seek(c.from)
		c.started = true
	}
	if !c.it.ValidForPrefix(c.prefix) {
		return nil, nil, false, nil
	}
	item := c.it.Item()
	if value, err = valueOf(item); err != nil {
		why := c.store.unreadable(err)
		return nil, nil, false, c.store.halt(why, why)
	}
	return slices.Clone(item.Key()), value, true, nil
}

// fault reports damage that the cursor skipped. It stops the store, because other reads
// would skip it too.
func (c *cursor) fault() (err error) {
	defer c.store.caught(&err)
	if cause := iteratorFault(c.it); cause != nil {
		why := c.store.unreadable(cause)
		return c.store.halt(why, why)
	}
	return nil
}

func (c *cursor) close() {
	defer c.txn.Discard()
	var again error
	defer c.store.caught(&again)
	c.it.Close()
}

// Free asks the volume. It works on a closed store too. It stops a store whose directory is gone:
// Badger would write on into files that nobody finds again.
func (s *Store) Free() (uint64, error) {
	n, err := freeBytes(s.statFS, s.dir)
	if now, serr := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) || errors.Is(serr, fs.ErrNotExist) ||
		serr == nil && !os.SameFile(now, s.was) {
		err = &Fault{Dir: s.dir, Kind: engine.ErrClosed,
			What: "is gone: somebody moved, replaced or deleted it while it was in use",
			Next: "Put it back, then start again. If it was deleted, restore a copy of it."}
		if !s.gate.isShut() {
			s.stop(err, err)
		}
	}
	return n, err
}

// Close waits for calls in progress, writes what is in memory to disk and unlocks the
// directory. Calling it again does nothing. It must not be called from within a Scan.
//
// If the store has stopped, Close does not wait, because Badger would retry for ever, and
// returns why it stopped. The files are left as after a kill, and the directory stays
// locked until the process ends, because Badger's goroutines may still write there. The
// same happens if the volume has no space for a clean end, or if its disk hangs and that takes
// longer than a minute.
func (s *Store) Close() error {
	defer time.AfterFunc(closeLimit, func() {
		why := s.overdue()
		s.gate.stop(why, why)
	}).Stop()
	roomy := make(chan bool, 1)
	go func() { roomy <- s.roomy() }()
	select {
	case <-s.gate.stopped:
	case enough := <-roomy:
		if !enough {
			why := s.unmade()
			s.gate.stop(why, why)
		}
	}
	if !s.gate.shut() {
		return nil
	}
	if why := s.gate.halted(); why != nil {
		return why
	}
	done := make(chan error, 1)
	go func() { done <- s.closeBadger() }()
	select {
	case err := <-done:
		return errors.Join(err, s.lock.release())
	case <-s.gate.stopped:
		return s.gate.why
	}
}

func (s *Store) overdue() error {
	return &Fault{Dir: s.dir, Kind: engine.ErrClosed,
		What: fmt.Sprintf("was left as it is, because it could not be closed within %v: its disk hardly answers",
			closeLimit),
		Next: "Check the disk and its connection, then start again; " + found}
}

func (s *Store) closeBadger() (err error) {
	defer s.caught(&err)
	defer s.logs.close()
	if err := s.db.Close(); err != nil {
		return &Fault{Dir: s.dir, Kind: engine.ErrClosed,
			What: "was closed, but not cleanly: " + cause(err),
			Next: "What was acknowledged is found again when it is opened."}
	}
	// Badger's own tools refuse an empty log.
	if err := os.Remove(filepath.Join(s.dir, memFile(s.room.mem))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return barred(s.dir, "cannot be tidied", err)
	}
	return nil
}

// stop ends the work of a store that can no longer be trusted. Later calls return refuse.
func (s *Store) stop(why, refuse error) {
	if s.gate.stop(why, refuse) && s.onStop != nil && s.opened.Load() {
		s.onStop(why)
	}
}

// gate lets calls in until it is shut or stopped.
type gate struct {
	mu      sync.Mutex
	inside  int
	refuse  error         // what later calls return
	closed  bool          // shut was called
	empty   chan struct{} // closed when the last call leaves a shut gate
	stopped chan struct{} // closed by stop
	why     error         // of the stop; set before stopped is closed
}

func newGate() *gate { return &gate{empty: make(chan struct{}), stopped: make(chan struct{})} }

func (g *gate) enter() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refuse != nil {
		return g.refuse
	}
	g.inside++
	return nil
}

// halted returns what calls inside a stopped gate get, and nil before it is stopped.
func (g *gate) halted() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.why
}

func (g *gate) isShut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside--; g.inside == 0 && g.closed {
		close(g.empty)
	}
}

// stop turns later calls away. It reports whether this was the first call.
func (g *gate) stop(why, refuse error) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.why != nil {
		return false
	}
	g.why = why
	if !g.closed {
		g.refuse = refuse
	}
	close(g.stopped)
	return true
}

// shut turns later calls away and waits for those inside, unless the gate is stopped:
// then they may never leave. It reports whether this was the first call.
func (g *gate) shut() bool {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return false
	}
	g.closed, g.refuse = true, engine.ErrClosed
	if g.inside == 0 {
		close(g.empty)
	}
	g.mu.Unlock()
	select {
	case <-g.empty:
	case <-g.stopped:
	}
	return true
}
