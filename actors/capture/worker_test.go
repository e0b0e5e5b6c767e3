package capture_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/capture"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// screen answers every capture with what it holds.
type screen struct {
	got hardware.Capture
	err error
	ref string
}

func (s *screen) Windows(context.Context) ([]hardware.Window, error) { return nil, nil }

func (s *screen) Capture(_ context.Context, ref string) (hardware.Capture, error) {
	s.ref = ref
	return s.got, s.err
}

var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func do(t *testing.T, s *screen, request messages.Message) (messages.Message, error) {
	t.Helper()
	locate := capture.Fixed(map[messages.WindowID]capture.Source{"w": {Screen: s, Ref: "0x17"}})
	w, err := capture.New(locate, func() time.Time { return at })()
	if err != nil {
		t.Fatal(err)
	}
	return w.Do(t.Context(), request)
}

func TestCapture(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 4, 3))
	for _, scale := range []float64{2, 0, math.NaN()} {
		s := &screen{got: hardware.Capture{Image: img, Scale: scale}}
		got, err := do(t, s, messages.CaptureWindow{Window: "w"})
		want := messages.FrameCaptured{Frame: messages.Frame{Window: "w", Image: img, Scale: max(1, scale), At: at}}
		if scale != 2 {
			want.Frame.Scale = 1
		}
		if err != nil || got != want || s.ref != "0x17" {
			t.Errorf("Do(scale %v) = %+v, %v with ref %q, want %+v", scale, got, err, s.ref, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 4, 3))
	for _, c := range []struct {
		name string
		s    screen
		ask  messages.Message
		code string // "" for an error that is no refusal
	}{
		{messages.CodePermission, screen{err: fmt.Errorf("x: %w", hardware.ErrPermission)},
			messages.CaptureWindow{Window: "w"}, messages.CodePermission},
		{"gone", screen{err: hardware.ErrWindowGone}, messages.CaptureWindow{Window: "w"}, messages.CodeWindowGone},
		{"nil image", screen{}, messages.CaptureWindow{Window: "w"}, messages.CodeEmptyFrame},
		{"no pixels", screen{got: hardware.Capture{Image: &image.RGBA{}}},
			messages.CaptureWindow{Window: "w"}, messages.CodeEmptyFrame},
		{"unknown window", screen{got: hardware.Capture{Image: img}}, messages.CaptureWindow{Window: "v"},
			capture.CodeUnknownWindow},
		{"other error", screen{err: errors.New("socket closed")}, messages.CaptureWindow{Window: "w"}, ""},
		{"deadline", screen{err: context.DeadlineExceeded}, messages.CaptureWindow{Window: "w"}, ""},
		{"other request", screen{got: hardware.Capture{Image: img}}, messages.PollDue{}, ""},
	} {
		got, err := do(t, &c.s, c.ask)
		code := ""
		if r := (*actors.Refusal)(nil); errors.As(err, &r) {
			code = r.Code
		}
		if got != nil || err == nil || code != c.code {
			t.Errorf("%s: Do() = %v, %v with code %q, want an error with code %q", c.name, got, err, code, c.code)
		}
	}
}
