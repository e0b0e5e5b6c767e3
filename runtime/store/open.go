package store

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Options of Open.
type Options struct {
	// Dir is the directory of the store and of nothing else. One that is
	// missing is created for its owner alone (0700).
	Dir string
	// Key encrypts the store at rest with AES: 16, 24 or 32 bytes. Empty: no
	// encryption. It is chosen when the store is created and cannot change.
	Key []byte
	// Logger gets Badger's messages, without keys and values. The zero value writes
	// nothing.
	Logger zerolog.Logger
	// StatFS returns the bytes free on the volume of dir. Nil: ask the system.
	StatFS func(dir string) (free uint64, err error)
	// MinFree is how many bytes must be free to open, see [engine.DefaultMinFree].
	MinFree uint64
	// OnStop is told, once and from any goroutine, why the store stopped by itself: a
	// write failed, or Badger found damage. Every call is then refused until another
	// process opens the store. OnStop must not call the store. Nil: nobody is told.
	OnStop func(why error)
	// Alone is set in a program without Kehai's command line: errors name the host's ways to mend them.
	Alone bool
}

func (o *Options) defaults() {
	if o.StatFS == nil {
		o.StatFS = volumeFree
	}
}

func (o *Options) check() error {
	if o.Dir == "" {
		return errors.New("store: no directory given: set Options.Dir")
	}
	switch len(o.Key) {
	case 0, 16, 24, 32:
		return nil
	}
	return &Fault{Dir: o.Dir, Kind: engine.ErrKey,
		What: fmt.Sprintf("cannot be opened with a key of %d bytes", len(o.Key)),
		Next: "Give one of 16, 24 or 32 bytes, or none."}
}

// Open opens the store in a directory, or creates one there. It reads every file once to
// find damage, because on some damage Badger leaves data out, and on some it ends the
// process.
func Open(o Options) (*Store, error) {
	o.defaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	lock, err := lockDir(o)
	if err != nil {
		return nil, err
	}
	s := &Store{
		dir: o.Dir, alone: o.Alone, lock: lock, statFS: o.StatFS, gate: newGate(), onStop: o.OnStop,
		recent: newRecent(), looks: looks{turn: make(chan struct{}, 1)},
	}
	if err = s.open(o); err == nil {
		s.opened.Store(true)
		err = s.gate.halted()
	}
	switch {
	case err == nil:
		return s, nil
	case s.db == nil:
		return nil, errors.Join(err, lock.release())
	}
	return nil, errors.Join(err, s.abandon(err))
}

// abandon closes a store that could not be opened completely, and unlocks the directory
// unless Badger is still working there.
func (s *Store) abandon(why error) error {
	s.gate.stop(why, why)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.closeBadger() // why has the reason
	}()
	select {
	case <-done:
		return s.lock.release()
	case <-time.After(abandonLimit):
		return nil
	}
}

// abandonLimit is how long a store that cannot be opened may take to be closed.
const abandonLimit = 4 * time.Second

func (s *Store) open(o Options) error {
	free, err := freeBytes(o.StatFS, o.Dir)
	if err == nil {
		s.was, err = os.Stat(o.Dir)
	}
	if err != nil {
		return err
	}
	if free < o.MinFree {
		return &Fault{Dir: o.Dir, Kind: engine.ErrLowSpace,
			What: fmt.Sprintf("has %s free on its volume and needs %s", mib(free), mib(o.MinFree)),
			Next: o.advice().room}
	}
	if err := examine(o); err != nil {
		return err
	}
	if err := s.openBadger(o); err != nil {
		return err
	}
	return s.prepareOpened()
}

func (s *Store) openBadger(o Options) error {
	log := badgerLog{log: o.Logger, awaitRoom: s.awaitRoom, merged: s.merged,
		broken: func(err error) { _ = s.unwritable(err) }}
	db, err := openDB(badgerOptions(o).WithLogger(log))
	if err != nil {
		return s.unreadable(err)
	}
	s.db = db
	return nil
}

func openDB(o badger.Options) (db *badger.DB, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked(r)
		}
	}()
	defer faults()()
	return badger.Open(o)
}

func (s *Store) prepareOpened() (err error) {
	defer s.caught(&err)
	if s.logs, err = openLogFiles(s.dir); err != nil {
		return s.unwritable(err)
	}
	if err := errors.Join(s.give("DISCARD", 0, discardRoom), s.reserve(nil)); err != nil {
		return s.unwritable(err)
	}
	if err := s.checkFormat(); err != nil {
		return err
	}
	if err := s.redo(); err != nil {
		return s.unreadable(err)
	}
	if err := s.readRecords(); err != nil {
		return s.unreadable(err)
	}
	return s.endRestore()
}

// memTableSize bounds the memory of the store: Badger reserves about 1.4 times as much,
// and uses it as it fills. A transaction holds 15 % of it, 900 KiB; large.go applies
// larger batches. Later versions may raise it but never lower it: Badger replays the log
// of a larger memtable into a smaller one and ends the process when it does not fit.
const memTableSize = 6 << 20

// valueThreshold is the size from which a value goes to the value log: just below what a
// transaction holds. Smaller values are stored with their keys and need no collection.
const valueThreshold = 880 << 10

// badgerOptions suit a desktop, with some megabytes of memory and a few thousand commits
// a second. Badger's defaults are for a server.
func badgerOptions(o Options) badger.Options {
	b := badger.DefaultOptions(o.Dir).
		WithMetricsEnabled(false).
		WithBypassLockGuard(true). // dirLock holds the same lock since before the examination
		WithDetectConflicts(false).
		WithSyncWrites(false).
		WithCompression(options.None).
		WithChecksumVerificationMode(options.OnBlockRead).
		WithVerifyValueChecksum(true).
		WithMemTableSize(memTableSize).
		WithNumMemtables(2).
		WithNumLevelZeroTables(2).
		WithNumLevelZeroTablesStall(6).
		WithNumCompactors(2).
		WithBaseTableSize(4 << 20).
		WithBaseLevelSize(16 << 20).
		WithValueThreshold(valueThreshold).
		WithValueLogFileSize(64 << 20).
		WithBlockCacheSize(0). // its blocks point into the mapped file, but are not verified again
		WithIndexCacheSize(16 << 20)
	if len(o.Key) > 0 {
		b = b.WithEncryptionKey(o.Key).WithBlockCacheSize(16 << 20) // of decrypted copies
	}
	return b
}

func mib(n uint64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
