package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
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

// loseEnv makes the test binary a kehai that loses the right to write in its
// store, the directory in the variable, while it writes.
const loseEnv = "KEHAI_LOSE_TEST"

const nobody = 65534

func loseChild() int {
	dir := os.Getenv(loseEnv)
	os.Unsetenv(loseEnv) // kehai knows no such variable, and says so
	if os.Geteuid() == 0 {
		if err := errors.Join(syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return exitUsage
		}
	}
	n := 0
	rows := actors.NewTable[string]("rows")
	filler := actors.Func(func(t *actors.Turn, m messages.Message) error {
		if n++; n == 3 {
			if err := os.Chmod(dir, 0o500); err != nil {
				return err
			}
		}
		rows.Put(t, fmt.Sprint(n), strings.Repeat("x", 500<<10))
		t.Send(t.Self(), messages.LedgerDue{})
		return nil
	})
	return Main(os.Args[1:], os.Stdout, os.Stderr,
		runtime.WithActor(engine.Kind{Name: "filler", New: func(messages.Address) actors.Actor { return filler }}, "1"))
}

// TestRunEndsWhenTheStoreCannotBeWritten fills the store's memory while its
// directory is read-only. Badger waits for ever for its own writes then.
func TestRunEndsWhenTheStoreCannotBeWritten(t *testing.T) {
	base := t.TempDir()
	data := filepath.Join(base, "data")
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
	cmd := exec.Command(os.Args[0], "--config", filepath.Join(base, "kehai.yaml"), "--data", data, "run", "--no-web")
	cmd.Env = append(os.Environ(), loseEnv+"="+filepath.Join(data, "store"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Five seconds, and the start of a process on a busy machine.
	late := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	began := time.Now()
	err = cmd.Wait()
	if !late.Stop() || cmd.ProcessState.ExitCode() != exitFailed {
		t.Fatalf("kehai ended after %v with %v, want exit code %d by itself:\n%s",
			time.Since(began), err, exitFailed, &stderr)
	}
	for _, words := range []string{
		"store_stopped", "kehai: runtime: the store stopped", "permission denied", "start again",
	} {
		if !strings.Contains(stderr.String(), words) {
			t.Errorf("kehai says %q, want %q in it", &stderr, words)
		}
	}
	t.Logf("ended after %v:\n%s", time.Since(began), &stderr)
}
