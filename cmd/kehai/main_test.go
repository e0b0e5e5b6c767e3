package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kehai-run/kehai/runtime/control"
)

// TestMain lets the test binary stand in for kehai: in scripts under its own
// name, and in the crash test with faults built in.
func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		os.Exit(crashChild())
	}
	if os.Getenv(loseEnv) != "" {
		os.Exit(loseChild())
	}
	testscript.Main(m, map[string]func(){
		"kehai": main,
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("KEHAI_UPDATE") != "",
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"answering": answering, "llmserver": llmServer},
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_DATA_HOME", env.WorkDir+"/share")
			env.Setenv("NO_COLOR", "1")
			return nil
		},
	})
}

// answering waits until the Kehai that a script started in the background
// answers: before, a verb might take the store away from it.
func answering(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: answering")
	}
	data := filepath.Join(ts.Getenv("XDG_DATA_HOME"), "kehai")
	for deadline := time.Now().Add(10 * time.Second); ; {
		client, err := control.Dial(context.Background(), data)
		if err == nil {
			client.Close()
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("no Kehai answers: %v", err)
		}
		<-time.After(20 * time.Millisecond)
	}
}
