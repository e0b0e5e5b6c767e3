package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

func TestWhatIsWatched(t *testing.T) {
	paused := func(names ...string) (s control.Status) {
		s.Node = "a"
		for _, n := range names {
			if n != "" {
				n += "@a"
			}
			s.Paused = append(s.Paused, control.Paused{Window: messages.WindowID(n)})
		}
		return s
	}
	both := []config.Window{{Name: "line"}, {Name: "team"}}
	for _, c := range []struct {
		windows []config.Window
		status  control.Status
		want    string
	}{
		{nil, paused(), "no window: none is configured"},
		{both, paused(), "line, team"},
		{[]config.Window{{Name: "line", Driver: "drawn"}}, paused(), "line (a chat window that it draws itself)"},
		{both, paused("team"), "line; team is paused, kehai resume goes on"},
		{both, paused("team", "line"), "no window: line, team are paused, kehai resume goes on"},
		{both, paused(""), "no window: line, team are paused, kehai resume goes on"},
	} {
		if got := watchedNow(config.Config{Windows: c.windows}, c.status); got != c.want {
			t.Errorf("watchedNow(%v) = %q, want %q", c.status.Paused, got, c.want)
		}
	}
}

// TestRunShowsTheLoop: in a fresh directory and without a configuration the terminal
// shows within a minute how a message is answered, with real OCR, step by step.
func TestRunShowsTheLoop(t *testing.T) {
	cmd := exec.Command(os.Args[0], "--data", filepath.Join(t.TempDir(), "data"), "run", "--no-web")
	ours := func(v string) bool { return strings.HasPrefix(v, "KEHAI_") }  // those are the test's own
	cmd.Env = append(slices.DeleteFunc(os.Environ(), ours), childEnv+"=0") // none of its calls fails
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
	want := []string{"おはよう", "judged: wants an answer", "written: メッセージをありがとう", "typed", "confirmed"}
	lines := bufio.NewScanner(out)
	for len(want) > 0 && lines.Scan() {
		if strings.Contains(lines.Text(), want[0]) {
			want = want[1:]
		}
	}
	if len(want) > 0 {
		t.Errorf("the terminal does not show %q", want[0])
	}
	_ = cmd.Process.Signal(os.Interrupt)
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil {
		t.Errorf("kehai run ended with %v", err)
	}
}
