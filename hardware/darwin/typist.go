package darwin

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/kehai-run/kehai/hardware"
)

// Typist types into windows of [Screen]. It needs the permission Accessibility, and Screen
// Recording for Click.
//
// If the accessibility tree of a window has an input field, the field's value is set and
// keys are posted to the application. Then no input method interferes, and Qt takes such
// a Return, though not one from a key event. Other windows get key events that carry
// text. An input method that is composing swallows those, so use an input source without
// composition (ABC) there.
//
// All methods may be called concurrently: one call types at a time.
type Typist struct {
	screen *Screen
	a      *api
	pause  func(ctx context.Context, d time.Duration) error
	mouse  func(ctx context.Context, at image.Point) error // nil: by events
	mu     sync.Mutex
}

// TypistOptions configure a typist.
type TypistOptions struct {
	// Click clicks at a point of the screen, in points. Nil posts mouse events.
	Click func(ctx context.Context, at image.Point) error
}

var (
	_ hardware.Typist  = (*Typist)(nil)
	_ hardware.Pointer = (*Typist)(nil)
	_ hardware.Wheel   = (*Typist)(nil)
	_ hardware.Focus   = (*Typist)(nil)
)

// OpenTypist binds the frameworks. Each call reports a missing permission.
func OpenTypist(o TypistOptions) (*Typist, error) {
	s, err := OpenScreen()
	if err != nil {
		return nil, err
	}
	return &Typist{screen: s, a: s.a, pause: hardware.Pause, mouse: o.Click}, nil
}

const (
	activateStep  = 20 * time.Millisecond
	activateTries = 50
	eventGap      = 5 * time.Millisecond // some applications lose faster events
)

// Activate implements [hardware.Typist]. It shows an application that is hidden and takes the window
// out of the Dock.
func (t *Typist) Activate(ctx context.Context, ref string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.activate(ctx, ref)
}

func (t *Typist) activate(ctx context.Context, ref string) error {
	if err := ctx.Err(); err != nil {
		return notActive(err)
	}
	var hidden error
	for try := range activateTries {
		active, err := t.isActive(ref)
		if hidden = nil; errors.Is(err, hardware.ErrMinimised) {
			hidden, err = err, nil
		}
		if err != nil {
			return notActive(err)
		}
		if active {
			return nil
		}
		if try == 0 {
			if err := t.raise(ref); err != nil {
				return notActive(err)
			}
		}
		if err := t.pause(ctx, activateStep); err != nil {
			return notActive(err)
		}
	}
	if hidden != nil {
		return notActive(hidden)
	}
	return fmt.Errorf("darwin: window %q did not come to the front; is another window holding the screen? %w", ref,
		hardware.ErrNotActive)
}

func notActive(err error) error { return fmt.Errorf("%w: %w", hardware.ErrNotActive, err) }

// raise asks for a window and its application to come to the front. An application may
// show no accessible windows until it is there.
func (t *Typist) raise(ref string) (err error) {
	t.a.pool(func() {
		err = t.withAnyApp(ref, func(keep *keeper, w windowInfo, app element) error {
			if !w.onScreen {
				_ = app.set("AXHidden", t.a.boolean(false)) // whether it helped is seen afterwards
			}
			_, window, err := keep.accessible(w)
			if err == nil && !w.onScreen {
				_ = window.set("AXMinimized", t.a.boolean(false))
			}
			if err == nil {
				err = axError(t.a.ax.perform(window.o, t.a.string("AXRaise")))
			}
			if err != nil && !errors.Is(err, errAbsent) && !errors.Is(err, hardware.ErrUnavailable) {
				return err
			}
			return app.set("AXFrontmost", t.a.boolean(true))
		})
	})
	return err
}

// Active implements [hardware.Focus]: the topmost ordinary window. Which application is frontmost
// it does not ask: one that has no window cannot be activated by its window.
func (t *Typist) Active(ctx context.Context) (ref string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	t.a.pool(func() {
		var list []windowInfo
		if list, err = t.a.windows(); err != nil {
			return
		}
		if top, ok := front(list); ok {
			ref = top.id.ref()
		}
	})
	return ref, err
}

// isActive reports whether the window is the topmost one and its application is
// frontmost.
func (t *Typist) isActive(ref string) (active bool, err error) {
	t.a.pool(func() {
		err = t.withApp(ref, func(_ *keeper, _ windowInfo, app element) error {
			list, err := t.a.windows()
			if err != nil {
				return err
			}
			top, ok := front(list)
			if !ok || top.id.ref() != ref {
				return nil
			}
			o, err := app.copy("AXFrontmost")
			active = err == nil && t.a.number(o) == 1
			return err
		})
	})
	return active, err
}

// withApp finds a visible window and its accessible application.
func (t *Typist) withApp(ref string, f func(keep *keeper, w windowInfo, app element) error) error {
	return t.withAnyApp(ref, func(keep *keeper, w windowInfo, app element) error {
		if !w.onScreen {
			return w.capturable()
		}
		return f(keep, w, app)
	})
}

// withAnyApp does the same for a window that may be hidden.
func (t *Typist) withAnyApp(ref string, f func(keep *keeper, w windowInfo, app element) error) error {
	w, err := t.a.find(ref)
	if err != nil {
		return err
	}
	t.a.axTurn.Lock()
	defer t.a.axTurn.Unlock()
	keep := &keeper{a: t.a}
	defer keep.release()
	app, err := keep.application(w)
	if err != nil {
		return err
	}
	return f(keep, w, app)
}

// Type implements [hardware.Typist]. Before each piece of text that a key event carries it
// checks that the window is still in front.
func (t *Typist) Type(ctx context.Context, ref, text string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.activate(ctx, ref); err != nil {
		return err
	}
	if done, err := t.setText(ctx, ref, plain(text)); done || err != nil {
		return err
	}
	return t.strike(ctx, ref, strokes(text))
}

// Press implements [hardware.Typist].
func (t *Typist) Press(ctx context.Context, ref string, key hardware.Key) error {
	s, ok := keyStroke(key)
	if !ok {
		return fmt.Errorf("darwin: there is no key %q: %w", key, hardware.ErrUnavailable)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.activate(ctx, ref); err != nil {
		return err
	}
	if done, err := t.postKey(ctx, ref, s); done || err != nil {
		return err
	}
	return t.strike(ctx, ref, []stroke{s})
}

// strike posts key events to the window in front.
func (t *Typist) strike(ctx context.Context, ref string, all []stroke) error {
	if len(all) > 0 && t.a.event.secure != nil && t.a.event.secure() {
		return notActive(errSecure)
	}
	for i, s := range all {
		if i > 0 {
			if err := t.stillActive(ctx, ref); err != nil {
				return partly(i, len(all), err)
			}
		}
		err := t.press(s)
		if err != nil && i > 0 {
			return partly(i, len(all), err)
		}
		if err != nil {
			return notActive(err)
		}
	}
	return nil
}

func partly(done, all int, err error) error {
	return fmt.Errorf("darwin: after %d of %d pieces: %w: %w", done, all, hardware.ErrPartlyTyped, err)
}

func (t *Typist) stillActive(ctx context.Context, ref string) error {
	if err := t.pause(ctx, eventGap); err != nil {
		return err
	}
	active, err := t.isActive(ref)
	if err == nil && !active {
		err = fmt.Errorf("darwin: window %q is no longer in front", ref)
	}
	return err
}

// tapHID is where device events enter the system.
const tapHID = 0

// press posts a key press and its release, or nothing.
func (t *Typist) press(s stroke) (err error) {
	t.a.pool(func() {
		down := t.a.event.key(0, s.code, true)
		defer t.release(down)
		up := t.a.event.key(0, s.code, false)
		defer t.release(up)
		err = t.post(s.flags, s.units, down, up)
	})
	return err
}

func (t *Typist) release(event obj) {
	if event != 0 {
		t.a.cf.release(event)
	}
}

// post sends all events, or none if one of them could not be created.
func (t *Typist) post(flags uint64, units []uint16, events ...obj) error {
	if slices.Contains(events, 0) {
		return fmt.Errorf("darwin: macOS made no input event: %s: %w", howTo(Accessibility), hardware.ErrPermission)
	}
	for _, e := range events {
		t.a.event.flags(e, flags) // also clears the modifiers that the person holds down
		if len(units) > 0 {
			t.a.event.text(e, uint(len(units)), &units[0])
		}
		t.a.event.post(tapHID, e)
	}
	return nil
}

// Click implements [hardware.Pointer]. It captures the window once for its
// scale and leaves the pointer where it clicked.
func (t *Typist) Click(ctx context.Context, ref string, at image.Point) error {
	return t.point(ctx, ref, at, func(to point) error { return t.click(ctx, to) })
}

// Turn implements [hardware.Wheel]. It finds the point as Click does.
func (t *Typist) Turn(ctx context.Context, ref string, at image.Point, steps int) error {
	return t.point(ctx, ref, at, func(to point) error { return t.turn(ctx, to, steps) })
}

// point does something at a point of the window, in points of the screen.
func (t *Typist) point(ctx context.Context, ref string, at image.Point, do func(point) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.activate(ctx, ref); err != nil {
		return err
	}
	shot, err := t.screen.Capture(ctx, ref)
	if err != nil {
		return notActive(err)
	}
	if !at.In(shot.Image.Rect) {
		return fmt.Errorf("darwin: the point %v is outside of the window's %v: %w", at, shot.Image.Rect,
			hardware.ErrNotActive)
	}
	t.a.pool(func() {
		var w windowInfo
		if w, err = t.a.find(ref); err == nil {
			err = do(onScreen(w.bounds, at, shot.Scale))
		}
	})
	if err != nil {
		return notActive(err)
	}
	return nil
}

func (t *Typist) click(ctx context.Context, to point) error {
	if t.mouse != nil {
		return t.mouse(ctx, image.Pt(int(math.Round(to.X)), int(math.Round(to.Y))))
	}
	const left = 0
	moved := t.a.event.mouse(0, eventMoved, to, left)
	defer t.release(moved)
	down := t.a.event.mouse(0, eventLeftDown, to, left)
	defer t.release(down)
	up := t.a.event.mouse(0, eventLeftUp, to, left)
	defer t.release(up)
	return t.post(0, nil, moved, down, up)
}

// atMost is the most notches of one event.
const atMost = 10

// turn posts the notches in events of at most atMost.
func (t *Typist) turn(ctx context.Context, to point, steps int) error {
	const left, lines, one = 0, 1, 1
	moved := t.a.event.mouse(0, eventMoved, to, left)
	defer t.release(moved)
	if err := t.post(0, nil, moved); err != nil {
		return err
	}
	for steps != 0 {
		if err := t.pause(ctx, eventGap); err != nil {
			return err
		}
		n := max(min(steps, atMost), -atMost)
		steps -= n
		e := t.a.event.wheel(0, lines, one, int32(n), 0, 0)
		err := t.post(0, nil, e)
		t.release(e)
		if err != nil {
			return err
		}
	}
	return nil
}

// onScreen is the middle of a captured pixel, in screen points.
func onScreen(window rect, at image.Point, scale float64) point {
	return point{window.X + (float64(at.X)+0.5)/scale, window.Y + (float64(at.Y)+0.5)/scale}
}
