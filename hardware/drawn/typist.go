package drawn

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// Typist types into drawn windows: what it types stands in the input field, and
// Enter makes an own message of it. It knows a person's hands by what the window
// was made to do otherwise: typing, sending, scrolling, showing another
// conversation. All methods may be called concurrently: one call types at a time,
// and nothing else happens to the window meanwhile.
type Typist struct {
	windows []*Window
}

// NewTypist types into these windows.
func NewTypist(windows ...*Window) *Typist { return &Typist{windows: slices.Clone(windows)} }

// Activate brings a covered window to the front and restores a minimised one.
func (t *Typist) Activate(ctx context.Context, ref string) error {
	return t.act(ctx, ref, func(*Window) error { return nil })
}

// Type puts text at the end of what the field holds.
func (t *Typist) Type(ctx context.Context, ref, text string) error {
	clean := strings.ReplaceAll(text, "\r\n", "\n")
	for _, r := range clean {
		if r != '\n' && unicode.IsControl(r) {
			return fmt.Errorf("drawn: the text has the control character %U, take it out", r)
		}
	}
	return t.act(ctx, ref, func(w *Window) error {
		w.all = false
		if clean == "" {
			return nil
		}
		return w.apply(Change{Op: OpType, Text: messages.Text(w.s.draft + clean)})
	})
}

// Press presses a key. Backspace deletes the whole text if it is selected, otherwise its last character.
func (t *Typist) Press(ctx context.Context, ref string, key hardware.Key) error {
	return t.act(ctx, ref, func(w *Window) error {
		all := w.all
		w.all = false
		switch key {
		case hardware.KeySelectAll:
			w.all = true
		case hardware.KeyBackspace:
			rest := clusters(w.s.draft)
			if all || len(rest) == 0 {
				rest = nil
			} else {
				rest = rest[:len(rest)-1]
			}
			return w.apply(Change{Op: OpType, Text: messages.Text(strings.Join(rest, ""))})
		case hardware.KeyEnter:
			if strings.TrimSpace(w.s.draft) != "" {
				return w.apply(Change{Op: OpSend, Text: messages.Text(w.s.draft)})
			}
		case hardware.KeyTab, hardware.KeyEscape:
		default:
			return fmt.Errorf("drawn: no key %q: %w", key, hardware.ErrUnavailable)
		}
		return nil
	})
}

// Click does nothing inside the window: its field always has the focus.
func (t *Typist) Click(ctx context.Context, ref string, at image.Point) error {
	return t.act(ctx, ref, func(w *Window) error {
		if !at.In(image.Rectangle{Max: w.size()}) {
			return fmt.Errorf("drawn: %v is outside the window of %v: %w", at, w.size(), hardware.ErrUnavailable)
		}
		return nil
	})
}

// notch is how far one notch of the wheel scrolls, in logical pixels.
const notch = 60

// Turn scrolls the messages, as a wheel does.
func (t *Typist) Turn(ctx context.Context, ref string, at image.Point, steps int) error {
	return t.act(ctx, ref, func(w *Window) error {
		if !at.In(image.Rectangle{Max: w.size()}) {
			return fmt.Errorf("drawn: %v is outside the window of %v: %w", at, w.size(), hardware.ErrUnavailable)
		}
		return w.apply(Change{Op: OpScroll, By: steps * notch})
	})
}

// Idle is the time since a person's hands last did something to one of the windows.
func (t *Typist) Idle(ctx context.Context) (time.Duration, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	idle := 24 * time.Hour
	for _, w := range t.windows {
		w.mu.Lock()
		if !w.touched.IsZero() {
			idle = min(idle, max(w.now().Sub(w.touched), 0))
		}
		w.mu.Unlock()
	}
	return idle, nil
}

// act runs f on a window that is in front.
func (t *Typist) act(ctx context.Context, ref string, f func(*Window) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, w := range t.windows {
		if w.ref != ref {
			continue
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.closed {
			break
		}
		for _, up := range []struct {
			hides bool
			op    Op
		}{{w.s.hidden, OpShow}, {w.s.covered, OpUncover}} {
			if up.hides {
				if err := w.apply(Change{Op: up.op}); err != nil {
					return err
				}
			}
		}
		return f(w)
	}
	return fmt.Errorf("drawn: no window %q: %w", ref, hardware.ErrWindowGone)
}

// byHand are the changes that a person's hands make in a window.
func (o Op) byHand() bool {
	switch o {
	case OpSend, OpType, OpScroll, OpSwitch, OpChats, OpChat:
		return true
	}
	return false
}

var (
	_ hardware.Typist   = (*Typist)(nil)
	_ hardware.Pointer  = (*Typist)(nil)
	_ hardware.Wheel    = (*Typist)(nil)
	_ hardware.Presence = (*Typist)(nil)
)
