//go:build desktop

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
)

// chat is a chat page in a real browser on a desktop of its own.
type chat struct {
	desk   *desktop.Desktop
	client *desktop.Client
	page   string
	box    image.Rectangle
}

// chatQuery is what the browser's window is called.
const chatQuery = "title:Hana Chat"

// openChat opens a page and points DISPLAY at it.
func openChat(t *testing.T, page string, flags ...string) *chat {
	t.Helper()
	desk := desktop.Start(t)
	desk.StartWindowManager(t)
	t.Setenv("DISPLAY", desk.Display)
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", desk.StartBus(t))
	c := &chat{desk: desk, client: desktop.Connect(t, desk.Display), page: page}
	desk.StartBrowser(t, page, flags...)
	desktop.Eventually(t, "the page is open", func() bool {
		w, err := findWindow(t.Context(), chatQuery)
		c.box = w.Box
		return err == nil
	})
	return c
}

// begin clicks into the page: from then on it plays what is said.
func (c *chat) begin() {
	middle := c.box.Min.Add(c.box.Size().Div(2))
	c.client.Move(middle.X, middle.Y)
	c.client.Press(xproto.ButtonPress, 1)
}

// said is what stands in the page's script: who, the words, and the wait.
func (c *chat) said(t *testing.T) (list [][]any) {
	t.Helper()
	_, said, _ := strings.Cut(c.page, `type="application/json">`)
	said, _, _ = strings.Cut(said, "</script>")
	if err := json.Unmarshal([]byte(said), &list); err != nil {
		t.Fatalf("what the page says: %v", err)
	}
	return list
}

// incoming is what the other side says after the click.
func (c *chat) incoming(t *testing.T) (list []string) {
	t.Helper()
	for _, m := range c.said(t) {
		if m[0] == "Hana" && len(m) == 3 {
			list = append(list, m[1].(string))
		}
	}
	return list
}

// rows is how many rows the list has in the end.
func (c *chat) rows(t *testing.T) (n int) {
	t.Helper()
	for _, m := range c.said(t) {
		if m[0] == "Hana" || m[0] == "me" {
			n++
		}
	}
	return n
}

// watching is a running kehai watch.
type watching struct {
	cmd    *exec.Cmd
	data   string
	lines  chan control.Entry // closed when the output has ended
	mu     sync.Mutex
	stderr strings.Builder
	done   sync.WaitGroup
}

// startWatch runs the real command line in a process of its own, and returns
// once it watches.
func startWatch(t *testing.T, data string, args ...string) *watching {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &watching{cmd: exec.CommandContext(t.Context(), exe), data: data, lines: make(chan control.Entry, 100)}
	// Under this name the test binary is kehai, see TestMain.
	w.cmd.Args = append([]string{"kehai", "--data", data, "watch", "--window", chatQuery, "--app", "web",
		"--structure", native.structure, "--json", "--no-web"}, args...)
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
			var e control.Entry
			if out.Decode(&e) != nil {
				return
			}
			if e.Message != nil {
				w.lines <- e
			}
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
			t.Logf("kehai printed:\n%s", w.printed())
		}
	})
	desktop.Eventually(t, "kehai watches", func() bool { return strings.Contains(w.printed(), "Kehai watches") })
	return w
}

func (w *watching) printed() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stderr.String()
}

// states are the codes of the changes of the window's state that it told.
func (w *watching) states() (codes []string) {
	for line := range strings.Lines(w.printed()) {
		var event struct {
			Code    string `json:"error_code"`
			Message string `json:"message"`
		}
		if json.Unmarshal([]byte(line), &event) == nil && event.Message == "capture_state" {
			codes = append(codes, event.Code)
		}
	}
	return codes
}

// stop ends it in order and waits.
func (w *watching) stop(t *testing.T) {
	t.Helper()
	if err := w.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Errorf("Signal(SIGINT) = %v", err)
	}
	w.done.Wait()
	if err := w.cmd.Wait(); err != nil {
		t.Errorf("kehai watch ended with %v, want success", err)
	}
}

// transcript is what was delivered. After a kill what was shown last may be shown
// again, with the same id.
type transcript struct {
	ids   []string
	texts []string
}

func (tr *transcript) take(t *testing.T, e control.Entry) {
	t.Helper()
	m := e.Message
	if e.Called != "web:Hana" || m.Sender != "Hana" {
		t.Errorf("delivered to %s from %s, want to web:Hana from Hana", e.Called, m.Sender)
	}
	if slices.Contains(tr.ids, string(m.ID)) {
		return
	}
	tr.ids = append(tr.ids, string(m.ID))
	for _, p := range m.Parts {
		tr.texts = append(tr.texts, p.Text)
	}
}

// follow takes what is delivered until there are want texts or the time is up,
// and calls step after each message.
func (tr *transcript) follow(t *testing.T, w *watching, want int, timeout time.Duration, step func(n int)) {
	t.Helper()
	late := time.NewTimer(timeout)
	defer late.Stop()
	for len(tr.texts) < want {
		select {
		case <-late.C:
			return
		case m, open := <-w.lines:
			if !open {
				t.Fatalf("kehai ended after %d of %d messages", len(tr.texts), want)
			}
			tr.take(t, m)
			step(len(tr.texts))
		}
	}
}

// want compares what was delivered with what was said.
func (tr *transcript) want(t *testing.T, want []string) {
	t.Helper()
	for i := range max(len(tr.texts), len(want)) {
		switch {
		case i >= len(tr.texts):
			t.Errorf("message %d was not delivered, want %q", i, want[i])
		case i >= len(want):
			t.Errorf("message %d = %q, want no more", i, tr.texts[i])
		case !text.OCREqual(tr.texts[i], want[i]):
			t.Errorf("message %d = %q, want %q", i, tr.texts[i], want[i])
		}
	}
}

// structureCounted returns how many of the messages owe a part of their score
// to rows that came in the window's accessibility tree: text that has changed
// alone gives 62.
func (tr *transcript) structureCounted(t *testing.T, data string) (n int) {
	t.Helper()
	for _, id := range tr.ids {
		var out, errs strings.Builder
		if code := Main([]string{"--data", data, "trace", id, "--json"}, &out, &errs); code != exitOK {
			t.Fatalf("kehai trace = %d: %s", code, errs.String())
		}
		var p control.Path
		if err := json.Unmarshal([]byte(out.String()), &p); err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Steps {
			if s.Stage == events.StageFusion && s.Outcome == events.OutcomePassed && s.Detail.Score == 100 {
				n++
				break
			}
		}
	}
	return n
}

// wantRows reads the window's accessibility tree.
func wantRows(t *testing.T, want int) {
	t.Helper()
	rows, err := openRows()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rows.Close() })
	var n int
	desktop.Eventually(t, fmt.Sprintf("the tree has %d rows", want), func() bool {
		n, err = rows.Rows(t.Context(), chatQuery)
		return err == nil && n == want
	})
}

// TestDesktopWatchesBrowser watches a chat in a real browser with the real
// screen, the real accessibility tree and the real OCR, for a while behind
// another window, and wants each of its messages once and in order: repeated
// ones, through scrolling back, and when the page builds its list anew.
func TestDesktopWatchesBrowser(t *testing.T) {
	page, err := os.ReadFile("testdata/chat.html")
	if err != nil {
		t.Fatal(err)
	}
	c := openChat(t, string(page))
	want := c.incoming(t)
	w := startWatch(t, t.TempDir())
	c.begin()

	var tr transcript
	var cover *desktop.Window // in front of the page while a part of the messages arrives
	uncovered := false
	tr.follow(t, w, len(want), 70*time.Second, func(n int) {
		switch {
		case n >= 2 && n < 8 && cover == nil:
			cover = c.client.Open("another", "Another", image.Rect(0, 0, 1100, 800))
			wantCovered(t, cover, c.box)
		case n >= 8 && cover != nil:
			wantCovered(t, cover, c.box)
			cover.Close()
			cover, uncovered = nil, true
		}
	})
	if !uncovered {
		t.Error("no messages came while the window was covered, want some")
	}
	wantRows(t, c.rows(t)) // all is said and done
	w.stop(t)
	for m := range w.lines {
		tr.take(t, m)
	}
	tr.want(t, want)
	if n := tr.structureCounted(t, w.data); n == 0 {
		t.Errorf("none of the %d messages was noticed by its row too, want some", len(tr.ids))
	} else {
		t.Logf("%d of %d messages were noticed by their row too", n, len(tr.ids))
	}
}

func wantCovered(t *testing.T, cover *desktop.Window, box image.Rectangle) {
	t.Helper()
	if !cover.Covers(box) {
		t.Errorf("the screen shows something of the page at %v, want it covered", box)
	}
}
