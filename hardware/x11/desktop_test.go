//go:build desktop

package x11

import (
	"context"
	"errors"
	"image"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/hardwaretest"
	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
)

func managed(t testing.TB) *desktop.Desktop {
	t.Helper()
	desk := desktop.Start(t)
	desk.StartWindowManager(t)
	return desk
}

func ref(w *desktop.Window) string { return formatRef(xproto.Window(w.ID)) }

// show opens a window and returns once the window manager lists it.
func show(t testing.TB, c *desktop.Client, d *Display, title, class string, box image.Rectangle) *desktop.Window {
	t.Helper()
	w := c.Open(title, class, box)
	desktop.Eventually(t, "the window is listed", func() bool { return listed(t, d, ref(w)) })
	return w
}

func listed(t testing.TB, d *Display, want string) bool {
	t.Helper()
	list, err := d.Windows(t.Context())
	if err != nil {
		t.Fatalf("Windows() = %v", err)
	}
	for _, w := range list {
		if w.Ref == want {
			return true
		}
	}
	return false
}

func capture(t testing.TB, d *Display, ref string) *image.RGBA {
	t.Helper()
	c, err := d.Capture(t.Context(), ref)
	if err != nil {
		t.Fatalf("Capture(%s) = %v", ref, err)
	}
	return c.Image
}

// wrongPixels counts the pixels that differ from the window's pattern.
func wrongPixels(img *image.RGBA, w *desktop.Window) (wrong int) {
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if img.RGBAAt(x, y) != w.Color(x, y) {
				wrong++
			}
		}
	}
	return wrong
}

// shows waits until a capture is the window's pattern: a program needs a moment
// to paint what was covered before.
func shows(t testing.TB, d *Display, ref string, w *desktop.Window) {
	t.Helper()
	desktop.Eventually(t, "the capture is pixel-right", func() bool { return wrongPixels(capture(t, d, ref), w) == 0 })
}

func captureError(t testing.TB, d *Display, ref string, want error) {
	t.Helper()
	if c, err := d.Capture(t.Context(), ref); !errors.Is(err, want) || c.Image != nil {
		t.Errorf("Capture(%s) = %v, want no picture and %v", ref, err, want)
	}
}

func TestScreenConforms(t *testing.T) {
	for name, opt := range map[string]Options{"shm": {}, "plain": {NoSHM: true}} {
		t.Run(name, func(t *testing.T) {
			desk := managed(t)
			opt.Display = desk.Display
			d := open(t, opt)
			// One client for all, so that no window has the id of an earlier one.
			c := desktop.Connect(t, desk.Display)
			hardwaretest.Screen(t, func(t *testing.T) hardwaretest.ScreenFixture {
				box := image.Rect(40, 60, 440, 360)
				w := show(t, c, d, "chat", "Chat", box)
				t.Cleanup(w.Close)
				hidden := func(want bool) func() bool {
					return func() bool {
						_, err := d.Capture(t.Context(), ref(w))
						return errors.Is(err, hardware.ErrMinimised) == want
					}
				}
				return hardwaretest.ScreenFixture{
					Screen: d, Ref: ref(w),
					Change: w.Change,
					Hide:   func() { w.Minimise(); desktop.Eventually(t, "the window is minimised", hidden(true)) },
					Show:   func() { w.Show(); desktop.Eventually(t, "the window is back", hidden(false)) },
					Cover: func() {
						front := c.Open("front", "Front", box.Inset(-30))
						t.Cleanup(front.Close)
					},
					Empty: func() {
						w.Resize(image.Pt(1, 1))
						desktop.Eventually(t, "the window is 1x1", func() bool {
							list, err := d.Windows(t.Context())
							return err == nil && slices.ContainsFunc(list, func(in hardware.Window) bool {
								return in.Ref == ref(w) && in.Box.Size() == image.Pt(1, 1)
							})
						})
					},
					Close: func() {
						w.Close()
						desktop.Eventually(t, "the window is not listed", func() bool { return !listed(t, d, ref(w)) })
					},
				}
			})
		})
	}
}

func TestCaptureIsPixelRight(t *testing.T) {
	desk := managed(t)
	for name, opt := range map[string]Options{"shm": {}, "plain": {NoSHM: true}} {
		t.Run(name, func(t *testing.T) {
			opt.Display = desk.Display
			d := open(t, opt)
			c := desktop.Connect(t, desk.Display)
			w := show(t, c, d, "chat", "Chat", image.Rect(100, 100, 100+333, 100+207))
			img := capture(t, d, ref(w))
			if img.Rect != image.Rect(0, 0, 333, 207) {
				t.Fatalf("Capture() is %v, want 333x207 without the decoration", img.Rect)
			}
			if n := wrongPixels(img, w); n > 0 {
				t.Errorf("Capture() has %d wrong pixels, want 0", n)
			}
		})
	}
}

func TestCaptureOfCoveredWindow(t *testing.T) {
	desk := managed(t)
	d := open(t, Options{Display: desk.Display})
	c := desktop.Connect(t, desk.Display)
	box := image.Rect(100, 100, 500, 400)
	w := show(t, c, d, "chat", "Chat", box)
	front := show(t, c, d, "front", "Front", box.Inset(-20))
	front.Raise()
	// Never captured before: the server has no pixels of it until now.
	shows(t, d, ref(w), w)
	w.Change()
	if n := wrongPixels(capture(t, d, ref(w)), w); n > 0 {
		t.Errorf("Capture() after a change below another window has %d wrong pixels, want 0", n)
	}
}

func TestCaptureBeyondTheScreen(t *testing.T) {
	desk := managed(t)
	d := open(t, Options{Display: desk.Display})
	w := show(t, desktop.Connect(t, desk.Display), d, "chat", "Chat", image.Rect(1100, 700, 1500, 1000))
	shows(t, d, ref(w), w)
}

func TestCaptureWithoutWindowManager(t *testing.T) {
	desk := desktop.Start(t)
	d := open(t, Options{Display: desk.Display})
	c := desktop.Connect(t, desk.Display)
	box := image.Rect(100, 100, 500, 400)
	w := show(t, c, d, "chat", "Chat", box)
	front := show(t, c, d, "front", "Front", box)
	list, err := d.Windows(t.Context())
	if err != nil || len(list) != 2 || list[0].Ref != ref(front) || list[1].Title != "chat" {
		t.Errorf("Windows() = %+v, %v, want front above chat", list, err)
	}
	shows(t, d, ref(w), w)
	if err := d.Activate(t.Context(), ref(w)); err != nil {
		t.Errorf("Activate() = %v", err)
	}
}

// Captures run while the window is resized and then closed. Each is a complete
// picture of one size or a typed error.
func TestCaptureWhileResizedAndClosed(t *testing.T) {
	desk := managed(t)
	d := open(t, Options{Display: desk.Display})
	c := desktop.Connect(t, desk.Display)
	w := show(t, c, d, "chat", "Chat", image.Rect(50, 50, 450, 350))
	var running sync.WaitGroup
	for range 3 {
		running.Go(func() {
			for {
				got, err := d.Capture(t.Context(), ref(w))
				switch {
				case errors.Is(err, hardware.ErrWindowGone):
					return
				case err != nil && !errors.Is(err, hardware.ErrEmptyFrame) && !errors.Is(err, hardware.ErrMinimised):
					t.Errorf("Capture() while resized = %v, want a typed error", err)
					return
				case err == nil && (got.Image.Rect.Dx() < 200 || got.Image.Rect.Dx() > 600):
					t.Errorf("Capture() is %v, want one of the window's sizes", got.Image.Rect)
					return
				}
			}
		})
	}
	for i := range 60 {
		size := image.Pt(200+(i*37)%400, 150+(i*53)%300)
		w.Resize(size)
		desktop.Eventually(t, "the window has its new size", func() bool {
			got, err := d.Capture(t.Context(), ref(w))
			return err == nil && got.Image.Rect.Size() == size
		})
	}
	w.Close()
	running.Wait()
}

func TestWindows(t *testing.T) {
	desk := managed(t)
	d := open(t, Options{Display: desk.Display})
	c := desktop.Connect(t, desk.Display)
	below := show(t, c, d, "花子", "Chat", image.Rect(100, 100, 500, 400))
	above := show(t, c, d, "Notes", "Editor", image.Rect(120, 120, 520, 420))
	order := func(first, second *desktop.Window) func() bool {
		return func() bool {
			list, err := d.Windows(t.Context())
			return err == nil && len(list) == 2 && list[0].Ref == ref(first) && list[1].Ref == ref(second)
		}
	}
	desktop.Eventually(t, "the newer window is listed first", order(above, below))
	desktop.Eventually(t, "the newer window has the keyboard", func() bool {
		got, err := d.Active(t.Context())
		return err == nil && got.Ref == ref(above)
	})
	if err := d.Activate(t.Context(), ref(below)); err != nil {
		t.Fatalf("Activate(%s) = %v", ref(below), err)
	}
	desktop.Eventually(t, "the activated window is listed first", order(below, above))
	got, err := d.Active(t.Context())
	if err != nil || got.Ref != ref(below) || got.Title != "花子" || got.App != "Chat" ||
		got.Box.Size() != image.Pt(400, 300) || got.PID == 0 {
		t.Errorf("Active() = %+v, %v, want the window below as it was opened", got, err)
	}
	if w, err := d.Find(t.Context(), "edit"); err != nil || w.Ref != ref(above) {
		t.Errorf("Find(edit) = %+v, %v, want %s", w, err, ref(above))
	}
	if _, err := d.Find(t.Context(), "absent"); !errors.Is(err, hardware.ErrWindowGone) {
		t.Errorf("Find(absent) = %v, want %v", err, hardware.ErrWindowGone)
	}
	decimal := strconv.FormatUint(uint64(below.ID), 10)
	shows(t, d, decimal, below)
	if err := d.Activate(t.Context(), "0x1"); !errors.Is(err, hardware.ErrWindowGone) {
		t.Errorf("Activate(0x1) = %v, want %v", err, hardware.ErrWindowGone)
	}
}

func TestServerGoesAwayAndComesBack(t *testing.T) {
	desk := managed(t)
	d := open(t, Options{Display: desk.Display})
	u := openUsage(t, Options{Display: desk.Display})
	w := show(t, desktop.Connect(t, desk.Display), d, "chat", "Chat", image.Rect(100, 100, 500, 400))
	capture(t, d, ref(w))
	if _, err := u.Input(t.Context()); err != nil {
		t.Fatalf("Input() = %v", err)
	}
	desk.StopServer()
	captureError(t, d, ref(w), hardware.ErrNoDisplay)
	captureError(t, d, ref(w), hardware.ErrNoDisplay)
	desktop.Eventually(t, "Input says that the display is gone", func() bool {
		_, err := u.Input(t.Context())
		return errors.Is(err, hardware.ErrNoDisplay)
	})

	desk.RestartServer(t)
	w = show(t, desktop.Connect(t, desk.Display), d, "chat", "Chat", image.Rect(100, 100, 500, 400))
	if n := wrongPixels(capture(t, d, ref(w)), w); n > 0 {
		t.Errorf("Capture() from the new server has %d wrong pixels, want 0", n)
	}
	if _, err := u.Input(t.Context()); err != nil {
		t.Errorf("Input() from the new server = %v", err)
	}
}

func TestUsage(t *testing.T) {
	desk := managed(t)
	d := open(t, Options{Display: desk.Display})
	c := desktop.Connect(t, desk.Display)
	u := openUsage(t, Options{Display: desk.Display})
	w := show(t, c, d, "secret plan", "Editor", image.Rect(100, 100, 500, 400))
	if err := d.Activate(t.Context(), ref(w)); err != nil {
		t.Fatalf("Activate() = %v", err)
	}
	app, err := u.ActiveApp(t.Context())
	if err != nil || app.Name != "Editor" || app.Title != "" || app.PID == 0 {
		t.Errorf("ActiveApp() = %+v, %v, want Editor without its title", app, err)
	}
	titled := openUsage(t, Options{Display: desk.Display, Titles: true})
	if app, err := titled.ActiveApp(t.Context()); err != nil || app.Title != "secret plan" {
		t.Errorf("ActiveApp() with titles on = %+v, %v, want the title", app, err)
	}
	in, err := u.Input(t.Context())
	if err != nil || in != (hardware.Input{SinceKey: -1}) {
		t.Fatalf("Input() at first = %+v, %v, want nothing counted", in, err)
	}
	const keys, clicks, moves = 7, 3, 4
	h := handsAt(t, desk.Display)
	for i := range byte(keys) {
		h.press(deviceKeyPress, 38+i, h.keyboard)
	}
	for range clicks {
		h.press(deviceButtonPress, 1, h.mouse)
	}
	for range moves {
		h.move(10, 0)
	}
	desktop.Eventually(t, "all events are counted", func() bool {
		in, err = u.Input(t.Context())
		return err == nil && in.Keys >= keys && in.Mouse >= clicks+moves
	})
	if in.Keys != keys || in.Mouse != clicks+moves || in.SinceKey < 0 || in.SinceKey > time.Minute {
		t.Errorf("Input() = %+v, want %d keys, %d mouse events, the last key just now", in, keys, clicks+moves)
	}
	before, err := u.Idle(t.Context())
	if err != nil || before > time.Minute {
		t.Errorf("Idle() after input = %v, %v, want a short time", before, err)
	}
	desktop.Eventually(t, "the idle time grows", func() bool {
		after, err := u.Idle(t.Context())
		return err == nil && after > before+30*time.Millisecond
	})
}

func TestCloseEndsCalls(t *testing.T) {
	desk := managed(t)
	d := open(t, Options{Display: desk.Display})
	if _, err := d.Windows(t.Context()); err != nil {
		t.Fatalf("Windows() = %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
	if _, err := d.Windows(t.Context()); !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("Windows() after Close = %v, want %v", err, hardware.ErrUnavailable)
	}
}

func TestLend(t *testing.T) {
	desk := managed(t)
	owner, d := open(t, Options{Display: desk.Display}), open(t, Options{Display: desk.Display})
	// fetch reads the clipboard as another program does.
	fetch := func(ctx context.Context) string {
		reader := open(t, Options{Display: desk.Display})
		s, err := reader.clip.open(ctx)
		if err != nil {
			t.Fatalf("open() = %v", err)
		}
		text, err := reader.clip.read(ctx, s)
		if err != nil {
			t.Fatalf("read() = %v", err)
		}
		return string(text)
	}
	err := owner.PasteText(t.Context(), "lost", func(ctx context.Context) error {
		if err := d.PasteText(ctx, "貸したテキスト", func(ctx context.Context) error {
			if got := fetch(ctx); got != "貸したテキスト" {
				t.Errorf("the clipboard while lent = %q, want the text", got)
			}
			return nil
		}); err != nil {
			t.Errorf("PasteText() = %v", err)
		}
		if got := fetch(ctx); got != "lost" {
			t.Errorf("the clipboard after a loan = %q, want what was there before", got)
		}
		return nil
	})
	if err != nil {
		t.Errorf("PasteText() = %v", err)
	}
	if err := d.PasteText(t.Context(), "x", func(context.Context) error { return nil }); !errors.Is(err,
		hardware.ErrNoField) {
		t.Errorf("PasteText() that nothing pastes = %v, want %v", err, hardware.ErrNoField)
	}
	if got := fetch(t.Context()); got != "" {
		t.Errorf("the clipboard after a failed loan = %q, want nothing", got)
	}
}

func BenchmarkCapture(b *testing.B) {
	desk := managed(b)
	c := desktop.Connect(b, desk.Display)
	for name, opt := range map[string]Options{"shm": {}, "plain": {NoSHM: true}} {
		b.Run(name, func(b *testing.B) {
			opt.Display = desk.Display
			d := open(b, opt)
			w := show(b, c, d, "chat", "Chat", image.Rect(20, 20, 1020, 820))
			capture(b, d, ref(w))
			b.SetBytes(4 * 1000 * 800)
			b.ReportAllocs()
			for b.Loop() {
				capture(b, d, ref(w))
			}
		})
	}
}
