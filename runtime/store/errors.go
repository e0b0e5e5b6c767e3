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
	if f := refused(s.dir, "cannot be read", err); f != nil {
		return f
	}
	return &Fault{Dir: s.dir, Kind: engine.ErrCorrupt, What: "is damaged: " + cause(err), Next: restore}
}

// refused is the fault of what the system refused, or nil if it refused nothing:
// then err tells of the files themselves.
func refused(dir, what string, err error) error {
	for _, a := range advised {
		if isOf(err, a.errno) {
			return &Fault{Dir: dir, Kind: a.errno, What: what + ": " + a.errno.Error(), Next: a.next + found}
		}
	}
	return nil
}

// advised lists what a system refuses, and what a person can do about it.
var advised = []struct {
	errno syscall.Errno
	next  string
}{
	{syscall.ENOSPC, "Free some space on its volume, then start again; "},
	{syscall.EDQUOT, "Free some space or raise the quota of this user, then start again; "},
	// Its text begins with that of EMFILE.
	{syscall.ENFILE, "End what holds many files open on this machine, then start again; "},
	{syscall.EMFILE, "Raise the limit of open files (ulimit -n), then start again; "},
	{syscall.EFBIG, "Raise the limit of the size of a file to 128 MiB or more (ulimit -f), then start again; "},
	{syscall.ENOMEM, "Free some memory or raise its limit (ulimit -v), then start again; "},
	{syscall.EIO, "Check the disk and its connection, then start again; "},
	{syscall.EROFS, volumeThere},
	{syscall.EACCES, volumeThere},
	{syscall.EPERM, volumeThere},
}

const (
	volumeThere = "Check that the volume is there, writable and not full, then restart; "
	found       = "what was acknowledged is found again."
)

// isOf also looks into the text: Badger keeps the text of the error that it wraps,
// but not the error itself.
func isOf(err, known error) bool {
	return errors.Is(err, known) || strings.Contains(err.Error(), known.Error())
}

// unwritable is for errors of writing. It stops the store, because Badger's
// memory may by then differ from its files.
func (s *Store) unwritable(err error) error {
	if f := (*Fault)(nil); errors.As(err, &f) {
		return err
	}
	const what = "cannot be written and has stopped"
	why := &Fault{Dir: s.dir, What: what + ": " + cause(err), Next: volumeThere + found}
	if known := (*Fault)(nil); errors.As(refused(s.dir, what, err), &known) {
		why = known
	}
	if why.Kind = engine.ErrClosed; isFull(err) {
		why.Kind = engine.ErrLowSpace
	}
	return s.halt(why, &Fault{Dir: s.dir, Kind: engine.ErrClosed,
		What: "stopped working after a failed write", Next: "Restart to find what was acknowledged."})
}

func isFull(err error) bool {
	return err != nil && (isOf(err, syscall.ENOSPC) || isOf(err, syscall.EDQUOT))
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
// error, and stops the store. It is deferred around calls of Badger only, never around
// a caller's functions. Each such call is inside of one.
func (s *Store) caught(err *error) {
	r := recover()
	if r == nil {
		return
	}
	why := s.unreadable(panicked(r))
	*err = s.halt(why, why)
}

// halt stops the store and returns why it has: what stopped it first is the cause of
// what follows.
func (s *Store) halt(why, refuse error) error {
	s.stop(why, refuse)
	<-s.gate.stopped
	return s.gate.why
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

// cause describes an error without quoting a key or a value.
func cause(err error) string {
	text := err.Error()
	for _, known := range []error{
		syscall.ENOSPC, syscall.EIO, syscall.EROFS, syscall.ENFILE, syscall.EMFILE, syscall.ENOMEM,
		syscall.EACCES, syscall.EPERM, syscall.EDQUOT, syscall.EFBIG,
		fs.ErrNotExist, badger.ErrDBClosed, badger.ErrBlockedWrites, errPage, errValue, errBlock, errRedo, errFormat,
	} {
		if isOf(err, known) {
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
