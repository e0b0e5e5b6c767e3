package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Badger writes its files through memory maps, and extends them without reserving space
// on the volume. Touching a page that finds no space raises a signal, at which Go ends
// the process. So:
//
//	the logs, which each batch writes, are given their places before it: what finds
//	none then is an error, and nothing was written;
//	a compaction waits, before it writes a table, until there is room;
//	Close leaves the files as a kill does where there is no room for a table.
//
// One case is left: somebody else fills the volume within the milliseconds of a flush or
// compaction. Then the signal ends the process, and the next start finds everything that
// was acknowledged.

const (
	// logRoom is the most that the log of a memtable takes: it is full at memTableSize,
	// and one transaction may exceed that.
	logRoom = memTableSize + 2<<20
	// discardRoom is for the garbage statistics of as many files as a value log ever has.
	discardRoom = 64 << 10
	// tableRoom is for the tables of all memtables, or of a step of a compaction.
	tableRoom = 32 << 20
	// entryRoom is what a log entry takes in addition to its key and value.
	entryRoom = 64
)

// room records what has reserved space.
type room struct {
	mem int // number of the newest log of a memtable
}

// reserve reserves space for what ops are about to write: in the newest log and in the
// one after it, which Badger uses as it is, because it is empty. A big value goes to the
// value log. The caller holds s.writing.
func (s *Store) reserve(ops []engine.Op) error {
	for next := s.logs.mem + 1; s.room.mem < next; {
		n := max(s.room.mem+1, s.logs.mem)
		if err := s.give(memFile(n), os.O_CREATE, logRoom); err != nil {
			return err
		}
		s.room.mem = n
	}
	big := int64(0)
	for _, op := range ops {
		if len(op.Value) >= valueThreshold {
			big += int64(len(op.Key) + len(op.Value) + entryRoom)
		}
	}
	if big == 0 {
		return nil
	}
	var st unix.Stat_t
	name := vlogFile(s.logs.vlog)
	if err := unix.Stat(filepath.Join(s.dir, name), &st); err != nil {
		return err
	}
	// What is written already has its space, without holes.
	const block = 512
	return s.give(name, 0, st.Blocks*block+big)
}

// give reserves space on the volume for the beginning of a file; its length does not
// change. If the file system cannot do that, nothing is reserved.
func (s *Store) give(name string, create int, size int64) error {
	f, err := os.OpenFile(filepath.Join(s.dir, name), os.O_RDWR|create, 0o600)
	if err != nil {
		return err
	}
	err = preallocate(f, size)
	for _, cannot := range []error{syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.ENOTSUP, syscall.EINVAL} {
		if errors.Is(err, cannot) {
			err = nil
		}
	}
	return errors.Join(err, f.Close())
}

// full is the error of a write that was not started for lack of space. The store
// continues.
func (s *Store) full() error {
	return &Fault{Dir: s.dir, Kind: engine.ErrLowSpace, What: "has no space left on its volume: nothing was written",
		Next: "Free some space there; work goes on by itself."}
}

func (s *Store) roomy() bool {
	free, err := s.Free()
	return err != nil || free >= tableRoom
}

// awaitRoom delays a compaction until there is space for its result. Badger calls it in
// its own goroutines. In a store that has stopped they are left waiting here; Close would
// wait for them.
func (s *Store) awaitRoom() {
	for !s.roomy() {
		if s.gate.isShut() {
			why := s.unmade()
			s.gate.stop(why, why)
		}
		select {
		case <-s.gate.stopped:
			select {}
		case <-time.After(time.Second):
		}
	}
}

// unmade returns why Close leaves the store as a kill does.
func (s *Store) unmade() error {
	return &Fault{Dir: s.dir, Kind: engine.ErrLowSpace,
		What: "was left as it is, because its volume has no space for a tidy end",
		Next: "Free some space there, then start again; " + found}
}
