package darwin

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"sync/atomic"
	"time"

	"github.com/kehai-run/kehai/hardware"
)

// Screen captures windows by id, even if others cover them. A window's Ref is its
// number in the window server. All methods may be called concurrently.
type Screen struct {
	a   *api
	now func() time.Time
	// again is when the old call is tried again, in Unix nanoseconds: after it failed where the
	// new one succeeded.
	again atomic.Int64
}

var _ hardware.Screen = (*Screen)(nil)

// OpenScreen binds the frameworks. A missing permission is not an error here: each
// call reports it until it is granted.
func OpenScreen() (*Screen, error) {
	a, err := load()
	if err != nil {
		return nil, err
	}
	return &Screen{a: a, now: time.Now}, nil
}

// Windows implements [hardware.Screen]: the ordinary windows that are on
// screen. Box is in points.
func (s *Screen) Windows(ctx context.Context) ([]hardware.Window, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var out []hardware.Window
	var err error
	s.a.pool(func() { out, err = s.windows() })
	return out, err
}

func (s *Screen) windows() ([]hardware.Window, error) {
	if !s.a.mayRecord() {
		return nil, denied(ScreenRecording)
	}
	list, err := s.a.windows()
	if err != nil {
		return nil, err
	}
	var out []hardware.Window
	for _, w := range list {
		if w.ordinary() {
			out = append(out, hardware.Window{Ref: w.id.ref(), Title: w.title, App: w.app, PID: w.pid, Box: w.box()})
		}
	}
	return out, nil
}

// Capture implements [hardware.Screen]. A picture without content wraps
// [hardware.ErrPermission], because macOS returns one instead of a refusal.
func (s *Screen) Capture(ctx context.Context, ref string) (hardware.Capture, error) {
	if err := ctx.Err(); err != nil {
		return hardware.Capture{}, err
	}
	var out hardware.Capture
	var err error
	s.a.pool(func() { out, err = s.capture(ctx, ref) })
	return out, err
}

func (s *Screen) capture(ctx context.Context, ref string) (hardware.Capture, error) {
	if !s.a.mayRecord() {
		return hardware.Capture{}, denied(ScreenRecording)
	}
	w, err := s.a.find(ref)
	if err != nil {
		return hardware.Capture{}, err
	}
	if err := w.capturable(); err != nil {
		return hardware.Capture{}, err
	}
	img, err := s.picture(ctx, w)
	if errors.Is(err, errNoContent) {
		s.a.recording.Store(false)
		if !w.shared {
			err = withheld(w.id)
		}
	}
	if err != nil {
		// The window may be gone by now, which is the better error.
		if now, findErr := s.a.find(ref); findErr != nil {
			err = findErr
		} else if stateErr := now.capturable(); stateErr != nil {
			err = stateErr
		}
		return hardware.Capture{}, err
	}
	return hardware.Capture{Image: img, Scale: scaleOf(img.Rect.Size(), w.bounds.W, w.bounds.H)}, nil
}

// oldPause is how long ScreenCaptureKit alone is asked. It is slower, hangs where two programs
// use it, and its own small windows appear in the captured application.
const oldPause = time.Minute

// picture tries the old call, which is faster, and then ScreenCaptureKit.
func (s *Screen) picture(ctx context.Context, w windowInfo) (*image.RGBA, error) {
	now := s.now().UnixNano()
	old := now >= s.again.Load()
	if old {
		img, err := s.a.oldPicture(w.id)
		if err == nil {
			return img, nil
		}
		if !s.a.hasScreenshots() {
			return nil, err
		}
	}
	img, err := s.a.screenshot(ctx, w.id)
	switch {
	case err != nil:
		s.again.Store(0)
	case old:
		s.again.Store(now + int64(oldPause))
	}
	return img, err
}

// errNoContent means that the system returned an empty picture.
var errNoContent = errors.New("macOS gave a black or empty picture although Screen Recording is reported as " +
	"granted; if macOS asks whether to go on recording, as it does about every month, answer it")

func noContent() error {
	return fmt.Errorf("darwin: %w: %s: %w", errNoContent, howTo(ScreenRecording), hardware.ErrPermission)
}

// Options of CGWindowListCreateImage.
const (
	imageWithoutShadow  = 1 << 0
	imageBestResolution = 1 << 3
)

// oldPicture captures with CGWindowListCreateImage, which is deprecated since
// macOS 14 and may be missing.
func (a *api) oldPicture(id windowID) (*image.RGBA, error) {
	if a.window.picture == nil {
		return nil, fmt.Errorf("darwin: this macOS has neither of the two ways to capture a window: %w",
			hardware.ErrUnavailable)
	}
	bounds := rect{math.Inf(1), math.Inf(1), 0, 0} // CGRectNull: the window's own bounds
	picture := a.window.picture(bounds, listIncluding, uint32(id), imageWithoutShadow|imageBestResolution)
	if picture == 0 {
		return nil, fmt.Errorf("darwin: macOS gave no picture of window %d: %w", id, hardware.ErrEmptyFrame)
	}
	defer a.cf.release(picture)
	return a.content(picture)
}

// content copies a CGImage that must show something.
func (a *api) content(picture obj) (*image.RGBA, error) {
	img, err := a.pixels(picture)
	if err != nil {
		return nil, err
	}
	if blank(img) {
		return nil, noContent()
	}
	return img, nil
}
