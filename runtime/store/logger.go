package store

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"
)

// badgerLog passes Badger's messages on: its routine work at level debug, its
// problems at level warn. Numbers are kept; texts, bytes and errors may hold keys and are
// left out, except the system's error numbers.
type badgerLog struct {
	log zerolog.Logger
	// broken is told of failures that Badger only logs, or logs first.
	broken func(error)
	// awaitRoom is called before a compaction writes a table.
	awaitRoom func()
	// merged is called when a compaction has read its tables, before it deletes them.
	merged func()
}

const (
	// Badger would retry for ever, and writes and Close wait for it. See [badgerLog.Errorf].
	flushFailed = "error flushing memtable to disk"
	// Badger would retry. It may have named tables in the MANIFEST that it has removed.
	mergeFailed = "[Compactor: %d] LOG Compact FAILED"
	// Badger then continues without a memtable: reads and writes panic.
	noMemtable = "Got error: %v for id"
	// Badger has collected the content of a table.
	collected = "[%d] LOG Compact. Added"
	// Badger has read the tables of a compaction.
	discards = "Discard stats"
)

// Errorf does not return after a failed flush. Badger would try again, and once that succeeds remove the memory log,
// while the MANIFEST still names the table of the first attempt: nothing would tell any more whether data is missing.
func (b badgerLog) Errorf(format string, args ...any) {
	b.write(zerolog.WarnLevel, format, args)
	b.tell(format, args, noMemtable)
	if b.tell(format, args, flushFailed) {
		select {}
	}
}

func (b badgerLog) Warningf(format string, args ...any) {
	b.write(zerolog.WarnLevel, format, args)
	b.tell(format, args, mergeFailed)
}

// tell passes on the error of a message that begins so.
func (b badgerLog) tell(format string, args []any, begins string) bool {
	if !strings.HasPrefix(format, begins) || b.broken == nil {
		return false
	}
	for _, a := range args {
		if err, ok := a.(error); ok {
			b.broken(err)
			return true
		}
	}
	return false
}

func (b badgerLog) Infof(format string, args ...any) { b.write(zerolog.DebugLevel, format, args) }

func (b badgerLog) Debugf(format string, args ...any) {
	b.write(zerolog.DebugLevel, format, args)
	if b.awaitRoom != nil && strings.HasPrefix(format, collected) {
		b.awaitRoom()
	}
	if b.merged != nil && strings.HasPrefix(format, discards) {
		b.merged()
	}
}

func (b badgerLog) write(level zerolog.Level, format string, args []any) {
	e := b.log.WithLevel(level)
	if level < b.log.GetLevel() || level < zerolog.GlobalLevel() || !e.Enabled() {
		return
	}
	safe := make([]any, len(args))
	for i, a := range args {
		safe[i] = bare(a)
	}
	e.Str("from", "badger").Msg(strings.TrimSpace(fmt.Sprintf(format, safe...)))
}

// masked replaces an argument that is left out, whatever its verb.
type masked struct{}

func (masked) Format(f fmt.State, _ rune) { fmt.Fprint(f, "…") }

func bare(arg any) any {
	switch a := arg.(type) {
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64, bool, time.Duration:
		return a
	case error:
		if errno := syscall.Errno(0); errors.As(a, &errno) {
			return errno
		}
	}
	return masked{}
}
