package drawn

import (
	"context"
	"fmt"
	"image"
	"os"
	"slices"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// Screen is a hardware.Screen of drawn windows.
type Screen struct {
	windows []*Window
}

// NewScreen shows the windows, topmost first. Each needs a Ref of its own.
func NewScreen(windows ...*Window) (*Screen, error) {
	known := map[string]bool{}
	for _, w := range windows {
		if known[w.ref] {
			return nil, fmt.Errorf("drawn: two windows have the ref %q: give each its own Options.Ref", w.ref)
		}
		known[w.ref] = true
	}
	return &Screen{windows: slices.Clone(windows)}, nil
}

// Windows lists the windows that are not closed, the covered ones last.
func (s *Screen) Windows(ctx context.Context) ([]hardware.Window, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var top, covered []hardware.Window
	for _, w := range s.windows {
		w.mu.Lock()
		in := hardware.Window{
			Ref: w.ref, Title: w.s.titleOf(w.s.shown), App: "Kehai drawn chat", PID: os.Getpid(),
			Box: image.Rectangle{Max: w.size()},
		}
		switch {
		case w.closed:
		case w.s.covered:
			covered = append(covered, in)
		default:
			top = append(top, in)
		}
		w.mu.Unlock()
	}
	return append(top, covered...), nil
}

// Capture returns the picture of a window, wrapping hardware.ErrWindowGone,
// ErrMinimised or ErrEmptyFrame where there is none.
func (s *Screen) Capture(ctx context.Context, ref string) (hardware.Capture, error) {
	for _, w := range s.windows {
		if w.ref == ref {
			return w.Capture(ctx)
		}
	}
	return hardware.Capture{}, fmt.Errorf("drawn: no window %q: %w", ref, hardware.ErrWindowGone)
}

// Recognizer reads captures of drawn windows exactly, without OCR. It knows what
// the windows have drawn since they were opened.
type Recognizer struct {
	windows []*Window
}

// NewRecognizer reads the captures of these windows.
func NewRecognizer(windows ...*Window) *Recognizer {
	return &Recognizer{windows: slices.Clone(windows)}
}

// RecognizeCrop returns the lines of the bubble, or the title, times, dates and
// notices, inside box. The box of a bubble may be some pixels too large or too
// small as long as it holds the text with fill around it. Where it knows nothing,
// it returns nothing.
func (r *Recognizer) RecognizeCrop(ctx context.Context, frame *image.RGBA, box image.Rectangle,
	_ hardware.Hint) ([]messages.Line, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, w := range r.windows {
		w.mu.Lock()
		lines := w.cache.read(frame, box)
		w.mu.Unlock()
		if len(lines) > 0 {
			return lines, nil
		}
	}
	return nil, nil
}

// Recognize fails with hardware.ErrUnavailable: a prepared picture has lost the
// pixels that this recognizer needs. Use RecognizeCrop.
func (r *Recognizer) Recognize(context.Context, *image.Gray, hardware.Hint) ([]messages.Line, error) {
	return nil, fmt.Errorf("drawn: prepared pictures cannot be read, use RecognizeCrop: %w", hardware.ErrUnavailable)
}

// Close does nothing.
func (r *Recognizer) Close() error { return nil }

var (
	_ hardware.Screen         = (*Screen)(nil)
	_ hardware.CropRecognizer = (*Recognizer)(nil)
)
