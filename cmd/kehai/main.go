// Command kehai reads chat windows, and delivers each message exactly once.
//
// Each verb is a struct in a file of its own, with its flags as fields. root.go
// lists the verbs, app.go holds what they share, and terminal.go writes for people.
// What the command does is package runtime.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/private"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // it did not work
	exitUsage  = 2 // the command line or the configuration is wrong
)

func main() {
	private.Umask()
	private.NoCore()
	os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
}

// Main runs a command line and returns its exit code. Extra options go to the
// runtimes it makes: a build of its own may add drivers and actors.
func Main(args []string, stdout, stderr io.Writer, extra ...runtime.Option) int {
	extra = append(append([]runtime.Option{runtime.WithOCRCommand(runtime.OCRCommand)}, drivers()...), extra...)
	a := &app{stdout: newTerminal(stdout), stderr: newTerminal(stderr), extra: extra}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(context.Background())
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitFailed
	}
	a.stderr.lines("kehai: ", "", withoutPackage(err.Error()))
	if errors.As(err, &usage) || errors.Is(err, control.ErrNotClear) {
		return exitUsage
	}
	return exitFailed
}

// withoutPackage takes the names of packages off the start of an error: they are for a
// log, and say nothing to a person.
func withoutPackage(text string) string {
	for {
		before, rest, ok := strings.Cut(text, ": ")
		if !ok || !slices.Contains(packages, before) {
			return text
		}
		text = rest
	}
}

var packages = []string{"config", "control", "datadir", "engine", "keyring", "layout", "offline", "recording",
	"runtime", "seat", "store", "web"}

// errReported ends a verb that has already told the person what is wrong.
var errReported = errors.New("reported")

// usageError is a mistake of the person.
type usageError struct{ err error }

func (u *usageError) Error() string { return u.err.Error() }
func (u *usageError) Unwrap() error { return u.err }

func badUsage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }
