package ocrproc

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// cropper hangs in boxes of width wideHang.
type cropper struct{ *engine }

func (c cropper) RecognizeCrop(_ context.Context, _ *image.RGBA, box image.Rectangle, _ hardware.Hint) ([]messages.Line, error) {
	if box.Dx() == wideHang {
		<-c.release
	}
	return []messages.Line{{Text: "here", Box: messages.Rect{X: box.Min.X, Y: box.Min.Y}}}, nil
}

// reader keeps the picture that it got.
type reader struct{ got *image.Gray }

func (r *reader) Recognize(_ context.Context, img *image.Gray, _ hardware.Hint) ([]messages.Line, error) {
	r.got = img
	return []messages.Line{{Text: "there", Box: messages.Rect{X: 1, Y: 2, W: 3, H: 4}}}, nil
}

func (r *reader) Close() error { return nil }

// TestGuardMovesCropsToo: an engine that reads from frames and hangs is left
// after two calls like any other, also by those who have it open.
func TestGuardMovesCropsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, moved, far := make(chan struct{}), 0, &reader{}
		g := NewGuard(
			func() (hardware.Recognizer, error) {
				return cropper{&engine{name: "here", release: release, closed: make(chan struct{})}}, nil
			},
			func() (hardware.Recognizer, error) { return far, nil }, func() { moved++ })
		frame := image.NewRGBA(image.Rect(0, 0, 200, 100))
		var engines []hardware.CropRecognizer
		for range 3 {
			r, err := g.Open()
			if err != nil {
				t.Fatal(err)
			}
			crop, ok := r.(hardware.CropRecognizer)
			if !ok {
				t.Fatalf("Open() = %T, want one that reads from frames", r)
			}
			engines = append(engines, crop)
		}
		read := func(n, width int) (messages.Line, error) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			lines, err := engines[n].RecognizeCrop(ctx, frame, image.Rect(50, 20, 50+width, 40), hardware.Hint{})
			if err != nil {
				return messages.Line{}, err
			}
			return lines[0], nil
		}
		if got, err := read(0, 9); got.Text != "here" || got.Box.X != 50 || err != nil {
			t.Errorf("RecognizeCrop() = %+v, %v, want here at 50", got, err)
		}
		for n := range 2 {
			if _, err := read(n, wideHang); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("hanging call %d = %v, want %v", n, err, context.DeadlineExceeded)
			}
		}
		if moved != 1 {
			t.Errorf("moved %d times after two hangs, want once", moved)
		}
		for n := range engines { // one of them never hung
			got, err := read(n, 9)
			if want := (messages.Line{Text: "there", Box: messages.Rect{X: 51, Y: 22, W: 3, H: 4}}); got != want || err != nil {
				t.Errorf("recognizer %d after two hangs = %+v, %v, want %+v", n, got, err, want)
			}
		}
		if lines, err := engines[0].RecognizeCrop(context.Background(), frame, image.Rect(300, 0, 400, 9), hardware.Hint{}); len(lines) > 0 || err != nil {
			t.Errorf("RecognizeCrop(outside) = %v, %v, want nothing", lines, err)
		}
		if r, err := g.Open(); err != nil || r != hardware.Recognizer(far) {
			t.Errorf("Open() after two hangs = %T, %v, want the one of the other process", r, err)
		}
		for _, r := range engines {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		close(release)
		synctest.Wait()
	})
}

func TestGreyIsDarkOnLight(t *testing.T) {
	for name, c := range map[string]struct{ ground, ink color.Color }{
		"light": {color.White, color.Black}, "dark": {color.Black, color.White},
	} {
		frame := image.NewRGBA(image.Rect(5, 5, 25, 25))
		draw.Draw(frame, frame.Rect, image.NewUniform(c.ground), image.Point{}, draw.Src)
		frame.Set(11, 12, c.ink)
		before := bytes.Clone(frame.Pix)
		got := grey(frame, image.Rect(10, 10, 20, 16))
		if got.Rect != image.Rect(0, 0, 10, 6) || got.GrayAt(1, 2).Y != 0 || got.GrayAt(0, 0).Y != 255 {
			t.Errorf("grey(%s) = %v with ink %d on %d, want 10×6 with 0 on 255", name, got.Rect, got.GrayAt(1, 2).Y, got.GrayAt(0, 0).Y)
		}
		if !bytes.Equal(before, frame.Pix) {
			t.Errorf("grey(%s) wrote to the frame", name)
		}
	}
}
