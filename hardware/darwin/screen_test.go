package darwin

import (
	"context"
	"errors"
	"image/color"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/hardwaretest"
)

// shownWindow is an entry of the window server.
func shownWindow(id int, width, height float64) map[string]any {
	return map[string]any{
		keyNumber: id, keyPID: 77, keyApp: "LINE", keyTitle: "花子", keyLayer: 0, keyAlpha: 1.0, keyOnScreen: true,
		keySharing: 1,
		keyBounds:  map[string]any{"X": 10.0, "Y": 20.0, "Width": width, "Height": height},
	}
}

// painted is a capture in one colour.
func painted(width, height uint, c color.RGBA) *cgImage {
	return &cgImage{width, height, 8, 32, width * 4, alphaPremultipliedFirst | order32Little,
		slices.Repeat([]byte{c.B, c.G, c.R, c.A}, int(width*height))}
}

var bubble = color.RGBA{195, 246, 157, 255}

func fakeScreen(t *testing.T) (*world, *Screen) {
	w := newWorld(t)
	w.windows = []map[string]any{shownWindow(42, 100, 60)}
	w.picture = painted(200, 120, bubble)
	return w, &Screen{a: w.api, now: time.Now}
}

func TestScreenConformance(t *testing.T) {
	hardwaretest.Screen(t, func(t *testing.T) hardwaretest.ScreenFixture {
		w, s := fakeScreen(t)
		screen := &oneAtATime{Screen: s}
		return hardwaretest.ScreenFixture{
			Screen: screen, Ref: "42",
			Change: func() {
				defer screen.turn.enter()()
				w.picture = painted(200, 120, color.RGBA{1, 2, 3, 255})
			},
			Hide:  func() { w.windows[0][keyOnScreen] = false },
			Show:  func() { w.windows[0][keyOnScreen] = true },
			Empty: func() { w.windows[0][keyBounds] = map[string]any{"X": 1.0, "Y": 1.0, "Width": 0.0, "Height": 0.0} },
			Close: func() { w.windows = nil },
		}
	})
}

// oneAtATime guards the fake world, which is not safe for concurrent calls.
type oneAtATime struct {
	*Screen
	turn turnLock
}

func (o *oneAtATime) Capture(ctx context.Context, ref string) (hardware.Capture, error) {
	defer o.turn.enter()()
	return o.Screen.Capture(ctx, ref)
}

func TestCapture(t *testing.T) {
	_, s := fakeScreen(t)
	c, err := s.Capture(t.Context(), "42")
	if err != nil || c.Scale != 2 || c.Image.RGBAAt(199, 99) != bubble {
		t.Fatalf("Capture(42) = %v, %v, want scale 2 and the bubble's colour untouched", c.Scale, err)
	}
}

func TestWindowsLists(t *testing.T) {
	w, s := fakeScreen(t)
	menu, hidden := shownWindow(7, 100, 200), shownWindow(8, 100, 200)
	menu[keyLayer], hidden[keyOnScreen] = 24, false
	w.windows = append([]map[string]any{menu, hidden, shownWindow(9, 66, 20)}, w.windows...)
	got, err := s.Windows(t.Context())
	want := hardware.Window{Ref: "42", Title: "花子", App: "LINE", PID: 77}
	want.Box.Min.X, want.Box.Min.Y, want.Box.Max.X, want.Box.Max.Y = 10, 20, 110, 80
	if err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("Windows() = %+v, %v, want %+v", got, err, want)
	}
}

func TestCaptureErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(w *world)
		want   error
	}{
		{"permission", func(w *world) { w.allowed, w.windows[0][keyTitle] = false, "" }, hardware.ErrPermission},
		{"black", func(w *world) { w.picture = painted(200, 120, color.RGBA{A: 255}) }, hardware.ErrPermission},
		{"kept out", func(w *world) {
			w.picture = painted(200, 120, color.RGBA{})
			w.windows[0][keySharing] = 0
		}, hardware.ErrEmptyFrame},
		{"transparent", func(w *world) { w.picture = painted(200, 120, color.RGBA{}) }, hardware.ErrPermission},
		{"no picture", func(w *world) { w.picture = nil }, hardware.ErrEmptyFrame},
		{"no pixels", func(w *world) { w.picture = painted(0, 0, bubble) }, hardware.ErrEmptyFrame},
		{"huge", func(w *world) { w.picture = &cgImage{width: 1 << 40, height: 1} }, hardware.ErrEmptyFrame},
		{"neither call", func(w *world) { w.api.window.picture = nil }, hardware.ErrUnavailable},
		{"no session", func(w *world) { w.api.window.list = func(uint32, uint32) obj { return 0 } },
			hardware.ErrNoDisplay},
		{"closed meanwhile", func(w *world) {
			w.api.window.picture = func(rect, uint32, uint32, uint32) obj { w.windows = nil; return 0 }
		}, hardware.ErrWindowGone},
		{"hidden meanwhile", func(w *world) {
			w.api.window.picture = func(rect, uint32, uint32,
				uint32) obj {
				w.windows[0][keyOnScreen] = false
				return 0
			}
		}, hardware.ErrMinimised},
	} {
		w, s := fakeScreen(t)
		tt.change(w)
		if c, err := s.Capture(t.Context(), "42"); !errors.Is(err, tt.want) || c.Image != nil {
			t.Errorf("%s: Capture() = %v, want no picture and %v", tt.name, err, tt.want)
		}
	}
}

// A picture of unknown layout, or with too little data, is redrawn.
func TestCaptureRedraws(t *testing.T) {
	for _, tt := range []struct {
		name    string
		picture cgImage
	}{
		{"deep", cgImage{width: 20, height: 10, component: 16, pixel: 64, stride: 160, info: alphaPremultipliedLast}},
		{"short", cgImage{width: 20, height: 10, component: 8, pixel: 32, stride: 80,
			info: alphaPremultipliedFirst | order32Little, data: []byte{1, 2}}},
		{"no data", cgImage{width: 20, height: 10, component: 8, pixel: 32, stride: 80,
			info: alphaPremultipliedFirst | order32Little}},
	} {
		w, s := fakeScreen(t)
		w.picture = &tt.picture
		c, err := s.Capture(t.Context(), "42")
		if want := (color.RGBA{21, 11, 1, 31}); err != nil || c.Image.RGBAAt(19, 9) != want {
			t.Errorf("%s: Capture() = %v, want the redrawn colour %v", tt.name, err, want)
		}
	}
}

// withKit gives the world ScreenCaptureKit.
func (w *world) withKit() {
	for _, name := range []string{"SCScreenshotManager", "SCShareableContent", "SCContentFilter",
		"SCStreamConfiguration"} {
		w.classes[name] = true
	}
	refusal := func() obj {
		return w.put(instance{"NSError", map[string]any{"domain": "com.apple.ScreenCaptureKit.SCStreamErrorDomain",
			"code": w.kitCode, "localizedDescription": "no"}})
	}
	w.methods["getShareableContentExcludingDesktopWindows:onScreenWindowsOnly:completionHandler:"] = func(_ obj,
		args []any) any {
		answer := w.thing(args[2].(obj)).(func(obj, obj))
		if w.kitCode != 0 {
			answer(0, refusal())
			return nil
		}
		windows := []obj{w.put(instance{"SCWindow", map[string]any{"windowID": 7}}),
			w.put(instance{"SCWindow", map[string]any{"windowID": 42}})}
		answer(w.put(instance{"SCShareableContent", map[string]any{"windows": w.put(windows)}}), 0)
		return nil
	}
	w.methods["initWithDesktopIndependentWindow:"] = func(to obj, args []any) any {
		if id := w.thing(args[0].(obj)).(instance).props["windowID"]; id != 42 {
			w.t.Errorf("the filter has window %v, want 42", id)
		}
		props := w.thing(to).(instance).props
		props["contentRect"], props["pointPixelScale"] = rect{10, 20, 100, 60}, float32(2)
		return to
	}
	w.methods["captureImageWithFilter:configuration:completionHandler:"] = func(_ obj, args []any) any {
		config := w.thing(args[1].(obj)).(instance).props
		if config["Width:"] != uint(200) || config["Height:"] != uint(120) || config["ShowsCursor:"] != false ||
			config["IgnoreShadowsSingleWindow:"] != true {
			w.t.Errorf("the configuration is %v, want 200×120 without pointer and shadow", config)
		}
		answer := w.thing(args[2].(obj)).(func(obj, obj))
		if w.kit == nil {
			answer(0, w.put(instance{"NSError", map[string]any{"domain": "x", "code": 5,
				"localizedDescription": "no"}}))
			return nil
		}
		shown := *w.kit
		if w.density == 1 && config["ScalesToFit:"] != true { // the window covers the upper left quarter
			shown.data = slices.Clone(shown.data)
			clear(shown.data[len(shown.data)/2:])
		}
		answer(w.put(shown), 0)
		return nil
	}
}

// TestScreenshotFillsThePicture: ScreenCaptureKit says the density of the main display for a
// window on another one.
func TestScreenshotFillsThePicture(t *testing.T) {
	w, s := fakeScreen(t)
	w.withKit()
	w.api.window.picture, w.kit, w.density = nil, painted(200, 120, bubble), 1
	if c, err := s.Capture(t.Context(), "42"); err != nil || c.Image.RGBAAt(199, 119) != bubble {
		t.Errorf("Capture() on another display = %v, %v, want a picture that is filled", c.Scale, err)
	}
}

// TestOldCallComesBack: one failure of the old call does not leave it for good.
func TestOldCallComesBack(t *testing.T) {
	w, s := fakeScreen(t)
	w.withKit()
	now := time.Unix(1e9, 0)
	s.now = func() time.Time { return now }
	good := w.picture
	w.picture, w.kit = nil, painted(200, 120, color.RGBA{1, 2, 3, 255})
	shows := func(what string, want color.RGBA) {
		t.Helper()
		if c, err := s.Capture(t.Context(), "42"); err != nil || c.Image.RGBAAt(5, 5) != want {
			t.Errorf("%s: Capture() = %v, want the colour %v", what, err, want)
		}
	}
	shows("the old call fails", color.RGBA{1, 2, 3, 255})
	w.picture = good
	shows("at once", color.RGBA{1, 2, 3, 255})
	now = now.Add(oldPause)
	shows("after a minute", bubble)
	w.picture = nil
	shows("the old call fails again", color.RGBA{1, 2, 3, 255})
	w.picture, w.kit = good, nil
	if _, err := s.Capture(t.Context(), "42"); err == nil {
		t.Error("Capture() = nil where ScreenCaptureKit fails, want its error")
	}
	shows("ScreenCaptureKit failed", bubble)
}

func TestCaptureFallsBack(t *testing.T) {
	for _, old := range []string{"missing", "black", "none"} {
		w, s := fakeScreen(t)
		w.withKit()
		w.kit = painted(200, 120, bubble)
		asked := 0
		switch old {
		case "missing":
			w.api.window.picture = nil
		case "black":
			w.picture = painted(200, 120, color.RGBA{})
		case "none":
			w.picture = nil
		}
		if before := w.api.window.picture; before != nil {
			w.api.window.picture = func(b rect, l, id, i uint32) obj { asked++; return before(b, l, id, i) }
		}
		for range 2 {
			c, err := s.Capture(t.Context(), "42")
			if err != nil || c.Scale != 2 || c.Image.RGBAAt(5, 5) != bubble {
				t.Errorf("old call %s: Capture() = %v, want ScreenCaptureKit's picture", old, err)
			}
		}
		if asked > 1 {
			t.Errorf("old call %s: it was asked %d times, want once", old, asked)
		}
	}
}

func TestScreenshotErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(w *world)
		want   error
	}{
		{"declined", func(w *world) { w.kitCode = userDeclined }, hardware.ErrPermission},
		{"black", func(w *world) { w.kit = painted(200, 120, color.RGBA{A: 255}) }, hardware.ErrPermission},
		{"failed", func(w *world) { w.kit = nil }, systemError{"x", 5, "no"}},
		{"no area", func(w *world) { w.api.sendRect = func(obj, string, ...any) rect { return rect{} } },
			hardware.ErrEmptyFrame},
		{"gone", func(w *world) { w.api.sendInt = func(obj, string, ...any) int { return 2 } }, hardware.ErrWindowGone},
	} {
		w, s := fakeScreen(t)
		w.withKit()
		w.kit = painted(200, 120, bubble)
		tt.change(w)
		var err error
		w.api.pool(func() { _, err = s.a.screenshot(t.Context(), 42) })
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: screenshot() = %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestScreenshotPanicAndSilence(t *testing.T) {
	w, s := fakeScreen(t)
	w.withKit()
	w.api.sendRect = func(obj, string, ...any) rect { panic("broken") }
	w.api.pool(func() {
		if _, err := s.a.screenshot(t.Context(), 42); err == nil {
			t.Error("screenshot(panic inside) = nil, want an error")
		}
		w.methods["getShareableContentExcludingDesktopWindows:onScreenWindowsOnly:completionHandler:"] = func(obj,
			[]any) any {
			return nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.a.screenshot(ctx, 42); !errors.Is(err, context.Canceled) {
			t.Errorf("screenshot(no answer) = %v, want %v", err, context.Canceled)
		}
	})
}
