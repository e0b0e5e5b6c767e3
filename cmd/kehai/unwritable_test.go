package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/engine"
)

// loseEnv makes the test binary a kehai whose disk fails in the way that the
// variable names; loseDirEnv is the directory of its store.
const (
	loseEnv    = "KEHAI_LOSE_TEST"
	loseDirEnv = "KEHAI_LOSE_TEST_DIR"
)

const nobody = 65534

func loseChild() int {
	how, dir := os.Getenv(loseEnv), os.Getenv(loseDirEnv)
	os.Unsetenv(loseEnv) // kehai knows no such variable, and says so
	os.Unsetenv(loseDirEnv)
	if os.Geteuid() == 0 {
		if err := errors.Join(syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return exitUsage
		}
	}
	with := []runtime.Option{runtime.WithActor(engine.Kind{Name: "filler", New: func(messages.Address) actors.Actor {
		return filler(failures[how], dir)
	}}, "1")}
	if failures[how].crowd {
		var names []string
		for n := range crowded {
			names = append(names, fmt.Sprint(n))
		}
		with = append(with, runtime.WithActor(engine.Kind{Name: "busy", New: busy}, names...))
	}
	return Main(os.Args[1:], os.Stdout, os.Stderr, with...)
}

// busy reads and writes a small row, over and over.
func busy(messages.Address) actors.Actor {
	rows := actors.NewTable[int]("rows")
	return actors.Func(func(t *actors.Turn, _ messages.Message) error {
		n, _ := rows.Get(t, "n")
		rows.Put(t, "n", n+1)
		t.Send(t.Self(), messages.LedgerDue{})
		return nil
	})
}

// failure is how a disk fails, while the store is written or read.
type failure struct {
	write, read func(dir string) error
	over        bool     // nothing is written after it
	crowd       bool     // other actors read and write all the time
	want        []string // in the last words
}

// crowded is how many actors make the traffic of a failure.
const crowded = 16

// The rows of half a megabyte each that a store holds before it is read, and that nearly fill what it
// holds in memory: one of the next needs another file.
const rowsBefore, rowsFull = 3, 11

// faultMark is the line that the child writes when its disk begins to fail.
const faultMark = "from here on the disk fails"

var failures = map[string]failure{
	"fill": {write: func(string) error { return syscall.Kill(os.Getpid(), syscall.SIGTERM) }, over: true},
	"directory is read-only": {
		write: func(dir string) error { return os.Chmod(dir, 0o500) },
		want:  []string{"cannot be written", "permission denied"},
	},
	"directory is read-only under traffic": {
		write: func(dir string) error { return os.Chmod(dir, 0o500) }, crowd: true,
		want: []string{"cannot be written", "permission denied"},
	},
	"too many files under traffic": {
		write: func(string) error {
			return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 8, Max: 8})
		}, crowd: true,
		want: []string{"cannot be written", "too many open files", "ulimit -n"},
	},
	"system refuses files": {
		write: func(string) error {
			signal.Ignore(syscall.SIGXFSZ)
			return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20})
		},
		want: []string{"cannot be written", "file too large"},
	},
	"bytes change": {
		read: eachTable(func(path string) error {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			for at := int64(0); at < rowsBefore*500<<10; at += 100 << 10 {
				if _, err := f.WriteAt([]byte("damage"), at); err != nil {
					return err
				}
			}
			return f.Close()
		}),
		want: []string{"is damaged", "a checksum does not match"},
	},
	// Badger panics, and so does whoever reads the page of a file that has gone.
	"file is cut": {
		read: eachTable(func(path string) error { return os.Truncate(path, 4096) }),
		want: []string{"is damaged", "a file"},
	},
}

func eachTable(fn func(path string) error) func(dir string) error {
	return func(dir string) error {
		tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
		if err == nil && tables == nil {
			err = errors.New("the store has no table")
		}
		for _, path := range tables {
			err = errors.Join(err, fn(path))
		}
		return err
	}
}

// filler writes row after row, with the failure once there are some, or reads
// those that are there after the failure.
func filler(f failure, dir string) actors.Actor {
	n, last := 0, rowsFull
	if f.over {
		last = rowsBefore
	}
	rows := actors.NewTable[string]("rows")
	fail := func(how func(string) error) error {
		fmt.Fprintln(os.Stderr, faultMark)
		return how(dir)
	}
	return actors.Func(func(t *actors.Turn, _ messages.Message) error {
		n++
		if f.read != nil {
			if n == 1 {
				if err := fail(f.read); err != nil {
					return err
				}
			}
			for i := range rowsBefore {
				rows.Get(t, fmt.Sprint(i+1))
			}
			return nil
		}
		if n == last {
			if err := fail(f.write); err != nil {
				return err
			}
		}
		rows.Put(t, fmt.Sprint(n), strings.Repeat("x", 500<<10))
		if n < last || !f.over {
			t.Send(t.Self(), messages.LedgerDue{})
		}
		return nil
	})
}

// losing is a data directory of a user who has no rights beyond it.
func losing(t *testing.T) (base, data string) {
	t.Helper()
	base = t.TempDir()
	data = filepath.Join(base, "data")
	err := errors.Join(os.Chmod(filepath.Dir(base), 0o755), os.Chmod(base, 0o755), os.Mkdir(data, 0o700))
	if err == nil && os.Geteuid() == 0 {
		err = os.Chown(data, nobody, nobody)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(base, "kehai.yaml"), []byte("windows: []\n"), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return base, data
}

// lose runs a kehai whose disk fails, and returns its exit code and last words.
func lose(t *testing.T, how, base, data string) (code int, said string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "--config", filepath.Join(base, "kehai.yaml"), "--data", data, "run", "--no-web")
	cmd.Env = append(os.Environ(), loseEnv+"="+how, loseDirEnv+"="+filepath.Join(data, "store"))
	var stderr stamped
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Until the fault it may take as long as it needs.
	late := time.AfterFunc(timeout, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	if !late.Stop() {
		t.Fatalf("kehai did not end by itself within %v: %v\n%s", timeout, err, &stderr)
	}
	took := time.Since(stderr.failed)
	if t.Logf("ended %v after the fault", took); took > 5*time.Second { // also if there was none
		t.Errorf("kehai ended %v after its disk began to fail, want within 5 s\n%s", took, &stderr)
	}
	return cmd.ProcessState.ExitCode(), stderr.String()
}

// stamped notes when it hears that the disk fails.
type stamped struct {
	all    bytes.Buffer // not embedded: its ReadFrom would bypass Write
	failed time.Time
}

func (s *stamped) String() string { return s.all.String() }

func (s *stamped) Write(b []byte) (int, error) {
	if s.failed.IsZero() && bytes.Contains(b, []byte(faultMark)) {
		s.failed = time.Now()
	}
	return s.all.Write(b)
}

// TestRunEndsWhenTheDiskFails breaks the store of a kehai that runs. Left alone,
// Badger waits for ever for its own writes, answers that what it cannot read is
// not there, or panics.
func TestRunEndsWhenTheDiskFails(t *testing.T) {
	for how, f := range failures {
		if how == "fill" {
			continue
		}
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			base, data := losing(t)
			if f.read != nil {
				if code, said := lose(t, "fill", base, data); code != 0 {
					t.Fatalf("kehai ended with exit code %d while it was whole:\n%s", code, said)
				}
			}
			code, said := lose(t, how, base, data)
			if code != exitFailed {
				t.Errorf("kehai ended with exit code %d, want %d", code, exitFailed)
			}
			_, last, _ := strings.Cut(said, "kehai: the store stopped, so this run ends")
			for _, words := range append(f.want, filepath.Join(data, "store")) {
				if !strings.Contains(last, words) {
					t.Errorf("the last words of kehai lack %q:\n%s", words, said)
				}
			}
			if !strings.Contains(said, "store_stopped") {
				t.Errorf("the log lacks store_stopped:\n%s", said)
			}
		})
	}
}
