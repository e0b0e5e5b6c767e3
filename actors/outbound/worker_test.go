package outbound

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// keys is a typist that counts, and does not know who else types.
type keys struct {
	hardware.NoTypist
	n int
}

func (k *keys) Click(context.Context, string, image.Point) error        { k.n++; return nil }
func (k *keys) Turn(context.Context, string, image.Point, int) error    { k.n++; return nil }
func (k *keys) Type(context.Context, string, string) error              { k.n++; return nil }
func (k *keys) Press(_ context.Context, _ string, _ hardware.Key) error { k.n++; return nil }

// presence knows it, or fails.
type presence struct {
	*keys
	idle time.Duration
	err  error
}

func (p presence) Idle(context.Context) (time.Duration, error) { return p.idle, p.err }

// still is a screen that never changes.
type still struct{ hardware.Screen }

func (still) Capture(context.Context, string) (hardware.Capture, error) {
	return hardware.Capture{Image: image.NewRGBA(image.Rect(0, 0, 20, 20))}, nil
}

// TestHandsBesideAPerson: no key is pressed while a person types, or if that is unknown. Our
// own typed text is cleared all the same.
func TestHandsBesideAPerson(t *testing.T) {
	look := messages.Look{Frame: messages.Frame{Window: "w", Image: image.NewRGBA(image.Rect(0, 0, 20, 20)), Scale: 1},
		Field: messages.Rect{W: 20, H: 20}}
	typing := messages.TypeText{Look: look, Text: "x", Idle: time.Second}
	clearing := messages.ClearField{Look: look}
	turning := messages.TurnWheel{Window: "w", Steps: 3, Idle: 30 * time.Second}
	for _, c := range []struct {
		what    string
		typist  func(*keys) hardware.Typist
		request messages.Message
		code    string
		pressed int
	}{
		{"nobody types", func(k *keys) hardware.Typist { return presence{k, time.Hour, nil} }, typing, "", 2},
		{"somebody types", func(k *keys) hardware.Typist { return presence{k, 0, nil} }, typing,
			"session_typing_busy", 0},
		{"nobody knows", func(k *keys) hardware.Typist { return k }, typing, "no_presence", 0},
		{"nobody knows, Enter", func(k *keys) hardware.Typist { return k }, messages.PressEnter{Look: look},
			"no_presence", 0},
		{"nobody knows on this system", func(k *keys) hardware.Typist {
			return presence{k, 0, fmt.Errorf("no counters: %w", hardware.ErrUnavailable)}
		}, typing, "no_presence", 0},
		{"nobody there, wheel", func(k *keys) hardware.Typist { return presence{k, time.Minute, nil} }, turning, "", 1},
		{"somebody was there, wheel", func(k *keys) hardware.Typist { return presence{k, 29 * time.Second, nil} },
			turning, "session_typing_busy", 0},
		{"nobody knows, wheel", func(k *keys) hardware.Typist { return k }, turning, "no_presence", 0},
		{"is anybody there?", func(k *keys) hardware.Typist { return presence{k, time.Minute, nil} },
			messages.TurnWheel{Window: "w", Idle: 30 * time.Second}, "", 0},
		{"nobody knows, and ours is to go", func(k *keys) hardware.Typist { return k }, clearing, "", 3},
	} {
		k := &keys{}
		targets := map[messages.WindowID]Target{"w": {Typist: c.typist(k), Screen: still{}}}
		hands, err := NewHands(Fixed(targets), time.Now, nil)()
		if err != nil {
			t.Fatal(err)
		}
		_, err = hands.Do(t.Context(), c.request)
		var refused *actors.Refusal
		switch errors.As(err, &refused); {
		case c.code == "" && err != nil, c.code != "" && (refused == nil || refused.Code != c.code):
			t.Errorf("%s: %v, want %q", c.what, err, c.code)
		case k.n != c.pressed:
			t.Errorf("%s: %d keys, want %d", c.what, k.n, c.pressed)
		}
	}
}

// TestNoKeyWhilePaused: while keys are not allowed, none is pressed that types or sends;
// what we typed is cleared all the same.
func TestNoKeyWhilePaused(t *testing.T) {
	paused := func(context.Context, messages.Sending, func() error) error {
		return actors.Refuse(messages.CodePaused, errors.New("paused"))
	}
	look := messages.Look{Frame: messages.Frame{Window: "w", Image: image.NewRGBA(image.Rect(0, 0, 20, 20)), Scale: 1},
		Field: messages.Rect{W: 20, H: 20}}
	for _, request := range []messages.Message{messages.TypeText{Look: look, Text: "x"},
		messages.TurnWheel{Window: "w", Steps: 1}, messages.PressEnter{Look: look}, messages.ClearField{Look: look}} {
		k := &keys{}
		targets := map[messages.WindowID]Target{"w": {Typist: presence{k, math.MaxInt64, nil}, Screen: still{}}}
		hands, err := NewHands(Fixed(targets), time.Now, paused)()
		if err != nil {
			t.Fatal(err)
		}
		_, clears := request.(messages.ClearField)
		_, err = hands.Do(t.Context(), request)
		var refused *actors.Refusal
		if clears != (err == nil) || !clears && (!errors.As(err, &refused) || refused.Code != messages.CodePaused) {
			t.Errorf("%T while paused = %v", request, err)
		}
		if clears != (k.n > 0) {
			t.Errorf("%T while paused pressed %d keys", request, k.n)
		}
	}
}

// desk is a typist of two windows. One of them has the keyboard.
type desk struct {
	presence
	active string
}

func (d *desk) Active(context.Context) (string, error)           { return d.active, nil }
func (d *desk) Activate(_ context.Context, ref string) error     { d.active = ref; return nil }
func (d *desk) Click(context.Context, string, image.Point) error { d.active = "w"; return nil }
func (d *desk) Turn(context.Context, string, image.Point, int) error {
	d.active = "w"
	return nil
}
func (d *desk) Type(context.Context, string, string) error { d.active = "w"; return nil }

// TestKeyboardIsGivenBack: the window in which a person was working has the keyboard again after
// Enter, after what we typed was cleared, and after the last turn of the wheel; not before.
func TestKeyboardIsGivenBack(t *testing.T) {
	look := messages.Look{Frame: messages.Frame{Window: "w", Image: image.NewRGBA(image.Rect(0, 0, 20, 20)), Scale: 1},
		Field: messages.Rect{W: 20, H: 20}}
	typing := messages.TypeText{Look: look, Text: "x"}
	for _, c := range []struct {
		what     string
		requests []messages.Message
		want     []string // who has the keyboard after each
	}{
		{"sent", []messages.Message{typing, messages.PressEnter{Look: look}}, []string{"w", "editor"}},
		{"cleared", []messages.Message{typing, messages.ClearField{Look: look}}, []string{"w", "editor"}},
		{"typed again", []messages.Message{typing, typing, messages.ClearField{Look: look}},
			[]string{"w", "w", "editor"}},
		{"read upwards", []messages.Message{messages.TurnWheel{Window: "w", Steps: 3},
			messages.TurnWheel{Window: "w", Steps: -3, Last: true}}, []string{"w", "editor"}},
	} {
		d := &desk{presence: presence{&keys{}, time.Hour, nil}, active: "editor"}
		targets := map[messages.WindowID]Target{"w": {Ref: "w", Typist: d, Screen: still{}}}
		hands, err := NewHands(Fixed(targets), time.Now, nil)()
		if err != nil {
			t.Fatal(err)
		}
		for i, request := range c.requests {
			if _, err := hands.Do(t.Context(), request); err != nil {
				t.Fatalf("%s: %T: %v", c.what, request, err)
			}
			if d.active != c.want[i] {
				t.Errorf("%s: after %T %q has the keyboard, want %q", c.what, request, d.active, c.want[i])
			}
		}
	}
}
