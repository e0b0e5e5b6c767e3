//go:build desktop

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
	"github.com/kehai-run/kehai/runtime/control"
)

// watched is a running kehai watch.
type watched struct {
	cmd    *exec.Cmd
	lines  chan control.Message // closed when the output has ended
	mu     sync.Mutex
	stderr strings.Builder
	done   sync.WaitGroup
}

// startWatch runs the real command line in a process of its own.
func startWatch(t *testing.T, args ...string) *watched {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{cmd: exec.CommandContext(t.Context(), exe), lines: make(chan control.Message, 100)}
	// Under this name the test binary is kehai, see TestMain.
	w.cmd.Args = append([]string{"kehai", "--data", t.TempDir()}, args...)
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := w.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.done.Go(func() {
		defer close(w.lines)
		for out := json.NewDecoder(stdout); ; {
			var m control.Message
			if out.Decode(&m) != nil {
				return
			}
			w.lines <- m
		}
	})
	w.done.Go(func() {
		for in := bufio.NewScanner(stderr); in.Scan(); {
			w.mu.Lock()
			fmt.Fprintln(&w.stderr, in.Text())
			w.mu.Unlock()
		}
	})
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill() // an error means that it has ended
		if t.Failed() {
			t.Logf("kehai printed:\n%s", w.said())
		}
	})
	return w
}

func (w *watched) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stderr.String()
}

// stop ends it in order and waits.
func (w *watched) stop(t *testing.T) {
	t.Helper()
	if err := w.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Errorf("Signal(SIGINT) = %v", err)
	}
	w.done.Wait()
	if err := w.cmd.Wait(); err != nil {
		t.Errorf("kehai watch ended with %v, want success", err)
	}
}

// incoming is what the page's other side says after the click.
func incoming(t *testing.T, page string) (list []string) {
	t.Helper()
	_, said, _ := strings.Cut(page, `type="application/json">`)
	said, _, _ = strings.Cut(said, "</script>")
	var all [][]any
	if err := json.Unmarshal([]byte(said), &all); err != nil {
		t.Fatalf("what the page says: %v", err)
	}
	for _, m := range all {
		if m[0] != "me" && len(m) == 3 {
			list = append(list, m[1].(string))
		}
	}
	return list
}

// TestDesktopWatchesBrowser watches a chat in a real browser with the real
// screen and the real OCR, for a while behind another window, and wants each of
// its messages once and in order.
func TestDesktopWatchesBrowser(t *testing.T) {
	page, err := os.ReadFile("testdata/chat.html")
	if err != nil {
		t.Fatal(err)
	}
	want := incoming(t, string(page))
	desk := desktop.Start(t)
	desk.StartWindowManager(t)
	t.Setenv("DISPLAY", desk.Display)
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", desk.StartBus(t))
	client := desktop.Connect(t, desk.Display)
	desk.StartBrowser(t, string(page))
	const query = "title:Hana Chat"
	var box image.Rectangle
	desktop.Eventually(t, "the page is open", func() bool {
		w, err := findWindow(t.Context(), query)
		box = w.Box
		return err == nil
	})

	kehai := startWatch(t, "watch", "--window", query, "--app", "web", "--structure", native.structure, "--json", "--no-web")
	desktop.Eventually(t, "kehai watches", func() bool { return strings.Contains(kehai.said(), "Kehai watches") })
	middle := box.Min.Add(box.Size().Div(2))
	client.Move(middle.X, middle.Y)
	client.Press(xproto.ButtonPress, 1)

	var got []string
	take := func(m control.Message) {
		if m.Conversation != "web:Hana" || m.Sender != "Hana" {
			t.Errorf("delivered to %s from %s, want to web:Hana from Hana", m.Conversation, m.Sender)
		}
		for _, p := range m.Parts {
			got = append(got, p.Text)
		}
	}
	var cover *desktop.Window // in front of the page while a part of the messages arrives
	late := time.NewTimer(50 * time.Second)
	defer late.Stop()
	for waiting := true; waiting && len(got) < len(want); {
		select {
		case <-late.C:
			waiting = false
		case m, open := <-kehai.lines:
			if !open {
				t.Fatalf("kehai ended after %d of %d messages", len(got), len(want))
			}
			take(m)
		}
		switch n := len(got); {
		case n >= 2 && n < 8 && cover == nil:
			cover = client.Open("another", "Another", image.Rect(0, 0, 1100, 800))
		case n >= 8 && cover != nil:
			cover.Close()
		}
	}
	kehai.stop(t)
	for m := range kehai.lines {
		take(m)
	}
	if cover == nil {
		t.Errorf("the window was never covered")
	}
	wantTexts(t, got, want)
	wantRows(t, query, strings.Count(string(page), "\n\t["))
}

// wantTexts compares what was read with what was written.
func wantTexts(t *testing.T, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("message %d was not delivered, want %q", i, want[i])
		case i >= len(want):
			t.Errorf("message %d = %q, want no more", i, got[i])
		case !text.OCREqual(got[i], want[i]):
			t.Errorf("message %d = %q, want %q", i, got[i], want[i])
		}
	}
}

// wantRows reads the window's accessibility tree.
func wantRows(t *testing.T, query string, want int) {
	t.Helper()
	rows, err := openRows()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rows.Close() })
	desktop.Eventually(t, "the tree has a row for each message", func() bool {
		n, err := rows.Rows(t.Context(), query)
		return err == nil && n == want
	})
}

// kehaiSays runs a command line in this process.
func kehaiSays(t *testing.T, wantCode int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	if code := Main(append([]string{"--data", t.TempDir()}, args...), &out, &errs); code != wantCode {
		t.Errorf("kehai %q = %d, want %d:\n%s%s", args, code, wantCode, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

func wantIn(t *testing.T, what, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%s = %q, want %q in it", what, got, w)
		}
	}
}

func TestDesktopListsAndChooses(t *testing.T) {
	desk := desktop.Start(t)
	t.Setenv("DISPLAY", desk.Display)
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("KEHAI_WEB_ADDR", "127.0.0.1:0")
	out, _ := kehaiSays(t, exitOK, "doctor")
	wantIn(t, "doctor without a manager", out, "X11 at "+desk.Display, "note  manager")
	_, errs := kehaiSays(t, exitOK, "windows")
	wantIn(t, "windows of none", errs, "no windows are open")

	desk.StartWindowManager(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", desk.StartBus(t))
	client := desktop.Connect(t, desk.Display)
	first := client.Open("Hana\x1b[2J", "Chat", image.Rect(10, 10, 330, 250))
	client.Open("Ken", "Chat", image.Rect(400, 10, 720, 250))
	desktop.Eventually(t, "both windows are listed", func() bool {
		list, err := findAll(t)
		return err == nil && len(list) == 2
	})
	out, _ = kehaiSays(t, exitOK, "windows")
	wantIn(t, "windows", out, "REF", "Chat", "Ken", "320×240", fmt.Sprintf("0x%x", first.ID))
	if strings.Contains(out, "\x1b") {
		t.Errorf("windows = %q, want titles that cannot steer the terminal", out)
	}
	out, _ = kehaiSays(t, exitOK, "windows", "--json")
	wantIn(t, "windows --json", out, fmt.Sprintf(`{"ref":"0x%x","app":"Chat","title":"Hana`, first.ID), `"width":320,"height":240}`)

	_, errs = kehaiSays(t, exitFailed, "watch", "--window", "chat", "--no-web")
	wantIn(t, "watch of two", errs, "2 windows match", "Hana", "Ken")
	_, errs = kehaiSays(t, exitFailed, "watch", "--window", "Mia", "--no-web")
	wantIn(t, "watch of none", errs, "none of the 2 open windows", "kehai windows")

	desktop.Eventually(t, "doctor finds all", func() bool {
		out, _ = kehaiSays(t, exitOK, "doctor")
		return strings.Contains(out, "the accessibility bus answers")
	})
	wantIn(t, "doctor", out, "windows are managed by Openbox", ", 2 windows")
}

func findAll(t *testing.T) ([]hardware.Window, error) {
	t.Helper()
	f, err := openFinder()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Windows(t.Context())
}
