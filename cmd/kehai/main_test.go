package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	if os.Getenv(answeringEnv) != "" {
		os.Exit(answeringChild())
	}
	if os.Getenv(loseEnv) != "" {
		os.Exit(loseChild())
	}
	if os.Getenv(killerEnv) != "" {
		os.Exit(killerChild())
	}
	if len(os.Args) == 3 && os.Args[1] == "ocr-worker" { // this program, as the doctor and isolated OCR start it
		main()
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
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"ailing": ailing, "answering": answering, "awaits": awaits, "blank": blank, "drafted": drafted,
			"llmserver": llmServer, "freeport": freePort, "letters": letters, "recording": isRecording, "up": up,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_DATA_HOME", env.WorkDir+"/share")
			env.Setenv("NO_COLOR", "1")
			return nil
		},
	})
}

// timeout is how long a script waits for something. It only matters when a test
// fails.
const timeout = time.Minute

// blank draws a picture that shows nothing.
func blank(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: blank FILE.png")
	}
	var b bytes.Buffer
	ts.Check(png.Encode(&b, image.NewGray(image.Rect(0, 0, 480, 720))))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o600))
}

// letters writes a file with one line of so many letters behind what it has.
func letters(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: letters FILE N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(ts.ReadFile(args[0])+strings.Repeat("あ", n)+"\n"), 0o600))
}

// answering waits until the Kehai that a script started in the background
// answers: before, a verb might take the store away from it.
func answering(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: answering")
	}
	ask(ts, "answers", func(*control.Client) bool { return true })
}

// freePort sets a variable to a port that nobody listens at.
func freePort(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: freeport NAME")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	_, port, err := net.SplitHostPort(ln.Addr().String())
	ts.Check(errors.Join(err, ln.Close()))
	ts.Setenv(args[0], port)
}

// up waits until a majority decides, and the running Kehai has heard of members.
func up(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: up NODE[=ROLE]…")
	}
	for _, arg := range args {
		node, role, _ := strings.Cut(arg, "=")
		ask(ts, "sees "+arg, func(client *control.Client) bool {
			c, err := client.Cluster(context.Background())
			return err == nil && c.Ready && slices.ContainsFunc(c.Members, func(m control.ClusterMember) bool {
				return m.Node == node && m.Up && (role == "" || role == m.Role)
			})
		})
	}
}

// ailing waits until the Kehai in the background says that something is wrong that matches a pattern.
func ailing(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: ailing PATTERN")
	}
	pattern := regexp.MustCompile(args[0])
	ask(ts, "is ailing: "+args[0], func(client *control.Client) bool {
		s, err := client.Status(context.Background())
		return err == nil && slices.ContainsFunc(s.Problems, pattern.MatchString)
	})
}

// isRecording waits until the Kehai in the background records.
func isRecording(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: recording")
	}
	ask(ts, "records", func(client *control.Client) bool {
		s, err := client.Status(context.Background())
		return err == nil && s.Recording != nil
	})
}

// awaits waits until the JSON of what the Kehai in the background has delivered
// matches a pattern.
func awaits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: awaits PATTERN")
	}
	pattern := regexp.MustCompile(args[0])
	ask(ts, "delivers "+args[0], func(client *control.Client) bool {
		found := false
		err := client.Timeline(context.Background(), control.Query{}, func(e control.Entry) error {
			line, err := json.Marshal(e)
			found = found || pattern.Match(line)
			return err
		})
		return err == nil && found
	})
}

// drafted waits until a reply waits for a person in the Kehai in the background, with
// anew another one than $DRAFT, or, with a reason, until one that is to be sent waits
// because of it; with writing until one is being written. It puts its ID into $DRAFT. With none
// it waits until there is no reply of any kind.
func drafted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: drafted [anew|writing|none|REASON]")
	}
	state, why, before := "draft", "", ""
	if len(args) > 0 && args[0] == "anew" {
		before = ts.Getenv("DRAFT")
	} else if len(args) > 0 && args[0] == "writing" {
		state = args[0]
	} else if len(args) > 0 {
		state, why = stateSending, args[0]
	}
	ask(ts, "has a draft", func(client *control.Client) bool {
		list, err := client.Drafts(context.Background())
		if why == "none" {
			return err == nil && len(list) == 0
		}
		for _, d := range list {
			if string(d.State) == state && string(d.Waits) == why && string(d.ID) != before {
				ts.Setenv("DRAFT", string(d.ID))
				return err == nil
			}
		}
		return false
	})
}

// ask asks the running Kehai again and again until it is so.
func ask(ts *testscript.TestScript, what string, so func(*control.Client) bool) {
	data := filepath.Join(ts.Getenv("XDG_DATA_HOME"), "kehai")
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); <-time.After(20 * time.Millisecond) {
		client, err := control.Dial(context.Background(), data)
		if err != nil {
			continue
		}
		ok := so(client)
		client.Close()
		if ok {
			return
		}
	}
	ts.Fatalf("no Kehai %s within %v", what, timeout)
}

// TestWithoutPackage: an error says what is wrong, not which package says so.
func TestWithoutPackage(t *testing.T) {
	for in, want := range map[string]string{
		"keyring: restore: cut":     "restore: cut",
		"seat: control: no Kehai":   "no Kehai",
		"chat.png: layout: no such": "chat.png: layout: no such",
		"web":                       "web",
	} {
		if got := withoutPackage(in); got != want {
			t.Errorf("withoutPackage(%q) = %q, want %q", in, got, want)
		}
	}
}
