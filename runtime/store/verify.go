package store

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/table"
)

// The tables are verified past Badger's cache: it would only be filled with blocks that
// nobody needs, and a copy in it says nothing about the file.

// verify stops the store if a table was damaged since it was opened.
func (s *Store) verify() error { return s.look(false) }

// merged holds back a compaction that may have read damage: Badger leaves out what it
// cannot read, and then deletes the tables that hold it. Open has read all of them.
func (s *Store) merged() {
	if s.opened.Load() && s.looks.after(func() error { return s.look(true) }) != nil {
		select {}
	}
}

// looks lets the parts of a compaction, which Badger carries out side by side, share one
// look at its tables.
type looks struct {
	turn  chan struct{} // holds a value while somebody looks
	asked atomic.Int64  // the newest call
	seen  int64         // the newest call before the last look
	err   error         // of that look
}

// after returns the result of a look that began after the call.
func (l *looks) after(look func() error) error {
	mine := l.asked.Add(1)
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	if l.seen < mine {
		l.seen = l.asked.Load()
		l.err = look()
	}
	return l.err
}

// look verifies all tables, or those that are being merged.
func (s *Store) look(merging bool) (err error) {
	db := reflect.ValueOf(s.db).Elem()
	keys := *hidden[*badger.KeyRegistry](db, "registry")
	for _, t := range openTables(db, merging) {
		if err == nil {
			err = verifyTable(t, keys)
		}
		_ = t.DecrRef() // if a file cannot be removed, Badger removes it when it is opened
	}
	if err != nil {
		why := s.unreadable(err)
		return s.halt(why, why)
	}
	return nil
}

func verifyTable(t *table.Table, keys *badger.KeyRegistry) error {
	key, err := keys.DataKey(t.KeyID())
	if err != nil {
		return err
	}
	indexes, err := newIndexCache()
	if err != nil {
		return err
	}
	defer indexes.Close()
	return checkTable(t.Filename(), table.Options{DataKey: key, Compression: t.CompressionType(), IndexCache: indexes})
}

// openTables returns tables of an open Badger, each to be released with DecrRef. Badger
// does not show them, so this uses reflection; TestMergesFindDamage fails if a newer
// Badger keeps them elsewhere.
func openTables(db reflect.Value, merging bool) (tables []*table.Table) {
	levels := db.FieldByName("lc").Elem()
	status := levels.FieldByName("cstatus")
	lock := hidden[sync.RWMutex](status, "RWMutex")
	lock.RLock()
	merged := map[uint64]bool{}
	for _, id := range status.FieldByName("tables").MapKeys() {
		merged[id.Uint()] = true
	}
	lock.RUnlock()
	for _, level := range levels.FieldByName("levels").Seq2() {
		level = level.Elem()
		lock := hidden[sync.RWMutex](level, "RWMutex")
		lock.RLock()
		for _, t := range *hidden[[]*table.Table](level, "tables") {
			if !merging || merged[t.ID()] {
				t.IncrRef()
				tables = append(tables, t)
			}
		}
		lock.RUnlock()
	}
	return tables
}

// hidden returns an unexported field of a struct.
func hidden[T any](of reflect.Value, name string) *T {
	field := of.FieldByName(name)
	if field.Type() != reflect.TypeFor[T]() {
		panic("store: Badger's " + name + " is a " + field.Type().String())
	}
	return (*T)(unsafe.Pointer(field.UnsafeAddr()))
}
