package x11

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/kehai-run/kehai/hardware"
)

// Typist types into windows of a [Display] in pure Go, by the XTEST extension: it
// pastes text, so that neither the keyboard's layout nor an input method matters,
// and presses the few keys of hardware.Key. Package robot does more, and needs cgo.
// All methods may be called concurrently: one call types at a time.
type Typist struct {
	display *Display
	usage   hardware.Usage
	mu      sync.Mutex
}

var (
	_ hardware.Typist   = (*Typist)(nil)
	_ hardware.Pointer  = (*Typist)(nil)
	_ hardware.Wheel    = (*Typist)(nil)
	_ hardware.Focus    = (*Typist)(nil)
	_ hardware.Presence = (*Typist)(nil)
)

// NewTypist types on a display, which stays the caller's. usage knows when somebody
// used the keyboard last. If it is nil, Idle fails, so that Kehai does not type
// with it.
func NewTypist(d *Display, usage hardware.Usage) *Typist { return &Typist{display: d, usage: usage} }

// Keysyms of the keys that are pressed.
const (
	symReturn    = 0xff0d
	symTab       = 0xff09
	symEscape    = 0xff1b
	symBackspace = 0xff08
	symControl   = 0xffe3
	symA         = 'a'
	symV         = 'v'
)

var keySyms = map[hardware.Key][]xproto.Keysym{
	hardware.KeyEnter: {symReturn}, hardware.KeyTab: {symTab}, hardware.KeyEscape: {symEscape},
	hardware.KeyBackspace: {symBackspace}, hardware.KeySelectAll: {symControl, symA},
}

// Activate implements [hardware.Typist].
func (t *Typist) Activate(ctx context.Context, ref string) error { return t.display.Activate(ctx, ref) }

// Active implements [hardware.Focus].
func (t *Typist) Active(ctx context.Context) (string, error) {
	w, err := t.display.Active(ctx)
	return w.Ref, err
}

// Idle implements [hardware.Presence].
func (t *Typist) Idle(ctx context.Context) (time.Duration, error) {
	if t.usage == nil {
		return 0, fmt.Errorf("x11: this typist was given no usage driver: %w", hardware.ErrUnavailable)
	}
	return t.usage.Idle(ctx)
}

// Type implements [hardware.Typist].
func (t *Typist) Type(ctx context.Context, ref, text string) error {
	if !utf8.ValidString(text) {
		return errors.New("x11: the text is not UTF-8")
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for _, r := range text {
		if r != '\n' && unicode.IsControl(r) {
			return fmt.Errorf("x11: the text has the control character %U, take it out", r)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.display.Activate(ctx, ref); err != nil || text == "" {
		return err
	}
	return t.display.PasteText(ctx, text, func(ctx context.Context) error {
		return t.tap(ctx, ref, symControl, symV)
	})
}

// Press implements [hardware.Typist].
func (t *Typist) Press(ctx context.Context, ref string, key hardware.Key) error {
	syms, ok := keySyms[key]
	if !ok {
		return fmt.Errorf("x11: no key %q: %w", key, hardware.ErrUnavailable)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.display.Activate(ctx, ref); err != nil {
		return err
	}
	return t.tap(ctx, ref, syms...)
}

// Click implements [hardware.Pointer].
func (t *Typist) Click(ctx context.Context, ref string, at image.Point) error {
	const left = 1
	return t.button(ctx, ref, at, left, 1)
}

// Turn implements [hardware.Wheel]. To X11 a wheel is two buttons.
func (t *Typist) Turn(ctx context.Context, ref string, at image.Point, steps int) error {
	const up, down = 4, 5
	if steps < 0 {
		return t.button(ctx, ref, at, down, -steps)
	}
	return t.button(ctx, ref, at, up, steps)
}

// button moves the pointer to a point of the window and presses a button there.
func (t *Typist) button(ctx context.Context, ref string, at image.Point, button byte, times int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.display.Activate(ctx, ref); err != nil {
		return err
	}
	w, err := parseRef(ref)
	if err != nil {
		return err
	}
	return t.display.with(ctx, func(s *session) error {
		size, err := xproto.GetGeometry(s.x, xproto.Drawable(w)).Reply()
		if err != nil {
			return err
		}
		if !at.In(image.Rect(0, 0, int(size.Width), int(size.Height))) {
			return fmt.Errorf("x11: %v is outside the window: %w", at, hardware.ErrUnavailable)
		}
		place, err := xproto.TranslateCoordinates(s.x, w, s.root, int16(at.X), int16(at.Y)).Reply()
		if err != nil {
			return err
		}
		if err := xtest.Init(s.x); err != nil {
			return fmt.Errorf("x11: this display has no XTEST: %w: %w", err, hardware.ErrUnavailable)
		}
		do := []struct{ kind, detail byte }{{xproto.MotionNotify, 0}}
		for range times {
			do = append(do, []struct{ kind, detail byte }{
				{xproto.ButtonPress, button}, {xproto.ButtonRelease, button},
			}...)
		}
		for _, do := range do {
			err := xtest.FakeInputChecked(s.x, do.kind, do.detail, 0, s.root, place.DstX, place.DstY, 0).Check()
			if err != nil {
				return fmt.Errorf("x11: press a button: %w", err)
			}
		}
		return nil
	})
}

// tap presses keys together, after one more look at which window is active, and
// releases them whatever happens.
func (t *Typist) tap(ctx context.Context, ref string, syms ...xproto.Keysym) error {
	w, err := parseRef(ref)
	if err != nil {
		return err
	}
	return t.display.with(ctx, func(s *session) error {
		if err := xtest.Init(s.x); err != nil {
			return fmt.Errorf("x11: this display has no XTEST: %w: %w", err, hardware.ErrUnavailable)
		}
		var codes []byte
		for _, sym := range syms {
			code, err := s.keycode(sym)
			if err != nil {
				return err
			}
			codes = append(codes, code)
		}
		switch active, err := s.active(); {
		case err != nil:
			return err
		case active != w:
			return fmt.Errorf("x11: window %s lost the keyboard to another one: %w", ref, hardware.ErrNotActive)
		}
		var failed error
		for _, code := range codes {
			if err := s.fake(xproto.KeyPress, code); err != nil {
				failed = errors.Join(failed, err)
			}
		}
		for i := len(codes) - 1; i >= 0; i-- {
			failed = errors.Join(failed, s.fake(xproto.KeyRelease, codes[i]))
		}
		if failed != nil {
			return fmt.Errorf("x11: press a key: %w: %w", failed, hardware.ErrPartlyTyped)
		}
		return nil
	})
}

func (s *session) fake(kind, code byte) error {
	return xtest.FakeInputChecked(s.x, kind, code, 0, s.root, 0, 0, 0).Check()
}

// keycode finds the key that gives a keysym without modifiers.
func (s *session) keycode(sym xproto.Keysym) (byte, error) {
	setup := xproto.Setup(s.x)
	first, last := setup.MinKeycode, setup.MaxKeycode
	m, err := xproto.GetKeyboardMapping(s.x, first, byte(last-first+1)).Reply()
	if err != nil {
		return 0, err
	}
	for i := 0; i < len(m.Keysyms); i += int(m.KeysymsPerKeycode) {
		if m.Keysyms[i] == sym {
			return byte(first) + byte(i/int(m.KeysymsPerKeycode)), nil
		}
	}
	return 0, fmt.Errorf("x11: no key of this keyboard gives the keysym %#x: %w", sym, hardware.ErrUnavailable)
}
