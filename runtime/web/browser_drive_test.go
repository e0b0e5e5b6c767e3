//go:build browser

package web

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// browser is a headless browser that a test steers through its debugging pipe.
type browser struct {
	t    *testing.T
	to   *os.File
	from *bufio.Reader

	mu         sync.Mutex
	id         int
	answers    map[int]chan reply
	gone       chan struct{} // closed when the browser has ended
	complaints []string      // of pages
}

type reply struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// tab is one page of a browser.
type tab struct {
	*browser
	session, target string
}

// look is how a page is looked at.
type look struct {
	w, h  int
	dark  bool
	zone  string // "" for UTC
	scale float64
}

// startBrowser starts one; flags stand in place of the one that keeps it from drawing in 3D.
func startBrowser(t *testing.T, flags ...string) *browser {
	t.Helper()
	toRead, toWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromRead, fromWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if flags == nil {
		flags = []string{"--disable-gpu"}
	}
	cmd := exec.Command(chromium(t), append(flags, "--headless", "--no-sandbox", "--disable-dev-shm-usage",
		"--disable-background-networking", "--no-first-run", "--hide-scrollbars", "--user-data-dir="+t.TempDir(),
		"--remote-debugging-pipe", "about:blank")...)
	cmd.ExtraFiles = []*os.File{toRead, fromWrite} // 3 and 4
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toRead.Close()
	fromWrite.Close()
	b := &browser{t: t, to: toWrite, from: bufio.NewReader(fromRead), answers: map[int]chan reply{},
		gone: make(chan struct{})}
	go b.listen()
	t.Cleanup(func() {
		toWrite.Close() // ends it
		late := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		defer late.Stop()
		_ = cmd.Wait()
		<-b.gone
		fromRead.Close()
	})
	return b
}

func (b *browser) listen() {
	defer close(b.gone)
	for {
		raw, err := b.from.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID     int
			Method string
			Params json.RawMessage
			reply
		}
		if json.Unmarshal(bytes.TrimSuffix(raw, []byte{0}), &m) != nil {
			continue
		}
		b.mu.Lock()
		switch {
		case m.ID != 0:
			b.answers[m.ID] <- m.reply
			delete(b.answers, m.ID)
		case m.Method == "Runtime.exceptionThrown", m.Method == "Log.entryAdded":
			b.complaints = append(b.complaints, string(m.Params))
		}
		b.mu.Unlock()
	}
}

// call sends a command, waits for its answer and fails if it is an error.
func (b *browser) call(session, method string, params, result any) {
	b.t.Helper()
	r := b.send(session, method, params)
	if r.Error != nil {
		b.t.Fatalf("%s: %s", method, r.Error.Message)
	}
	if result != nil {
		if err := json.Unmarshal(r.Result, result); err != nil {
			b.t.Fatal(err)
		}
	}
}

// send sends a command and waits for its answer.
func (b *browser) send(session, method string, params any) reply {
	b.t.Helper()
	b.mu.Lock()
	b.id++
	answer := make(chan reply, 1)
	b.answers[b.id] = answer
	m := map[string]any{"id": b.id, "method": method, "params": params}
	if session != "" {
		m["sessionId"] = session
	}
	raw, err := json.Marshal(m)
	b.mu.Unlock()
	if err == nil {
		_, err = b.to.Write(append(raw, 0))
	}
	if err != nil {
		b.t.Fatal(err)
	}
	late := time.NewTimer(time.Minute)
	defer late.Stop()
	select {
	case r := <-answer:
		return r
	case <-b.gone:
		b.t.Fatalf("%s: the browser ended", method)
	case <-late.C:
		b.t.Fatalf("%s: no answer", method)
	}
	return reply{}
}

// allDrawn holds once the page shows everything that it was sent at first.
const allDrawn = `document.getElementById("link")?.textContent === "live" &&
	!document.getElementById("main").hidden && (!desk.now || desk.changes)`

// open loads the live page.
func (b *browser) open(url string, l look) *tab {
	b.t.Helper()
	p := b.tab(l)
	p.do("Page.navigate", map[string]any{"url": url}, nil)
	p.until(allDrawn)
	return p
}

// tab opens an empty tab.
func (b *browser) tab(l look) *tab {
	b.t.Helper()
	var target struct{ TargetID string }
	b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p := &tab{b, attached.SessionID, target.TargetID}
	for _, domain := range []string{"Runtime", "Log", "Page"} {
		p.do(domain+".enable", nil, nil)
	}
	if l.zone == "" {
		l.zone = "UTC"
	}
	if l.scale == 0 {
		l.scale = 1
	}
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	p.do("Emulation.setTimezoneOverride", map[string]any{"timezoneId": l.zone}, nil)
	p.do("Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	p.do("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": l.w, "height": l.h, "deviceScaleFactor": l.scale, "mobile": false}, nil)
	return p
}

// close closes the page. Each open one holds a connection, of which a browser
// grants six to a host.
func (p *tab) close() {
	p.t.Helper()
	p.call("", "Target.closeTarget", map[string]any{"targetId": p.target}, nil)
}

func (p *tab) do(method string, params, result any) {
	p.t.Helper()
	if params == nil {
		params = struct{}{}
	}
	p.call(p.session, method, params, result)
}

// eval runs a script in the page and returns its value.
func eval[T any](p *tab, script string) T {
	p.t.Helper()
	var r struct {
		Result           struct{ Value T }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	p.do("Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true}, &r)
	if e := r.ExceptionDetails; e != nil {
		p.t.Fatalf("%s: %s %s", script, e.Text, e.Exception.Description)
	}
	return r.Result.Value
}

// until waits for a condition of the page. A page that is loaded anew meanwhile
// is looked at again.
func (p *tab) until(condition string) {
	p.t.Helper()
	script := fmt.Sprintf(`new Promise((ok) => {
		const end = performance.now() + 30000;
		(function look() {
			if (%s) ok(true); else if (performance.now() > end) ok(false); else setTimeout(look, 10);
		})();
	})`, condition)
	for {
		r := p.send(p.session, "Runtime.evaluate",
			map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true})
		switch {
		case r.Error != nil && strings.Contains(r.Error.Message, "navigated"):
		case r.Error != nil:
			p.t.Fatalf("%s: %s", condition, r.Error.Message)
		case !strings.Contains(string(r.Result), `"value":true`):
			p.t.Fatalf("the page never came to: %s\n%s\n%s", condition, r.Result, p.text("body"))
		default:
			return
		}
	}
}

// text is what an element shows.
func (p *tab) text(selector string) string {
	p.t.Helper()
	return eval[string](p, fmt.Sprintf(`document.querySelector(%q).innerText`, selector))
}

// dom is the page as it is now.
func (p *tab) dom() string {
	p.t.Helper()
	return eval[string](p, `document.documentElement.outerHTML`)
}

// wantText checks what an element shows; white space counts as one space.
func (p *tab) wantText(selector, want string) {
	p.t.Helper()
	if got := strings.Join(strings.Fields(p.text(selector)), " "); got != want {
		p.t.Errorf("%s shows %q, want %q", selector, got, want)
	}
}

// unfold opens what can be opened of attention.
func (p *tab) unfold() {
	p.t.Helper()
	eval[int](p, `document.querySelectorAll(".attention details").forEach((d) => { d.open = true; }), 1`)
}

// box is where an element stands, in CSS pixels.
func (p *tab) box(selector string) (r struct{ X, Y, Width, Height float64 }) {
	p.t.Helper()
	raw := eval[string](p, fmt.Sprintf(`JSON.stringify(document.querySelector(%q).getBoundingClientRect())`, selector))
	if err := json.Unmarshal([]byte(raw), &r); err != nil {
		p.t.Fatal(err)
	}
	return r
}

// click clicks with the mouse in the middle of an element.
func (p *tab) click(selector string) {
	p.t.Helper()
	b := p.box(selector)
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		p.do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": b.X + b.Width/2, "y": b.Y + b.Height/2,
			"button": "left", "clickCount": 1}, nil)
	}
}

// shoot takes a picture of what is in view. With KEHAI_SHOTS set to a folder it
// is kept there too.
func (p *tab) shoot(name string) image.Image {
	p.t.Helper()
	var r struct{ Data string }
	p.do("Page.captureScreenshot", map[string]any{"format": "png"}, &r)
	raw, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	if dir := os.Getenv("KEHAI_SHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), raw, 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		p.t.Fatal(err)
	}
	return img
}

// wantNoComplaints checks that no page's code failed or broke its policy.
func (b *browser) wantNoComplaints() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.complaints {
		b.t.Errorf("the page complains: %s", c)
	}
}
