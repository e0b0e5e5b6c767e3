package capture

import (
	"context"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// CodeUnknownWindow refuses a window that nobody configured.
const CodeUnknownWindow = "unknown_window"

// Source is one window of one screen.
type Source struct {
	Screen hardware.Screen
	Ref    string // hardware.Window.Ref
}

// Locate finds the source of a watched window. It is called for every capture, so a
// window that was closed and opened again is found. It may be called concurrently.
type Locate func(ctx context.Context, window messages.WindowID) (Source, error)

// Fixed locates windows in a map, which must not change afterwards.
func Fixed(sources map[messages.WindowID]Source) Locate {
	return func(_ context.Context, window messages.WindowID) (Source, error) {
		s, ok := sources[window]
		if !ok {
			return Source{}, actors.Refuse(CodeUnknownWindow,
				fmt.Errorf("capture: window %q is not configured", window))
		}
		return s, nil
	}
}

// New makes the constructor of capture workers. now gives the time of a frame.
func New(locate Locate, now func() time.Time) func() (actors.Worker, error) {
	return func() (actors.Worker, error) {
		return actors.WorkerFunc(func(ctx context.Context, request messages.Message) (messages.Message, error) {
			ask, ok := request.(messages.CaptureWindow)
			if !ok {
				return nil, fmt.Errorf("capture: want capture_window, got %s", request.MessageType())
			}
			return capture(ctx, locate, ask.Window, now)
		}), nil
	}
}

func capture(ctx context.Context, locate Locate, window messages.WindowID,
	now func() time.Time) (messages.Message, error) {
	source, err := locate(ctx, window)
	if err != nil {
		return nil, actors.RefuseKnown(hardware.Code(err), err)
	}
	at := now()
	got, err := source.Screen.Capture(ctx, source.Ref)
	if err == nil && (got.Image == nil || got.Image.Rect.Empty()) {
		err = fmt.Errorf("capture: window %q: %w", window, hardware.ErrEmptyFrame)
	}
	if err != nil {
		return nil, actors.RefuseKnown(hardware.Code(err), err)
	}
	if !(got.Scale > 0) {
		got.Scale = 1
	}
	return messages.FrameCaptured{Frame: messages.Frame{Window: window, Image: got.Image, Scale: got.Scale, At: at}},
		nil
}
