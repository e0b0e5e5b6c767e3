package store

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/dgraph-io/badger/v4"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Fault says what is wrong with a store and what to do. errors.Is finds its
// Kind, which is one of the engine's errors of a store, or the system's error
// where the fault is not the store's own, as with a missing permission.
//
// No text of a Fault holds a key or a value: Badger's own errors and panics
// quote keys, so only what cause says about them is used.
type Fault struct {
	Dir  string // directory of the store
	Kind error
	What string // follows the directory: "is held by process 12"
	Next string // a sentence that tells what to do
	// Unknown says that what was being written may be there or not: errors.Is finds
	// engine.ErrUnknown too.
	Unknown bool
}

// Is reports what errors.Is finds beside Kind.
func (f *Fault) Is(target error) bool { return f.Unknown && target == engine.ErrUnknown }

func (f *Fault) Error() string {
	return fmt.Sprintf("store: %s %s. %s", f.Dir, f.What, f.Next)
}

func (f *Fault) Unwrap() error { return f.Kind }

const restore = "Restore a backup, or move the directory away to begin with an empty one."

func corrupt(dir, file, what string) error {
	return &Fault{Dir: dir, Kind: engine.ErrCorrupt,
		What: fmt.Sprintf("is damaged: %s: %s", file, what), Next: restore}
}

// unreadable is for errors of reading a store that is open.
func (s *Store) unreadable(err error) error {
	return &Fault{Dir: s.dir, Kind: engine.ErrCorrupt, What: "is damaged: " + cause(err), Next: restore}
}

// unwritable is for errors of writing. It stops the store, because Badger's
// memory may by then differ from its files.
func (s *Store) unwritable(err error) error {
	if f := (*Fault)(nil); errors.As(err, &f) {
		return err
	}
	kind := engine.ErrClosed
	if errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), syscall.ENOSPC.Error()) {
		kind = engine.ErrLowSpace
	}
	why := &Fault{Dir: s.dir, Kind: kind, What: "cannot be written and has stopped: " + cause(err),
		Next: "Check that the volume is there, writable and not full, then restart; " +
			"what was acknowledged is found again."}
	s.stop(why, &Fault{Dir: s.dir, Kind: engine.ErrClosed,
		What: "stopped working after a failed write", Next: "Restart to find what was acknowledged."})
	return why
}

// interrupted is for errors of a write that had begun.
func interrupted(err error) error {
	f := (*Fault)(nil)
	if !errors.As(err, &f) {
		return err
	}
	unknown := *f
	unknown.Unknown = true
	return &unknown
}

// caught turns a panic of Badger, which is how it meets some damage, into an
// error. It is deferred around calls of Badger only, never around a caller's
// functions.
func (s *Store) caught(err *error) {
	if r := recover(); r != nil {
		*err = s.unreadable(panicked(r))
		s.stop(*err, *err)
	}
}

// panicked describes the value of a panic. Only texts of the Go runtime are known to
// quote nothing.
func panicked(value any) error {
	if err, ok := value.(runtime.Error); ok {
		if _, ok := value.(interface{ Addr() uintptr }); ok {
			return errPage
		}
		return fmt.Errorf("%w (%v)", errPanic, err)
	}
	return errPanic
}

// faults makes a panic of a page that the system cannot bring from a file: the disk
// fails to read it, or the file was cut. Badger reads through memory maps, and Go
// ends the process otherwise. It holds for this goroutine until the result is called;
// goroutines of Badger's own are out of reach, see decision 3.
func faults() (end func()) {
	was := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(was) }
}

var (
	errPanic = errors.New("a file does not hold what it should")
	errPage  = errors.New("a file is shorter than it was, or the disk cannot read it")
	errValue = errors.New("a value is missing from the value log or was changed")
)

// cause describes an error without quoting a key or a value. Badger keeps the
// text of the error it wraps but not the error itself, so the text is searched.
func cause(err error) string {
	text := err.Error()
	for _, known := range []error{
		syscall.ENOSPC, syscall.EIO, syscall.EROFS, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM,
		syscall.EACCES, syscall.EPERM, syscall.EDQUOT, syscall.EFBIG,
		fs.ErrNotExist, badger.ErrDBClosed, badger.ErrBlockedWrites, errPage, errValue, errBlock, errRedo, errFormat,
	} {
		if errors.Is(err, known) || strings.Contains(text, known.Error()) {
			return known.Error()
		}
	}
	switch {
	case errors.Is(err, errPanic):
		return text
	case strings.Contains(text, "checksum") || strings.Contains(text, "CHECKSUM"):
		return "a checksum does not match"
	case strings.Contains(text, "EOF"), strings.Contains(text, "value pointer"),
		strings.Contains(text, "file with ID"), strings.Contains(text, "Invalid read"):
		return errValue.Error()
	}
	return "it cannot be read"
}
