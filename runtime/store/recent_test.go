package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/runtime/engine"
)

func rows(t *testing.T, s *Store) string {
	t.Helper()
	var b strings.Builder
	if err := s.Scan(nil, nil, func(k, v []byte) bool {
		fmt.Fprintf(&b, "%s=%s ", k, v)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func applied(t *testing.T, s *Store, batch ...engine.Op) {
	t.Helper()
	if err := s.Apply(batch, false); err != nil {
		t.Fatal(err)
	}
}

func put(key, value string) engine.Op { return engine.Op{Key: []byte(key), Value: []byte(value)} }

func fresh(key, value string) engine.Op {
	return engine.Op{Key: []byte(key), Value: []byte(value), New: true}
}

func del(key string) engine.Op { return engine.Op{Key: []byte(key), Delete: true} }

// folding is a store with rows that are folded, and with records: of rows that came, changed,
// went, and went without ever being written.
func folding(t *testing.T, dir string) *Store {
	s := inside(t, dir)
	applied(t, s, put("a", "0"), put("b", "0"), put("c", "0"))
	s.recent.foldStep = 0
	if err := s.fold(s.recent.bytes); err != nil {
		t.Fatal(err)
	}
	applied(t, s, put("a", "1"), fresh("m1", "mail"), fresh("m2", "mail"))
	applied(t, s, del("m1"), del("b"), fresh("m3", "mail"))
	applied(t, s, put("b", "2"), put("a", "2"), del("c"), del("m3"))
	applied(t, s, del("b"), fresh("m4", "mail"))
	return s
}

const folded = "a=2 m2=mail m4=mail "

// TestFoldThatIsCut opens stores whose process died after each step of a fold of some or all
// of the records, and then deletes everything.
func TestFoldThatIsCut(t *testing.T) {
	for records := 1; records <= 4; records++ {
		for steps := 0; ; steps++ {
			dir := t.TempDir()
			s := folding(t, dir)
			if got := rows(t, s); got != folded {
				t.Fatalf("before a fold the store holds %s, want %s", got, folded)
			}
			size := 0
			for _, record := range s.recent.records[:records] {
				size += len(record)
			}
			ops, gone := s.recent.oldest(size)
			ops = append(ops, gone...)
			if steps > len(ops) {
				closed(t, s)
				break
			}
			if err := s.commitParts(ops[:steps]); err != nil {
				t.Fatal(err)
			}
			closed(t, s)
			s = inside(t, dir)
			if got := rows(t, s); got != folded {
				t.Errorf("after %d steps of a fold of %d the store holds %s, want %s", steps, records, got, folded)
			}
			applied(t, s, del("a"), del("m2"), del("m4"))
			if err := s.fold(s.recent.bytes); err != nil {
				t.Fatal(err)
			}
			if got, want := dump(t, s), fmt.Sprintf("\"m/format\" \"%d\"\n", Format); got != want {
				t.Errorf("after %d steps of a fold of %d, and the end of all rows, there are\n%s", steps, records, got)
			}
			closed(t, s)
		}
	}
}

// TestFoldThatEndsEarly has no space for the second half of a fold.
func TestFoldThatEndsEarly(t *testing.T) {
	s := folding(t, t.TempDir())
	defer closed(t, s)
	ops, _ := s.recent.oldest(s.recent.bytes)
	if err := s.foldParts(ops[:len(ops)-1], s.recent.written); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, s); got != folded {
		t.Errorf("in the middle of a fold the store holds %s, want %s", got, folded)
	}
	applied(t, s, del("a"), del("m2"), del("m4"))
	if err := s.fold(s.recent.bytes); err != nil {
		t.Fatal(err)
	}
	if got, want := dump(t, s), fmt.Sprintf("\"m/format\" \"%d\"\n", Format); got != want {
		t.Errorf("after the end of all rows there are\n%s", got)
	}
}

// TestRecordIsSynced asks for a batch that survives a power cut.
func TestRecordIsSynced(t *testing.T) {
	s := folding(t, t.TempDir())
	defer closed(t, s)
	if !s.logs.unsynced {
		t.Error("a batch that may be lost in a power cut is synced")
	}
	if err := s.Apply([]engine.Op{put("a", "3")}, true); err != nil || s.logs.unsynced || s.recent.next() != 6 {
		t.Errorf("Apply with sync = %v, want one more record, and that it is synced", err)
	}
}

// TestFoldWithoutSpace has none for the log that it needs. The store goes on when there is some.
func TestFoldWithoutSpace(t *testing.T) {
	dir := t.TempDir()
	s := folding(t, dir)
	s.room.mem, s.dir = 0, filepath.Join(dir, syscall.ENOSPC.Error()) // isFull looks at the text
	if err := s.fold(s.recent.bytes); !errors.Is(err, engine.ErrLowSpace) || s.gate.halted() != nil {
		t.Errorf("fold = %v, want ErrLowSpace, and that the store goes on", err)
	}
	s.dir = dir
	if err := s.fold(s.recent.bytes); err != nil {
		t.Error(err)
	}
	if got := rows(t, s); got != folded {
		t.Errorf("after a fold that had no space the store holds %s, want %s", got, folded)
	}
	closed(t, s)
}

// TestRestoreOverRecords restores a row that ended in a record.
func TestRestoreOverRecords(t *testing.T) {
	s := inside(t, t.TempDir())
	defer closed(t, s)
	applied(t, s, put("a", "1"))
	var snapshot bytes.Buffer
	if err := s.Snapshot(&snapshot); err != nil {
		t.Fatal(err)
	}
	applied(t, s, del("a"))
	if err := s.Restore(&snapshot); err != nil || rows(t, s) != "a=1 " {
		t.Errorf("after Restore (%v) the store holds %s, want a=1", err, rows(t, s))
	}
}

// TestRowsThatDieYoung never reach Badger's tables.
func TestRowsThatDieYoung(t *testing.T) {
	s := inside(t, t.TempDir())
	defer closed(t, s)
	for n := range 100 {
		applied(t, s, fresh(fmt.Sprintf("m%03d", n), "mail"), put("state", fmt.Sprint(n)))
		applied(t, s, del(fmt.Sprintf("m%03d", n)))
	}
	if ops, _ := s.recent.oldest(s.recent.bytes); len(ops) != 1 || string(ops[0].Value) != "99" {
		t.Errorf("%d rows of 100 messages that were handled, and of one state, are left to be written, want the state",
			len(ops))
	}
}

// TestNewAfterTheEnd puts a key as a new one whose end is not folded yet.
func TestNewAfterTheEnd(t *testing.T) {
	s := inside(t, t.TempDir())
	defer closed(t, s)
	applied(t, s, put("m", "mail of a former life"))
	if err := s.fold(s.recent.bytes); err != nil {
		t.Fatal(err)
	}
	applied(t, s, del("m"))
	applied(t, s, fresh("m", "mail"))
	applied(t, s, del("m"))
	if got := rows(t, s); got != "" {
		t.Errorf("after the end of all rows the store holds %s", got)
	}
}

// TestRecordsAreBounded looks at memory and at what a start has to read.
func TestRecordsAreBounded(t *testing.T) {
	dir := t.TempDir()
	s := inside(t, dir)
	s.recent.foldAt, s.recent.foldStep = 10_000, 2_000
	for n := range 1000 {
		applied(t, s, put(fmt.Sprintf("%04d", n), strings.Repeat("x", 100+n%9*500)))
		if s.recent.bytes > s.recent.foldAt {
			t.Fatalf("the records have %d bytes, want at most %d", s.recent.bytes, s.recent.foldAt)
		}
	}
	left, number := s.recent.bytes, s.recent.first
	if number < 900 || s.recent.rows.Len() > 100 {
		t.Errorf("%d rows are in memory, and record %d is the first that is left, want most to be written",
			s.recent.rows.Len(), number)
	}
	closed(t, s)
	s = inside(t, dir)
	defer closed(t, s)
	if s.recent.bytes != left || s.recent.first != number || strings.Count(rows(t, s), "=") != 1000 {
		t.Errorf("after the next start %d bytes of records are left from %d on, want %d from %d on, and every row",
			s.recent.bytes, s.recent.first, left, number)
	}
}

func TestRecordThatIsMissing(t *testing.T) {
	for name, op := range map[string]engine.Op{
		"gone":          {Key: recordKey(2), Delete: true},
		"cut":           {Key: recordKey(2), Value: []byte{0, 9, 'k'}},
		"of a bad name": {Key: []byte("b/x")},
	} {
		dir := t.TempDir()
		s := folding(t, dir)
		if err := s.commitParts([]engine.Op{op}); err != nil {
			t.Fatal(err)
		}
		closed(t, s)
		if s, err := Open(Options{Dir: dir}); !errors.Is(err, engine.ErrCorrupt) ||
			!strings.Contains(err.Error(), "the record of a batch") {
			t.Errorf("%s: Open = %v, want ErrCorrupt, and that it is a record", name, err)
			if err == nil {
				closed(t, s)
			}
		}
	}
}

// TestRecordsThatCannotBeRead damages records after the store was looked through. They must not
// count as those of a store that has none.
func TestRecordsThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	s := inside(t, dir)
	applied(t, s, put("a", strings.Repeat("1", 1000)))
	closed(t, s)
	s = inside(t, dir)
	flip(t, dir)
	s.recent = newRecent()
	if err := s.readRecords(); !errors.Is(err, engine.ErrCorrupt) {
		t.Errorf("readRecords = %v, want ErrCorrupt", err)
	}
	flip(t, dir)
	s.gate = newGate()
	closed(t, s)
}

// TestNothingMovesWhileAScanBegins stops a scan between the rows of the records and those of
// the tables: no fold may move any then, and no commit may change both.
func TestNothingMovesWhileAScanBegins(t *testing.T) {
	s := folding(t, t.TempDir())
	defer closed(t, s)
	s.views.mu.Lock() // a view waits for it
	ended := make(chan error, 1)
	go func() { ended <- s.Scan(nil, nil, func(_, _ []byte) bool { return true }) }()
	for s.whole.TryLock() { // held while a view is taken
		s.whole.Unlock()
		<-time.After(time.Millisecond)
	}
	if s.recent.mu.TryLock() {
		s.recent.mu.Unlock()
		t.Error("a scan has not both views at once")
	}
	s.views.mu.Unlock()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// TestViewsBesideFolds reads two keys that always have the same value.
func TestViewsBesideFolds(t *testing.T) {
	s := inside(t, t.TempDir())
	defer closed(t, s)
	FoldOften(s)
	applied(t, s, put("x", "0"), put("y", "0"))
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				var values []string
				if err := s.Scan(nil, nil, func(_, v []byte) bool {
					values = append(values, string(v))
					return true
				}); err != nil || len(values) != 2 || values[0] != values[1] {
					t.Errorf("Scan = %q, %v, want the same value twice", values, err)
					return
				}
			}
		})
	}
	for n := range 2000 {
		applied(t, s, put("x", fmt.Sprint(n)), put("y", fmt.Sprint(n)))
	}
	close(done)
	readers.Wait()
}

// TestViewBesideAFold reads the same before and after a purge has folded it.
func TestViewBesideAFold(t *testing.T) {
	s := folding(t, t.TempDir())
	defer closed(t, s)
	if err := s.View(func(v engine.View) error {
		for range 2 {
			for key, want := range map[string]string{"a": "2", "b": "", "m4": "mail"} {
				if got, _, err := v.Get([]byte(key)); string(got) != want || err != nil {
					t.Errorf("Get(%s) = %q, %v, want %q", key, got, err, want)
				}
			}
			if err := s.fold(s.recent.bytes); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// between calls do between the steps of what it is given to.
type between struct {
	context.Context
	do func()
}

func (b between) Err() error {
	b.do()
	return b.Context.Err()
}

// TestPurgeOfRecords greps the files for what came and went in records alone, and for what is
// overwritten once more during the purge.
func TestPurgeOfRecords(t *testing.T) {
	dir := t.TempDir()
	s := inside(t, dir)
	const canary = "0123456789 what nobody may read"
	s.recent.foldStep = 1
	applied(t, s, put("busy", canary))
	if err := s.fold(s.recent.bytes); err != nil {
		t.Fatal(err)
	}
	applied(t, s, fresh("m", canary), put("state", canary), put("busy", canary))
	applied(t, s, del("m"), put("state", "another"), put("busy", "another"))
	if err := s.PurgeLater(); err != nil {
		t.Fatal(err)
	}
	beside := between{t.Context(), func() { applied(t, s, put("busy", "a third")) }}
	if gone, err := s.Purge(beside); err != nil || !gone {
		t.Fatalf("Purge = %v, %v, want that all is gone", gone, err)
	}
	closed(t, s)
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(dir + "/" + f.Name())
		if err != nil || strings.Contains(string(raw), canary) {
			t.Errorf("%s holds what was purged (%v)", f.Name(), err)
		}
	}
}

// TestAPurgeTakesTurns folds records and fills the memtable: no step of it is large, and between two there is time
// for a commit that waits.
func TestAPurgeTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := inside(t, t.TempDir())
		defer closed(t, s)
		const batches, each = 64, 8 << 10
		for i := range batches {
			applied(t, s, put(fmt.Sprint("key", i), strings.Repeat("v", each)))
		}
		before := s.recent.bytes
		beside := between{t.Context(), func() {
			if step := before - s.recent.bytes; step > s.recent.foldStep/4+2*each {
				t.Errorf("a step folds %d bytes, want no more than %d and a record", step, s.recent.foldStep/4)
			}
			before = s.recent.bytes
		}}
		for what, do := range map[string]func() (least int, err error){
			"foldAll": func() (int, error) { return batches * each / s.recent.foldStep, s.foldAll(beside) },
			"fill": func() (int, error) {
				_, err := s.fill(t.Context())
				return memTableSize / (128 << 10), err
			},
		} {
			began := time.Now()
			least, err := do()
			if took := time.Since(began); err != nil || took < time.Duration(least)*commitTurn {
				t.Errorf("%s waits %v for others, %v, want %d turns at least", what, took, err, least)
			}
		}
	})
}
