//go:build cgo && ((linux && robotgo) || darwin || windows)

package robot

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"runtime"

	"github.com/go-vgo/robotgo"

	"github.com/kehai-run/kehai/hardware"
)

// Built reports that this program was built with cgo, so that a Robot can act.
const Built = true

// one is held by the call that uses robotgo, whose state belongs to the process.
var one = make(chan struct{}, 1)

// Robot types, clicks and captures. All methods may be called concurrently: one
// acts at a time.
type Robot struct {
	desktop Desktop
	clip    Clipboard
	method  Method
}

// Open makes a robot. It touches nothing yet.
func Open(opt Options) (*Robot, error) {
	if err := opt.validate(); err != nil {
		return nil, err
	}
	r := &Robot{desktop: opt.Desktop, clip: opt.Clipboard, method: opt.Method}
	if clip, ok := r.desktop.(Clipboard); ok && r.clip == nil {
		r.clip = clip
	}
	if r.desktop == nil {
		r.desktop = own{}
	}
	if r.clip == nil && runtime.GOOS != "linux" {
		r.clip = own{}
	}
	if r.clip == nil && r.method == MethodPaste {
		return nil, fmt.Errorf("robot: there is no clipboard to paste from (give an x11.Display as Desktop, or use "+
			"the method %q): %w", MethodKeys, hardware.ErrUnavailable)
	}
	return r, nil
}

// Activate brings a window to the front and checks that it is active.
func (r *Robot) Activate(ctx context.Context, ref string) error {
	return r.act(ctx, func() error { return r.activate(ctx, ref) })
}

// Type types text into the window's focused field.
func (r *Robot) Type(ctx context.Context, ref, text string) error {
	text, err := clean(text)
	if err != nil {
		return err
	}
	return r.act(ctx, func() error {
		if r.pastes(text) {
			if err := r.activate(ctx, ref); err != nil {
				return err
			}
			return r.clip.PasteText(ctx, text, func(ctx context.Context) error {
				return r.tap(ctx, ref, "v", shortcut())
			})
		}
		if !hasKeys(runtime.GOOS, text) {
			return fmt.Errorf("robot: the text has characters that keys cannot type reliably (give a Clipboard, "+
				"or an x11.Display as Desktop): %w", hardware.ErrUnavailable)
		}
		if err := r.activate(ctx, ref); err != nil {
			return err
		}
		return r.keys(ctx, ref, text)
	})
}

// pastes reports whether to paste a text instead of pressing keys.
func (r *Robot) pastes(text string) bool {
	switch {
	case r.clip == nil:
		return false
	case r.method == MethodPaste, r.method == MethodAuto && runtime.GOOS == "linux":
		return true
	}
	return !hasKeys(runtime.GOOS, text)
}

// keys types chunk by chunk and stops when the window is no longer active.
func (r *Robot) keys(ctx context.Context, ref, text string) error {
	for i, chunk := range chunks(text) {
		err := ctx.Err()
		if err == nil {
			err = r.verify(ctx, ref)
		}
		if err == nil && chunk == "\n" {
			err = robotgo.KeyTap("enter", "shift")
		} else if err == nil {
			robotgo.Type(chunk)
		}
		if e := healthy(); err == nil {
			err = e
		}
		switch {
		case err != nil && i > 0:
			return fmt.Errorf("robot: after %d of %d characters: %w: %w", i*chunkRunes, len([]rune(text)), err,
				hardware.ErrPartlyTyped)
		case err != nil:
			return err
		}
	}
	return nil
}

var keyNames = map[hardware.Key]string{
	hardware.KeyEnter:     "enter",
	hardware.KeyTab:       "tab",
	hardware.KeyEscape:    "escape",
	hardware.KeyBackspace: "backspace",
	hardware.KeySelectAll: "a",
}

// Press presses a key in the window.
func (r *Robot) Press(ctx context.Context, ref string, key hardware.Key) error {
	name, ok := keyNames[key]
	if !ok {
		return fmt.Errorf("robot: no key %q: %w", key, hardware.ErrUnavailable)
	}
	return r.act(ctx, func() error {
		if err := r.activate(ctx, ref); err != nil {
			return err
		}
		if key == hardware.KeySelectAll {
			return r.tap(ctx, ref, name, shortcut())
		}
		return r.tap(ctx, ref, name)
	})
}

// shortcut is the modifier that makes V paste.
func shortcut() string {
	if runtime.GOOS == "darwin" {
		return "cmd"
	}
	return "ctrl"
}

// tap presses a key after one more check of the active window.
func (r *Robot) tap(ctx context.Context, ref, key string, with ...string) error {
	if err := r.verify(ctx, ref); err != nil {
		return err
	}
	args := make([]any, len(with))
	for i, w := range with {
		args[i] = w
	}
	if err := robotgo.KeyTap(key, args...); err != nil {
		return fmt.Errorf("robot: key %s: %w", key, err)
	}
	return healthy()
}

// Click clicks at a point of the window.
func (r *Robot) Click(ctx context.Context, ref string, at image.Point) error {
	return r.point(ctx, ref, at, click)
}

// Turn turns the wheel over a point of the window.
func (r *Robot) Turn(ctx context.Context, ref string, at image.Point, steps int) error {
	return r.point(ctx, ref, at, func(to image.Point) error {
		robotgo.Move(to.X, to.Y)
		robotgo.Scroll(0, steps)
		return healthy()
	})
}

// point does something at a point of the window, in pixels of the screen.
func (r *Robot) point(ctx context.Context, ref string, at image.Point, do func(image.Point) error) error {
	return r.act(ctx, func() error {
		if err := r.activate(ctx, ref); err != nil {
			return err
		}
		w, err := r.window(ctx, ref)
		if err != nil {
			return err
		}
		to := w.Box.Min.Add(at)
		if !to.In(w.Box) {
			return fmt.Errorf("robot: %v is outside the window of %v: %w", at, w.Box.Size(), hardware.ErrUnavailable)
		}
		if err := r.verify(ctx, ref); err != nil {
			return err
		}
		return do(to)
	})
}

// ClickAt clicks at a point of the screen, in the units of the system's pointer. It is
// for drivers that know the windows themselves.
func ClickAt(ctx context.Context, at image.Point) error {
	return (&Robot{}).act(ctx, func() error { return click(at) })
}

func click(at image.Point) error {
	robotgo.Move(at.X, at.Y)
	if err := robotgo.Click(); err != nil {
		return fmt.Errorf("robot: click: %w", err)
	}
	return healthy()
}

// act runs f with robotgo to itself and a display that answers.
func (r *Robot) act(ctx context.Context, f func() error) error {
	if err := errors.Join(ctx.Err(), healthy()); err != nil {
		return err
	}
	select {
	case one <- struct{}{}:
		defer func() { <-one }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := ready(); err != nil {
		return err
	}
	return f()
}

// activate brings the window to the front and verifies that it is there.
func (r *Robot) activate(ctx context.Context, ref string) error {
	if err := r.desktop.Activate(ctx, ref); err != nil {
		return err
	}
	return r.verify(ctx, ref)
}

func (r *Robot) verify(ctx context.Context, ref string) error {
	active, err := r.desktop.Active(ctx)
	if err != nil {
		return err
	}
	if active.Ref != ref {
		return fmt.Errorf("robot: window %s lost the keyboard to another one: %w", ref, hardware.ErrNotActive)
	}
	return nil
}

func (r *Robot) window(ctx context.Context, ref string) (hardware.Window, error) {
	list, err := r.desktop.Windows(ctx)
	if err != nil {
		return hardware.Window{}, err
	}
	for _, w := range list {
		if w.Ref == ref {
			return w, nil
		}
	}
	return hardware.Window{}, fmt.Errorf("robot: window %s: %w", ref, hardware.ErrWindowGone)
}

// Windows lists the windows that the desktop knows.
func (r *Robot) Windows(ctx context.Context) (list []hardware.Window, err error) {
	err = r.act(ctx, func() error {
		list, err = r.desktop.Windows(ctx)
		return err
	})
	return list, err
}

// Capture returns what the screen shows at the window's position, including
// whatever covers the window. A window that is partly off the screen is refused
// with hardware.ErrEmptyFrame.
func (r *Robot) Capture(ctx context.Context, ref string) (hardware.Capture, error) {
	var c hardware.Capture
	err := r.act(ctx, func() error {
		w, err := r.window(ctx, ref)
		if err != nil {
			return err
		}
		width, height := robotgo.GetScreenSize()
		if w.Box.Empty() || !w.Box.In(image.Rect(0, 0, width, height)) {
			return fmt.Errorf("robot: window %s is not wholly on the screen (move it): %w", ref, hardware.ErrEmptyFrame)
		}
		img, err := robotgo.CaptureImg(w.Box.Min.X, w.Box.Min.Y, w.Box.Dx(), w.Box.Dy())
		if err = errors.Join(err, healthy()); err != nil {
			return fmt.Errorf("robot: capture: %w: %w", err, hardware.ErrEmptyFrame)
		}
		c = hardware.Capture{Image: opaque(img), Scale: float64(img.Bounds().Dx()) / float64(w.Box.Dx())}
		return nil
	})
	return c, err
}

// opaque copies a picture: robotgo's has no alpha on X11.
func opaque(img image.Image) *image.RGBA {
	out := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	if src, ok := img.(*image.RGBA); ok {
		for y := range out.Rect.Dy() {
			copy(out.Pix[y*out.Stride:(y+1)*out.Stride], src.Pix[y*src.Stride:])
		}
	} else {
		draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	}
	for i := 3; i < len(out.Pix); i += 4 {
		out.Pix[i] = 0xff
	}
	return out
}

var (
	_ hardware.Typist  = (*Robot)(nil)
	_ hardware.Pointer = (*Robot)(nil)
	_ hardware.Wheel   = (*Robot)(nil)
	_ hardware.Screen  = (*Robot)(nil)
)
