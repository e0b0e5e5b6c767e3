//go:build unix

package desktop

import (
	"image"
	"image/color"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// Client is a program with windows.
type Client struct {
	t    testing.TB
	x    *xgb.Conn
	root xproto.Window
	done chan struct{}

	drawing sync.Mutex // one pattern at a time, so that colours do not mix
	mu      sync.Mutex
	windows map[xproto.Window]*Window
}

// Window is a window that shows a pattern of tiles, see [Window.Color].
type Window struct {
	ID    uint32
	c     *Client
	gc    xproto.Gcontext
	seed  int         // guarded by Client.mu, like size
	size  image.Point // as last reported by the server
	drawn int         // seed of the last completely drawn pattern
}

const tile = 16 // pixels

// quiet silences xgb, which also returns everything that it prints as errors.
var quiet = sync.OnceFunc(func() { xgb.Logger.SetOutput(io.Discard) })

// Connect starts a client, which ends with the test.
func Connect(t testing.TB, display string) *Client {
	t.Helper()
	quiet()
	x, err := xgb.NewConnDisplay(display)
	if err != nil {
		t.Fatalf("connect to %s: %v", display, err)
	}
	c := &Client{t: t, x: x, root: xproto.Setup(x).DefaultScreen(x).Root, done: make(chan struct{}),
		windows: map[xproto.Window]*Window{}}
	if err := xtest.Init(x); err != nil {
		t.Fatalf("xtest.Init() = %v", err)
	}
	go c.loop()
	t.Cleanup(func() {
		x.Close()
		<-c.done
	})
	return c
}

func (c *Client) loop() {
	defer close(c.done)
	for {
		ev, err := c.x.WaitForEvent()
		if ev == nil && err == nil {
			return
		}
		switch ev := ev.(type) {
		case xproto.ExposeEvent:
			if ev.Count == 0 {
				c.draw(ev.Window)
			}
		case xproto.ConfigureNotifyEvent:
			c.mu.Lock()
			if w := c.windows[ev.Window]; w != nil {
				w.size = image.Pt(int(ev.Width), int(ev.Height))
			}
			c.mu.Unlock()
			c.draw(ev.Window)
		}
	}
}

func (c *Client) atom(name string) xproto.Atom {
	reply, err := xproto.InternAtom(c.x, false, uint16(len(name)), name).Reply()
	if err != nil {
		c.t.Fatalf("InternAtom(%s) = %v", name, err)
	}
	return reply.Atom
}

// awaitManager waits until a window manager manages windows. A request that
// arrives while it starts may be lost, so each attempt repeats it.
func (c *Client) awaitManager(check func()) {
	c.t.Helper()
	id, err := xproto.NewWindowId(c.x)
	if err != nil {
		c.t.Fatalf("NewWindowId() = %v", err)
	}
	c.check(xproto.CreateWindowChecked(c.x, 0, id, c.root, 0, 0, 8, 8, 0, xproto.WindowClassInputOutput, 0, 0, nil))
	has := func(w xproto.Window, name string) bool {
		reply, err := xproto.GetProperty(c.x, false, w, c.atom(name), xproto.GetPropertyTypeAny, 0, 1).Reply()
		return err == nil && reply.ValueLen > 0
	}
	Eventually(c.t, "the window manager manages a window", func() bool {
		check()
		if has(c.root, "_NET_SUPPORTING_WM_CHECK") {
			c.check(xproto.MapWindowChecked(c.x, id))
		}
		return has(id, "WM_STATE")
	})
	c.check(xproto.DestroyWindowChecked(c.x, id))
	Eventually(c.t, "no window is managed", func() bool { return !has(c.root, "_NET_CLIENT_LIST") })
}

// Open shows a window and returns once it has drawn itself.
func (c *Client) Open(title, class string, box image.Rectangle) *Window {
	c.t.Helper()
	id, err := xproto.NewWindowId(c.x)
	if err != nil {
		c.t.Fatalf("NewWindowId() = %v", err)
	}
	gc, err := xproto.NewGcontextId(c.x)
	if err != nil {
		c.t.Fatalf("NewGcontextId() = %v", err)
	}
	w := &Window{ID: uint32(id), c: c, gc: gc, seed: 1, size: box.Size()}
	c.mu.Lock()
	c.windows[id] = w
	c.mu.Unlock()
	c.check(xproto.CreateWindowChecked(c.x, 0, id, c.root, int16(box.Min.X), int16(box.Min.Y), uint16(box.Dx()),
		uint16(box.Dy()), 0,
		xproto.WindowClassInputOutput, 0, xproto.CwBackPixel|xproto.CwEventMask,
		[]uint32{0x804020, xproto.EventMaskExposure | xproto.EventMaskStructureNotify | xproto.EventMaskKeyPress}))
	c.check(xproto.CreateGCChecked(c.x, gc, xproto.Drawable(id), 0, nil))
	utf8 := c.atom("UTF8_STRING")
	c.set(id, "_NET_WM_NAME", utf8, 8, []byte(title))
	c.set(id, "WM_CLASS", xproto.AtomString, 8, []byte(class+"\x00"+class+"\x00"))
	var pid [4]byte
	xgb.Put32(pid[:], uint32(os.Getpid()))
	c.set(id, "_NET_WM_PID", xproto.AtomCardinal, 32, pid[:])
	// USPosition and USSize: the window manager keeps the requested place and size.
	hints := make([]byte, 18*4)
	xgb.Put32(hints, 1|2)
	c.set(id, "WM_NORMAL_HINTS", xproto.AtomWmSizeHints, 32, hints)
	c.check(xproto.MapWindowChecked(c.x, id))
	w.shown()
	return w
}

func (c *Client) set(w xproto.Window, name string, kind xproto.Atom, format byte, value []byte) {
	c.t.Helper()
	c.check(xproto.ChangePropertyChecked(c.x, xproto.PropModeReplace, w, c.atom(name), kind, format,
		uint32(len(value)*8)/uint32(format), value))
}

type checker interface{ Check() error }

func (c *Client) check(cookie checker) {
	c.t.Helper()
	if err := cookie.Check(); err != nil {
		c.t.Fatalf("X request = %v", err)
	}
}

// draw paints the whole pattern that is current when its turn comes, so that of
// several calls the last one draws the current pattern. It ignores errors: they
// mean that the window is closing.
func (c *Client) draw(id xproto.Window) {
	c.drawing.Lock()
	defer c.drawing.Unlock()
	c.mu.Lock()
	w := c.windows[id]
	if w == nil {
		c.mu.Unlock()
		return
	}
	seed, size := w.seed, w.size
	c.mu.Unlock()
	for y := 0; y < size.Y; y += tile {
		for x := 0; x < size.X; x += tile {
			p := pattern(seed, x, y)
			xproto.ChangeGC(c.x, w.gc, xproto.GcForeground, []uint32{uint32(p.R)<<16 | uint32(p.G)<<8 | uint32(p.B)})
			xproto.PolyFillRectangle(c.x, xproto.Drawable(id), w.gc,
				[]xproto.Rectangle{{X: int16(x), Y: int16(y), Width: tile, Height: tile}})
		}
	}
	if _, err := xproto.GetInputFocus(c.x).Reply(); err != nil {
		return
	}
	c.mu.Lock()
	w.drawn = seed
	c.mu.Unlock()
}

func pattern(seed, x, y int) color.RGBA {
	i, j := x/tile, y/tile
	return color.RGBA{R: uint8(40*seed + 7*i), G: uint8(90 + 5*j), B: uint8(200 - 11*seed - i + 3*j), A: 255}
}

// Color is what the window shows at a point.
func (w *Window) Color(x, y int) color.RGBA {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	return pattern(w.seed, x, y)
}

// settled waits until the current pattern is drawn.
func (w *Window) settled() {
	w.c.t.Helper()
	Eventually(w.c.t, "the window has drawn itself", func() bool {
		w.c.mu.Lock()
		defer w.c.mu.Unlock()
		return w.drawn == w.seed
	})
}

// shown waits until the screen shows the visible part of the current pattern. The
// window must be in front.
func (w *Window) shown() {
	w.c.t.Helper()
	w.settled()
	Eventually(w.c.t, "the screen shows the window", func() bool { return w.shows(image.Rect(0, 0, screenW, screenH)) })
}

// Covers reports whether a part of the screen shows this window and nothing else.
// It checks the screen's pixels.
func (w *Window) Covers(part image.Rectangle) bool {
	w.c.t.Helper()
	box, _, _ := w.place()
	return part.In(box) && w.shows(part)
}

// place is where the window is, and its pattern.
func (w *Window) place() (box image.Rectangle, seed int, err error) {
	at, err := xproto.TranslateCoordinates(w.c.x, xproto.Window(w.ID), w.c.root, 0, 0).Reply()
	if err != nil {
		return box, 0, err
	}
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	origin := image.Pt(int(at.DstX), int(at.DstY))
	return image.Rectangle{Min: origin, Max: origin.Add(w.size)}, w.seed, nil
}

// shows reports whether the screen shows the window wherever the window overlaps
// part.
func (w *Window) shows(part image.Rectangle) bool {
	whole, seed, err := w.place()
	box := whole.Intersect(part)
	if err != nil || box.Empty() {
		return false
	}
	reply, err := xproto.GetImage(w.c.x, xproto.ImageFormatZPixmap, xproto.Drawable(w.c.root),
		int16(box.Min.X), int16(box.Min.Y), uint16(box.Dx()), uint16(box.Dy()), ^uint32(0)).Reply()
	if err != nil || len(reply.Data) < 4*box.Dx()*box.Dy() {
		return false
	}
	for i := 0; i < 4*box.Dx()*box.Dy(); i += 4 {
		p := box.Min.Add(image.Pt(i/4%box.Dx(), i/4/box.Dx())).Sub(whole.Min)
		want := pattern(seed, p.X, p.Y)
		if reply.Data[i] != want.B || reply.Data[i+1] != want.G || reply.Data[i+2] != want.R {
			return false
		}
	}
	return true
}

// Change shows another pattern.
func (w *Window) Change() {
	w.c.t.Helper()
	w.c.mu.Lock()
	w.seed++
	w.c.mu.Unlock()
	w.c.draw(xproto.Window(w.ID))
	w.settled()
}

// Resize asks for another size; the window manager grants it later.
func (w *Window) Resize(size image.Point) {
	w.c.t.Helper()
	w.c.check(xproto.ConfigureWindowChecked(w.c.x, xproto.Window(w.ID),
		xproto.ConfigWindowWidth|xproto.ConfigWindowHeight, []uint32{uint32(size.X), uint32(size.Y)}))
}

// Raise puts the window in front without giving it the keyboard.
func (w *Window) Raise() {
	w.c.t.Helper()
	w.c.check(xproto.ConfigureWindowChecked(w.c.x, xproto.Window(w.ID), xproto.ConfigWindowStackMode,
		[]uint32{xproto.StackModeAbove}))
}

// Minimise asks the window manager to minimise the window.
func (w *Window) Minimise() {
	w.c.t.Helper()
	const iconic = 3
	ev := xproto.ClientMessageEvent{Format: 32, Window: xproto.Window(w.ID), Type: w.c.atom("WM_CHANGE_STATE"),
		Data: xproto.ClientMessageDataUnionData32New([]uint32{iconic, 0, 0, 0, 0})}
	w.c.check(xproto.SendEventChecked(w.c.x, false, w.c.root,
		xproto.EventMaskSubstructureRedirect|xproto.EventMaskSubstructureNotify, string(ev.Bytes())))
}

// Rename gives the window another title.
func (w *Window) Rename(title string) {
	w.c.t.Helper()
	w.c.set(xproto.Window(w.ID), "_NET_WM_NAME", w.c.atom("UTF8_STRING"), 8, []byte(title))
}

// Workspace asks the window manager to put the window on a workspace, counted
// from 0.
func (w *Window) Workspace(n uint32) {
	w.c.t.Helper()
	const fromPager = 2
	ev := xproto.ClientMessageEvent{Format: 32, Window: xproto.Window(w.ID), Type: w.c.atom("_NET_WM_DESKTOP"),
		Data: xproto.ClientMessageDataUnionData32New([]uint32{n, fromPager, 0, 0, 0})}
	w.c.check(xproto.SendEventChecked(w.c.x, false, w.c.root,
		xproto.EventMaskSubstructureRedirect|xproto.EventMaskSubstructureNotify, string(ev.Bytes())))
}

// Show ends Minimise and Hide, and returns once the window has drawn itself.
func (w *Window) Show() {
	w.c.t.Helper()
	w.c.mu.Lock()
	w.drawn = 0
	w.c.mu.Unlock()
	w.c.check(xproto.MapWindowChecked(w.c.x, xproto.Window(w.ID)))
	w.shown()
}

// Close destroys the window. It may be called twice.
func (w *Window) Close() {
	w.c.t.Helper()
	w.c.mu.Lock()
	_, open := w.c.windows[xproto.Window(w.ID)]
	delete(w.c.windows, xproto.Window(w.ID))
	w.c.mu.Unlock()
	if !open {
		return
	}
	w.c.check(xproto.DestroyWindowChecked(w.c.x, xproto.Window(w.ID)))
}

// Press simulates a key or button press and release. kind is xproto.KeyPress or
// xproto.ButtonPress, detail the key code or the button.
func (c *Client) Press(kind, detail byte) {
	c.t.Helper()
	c.check(xtest.FakeInputChecked(c.x, kind, detail, 0, c.root, 0, 0, 0))
	c.check(xtest.FakeInputChecked(c.x, kind+1, detail, 0, c.root, 0, 0, 0))
}

// Move simulates a movement of the pointer to a point of the screen.
func (c *Client) Move(x, y int) {
	c.t.Helper()
	c.check(xtest.FakeInputChecked(c.x, xproto.MotionNotify, 0, 0, c.root, int16(x), int16(y), 0))
}
