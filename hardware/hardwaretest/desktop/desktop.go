//go:build unix

// Package desktop starts what tests of desktop drivers need: an X server
// without a screen, a window manager, a message bus with accessibility, a
// browser. [Start] is where to begin; [Client] is a program whose windows show
// known pixels. Every process belongs to a test, which stops it, waits for it,
// and shows what it printed when the test failed.
package desktop

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Desktop is an X server and what runs on it.
type Desktop struct {
	Display string // such as ":7"
	env     []string
	server  *Process
	bus     []*Process
}

// Size of the screen in pixels.
const (
	screenW = 1280
	screenH = 900
)

var serverArgs = []string{"-screen", "0", fmt.Sprintf("%dx%dx24", screenW, screenH), "-dpi", "96", "-nolisten", "tcp",
	"-noreset"}

// Start starts an X server of 1280×900 pixels and 24 bits. Its display has a number
// by chance: the lowest free one, which Xvfb would choose, would go to another
// test's server as soon as this one is stopped.
func Start(t testing.TB) *Desktop {
	t.Helper()
	var display string
	var server *Process
	for try, ready := 1, false; !ready; try++ {
		display = fmt.Sprintf(":%d", 1_000+rand.IntN(30_000))
		if server, ready = startServer(t, display); !ready && try == 5 {
			t.Fatalf("Xvfb ended:\n%s", server.Output())
		}
	}
	return &Desktop{
		Display: display,
		env:     append(os.Environ(), "DISPLAY="+display, "XDG_SESSION_TYPE=x11", "WAYLAND_DISPLAY="),
		server:  server,
	}
}

// startServer reports whether the server runs and takes connections.
func startServer(t testing.TB, display string) (server *Process, ready bool) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatalf("Pipe() = %v", err)
	}
	defer read.Close()
	args := append([]string{display, "-displayfd", "3"}, serverArgs...)
	server = run(t, os.Environ(), []*os.File{write}, "Xvfb", args...)
	_ = write.Close()
	_, err = bufio.NewReader(read).ReadString('\n') // its number, once it listens
	if err != nil {
		<-server.done
	}
	return server, err == nil
}

// StopServer ends the X server, and with it every window.
func (d *Desktop) StopServer() { d.server.Stop() }

// RestartServer starts a new X server in place of the stopped one.
func (d *Desktop) RestartServer(t testing.TB) {
	t.Helper()
	var ready bool
	if d.server, ready = startServer(t, d.Display); !ready {
		t.Fatalf("Xvfb ended:\n%s", d.server.Output())
	}
}

// StartWindowManager starts openbox and returns once it manages windows.
func (d *Desktop) StartWindowManager(t testing.TB) {
	t.Helper()
	config := filepath.Join(t.TempDir(), "rc.xml")
	// No key bindings, and new windows in front.
	rc := `<?xml version="1.0"?><openbox_config xmlns="http://openbox.org/3.4/rc">` +
		`<focus><focusNew>yes</focusNew></focus></openbox_config>`
	if err := os.WriteFile(config, []byte(rc), 0o600); err != nil {
		t.Fatalf("WriteFile(rc.xml) = %v", err)
	}
	p := d.Run(t, "openbox", "--sm-disable", "--config-file", config)
	Connect(t, d.Display).awaitManager(func() {
		t.Helper()
		if !p.Running() {
			t.Fatalf("openbox ended:\n%s", p.Output())
		}
	})
}

// StartBus starts a message bus and the accessibility bus on it. Processes that
// are started later find both.
func (d *Desktop) StartBus(t testing.TB) (address string) {
	t.Helper()
	dir := t.TempDir()
	address = "unix:path=" + filepath.Join(dir, "bus")
	// Without ACCESSIBILITY_ENABLED a browser offers its tree only if accessibility
	// is on while it starts, and on a busy machine it checks too early.
	d.env = append(d.env, "DBUS_SESSION_BUS_ADDRESS="+address, "XDG_RUNTIME_DIR="+dir, "ACCESSIBILITY_ENABLED=1")
	p := d.Run(t, "dbus-daemon", "--session", "--nofork", "--address="+address)
	awaitBus(t, p, filepath.Join(dir, "bus"))
	d.bus = []*Process{d.Run(t, "/usr/libexec/at-spi-bus-launcher", "--launch-immediately"), p}
	return address
}

// StopBus ends both buses.
func (d *Desktop) StopBus() {
	for _, p := range d.bus {
		p.Stop()
	}
}

// StartBrowser shows a page in a new Chromium window. flags follow the common flags of all
// tests; a later flag overrides an earlier one of the same name.
func (d *Desktop) StartBrowser(t testing.TB, page string, flags ...string) *Process {
	t.Helper()
	profile, err := os.MkdirTemp("", "browser")
	if err != nil {
		t.Fatalf("MkdirTemp() = %v", err)
	}
	file := filepath.Join(profile, "page.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatalf("WriteFile(page.html) = %v", err)
	}
	// Registered before the process starts, so that it runs after the process ends.
	t.Cleanup(func() { _ = os.RemoveAll(profile) })
	return d.Run(t, "chromium", append([]string{"--no-sandbox", "--test-type", "--force-renderer-accessibility",
		"--disable-gpu",
		"--no-first-run", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
		"--password-store=basic", "--force-device-scale-factor=1", "--window-size=1000,700", "--window-position=20,20",
		"--user-data-dir=" + profile, "--app=file://" + file}, flags...)...)
}

// Process is a running program.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	once sync.Once
	out  tail
}

// Run starts a program on this desktop.
func (d *Desktop) Run(t testing.TB, name string, args ...string) *Process {
	t.Helper()
	return run(t, d.env, nil, name, args...)
}

func run(t testing.TB, env []string, files []*os.File, name string, args ...string) *Process {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is missing: apt-get install xvfb openbox dbus at-spi2-core chromium fonts-noto-cjk", name)
	}
	p := &Process{cmd: exec.Command(path, args...), done: make(chan struct{})}
	p.cmd.Env, p.cmd.ExtraFiles = env, files
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	// Child processes of the program may hold its output open.
	p.cmd.WaitDelay = 5 * time.Second
	if err := start(p.cmd); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		p.Stop()
		if t.Failed() {
			t.Logf("%s printed:\n%s", filepath.Base(name), p.Output())
		}
	})
	return p
}

// Running reports whether the process has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Stop ends the process and its children, and waits for them.
func (p *Process) Stop() {
	p.once.Do(func() {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM)
		late := time.NewTimer(3 * time.Second)
		defer late.Stop()
		select {
		case <-p.done:
		case <-late.C:
		}
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.done
	})
}

// Output is the end of what the process has printed.
func (p *Process) Output() string { return p.out.String() }

// tail keeps the last 8 KiB that were written.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf.Write(b)
	if over := t.buf.Len() - 8<<10; over > 0 {
		t.buf.Next(over)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}

// conditionTimeout is how long a condition may take. It is long because it only
// matters when a test fails.
const conditionTimeout = time.Minute

// Eventually fails the test unless the condition comes true.
func Eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), conditionTimeout,
		fmt.Errorf("not within %v", conditionTimeout))
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-ctx.Done():
			t.Fatalf("waiting until %s: %v", what, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// ClickUntil clicks until the condition holds, with pauses of a second, two, four and so
// on: a browser drops clicks before it has painted the page, and clicks keep it from
// painting.
func ClickUntil(t testing.TB, what string, click func(), condition func() bool) {
	t.Helper()
	var last time.Time
	var pause time.Duration
	Eventually(t, what, func() bool {
		if condition() {
			return true
		}
		if time.Since(last) > pause {
			click()
			last, pause = time.Now(), max(2*pause, time.Second)
		}
		return false
	})
}
