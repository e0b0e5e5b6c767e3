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
	// unflushed is told that a memtable cannot be made a table. Badger only logs
	// that: it tries again for ever, and writes and Close wait for it.
	unflushed func(error)
}

const flushFailed = "error flushing memtable to disk"

func (b badgerLog) Errorf(format string, args ...any) {
	b.write(zerolog.WarnLevel, format, args)
	if !strings.HasPrefix(format, flushFailed) || len(args) == 0 {
		return
	}
	if err, ok := args[0].(error); ok {
		b.unflushed(err)
	}
}

func (b badgerLog) Warningf(format string, args ...any) { b.write(zerolog.WarnLevel, format, args) }
func (b badgerLog) Infof(format string, args ...any)    { b.write(zerolog.DebugLevel, format, args) }
func (b badgerLog) Debugf(format string, args ...any)   { b.write(zerolog.DebugLevel, format, args) }

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

// masked stands for an argument that is left out, whatever its verb.
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
