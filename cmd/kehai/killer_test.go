package main

import (
	"bytes"
	"context"
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
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// killerEnv makes the test binary a kehai with an actor that has one message, or
// one call of a worker, that ends the process.
const killerEnv = "KEHAI_KILLER_TEST"

const killerExit = 7

func killerChild() int {
	how := os.Getenv(killerEnv)
	os.Unsetenv(killerEnv) // kehai knows no such variable, and says so
	rows := actors.NewTable[string]("rows")
	victim := actors.Func(func(t *actors.Turn, m messages.Message) error {
		switch m := m.(type) {
		case messages.Started:
			if done, _ := rows.Get(t, "sent"); done == "" {
				rows.Put(t, "sent", "yes")
				if how == "call" {
					t.Call("fatal", messages.LedgerDue{}, actors.CallOptions{Deadline: time.Minute})
				} else {
					t.Send(t.Self(), messages.LedgerDue{})
				}
				t.Send("bystander/1", messages.LedgerDue{})
			}
		case messages.LedgerDue:
			os.Exit(killerExit)
		case messages.CallFailed:
			fmt.Println("answered:", m.Detail)
		}
		return nil
	})
	bystander := actors.Func(func(t *actors.Turn, m messages.Message) error {
		if _, ok := m.(messages.LedgerDue); ok {
			fmt.Println("bystander")
		}
		return nil
	})
	of := func(a actors.Actor) func(messages.Address) actors.Actor {
		return func(messages.Address) actors.Actor { return a }
	}
	return Main(os.Args[1:], os.Stdout, os.Stderr,
		runtime.WithActor(engine.Kind{Name: "victim", New: of(victim)}, "1"),
		runtime.WithActor(engine.Kind{Name: "bystander", New: of(bystander)}),
		runtime.WithWorker(engine.WorkerKind{Name: "fatal", New: func() (actors.Worker, error) {
			return actors.WorkerFunc(func(context.Context, messages.Message) (messages.Message, error) {
				os.Exit(killerExit)
				return nil, nil
			}), nil
		}}))
}

// What ends the process is put aside after as many deaths as other messages have
// attempts, and everything else goes on.
func TestWhatKillsTheProcessIsPutAside(t *testing.T) {
	for _, how := range []string{"message", "call"} {
		t.Run(how, func(t *testing.T) {
			base := t.TempDir()
			config := filepath.Join(base, "kehai.yaml")
			if err := os.WriteFile(config, []byte("windows: []\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			kehai := func(out *bytes.Buffer, verb ...string) *exec.Cmd {
				cmd := exec.Command(os.Args[0], append([]string{"--config", config, "--data",
					filepath.Join(base, "data")}, verb...)...)
				cmd.Env = append(os.Environ(), killerEnv+"="+how)
				cmd.Stdout, cmd.Stderr = out, out
				return cmd
			}
			var all strings.Builder // of what the starts say
			for start := range engine.MaxAttempts {
				var out bytes.Buffer
				err := kehai(&out, "run", "--no-web").Run()
				var exit *exec.ExitError
				if !errors.As(err, &exit) || exit.ExitCode() != killerExit {
					t.Fatalf("start %d ended with %v, want exit code %d:\n%s", start+1, err, killerExit, &out)
				}
				all.Write(out.Bytes())
			}
			var out bytes.Buffer
			run := kehai(&out, "run", "--no-web")
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			dead := awaitDeadLetter(t, filepath.Join(base, "data"))
			if err := run.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := run.Wait(); err != nil {
				t.Errorf("the run ended with %v:\n%s", err, &out)
			}
			if dead.Actor != "victim/1" || dead.Type != "ledger_due" || dead.Attempts != engine.MaxAttempts ||
				!strings.Contains(dead.Error, "ended by itself 5 times") {
				t.Errorf("the dead letter is %+v, want the %s after %d deaths", dead, how, engine.MaxAttempts)
			}
			all.Write(out.Bytes())
			if n := strings.Count(all.String(), "bystander\n"); n == 0 {
				t.Errorf("nobody else got mail in six starts:\n%s", &all)
			}
			if how == "call" && !strings.Contains(out.String(), "answered: the process ended by itself 5 times") {
				t.Errorf("the caller was not answered:\n%s", &out)
			}
		})
	}
}

// awaitDeadLetter asks a kehai that starts for its first dead letter.
func awaitDeadLetter(t *testing.T, data string) engine.DeadLetter {
	t.Helper()
	for end := time.Now().Add(timeout); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		client, err := control.Dial(t.Context(), data)
		if err != nil {
			continue
		}
		list, err := client.DeadLetters(t.Context())
		client.Close()
		if err == nil && len(list) > 0 {
			return list[0]
		}
	}
	return engine.DeadLetter{}
}
