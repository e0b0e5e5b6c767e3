package outbound

import (
	"context"
	"errors"
	"fmt"
	"image"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// Target is a window to type into.
type Target struct {
	Typist hardware.Typist
	Screen hardware.Screen // compared with a look before each key
	Ref    string          // hardware.Window.Ref, of both
}

// Locate finds the target of a watched window. It is called for each step.
type Locate func(ctx context.Context, window messages.WindowID) (Target, error)

// Fixed looks windows up in a map, which must not change afterwards.
func Fixed(targets map[messages.WindowID]Target) Locate {
	return func(_ context.Context, window messages.WindowID) (Target, error) {
		t, ok := targets[window]
		if !ok {
			return Target{}, fmt.Errorf("outbound: nothing types into window %q: %w", window,
				hardware.ErrUnavailable)
		}
		return t, nil
	}
}

// Allow calls press, or returns a refusal if no key may be pressed now for a sending.
type Allow func(ctx context.Context, of messages.Sending, press func() error) error

// slack is how late the system may report an input.
const slack = 150 * time.Millisecond

// hands press keys. Each desk has one pair.
type hands struct {
	locate Locate
	now    func() time.Time
	allow  Allow
	typed  time.Time // when our own last key was pressed; zero before the first
	before string    // window that had the keyboard before we took it, "" for none
	whose  string    // key of the sending for which we took it
}

// NewHands returns a constructor of hands workers; a desk has one. now is the clock of
// the typist's idle time. allow decides on each text and each Enter, but not on clearing
// a text again; nil allows everything.
func NewHands(locate Locate, now func() time.Time, allow Allow) func() (actors.Worker, error) {
	if allow == nil {
		allow = func(_ context.Context, _ messages.Sending, press func() error) error { return press() }
	}
	return func() (actors.Worker, error) { return &hands{locate: locate, now: now, allow: allow}, nil }
}

// Do implements [actors.Worker]. A refused error means that no key was pressed, unless
// its code is partly_typed.
func (h *hands) Do(ctx context.Context, request messages.Message) (messages.Message, error) {
	var look messages.Look
	var act func(Target) error
	switch m := request.(type) {
	case messages.TurnWheel:
		t, err := h.locate(ctx, m.Window)
		if err == nil {
			err = h.wheel(ctx, t, m)
		}
		if err != nil {
			return nil, refuse(err)
		}
		return messages.HandsDone{Window: m.Window}, nil
	case messages.TypeText:
		look, act = m.Look, func(t Target) error { return h.enterText(ctx, t, m) }
	case messages.PressEnter:
		look, act = m.Look, func(t Target) error { return h.press(ctx, t, m.Of) }
	case messages.ClearField:
		look, act = m.Look, func(t Target) error { return h.clear(ctx, t, m.Look) }
	default:
		return nil, fmt.Errorf("outbound: hands do not know %s", request.MessageType())
	}
	window := look.Frame.Window
	t, err := h.locate(ctx, window)
	if err == nil {
		err = h.unchanged(ctx, t, look)
	}
	if err == nil {
		err = act(t)
	}
	if err != nil {
		return nil, refuse(err)
	}
	return messages.HandsDone{Window: window}, nil
}

// enterText focuses the field and types a text into it.
func (h *hands) enterText(ctx context.Context, t Target, m messages.TypeText) error {
	if err := h.quiet(ctx, t, m.Idle); err != nil {
		return err
	}
	// A pause need not wait until a long text is typed: the next step clears it.
	if err := h.allow(ctx, m.Of, func() error { return nil }); err != nil {
		return err
	}
	h.remember(ctx, t, m.Of.Key)
	if p, ok := t.Typist.(hardware.Pointer); ok {
		if err := p.Click(ctx, t.Ref, inField(m.Look)); err != nil {
			return fmt.Errorf("outbound: click into the field: %w", err)
		}
	}
	err := t.Typist.Type(ctx, t.Ref, string(m.Text))
	h.typed = h.now()
	return err
}

// inField returns a point in the field, away from the icons at its ends.
func inField(l messages.Look) image.Point {
	return image.Pt(l.Field.X+l.Field.W/3, l.Field.Y+min(l.Field.H/2, int(24*l.Frame.Scale)))
}

// press presses Enter, and gives the keyboard back.
func (h *hands) press(ctx context.Context, t Target, of messages.Sending) error {
	if err := h.quiet(ctx, t, h.now().Sub(h.typed)-slack); err != nil {
		return err
	}
	err := h.allow(ctx, of, func() error {
		defer func() { h.typed = h.now() }()
		return t.Typist.Press(ctx, t.Ref, hardware.KeyEnter)
	})
	if err == nil {
		h.giveBack(ctx, t)
	}
	return err
}

// clear empties the field even while a person is using the keyboard: its text is ours.
func (h *hands) clear(ctx context.Context, t Target, l messages.Look) error {
	if p, ok := t.Typist.(hardware.Pointer); ok {
		if err := p.Click(ctx, t.Ref, inField(l)); err != nil {
			return fmt.Errorf("outbound: click into the field: %w", err)
		}
	}
	if err := t.Typist.Press(ctx, t.Ref, hardware.KeySelectAll); err != nil {
		return err
	}
	if err := t.Typist.Press(ctx, t.Ref, hardware.KeyBackspace); err != nil {
		return fmt.Errorf("%w: %w", hardware.ErrPartlyTyped, err)
	}
	h.typed = h.now()
	h.giveBack(ctx, t)
	return nil
}

// wheel turns the mouse wheel over a point of the window.
func (h *hands) wheel(ctx context.Context, t Target, m messages.TurnWheel) error {
	w, ok := t.Typist.(hardware.Wheel)
	if !ok {
		return fmt.Errorf("outbound: this typist turns no wheel: give it a hardware.Wheel: %w", hardware.ErrUnavailable)
	}
	if err := h.quiet(ctx, t, m.Idle); err != nil {
		return err
	}
	if m.Steps == 0 {
		return nil
	}
	at := image.Pt(m.X, m.Y)
	if at == (image.Point{}) {
		shot, err := t.Screen.Capture(ctx, t.Ref)
		if err != nil {
			return fmt.Errorf("outbound: look where the messages are: %w", err)
		}
		size := shot.Image.Rect.Size()
		at = image.Pt(size.X*2/3, size.Y/2) // lists of chats stand at the left
	}
	h.remember(ctx, t, wheelKey)
	own := messages.Sending{Key: wheelKey} // no reply, so nobody else knows of it
	err := h.allow(ctx, own, func() error {
		defer func() { h.typed = h.now() }()
		return w.Turn(ctx, t.Ref, at, m.Steps)
	})
	if err == nil && m.Last {
		h.giveBack(ctx, t)
	}
	return err
}

// wheelKey stands for the key of a sending while the wheel is turned.
const wheelKey = "wheel"

// remember notes which window has the keyboard before the first key of a sending; at a second
// attempt our own may have it. If that cannot be known, nothing is given back.
func (h *hands) remember(ctx context.Context, t Target, key string) {
	f, ok := t.Typist.(hardware.Focus)
	if !ok || h.before != "" && h.whose == key {
		return
	}
	h.before, _ = f.Active(ctx)
	h.whose = key
}

// giveBack activates the window that was active before. This is a courtesy: a failure
// does not undo anything.
func (h *hands) giveBack(ctx context.Context, t Target) {
	if h.before != "" && h.before != t.Ref {
		_ = t.Typist.Activate(ctx, h.before)
	}
	h.before = ""
}

var errBusy = errors.New("outbound: somebody uses the keyboard or the mouse")

// errBlind refuses to type where nobody can tell whether a person is typing too.
var errBlind = errors.New("outbound: this typist cannot tell whether somebody uses the keyboard: " +
	"give it a hardware.Presence")

// quiet refuses if somebody else has used keyboard or mouse within d, or if that cannot
// be known.
func (h *hands) quiet(ctx context.Context, t Target, d time.Duration) error {
	p, ok := t.Typist.(hardware.Presence)
	if !ok {
		return errBlind
	}
	idle, err := p.Idle(ctx)
	if errors.Is(err, hardware.ErrUnavailable) {
		return fmt.Errorf("%w: %w", errBlind, err)
	}
	if err != nil {
		return fmt.Errorf("outbound: is anybody typing? %w", err)
	}
	if own := h.now().Sub(h.typed); !h.typed.IsZero() && idle >= own-slack { // the last input was ours
		return nil
	}
	if idle < d {
		return errBusy
	}
	return nil
}

var errChanged = errors.New("outbound: the window does not look as it did when it was read")

// unchanged refuses a window that no longer looks as it did.
func (h *hands) unchanged(ctx context.Context, t Target, l messages.Look) error {
	if l.Frame.Image == nil {
		return errChanged
	}
	now, err := t.Screen.Capture(ctx, t.Ref)
	if err != nil {
		return fmt.Errorf("outbound: look before a key is pressed: %w", err)
	}
	if now.Image == nil || !sameLook(l, now.Image) {
		return errChanged
	}
	return nil
}

// refuse turns an error that is not the worker's failure into an answer.
func refuse(err error) error {
	switch {
	case errors.Is(err, errBusy):
		return actors.Refuse(string(messages.SendBusy), err)
	case errors.Is(err, errBlind):
		return actors.Refuse(string(messages.SendBlind), err)
	case errors.Is(err, errChanged):
		return actors.Refuse(string(messages.SendChanged), err)
	case errors.Is(err, hardware.ErrPartlyTyped): // even if it wraps another that says nothing was typed
		return actors.Refuse(hardware.Code(hardware.ErrPartlyTyped), err)
	}
	var done *actors.Refusal
	if errors.As(err, &done) {
		return err
	}
	return actors.RefuseKnown(hardware.Code(err), err)
}
