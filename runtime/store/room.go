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

// Badger writes its files through maps of memory, and makes them long without a place
// on the volume. A page that finds no place there is a signal, which Go answers with
// the end of the process. So:
//
//	the logs, which each batch writes, are given their places before it: what finds
//	none then is an error, and nothing was written;
//	a compaction waits, before it writes a table, until there is room;
//	Close leaves the files as a kill does where there is no room for a table.
//
// What is left is a volume that somebody else fills within the milliseconds of one
// flush or compaction: the process ends with the signal, and the next start finds what
// was acknowledged.

const (
	// logRoom is what the log of a memtable takes at most: it is full at memTableSize,
	// and one transaction may go beyond that.
	logRoom = memTableSize + 2<<20
	// discardRoom is for the garbage of as many files as a value log ever has.
	discardRoom = 64 << 10
	// tableRoom is for the tables of all memtables, or of a step of a compaction.
	tableRoom = 32 << 20
	// entryRoom is what a log takes beside a key and a value.
	entryRoom = 64
)

// room is what was given a place.
type room struct {
	mem int // number of the newest log of a memtable
}

// reserve gives a place to what ops are about to write: the newest log and the one
// after it, which Badger takes as it is, because it is empty. A big value goes to the
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
	// What is written has its place, without holes.
	const block = 512
	return s.give(name, 0, st.Blocks*block+big)
}

// give gives the beginning of a file a place on the volume; its length stays. Where
// the file system cannot, nothing is given.
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

// full is the error of a write that was not begun for lack of space. The store goes on.
func (s *Store) full() error {
	return &Fault{Dir: s.dir, Kind: engine.ErrLowSpace, What: "has no space left on its volume: nothing was written",
		Next: "Free some space there; work goes on by itself."}
}

func (s *Store) roomy() bool {
	free, err := s.Free()
	return err != nil || free >= tableRoom
}

// awaitRoom holds a compaction up while there is no room for what it makes. It is
// called by Badger, in goroutines of its own; those of a store that has stopped are
// left where they are. Close would wait for them.
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

// unmade is why Close leaves the store as a kill does.
func (s *Store) unmade() error {
	return &Fault{Dir: s.dir, Kind: engine.ErrLowSpace,
		What: "was left as it is, because its volume has no space for a tidy end",
		Next: "Free some space there, then start again; " + found}
}
