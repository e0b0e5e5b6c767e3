package hardwaretest

import (
	"bytes"
	"context"
	"errors"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/hardware"
)

// CropFixture is a recognizer and a frame that it can read.
type CropFixture struct {
	Recognizer hardware.CropRecognizer
	Frame      *image.RGBA
	Scale      float64
	Texts      map[image.Rectangle][]string // the lines of text in each box
	Blank      image.Rectangle              // a box without text
}

// CropRecognizer checks a recognizer that reads directly from frames. Texts are
// compared without spaces.
func CropRecognizer(t *testing.T, f CropFixture) {
	before := bytes.Clone(f.Frame.Pix)
	hint := hardware.Hint{Scale: f.Scale, Block: true}
	for box, want := range f.Texts {
		lines, err := f.Recognizer.RecognizeCrop(t.Context(), f.Frame, box, hint)
		if err != nil {
			t.Errorf("RecognizeCrop(%v) = %v, want no error", box, err)
			continue
		}
		var got []string
		for _, l := range lines {
			got = append(got, string(l.Text))
			b := image.Rect(l.Box.X, l.Box.Y, l.Box.X+l.Box.W, l.Box.Y+l.Box.H)
			if b.Empty() || !b.In(box) {
				t.Errorf("RecognizeCrop(%v) has a line at %v, want it inside", box, b)
			}
			if !(l.Confidence > 0 && l.Confidence <= 1) {
				t.Errorf("RecognizeCrop(%v) has the confidence %v, want 0 to 1", box, l.Confidence)
			}
		}
		if squeeze(got) != squeeze(want) {
			t.Errorf("RecognizeCrop(%v) = %q, want %q", box, got, want)
		}
	}
	if lines, err := f.Recognizer.RecognizeCrop(t.Context(), f.Frame, f.Blank, hint); err != nil || len(lines) > 0 {
		t.Errorf("RecognizeCrop(blank) = %d lines, %v, want nothing and no error", len(lines), err)
	}
	outside := f.Frame.Rect.Add(f.Frame.Rect.Size())
	if lines, err := f.Recognizer.RecognizeCrop(t.Context(), f.Frame, outside, hint); err != nil || len(lines) > 0 {
		t.Errorf("RecognizeCrop(outside) = %d lines, %v, want nothing and no error", len(lines), err)
	}
	if !bytes.Equal(before, f.Frame.Pix) {
		t.Error("RecognizeCrop wrote to the frame")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Recognizer.RecognizeCrop(ctx, f.Frame, f.Blank, hint); !errors.Is(err, context.Canceled) {
		t.Errorf("RecognizeCrop(cancelled) = %v, want %v", err, context.Canceled)
	}
	if err := f.Recognizer.Close(); err != nil {
		t.Errorf("Close() = %v, want nil", err)
	}
}

func squeeze(lines []string) string {
	lines = slices.Clone(lines)
	for i, l := range lines {
		lines[i] = strings.Join(strings.Fields(l), "")
	}
	return strings.Join(lines, "\n")
}
