package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/dgraph-io/badger/v4/table"
	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/runtime/engine"
)

// TestRedo opens stores that stopped at each step of a large batch.
func TestRedo(t *testing.T) {
	ops := []engine.Op{{Key: []byte("ka"), Value: []byte("new")}, {Key: []byte("kb"), Delete: true}}
	encoded := appendOps(nil, nil, ops)
	first := engine.Op{Key: redoKey(0), Value: encoded[:5]}
	second := engine.Op{Key: redoKey(1), Value: encoded[5:]}
	end := engine.Op{Key: redoEnd, Value: []byte("2")}
	const before, after = `"ka" "old"` + "\n" + `"kb" "old"` + "\n", `"ka" "new"` + "\n"
	for _, c := range []struct {
		name  string
		found []engine.Op
		want  string
	}{
		{"record unfinished", []engine.Op{first}, before},
		{"record without its end", []engine.Op{first, second}, before},
		{"record whole", []engine.Op{first, second, end}, after},
		{"batch begun", []engine.Op{first, second, end, ops[0]}, after},
		{"batch done", append([]engine.Op{first, second, end}, ops...), after},
		{"record partly removed", append([]engine.Op{second}, ops...), after},
	} {
		dir := t.TempDir()
		s := inside(t, dir)
		old := []engine.Op{{Key: []byte("ka"), Value: []byte("old")}, {Key: []byte("kb"), Value: []byte("old")}}
		if err := s.commitParts(append(old, c.found...)); err != nil {
			t.Fatal(err)
		}
		closed(t, s)
		s = inside(t, dir)
		if got, want := dump(t, s), fmt.Sprintf("%s\"m/format\" \"%d\"\n", c.want, Format); got != want {
			t.Errorf("%s: keys after Open =\n%swant\n%s", c.name, got, want)
		}
		closed(t, s)
	}
}

func TestRedoDamaged(t *testing.T) {
	dir := t.TempDir()
	s := inside(t, dir)
	if err := s.commitParts([]engine.Op{{Key: redoKey(0), Value: []byte{9}},
		{Key: redoEnd, Value: []byte("1")}}); err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	if _, err := Open(Options{Dir: dir}); !errors.Is(err, engine.ErrCorrupt) {
		t.Errorf("Open with a damaged redo record = %v, want ErrCorrupt", err)
	}
}

// TestCompact writes big values until Badger itself knows of garbage.
func TestCompact(t *testing.T) {
	dir := t.TempDir()
	s := inside(t, dir)
	value := func(n int) []byte { return bytes.Repeat([]byte{byte(n)}, 4<<20) }
	keep := engine.Op{Key: []byte("keep"), Value: value(200)}
	if err := s.Apply([]engine.Op{keep}, false); err != nil {
		t.Fatal(err)
	}
	// Lives stand for the hours in which Badger makes tables and tidies them up.
	for n := range 40 {
		if err := s.Apply([]engine.Op{{Key: []byte("changing"), Value: value(n)}}, false); err != nil {
			t.Fatal(err)
		}
		if n%10 == 9 {
			closed(t, s)
			s = inside(t, dir)
		}
	}
	// Badger keeps what it merges while a reader is open, and Open reads. So one more
	// table is merged into the others now that nobody does.
	for range 2 {
		if err := s.db.Flatten(1); err != nil {
			t.Fatal(err)
		}
		if err := s.Apply([]engine.Op{{Key: []byte("changing"), Value: value(39)}}, false); err != nil {
			t.Fatal(err)
		}
		closed(t, s)
		s = inside(t, dir)
	}
	if err := s.db.Flatten(1); err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	s = inside(t, dir)
	before := logBytes(t, dir)
	if err := s.Compact(context.Background()); err != nil {
		t.Fatalf("Compact = %v, want no error", err)
	}
	if after := logBytes(t, dir); after > before/2 {
		t.Errorf("value log = %d bytes after Compact, want less than half of %d", after, before)
	}
	for life := range 2 {
		for key, want := range map[string][]byte{"keep": value(200), "changing": value(39)} {
			if got, _, err := s.Get([]byte(key)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("life %d: Get(%s) = %d bytes, %v, want %d", life, key, len(got), err, len(want))
			}
		}
		closed(t, s)
		s = inside(t, dir)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if err := s.Compact(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Compact(ended) = %v, want %v", err, context.Canceled)
	}
	closed(t, s)
	if err := s.Compact(context.Background()); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("Compact after Close = %v, want ErrClosed", err)
	}
}

// logBytes adds up the value log but for its newest file, which is made long
// in advance.
func logBytes(t *testing.T, dir string) (sum int64) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.vlog"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names[:len(names)-1] {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		sum += info.Size()
	}
	return sum
}

// TestLogsFollow checks that the numbers of the newest files are known while
// files come and go.
func TestLogsFollow(t *testing.T) {
	dir := t.TempDir()
	s := inside(t, dir)
	started := newestLogs(s.logs)
	for n := range 40 {
		ops := []engine.Op{{Key: fmt.Append(nil, n), Value: make([]byte, 600<<10)}}
		if n%2 == 0 {
			ops[0].Value = make([]byte, 8<<20-8)
		}
		if err := s.Apply(ops, n%3 == 0); err != nil {
			t.Fatal(err)
		}
		if err := s.Apply(nil, true); err != nil {
			t.Fatal(err)
		}
		found, err := openLogFiles(dir)
		if now := newestLogs(s.logs); err != nil || now != newestLogs(found) || s.logs.unsynced || s.logs.values {
			t.Fatalf("after batch %d newest files = %+v, want %+v, synced (%v)", n, now, newestLogs(found), err)
		}
	}
	if s.logs.mem == started.mem || s.logs.vlog == started.vlog {
		t.Errorf("newest files = %+v, want later ones than %+v", s.logs, started)
	}
	closed(t, s)
}

// newestLogs are the numbers of the newest files.
func newestLogs(l *logFiles) (of struct{ mem, vlog int }) {
	of.mem, of.vlog = l.mem, l.vlog
	return of
}

// TestSyncOfTheMemoryLogAlone: it is what a sync is for, and enough while the value log is as it was.
func TestSyncOfTheMemoryLogAlone(t *testing.T) {
	whole := func(l *logFiles) (asked bool) { // Badger is asked to sync both
		defer func() { asked = recover() != nil }()
		if err := l.sync(nil); err != nil {
			t.Error(err)
		}
		return false
	}
	s := inside(t, t.TempDir())
	small := []engine.Op{{Key: []byte("small"), Value: []byte("value")}}
	for name, c := range map[string]struct {
		do    func() error
		whole bool
	}{
		"small": {func() error { return s.Apply(small, false) }, false},
		"big": {func() error {
			return s.commit([]engine.Op{{Key: userKey([]byte("big")), Value: make([]byte, valueThreshold)}})
		}, true},
		"parts": {func() error {
			return s.parts([]engine.Op{{Key: userKey([]byte("parts")), Value: make([]byte, valueThreshold)}})
		}, true},
		"moved": {func() error { s.logs.moving.Store(true); return s.Apply(small, false) }, true},
	} {
		if err := errors.Join(s.Apply(nil, true), c.do()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := whole(s.logs); got != c.whole {
			t.Errorf("%s: the sync is of the value log too: %v, want %v", name, got, c.whole)
		}
		s.logs.moving.Store(false)
	}
	if s.logs.newest == nil || s.logs.newest.Name() != filepath.Join(s.dir, memFile(s.logs.mem)) {
		t.Errorf("synced was %v, want the newest memory log", s.logs.newest)
	}
	if err := s.Apply(small, false); err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	l := &logFiles{dir: t.TempDir(), mem: 1, unsynced: true}
	if err := os.Symlink(os.DevNull, filepath.Join(l.dir, memFile(1))); err != nil { // it cannot be synced
		t.Fatal(err)
	}
	if err := l.sync(nil); err == nil || !l.unsynced {
		t.Errorf("a log that cannot be synced: %v, want an error, each time", err)
	}
	l.close()
	if err := os.Remove(filepath.Join(l.dir, memFile(1))); err != nil {
		t.Fatal(err)
	}
	if !whole(l) {
		t.Error("a log that is not there is taken for synced, want that Badger is asked")
	}
}

// TestOlderLogsAreSynced begins a new log behind one that cannot be synced: the
// batch that began it is not acknowledged, nor any later one. A power cut could
// take the end of the older log and keep the newer one.
func TestOlderLogsAreSynced(t *testing.T) {
	for _, c := range []struct {
		name func(int) string
		do   func(*logFiles) error
		at   func(*logFiles) int
	}{
		{memFile, (*logFiles).written, func(l *logFiles) int { return l.mem }},
		{vlogFile, func(l *logFiles) error { return l.sync(nil) }, func(l *logFiles) int { return l.vlog }},
	} {
		l := logFiles{dir: t.TempDir(), mem: 1, vlog: 1, unsynced: true, values: true}
		// What cannot be synced: a file that is no file.
		if err := os.Symlink(os.DevNull, filepath.Join(l.dir, c.name(1))); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(l.dir, c.name(2)), []byte("begun"), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := c.do(&l); err == nil || c.at(&l) != 1 {
				t.Errorf("%s began, and %s cannot be synced: %v, newest is %d; want an error and 1",
					c.name(2), c.name(1), err, c.at(&l))
			}
		}
	}
}

// purging runs Purge, and returns once it waits for the views that are open, or has
// ended.
func purging(s *Store) <-chan error {
	purged := make(chan error, 1)
	go func() {
		gone, err := s.Purge(context.Background())
		if err == nil && !gone {
			err = errPurge
		}
		purged <- err
	}()
	for len(purged) == 0 {
		s.views.mu.Lock()
		waits := s.views.open == nil
		s.views.mu.Unlock()
		if waits {
			break
		}
		<-time.After(time.Millisecond)
	}
	return purged
}

// TestPurgeLaterDuringAPurge asks for a purge while one runs, which must not take
// the wish away with its own.
func TestPurgeLaterDuringAPurge(t *testing.T) {
	s := inside(t, t.TempDir())
	later := func() {
		if err := s.PurgeLater(); err != nil {
			t.Fatal(err)
		}
	}
	later()
	reading := s.view() // the purge waits for it, after it has read the wish
	purged := purging(s)
	later()
	reading.Discard()
	if err := <-purged; !errors.Is(err, errPurge) {
		t.Errorf("Purge() = %v, want that the later wish is left", err)
	}
	if wish, err := s.purgeRequest(); wish == 0 || err != nil {
		t.Errorf("the wish is %d (%v), want the later one", wish, err)
	}
	if err := <-purging(s); err != nil {
		t.Errorf("Purge() again = %v, want all gone", err)
	}
	closed(t, s)
}

// TestPurgeBehindAReader purges what a view that is open still sees. Badger keeps
// it until the view ends.
func TestPurgeBehindAReader(t *testing.T) {
	s := inside(t, t.TempDir())
	put := engine.Op{Key: []byte("key"), Value: []byte("value")}
	if err := s.Apply([]engine.Op{put}, false); err != nil {
		t.Fatal(err)
	}
	reading := s.view()
	if err := errors.Join(s.Apply([]engine.Op{{Key: put.Key, Delete: true}}, false), s.PurgeLater()); err != nil {
		t.Fatal(err)
	}
	purged := purging(s)
	if len(purged) > 0 {
		t.Fatalf("Purge() = %v beside an older view, want it to wait", <-purged)
	}
	reading.Discard()
	if err := <-purged; err != nil {
		t.Errorf("Purge() = %v, want all gone", err)
	}
	closed(t, s)
}

// TestLooksAreShared asks for a look while one is under way, which may have begun too
// early. All who ask meanwhile share the next one.
func TestLooksAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := looks{turn: make(chan struct{}, 1)}
		began, asked, end := 0, 0, make(chan struct{})
		ask := func() {
			asked++
			mine := asked
			go func() {
				after := -1
				err := l.after(func() error {
					began++
					after = asked
					<-end
					return errBlock
				})
				if err != errBlock || after >= 0 && after < mine {
					t.Errorf("after() = %v, and its look began after %d of %d calls", err, after, mine)
				}
			}()
			synctest.Wait()
		}
		for range 6 {
			ask()
		}
		end <- struct{}{}
		synctest.Wait()
		if began != 2 {
			t.Errorf("%d looks began for 6 calls, 5 of them during the first, want 2", began)
		}
		end <- struct{}{}
		synctest.Wait()
		ask()
		close(end)
		synctest.Wait()
		if began != 3 {
			t.Errorf("%d looks began, want a third for a call after both", began)
		}
	})
}

// TestOpenTables finds what Badger does not show.
func TestOpenTables(t *testing.T) {
	dir := t.TempDir()
	for n := range 2 {
		s := inside(t, dir)
		if err := s.Apply([]engine.Op{{Key: []byte{byte(n)}, Value: []byte("value")}}, false); err != nil {
			t.Fatal(err)
		}
		closed(t, s)
	}
	s := inside(t, dir)
	defer closed(t, s)
	count := func(merging bool) (n int) {
		for _, table := range openTables(reflect.ValueOf(s.db).Elem(), merging) {
			n++
			if err := table.DecrRef(); err != nil {
				t.Error(err)
			}
		}
		return n
	}
	status := reflect.ValueOf(s.db).Elem().FieldByName("lc").Elem().FieldByName("cstatus")
	all, merging := count(false), count(true)
	(*hidden[map[uint64]struct{}](status, "tables"))[s.db.Tables()[0].ID] = struct{}{}
	if one := count(true); all != 2 || merging != 0 || one != 1 {
		t.Errorf("%d tables, %d of them merged, then %d; want 2, 0 and 1", all, merging, one)
	}
	delete(*hidden[map[uint64]struct{}](status, "tables"), s.db.Tables()[0].ID)
}

// TestReadersOfKeysFindDamage damages what they read, and mends it again for Close.
func TestReadersOfKeysFindDamage(t *testing.T) {
	dir := t.TempDir()
	s := inside(t, dir)
	s.recent.limit = 0 // rows at once
	for n := range 10 {
		var ops []engine.Op
		for i := range 1000 {
			ops = append(ops, engine.Op{Key: fmt.Appendf(nil, "%05d", n*1000+i), Value: make([]byte, 100)})
		}
		if err := s.Apply(ops, false); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, s)
	s = inside(t, dir)
	flip(t, dir)
	for name, read := range map[string]func() error{
		"superseded": func() error { _, err := s.superseded(0); return err },
		"keysFrom":   func() error { _, err := s.keysFrom([]byte{userKeys}); return err },
		"empty":      func() error { _, err := s.empty(); return err },
	} {
		s.gate = newGate()
		if err := read(); !errors.Is(err, engine.ErrCorrupt) || s.gate.halted() == nil {
			t.Errorf("%s = %v, want that the store has stopped for its damage", name, err)
		}
	}
	flip(t, dir)
	s.gate = newGate()
	closed(t, s)
}

// flip changes a bit in the first block of each table of a store, or changes it back.
func flip(t *testing.T, dir string) {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("there are no tables (%v)", err)
	}
	for _, path := range tables {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 1)
		const at = 100
		_, err = f.ReadAt(b, at)
		b[0] ^= 1
		_, err2 := f.WriteAt(b, at)
		if err := errors.Join(err, err2, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestIdleHeap holds the memory of an open store to what a desktop can spare.
func TestIdleHeap(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		runtime.GC() // the first one empties pools into the second
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	s := inside(t, t.TempDir())
	if used := heap() - before; used > 10_000_000 {
		t.Errorf("heap of an open store = %d bytes, want at most 10 MB", used)
	}
	closed(t, s)
}

func TestBadgerLogKeepsNumbersOnly(t *testing.T) {
	var out bytes.Buffer
	b := badgerLog{log: zerolog.New(&out).Level(zerolog.DebugLevel)}
	b.Debugf("First key=%q of %d\n", []byte("Hana"), 7)
	b.Infof("%s took %.1f %v", "Hana", 1.5, struct{ Name string }{"Hana"})
	b.Warningf("failed: %v", fmt.Errorf("key Hana: %w", os.ErrInvalid))
	b.Errorf("failed: %v", &os.PathError{Op: "open", Path: "Hana", Err: syscall.ENOSPC})
	want := `{"level":"debug","from":"badger","message":"First key=… of 7"}
{"level":"debug","from":"badger","message":"… took 1.5 …"}
{"level":"warn","from":"badger","message":"failed: …"}
{"level":"warn","from":"badger","message":"failed: no space left on device"}
`
	if out.String() != want {
		t.Errorf("log =\n%swant\n%s", &out, want)
	}
	out.Reset()
	b.log = b.log.Level(zerolog.WarnLevel)
	b.Debugf("quiet")
	badgerLog{}.Errorf("nowhere")
	if out.Len() > 0 {
		t.Errorf("log at warn = %s, want nothing", &out)
	}
}

// entry encodes one entry of a log as Badger does.
func entry(flags byte, key, value string) []byte {
	b := []byte{flags, 0}
	b = binary.AppendUvarint(b, uint64(len(key)))
	b = binary.AppendUvarint(b, uint64(len(value)))
	b = append(append(append(b, 0), key...), value...)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func FuzzReadLog(f *testing.F) {
	whole := append(entry(64, "key", "value"), entry(128, "!badger!txn", "1")...)
	f.Add(whole)
	f.Add(append(whole, make([]byte, 100)...))
	f.Add(whole[:len(whole)-1])
	f.Add([]byte{64, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		size := int64(logHeader + len(b))
		end, state, err := readLog(bytes.NewReader(b), size)
		if err != nil || end < logHeader || end > size {
			t.Fatalf("readLog(%x) = %d, %v, %v, want an offset up to %d", b, end, state, err, size)
		}
		right := b[:end-logHeader]
		if again, state, err := readLog(bytes.NewReader(right), end); again != end || state != logWhole || err != nil {
			t.Errorf("readLog(%x) = %d, %v, %v, want all %d of it", right, again, state, err, end)
		}
	})
}

// TestReadLogShort is a file that ends before the size it was said to have.
func TestReadLogShort(t *testing.T) {
	whole := entry(64, "key", "value")
	_, _, err := readLog(bytes.NewReader(whole[:len(whole)-2]), int64(logHeader+len(whole)))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("readLog of a short file = %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

func FuzzCheckTable(f *testing.F) {
	f.Add(make([]byte, 40))
	f.Add([]byte{0, 0, 0, 0})
	f.Add(bytes.Repeat([]byte{255}, 64))
	path := filepath.Join(f.TempDir(), table.IDToFilename(1))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := checkTable(path, table.Options{}); err == nil {
			t.Errorf("checkTable(%x) = no error, want one", b)
		}
	})
}

// TestEveryWayInIsGuarded takes the memtable from Badger, as it does itself when it
// cannot make a new one: whoever reads then panics, and again when the view ends.
func TestEveryWayInIsGuarded(t *testing.T) {
	s := inside(t, t.TempDir())
	if err := s.PurgeLater(); err != nil {
		t.Fatal(err)
	}
	field := reflect.ValueOf(s.db).Elem().FieldByName("mt")
	memtable := (*unsafe.Pointer)(field.Addr().UnsafePointer())
	was := *memtable
	*memtable = nil
	for name, enter := range map[string]func() error{
		"Get": func() error { _, _, err := s.Get([]byte("key")); return err },
		"View": func() error {
			return s.View(func(v engine.View) error { _, _, err := v.Get([]byte("key")); return err })
		},
		"Scan":       func() error { return s.Scan(nil, nil, func(_, _ []byte) bool { return true }) },
		"Snapshot":   func() error { return s.Snapshot(io.Discard) },
		"Restore":    func() error { return s.Restore(bytes.NewReader(nil)) },
		"PurgeLater": s.PurgeLater,
		"Purge":      func() error { _, err := s.Purge(context.Background()); return err },
		"Compact":    func() error { return s.Compact(context.Background()) },
		"superseded": func() error { _, err := s.superseded(1); return err },
		"rewrite":    func() error { return s.rewriteKey([]byte("kkey")) },
	} {
		s.gate = newGate()
		if err := enter(); !errors.Is(err, engine.ErrCorrupt) || s.gate.halted() == nil {
			t.Errorf("%s of a store that is broken = %v, want that it has stopped", name, err)
		}
		if err := s.Apply([]engine.Op{{Key: []byte("key")}}, false); err == nil {
			t.Errorf("Apply after %s met a broken store = no error, want one", name)
		}
	}
	*memtable = was
	s.gate = newGate()
	closed(t, s)
}

// TestAWriteThatWaitedIsRefused has the store stop while a write waits for the one
// that failed. Badger ends the process for a write after that.
func TestAWriteThatWaitedIsRefused(t *testing.T) {
	for _, folds := range []bool{false, true} {
		s := inside(t, t.TempDir())
		applied(t, s, put("earlier", "value"))
		if folds { // before it is written
			s.recent.foldAt = 0
		}
		s.writing.Lock()
		done := make(chan error)
		go func() { done <- s.Apply([]engine.Op{{Key: []byte("key"), Value: []byte("value")}}, false) }()
		for inside := 0; inside == 0; runtime.Gosched() {
			s.gate.mu.Lock()
			inside = s.gate.inside
			s.gate.mu.Unlock()
		}
		why := errors.New("a write failed")
		s.stop(why, why)
		s.writing.Unlock()
		if err := <-done; !errors.Is(err, why) {
			t.Errorf("folds %v: Apply that waited = %v, want %v", folds, err, why)
		}
		s.gate = newGate()
		if _, ok, err := s.Get([]byte("key")); ok || err != nil || s.recent.first > 0 {
			t.Errorf("folds %v: Get = %v, %v, want that nothing was written or folded", folds, ok, err)
		}
		closed(t, s)
	}
}

// TestTheFirstCauseIsTold has Badger fail to make a memtable: that is why the store
// stopped, not the panics of those who read on.
func TestTheFirstCauseIsTold(t *testing.T) {
	var stops []error
	s := inside(t, t.TempDir())
	s.onStop = func(why error) { stops = append(stops, why) }
	log := badgerLog{broken: func(err error) { _ = s.unwritable(err) }}
	log.Errorf("Got error: %v for id: %d\n", fmt.Errorf("While opening memtable: %w", syscall.EMFILE), 7)
	err := func() (err error) {
		defer s.caught(&err)
		panic("Unclosed iterator at time of Txn.Discard.")
	}()
	want := s.dir + " cannot be written and has stopped: too many open files. Raise the limit of open files (ulimit -n)"
	if len(stops) != 1 || !strings.Contains(fmt.Sprint(stops[0]), want) || !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("the store stopped because of %v, and a reader is told %v, want one stop with %q", stops, err, want)
	}
	s.gate = newGate()
	closed(t, s)
}

// TestWhatTheSystemRefusesIsCalledThat hears of each error of the system as Badger tells
// it, which keeps its text only.
func TestWhatTheSystemRefusesIsCalledThat(t *testing.T) {
	for _, a := range advised {
		s := &Store{dir: "DIR", gate: newGate()}
		err := fmt.Errorf("While opening memtable: %s: unable to open: DIR/00002.mem", a.errno.Error())
		for _, told := range []error{s.unreadable(err), s.unwritable(err)} {
			text := told.Error()
			if errors.Is(told, engine.ErrCorrupt) || !strings.Contains(text, a.errno.Error()+". "+a.next) ||
				strings.Contains(text, "backup") || strings.Contains(text, "memtable") {
				t.Errorf("%v is told as %q, want its name and what to do", a.errno, text)
			}
		}
		if s.gate.halted() == nil {
			t.Errorf("the store goes on after a write that failed with %v", a.errno)
		}
	}
}

// TestACompactionWaitsForRoom fills the volume before tables are merged. Badger would
// write the new one through a map, which ends the process where there is no room.
func TestACompactionWaitsForRoom(t *testing.T) {
	dir := t.TempDir()
	asked := make(chan struct{}, 1)
	var free atomic.Uint64
	free.Store(tableRoom)
	openIt := func() *Store {
		s, err := Open(Options{Dir: dir, StatFS: func(string) (uint64, error) {
			n := free.Load()
			if n < tableRoom {
				select {
				case asked <- struct{}{}:
				default:
				}
			}
			return n, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := openIt()
	for n := range 4 { // tables of which all but the last are merged
		err := s.flatten()
		if err == nil {
			err = s.Apply([]engine.Op{{Key: fmt.Append(nil, n), Value: []byte("value")}}, false)
		}
		if err != nil {
			t.Fatal(err)
		}
		closed(t, s)
		s = openIt()
	}
	free.Store(tableRoom - 1)
	done := make(chan error, 1)
	go func() { done <- s.flatten() }()
	select {
	case <-asked:
	case err := <-done:
		t.Fatalf("tables were merged (%v) on a full volume, want that it waits", err)
	}
	<-asked // again: it waits
	if len(done) > 0 {
		t.Error("tables were merged on a full volume, want that it waits")
	}
	free.Store(tableRoom)
	if err := <-done; err != nil {
		t.Errorf("Flatten with room = %v, want no error", err)
	}
	closed(t, s)
}

// TestLogsHaveTheirPlace looks at what the logs take of the volume before they are
// written: a page of a map that finds no place is a signal.
func TestLogsHaveTheirPlace(t *testing.T) {
	dir := t.TempDir()
	s := inside(t, dir)
	taken := func(name string) int64 {
		var st syscall.Stat_t
		if err := syscall.Stat(filepath.Join(dir, name), &st); err != nil {
			t.Fatal(err)
		}
		return st.Blocks * 512
	}
	for range 4 {
		for _, n := range []int{s.logs.mem, s.logs.mem + 1} {
			if got := taken(memFile(n)); got < logRoom {
				t.Errorf("%s takes %d bytes of the volume, want at least %d", memFile(n), got, logRoom)
			}
		}
		for newest := s.logs.mem; s.logs.mem == newest; {
			err := s.Apply([]engine.Op{{Key: []byte("key"), Value: make([]byte, 700<<10)}}, false)
			if err == nil {
				s.writing.Lock()
				err = s.reserve(nil)
				s.writing.Unlock()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	big := []engine.Op{{Key: []byte("big"), Value: make([]byte, 4<<20)}}
	before := taken(vlogFile(s.logs.vlog))
	if err := s.reserve(big); err != nil {
		t.Fatal(err)
	}
	if got := taken(vlogFile(s.logs.vlog)); got < before+4<<20 {
		t.Errorf("the value log takes %d bytes before a value of 4 MiB is written, want that more than %d", got, before)
	}
	closed(t, s)
}

// TestCloseDoesNotWaitForEver: a call that a disk keeps for good ends the wait of Close with words, and so does a
// volume that does not even say how much space it has.
func TestCloseDoesNotWaitForEver(t *testing.T) {
	for name, silent := range map[string]bool{"a call stays inside": false, "the volume is silent": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			was, err := os.Stat(dir)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				over := make(chan struct{})
				s := &Store{dir: dir, was: was, gate: newGate(), statFS: func(string) (uint64, error) {
					if silent {
						<-over
					}
					return 1 << 40, nil
				}}
				if err := s.gate.enter(); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				err := s.Close()
				var f *Fault
				if !errors.As(err, &f) || f.Dir != s.dir || !strings.Contains(f.Next, "start again") {
					t.Errorf("Close() = %v, want a fault that says what to do", err)
				}
				if took := time.Since(began); took != closeLimit {
					t.Errorf("Close() took %v, want %v", took, closeLimit)
				}
				close(over)
				s.gate.leave()
			})
		})
	}
}
