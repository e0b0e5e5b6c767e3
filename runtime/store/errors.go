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

// Fault says what is wrong with a store and what to do. errors.Is finds its Kind: one of
// the engine's store errors, or the system's error if the fault is not the store's own,
// such as a missing permission.
//
// No text of a Fault contains a key or a value. Badger's own errors and panics quote
// keys, so only the text that cause makes of them is used.
type Fault struct {
	Dir  string // directory of the store
	Kind error
	What string // follows the directory: "is held by process 12"
	Next string // a sentence that tells what to do
	// Unknown means that the data being written may or may not be there: errors.Is then
	// finds engine.ErrUnknown too.
	Unknown bool
}

// Is reports what errors.Is finds in addition to Kind.
func (f *Fault) Is(target error) bool { return f.Unknown && target == engine.ErrUnknown }

func (f *Fault) Error() string {
	return fmt.Sprintf("store: %s %s. %s", f.Dir, f.What, f.Next)
}

func (f *Fault) Unwrap() error { return f.Kind }

// advice is what a person can do about a store: of Kehai, or of a host that is alone.
type advice struct{ restore, key, keyless, elsewhere, room string }

func adviceFor(alone bool) advice {
	if alone {
		return advice{
			restore: "Put a copy of the data directory in its place that was made while nothing ran. " +
				"Without one, move the data directory away: then an empty one is made.",
			key:       "Open it with the program that encrypted it, or choose another directory in Options.Data.",
			keyless:   "Open it with the program that made it, or choose another directory in Options.Data.",
			elsewhere: "choose another directory in Options.Data",
			room:      "Free some space there, then start again.",
		}
	}
	return advice{
		restore: "Restore a backup: move the directory away, then run `kehai restore FILE`. " +
			"Without a backup, Kehai begins with an empty one.",
		key: "Put back the key that it was created with: name its file in `encryption.key_file`, " +
			"or run `kehai key restore FILE`.",
		keyless: "Open it without `encryption.key_file`, or choose a new directory with `--data` " +
			"for an encrypted store.",
		elsewhere: "choose another directory with `--data`",
		room:      "Free some space there, or lower `store.min_free`, then start again.",
	}
}

func (o Options) advice() advice { return adviceFor(o.Alone) }

// unreadable turns an error of reading an open store into a fault.
func (s *Store) unreadable(err error) error {
	if f := refused(s.dir, "cannot be read", err); f != nil {
		return f
	}
	return &Fault{Dir: s.dir, Kind: engine.ErrCorrupt, What: "is damaged: " + cause(err),
		Next: adviceFor(s.alone).restore}
}

// refused returns the fault if the system refused something, else nil: then err is about
// the files themselves.
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
	// Its text begins with the text of EMFILE.
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

// isOf also looks at the text: when Badger wraps an error, it keeps the text but not the
// error itself.
func isOf(err, known error) bool {
	return errors.Is(err, known) || strings.Contains(err.Error(), known.Error())
}

// unwritable handles an error of writing. It stops the store, because Badger's memory may
// now differ from its files.
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

// interrupted handles an error of a write that had begun.
func interrupted(err error) error {
	f := (*Fault)(nil)
	if !errors.As(err, &f) {
		return err
	}
	unknown := *f
	unknown.Unknown = true
	return &unknown
}

// caught turns a panic of Badger into an error and stops the store: Badger panics on some
// damage. It is deferred around every call of Badger, never around a caller's functions.
func (s *Store) caught(err *error) {
	r := recover()
	if r == nil {
		return
	}
	why := s.unreadable(panicked(r))
	*err = s.halt(why, why)
}

// halt stops the store and returns why it stopped: whatever stopped it first is the cause
// of later errors.
func (s *Store) halt(why, refuse error) error {
	s.stop(why, refuse)
	<-s.gate.stopped
	return s.gate.why
}

// panicked describes the value of a panic. Only the Go runtime's own texts are known to
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

// faults turns a page fault into a panic: the disk cannot read a mapped page, or the file
// was cut. Badger reads through memory maps, and Go would otherwise end the process. This
// holds for the current goroutine until the result is called; Badger's own goroutines are
// out of reach, see decision 3.
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
		fs.ErrNotExist, badger.ErrDBClosed, badger.ErrBlockedWrites, errPage, errValue, errBlock, errRedo,
		errRecord, errFormat,
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
