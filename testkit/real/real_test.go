//go:build real

package real

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
	"github.com/kehai-run/kehai/hardware/x11"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/testkit/replay"
)

// TestReal plays the script in each client, and prints what was missed, doubled and
// invented. It fails where one of them is above one in two hundred, and where an own message
// or one of another conversation comes out at all.
func TestReal(t *testing.T) {
	for _, c := range chosen(t) {
		t.Run(c.name, func(t *testing.T) {
			r := openRig(t, c, "")
			only := os.Getenv("KEHAI_PHASES")
			for _, p := range phases {
				if only == "" || slices.Contains(strings.Split(only, ","), p.name) {
					t.Logf("%s", p.name)
					r.phase = p.name
					p.play(r)
					r.picture()
				}
			}
			r.wheel(40)
			r.wait(5 * time.Second) // for what was out of view at the end
			for waited := 0; int(r.kehai.seen()) < r.awaited && waited < 40; waited++ {
				r.wait(time.Second) // and for what is held until time tells whose it is
			}
			r.kehai.stop()
			r.judge()
		})
	}
}

// rig is a client on a desktop of its own, its server, and a Kehai that watches it.
type rig struct {
	t      *testing.T
	client client
	desk   *desktop.Desktop
	x      *desktop.Client
	screen *x11.Display
	hands  *x11.Typist
	server *server
	dir    string // the client's home
	kehai  *watching
	run    *desktop.Process
	pages  *httptest.Server
	theme  atomic.Value

	said     []replay.Line
	own      map[string][]string
	awaited  int // of said, what is waited for: all but what passes unseen
	missing  int // of that, what has not come when nothing came any more
	store    string
	phase    string
	pictures int
	flight   string // where Kehai records what it sees; "": it does not
	settings string // its configuration, "": none
}

// openRig opens a client, and a Kehai that watches it and records that in a file, unless it is "".
func openRig(t *testing.T, c client, flight string) *rig {
	t.Helper()
	desk := desktop.Start(t)
	desk.StartWindowManager(t)
	t.Setenv("DISPLAY", desk.Display)
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", desk.StartBus(t))
	r := &rig{t: t, client: c, desk: desk, x: desktop.Connect(t, desk.Display), dir: t.TempDir(), store: t.TempDir(),
		own: map[string][]string{}, flight: flight}
	r.server = startServer(t, desk, c.modules)
	var err error
	if r.screen, err = x11.Open(x11.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.screen.Close() })
	r.hands = x11.NewTypist(r.screen, nil)
	r.open(false)
	r.watch()
	return r
}

// open starts the client, and the conversation with Hana in it.
func (r *rig) open(dark bool) {
	r.t.Helper()
	r.run = r.client.start(r, dark)
	desktop.Eventually(r.t, r.client.name+" has a window", func() bool {
		_, err := r.screen.Find(r.t.Context(), r.client.window)
		return err == nil
	})
	r.wait(5 * time.Second) // it logs in; no client tells when it has
	r.resize(r.client.size)
	r.xdo("windowmove", r.ref(), "0", "0")
	r.said = append(r.said, replay.Line{Conversation: "Hana", Text: "こんにちは、花です", Free: true})
	r.awaited++
	r.server.say("Hana", "こんにちは、花です")
	r.wait(2 * time.Second)
	r.click(r.client.top)
	r.wait(2 * time.Second)
	r.wheel(40) // a client may open a chat where it was left
}

func (r *rig) restart(dark bool) {
	r.run.Stop()
	r.open(dark)
}

func (r *rig) ref() string {
	r.t.Helper()
	var w hardware.Window
	desktop.Eventually(r.t, "the client's window is found", func() (found bool) {
		var err error
		w, err = r.screen.Find(r.t.Context(), r.client.window)
		return err == nil
	})
	n, err := strconv.ParseUint(w.Ref, 0, 32)
	if err != nil {
		r.t.Fatal(err)
	}
	return strconv.FormatUint(n, 10)
}

func (r *rig) xdo(args ...string) {
	r.t.Helper()
	if out, err := exec.Command("xdotool", args...).CombinedOutput(); err != nil {
		r.t.Logf("xdotool %q: %v\n%s", args, err, out)
	}
}

func (r *rig) focus() { r.xdo("windowactivate", "--sync", r.ref()) }

func (r *rig) resize(size image.Point) {
	r.xdo("windowsize", "--sync", r.ref(), strconv.Itoa(size.X), strconv.Itoa(size.Y))
	r.wait(time.Second)
}

func (r *rig) move(at image.Point) {
	r.focus()
	r.xdo("mousemove", "--window", r.ref(), strconv.Itoa(at.X), strconv.Itoa(at.Y))
}

func (r *rig) click(at image.Point) {
	r.move(at)
	r.xdo("click", "1")
}

// wheel turns the wheel over the transcript, up if n is negative.
func (r *rig) wheel(n int) {
	r.move(r.client.pane)
	button := "5"
	if n < 0 {
		button, n = "4", -n
	}
	r.xdo("click", "--repeat", strconv.Itoa(n), "--delay", "20", button)
	r.wait(time.Second)
}

// back shows the list of chats.
func (r *rig) back() {
	if r.client.back != (image.Point{}) {
		r.click(r.client.back)
		r.wait(time.Second)
	}
}

// openTop opens the conversation that was written in last.
func (r *rig) openTop() {
	r.wait(2 * time.Second)
	r.back()
	r.click(r.client.top)
	r.wait(2 * time.Second)
}

func (r *rig) say(who, text string) { r.line(who, text, false) }

// passing is said while nobody may see it.
func (r *rig) passing(who, text string) { r.line(who, text, true) }

func (r *rig) line(who, text string, free bool) {
	if !free {
		r.awaited++
	}
	r.said = append(r.said, replay.Line{Conversation: who, Text: text, Free: free})
	r.server.say(who, text)
}

// reply pastes a message of the owner's into the field, and sends it.
func (r *rig) reply(to, text string) {
	r.t.Helper()
	r.own[to] = append(r.own[to], text)
	r.click(r.client.field)
	r.wait(300 * time.Millisecond)
	w, err := r.screen.Find(r.t.Context(), r.client.window)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.hands.Type(r.t.Context(), w.Ref, text); err != nil {
		r.t.Errorf("Type(%q) = %v", text, err)
	}
	r.wait(300 * time.Millisecond)
	r.xdo("key", "Return")
	r.wait(1500 * time.Millisecond)
}

// pace waits until all that was said came out, or nothing comes any more.
func (r *rig) pace() {
	r.t.Helper()
	defer r.picture()
	before, since, wheeled := r.kehai.count.Load(), time.Now(), false
	defer func() { r.missing = max(0, r.awaited-int(r.kehai.seen())) }()
	for int(r.kehai.seen()) < r.awaited-r.missing && time.Since(since) < 12*time.Second {
		if n := r.kehai.count.Load(); n != before {
			before, since, wheeled = n, time.Now(), false
		}
		if !wheeled && time.Since(since) > 4*time.Second {
			wheeled = true
			r.wheel(40) // a client may not follow what comes
		}
		r.wait(200 * time.Millisecond)
	}
}

// picture keeps what the window shows now in the folder KEHAI_PICTURES.
func (r *rig) picture() {
	dir := os.Getenv("KEHAI_PICTURES")
	if dir == "" {
		return
	}
	w, err := r.screen.Find(r.t.Context(), r.client.window)
	if err != nil {
		return
	}
	shot, err := r.screen.Capture(r.t.Context(), w.Ref)
	var b bytes.Buffer
	if err == nil {
		err = png.Encode(&b, shot.Image)
	}
	if err != nil {
		r.t.Logf("no picture of %s: %v", r.phase, err)
		return
	}
	r.pictures++
	name := fmt.Sprintf("%s-%03d-%s.png", r.client.name, r.pictures, strings.ReplaceAll(r.phase, " ", "-"))
	write(r.t, filepath.Join(dir, name), b.String())
}

// watching is a Kehai that watches the client.
type watching struct {
	cmd    *exec.Cmd
	count  *atomic.Int64 // bubbles that came out, of all runs
	done   sync.WaitGroup
	mu     sync.Mutex
	stderr []string
}

func (w *watching) seen() int64 { return w.count.Load() }

// command is Kehai as a person would start it.
func (r *rig) command(args ...string) *exec.Cmd {
	exe := os.Getenv("KEHAI")
	if exe == "" {
		r.t.Fatal("KEHAI names the program: make real sets it")
	}
	given := []string{"--data", r.store}
	if r.settings != "" {
		given = append(given, "--config", r.settings)
	}
	cmd := exec.CommandContext(r.t.Context(), exe, append(given, args...)...)
	ours := func(entry string) bool { return strings.HasPrefix(entry, "KEHAI") } // of the test, no settings
	cmd.Env = slices.DeleteFunc(os.Environ(), ours)
	return cmd
}

// watch has Kehai watch, or record.
func (r *rig) watch() {
	r.t.Helper()
	verb := []string{"watch"}
	if r.flight != "" {
		verb = []string{"record", "--out", r.flight}
	}
	w := &watching{cmd: r.command(append(verb, "--window", r.client.window, "--app", "real", "--json", "--no-web")...),
		count: &atomic.Int64{}}
	if r.kehai != nil {
		w.count = r.kehai.count
	}
	r.kehai = w
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	stderr, err := w.cmd.StderrPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	ready := make(chan struct{})
	w.done.Go(func() {
		for out := json.NewDecoder(stdout); ; {
			var e control.Entry
			if out.Decode(&e) != nil {
				return
			}
			if e.Message != nil {
				w.count.Add(int64(len(e.Message.Parts)))
			}
		}
	})
	w.done.Go(func() {
		once := sync.OnceFunc(func() { close(ready) })
		for in := bufio.NewScanner(stderr); in.Scan(); {
			w.mu.Lock()
			w.stderr = append(w.stderr, in.Text())
			w.mu.Unlock()
			if strings.Contains(in.Text(), "Kehai watches") {
				once()
			}
		}
		once()
	})
	r.t.Cleanup(w.kill)
	<-ready
	w.mu.Lock()
	if !strings.Contains(strings.Join(w.stderr, "\n"), "Kehai watches") {
		r.t.Fatalf("kehai watch ended:\n%s", strings.Join(w.stderr, "\n"))
	}
	w.mu.Unlock()
	r.wait(3 * time.Second) // it sees what stands there
}

// judge compares what came out with what was said, and prints both.
func (r *rig) judge() {
	if keep := os.Getenv("KEHAI_KEEP"); keep != "" {
		_ = os.CopyFS(filepath.Join(keep, r.client.name), os.DirFS(r.store))
	}
	out, err := r.command("messages", "--json", "--since", "24h").Output()
	if err != nil {
		r.t.Fatalf("kehai messages: %v", err)
	}
	var heard []replay.Line
	edited, unsent := 0, 0
	for in := json.NewDecoder(bytes.NewReader(out)); in.More(); {
		var e control.Entry
		if err := in.Decode(&e); err != nil {
			r.t.Fatal(err)
		}
		if e.Message == nil {
			continue
		}
		_, called, _ := strings.Cut(e.Called, ":")
		for _, p := range e.Message.Parts {
			heard = append(heard, replay.Line{Conversation: called, Kind: p.Kind, Text: p.Text})
			if p.Edited != "" {
				edited++
				r.t.Logf("edited: %q to %q", p.Text, p.Edited)
			}
			if p.Unsent {
				unsent++
				r.t.Logf("unsent: %q", p.Text)
			}
		}
	}
	tally, problems := replay.Score(r.said, heard, r.own)
	invented := 0
	for _, p := range problems {
		wrote := func(l replay.Line) bool { return text.OCREqual(l.Text, string(p.Text)) }
		if p.What == "doubled" && !slices.ContainsFunc(r.said, wrote) {
			invented++
		}
		r.t.Logf("%-14s %-12s %s", p.What, p.Conversation, string(p.Text))
	}
	fmt.Printf("real\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", r.client.name, tally.Expected,
		tally.Delivered, tally.Missed, tally.Doubled-invented, invented, tally.EchoLeaked, tally.Misattributed,
		tally.Misnamed, tally.OrderErrors, edited, unsent, tally.Exact, tally.Near, tally.Garbled)
	for _, line := range r.kehai.stderr {
		r.t.Log(line)
	}
	few := func(n int) bool { return 200*n <= tally.Expected }
	if !few(tally.Missed) || !few(tally.Doubled) || tally.EchoLeaked+tally.Misattributed+edited+unsent > 0 {
		r.t.Errorf("%s: %+v, %d edited, %d unsent", r.client.name, tally, edited, unsent)
	}
}
