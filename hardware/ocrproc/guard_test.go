package ocrproc

import (
	"context"
	"errors"
	"image"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// engine hangs in calls for pictures of width wideHang, until release.
type engine struct {
	name    string
	release chan struct{}
	closed  chan struct{}
}

func (e *engine) Recognize(_ context.Context, img *image.Gray, _ hardware.Hint) ([]messages.Line, error) {
	switch img.Rect.Dx() {
	case wideHang:
		<-e.release
	case wideCrash:
		panic("engine broke")
	}
	return []messages.Line{{Text: messages.Text(e.name)}}, nil
}

func (e *engine) Close() error { close(e.closed); return nil }

type house struct {
	release chan struct{}
	here    []*engine
	moved   int
	*Guard
}

func newHouse() *house {
	h := &house{release: make(chan struct{})}
	make := func(name string) func() (hardware.Recognizer, error) {
		return func() (hardware.Recognizer, error) {
			e := &engine{name, h.release, make(chan struct{})}
			if name == "here" {
				h.here = append(h.here, e)
			}
			return e, nil
		}
	}
	h.Guard = NewGuard(make("here"), make("there"), func() { h.moved++ })
	return h
}

// where opens a recognizer and says who reads a picture.
func (h *house) where(t *testing.T, width int) (string, error) {
	t.Helper()
	r, err := h.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	lines, err := r.Recognize(ctx, wide(width), hardware.Hint{})
	if err != nil {
		return "", err
	}
	return string(lines[0].Text), nil
}

func TestGuardMovesAfterTwoHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		for i, c := range []struct {
			width int
			want  string
			moved int
		}{{9, "here", 0}, {wideHang, "", 0}, {9, "here", 0}, {wideHang, "", 1}, {9, "there", 1}, {9, "there", 1}} {
			began := time.Now()
			got, err := h.where(t, c.width)
			if got != c.want || h.moved != c.moved {
				t.Errorf("picture %d was read %q, %v, moved %d, want %q, %d", i, got, err, h.moved, c.want, c.moved)
			}
			if c.width == wideHang && (!errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second+grace) {
				t.Errorf("hang %d: %v after %v, want DeadlineExceeded after %v", i, err, time.Since(began), time.Second+grace)
			}
		}
		close(h.release)
		synctest.Wait()
		for i, e := range h.here {
			select {
			case <-e.closed:
			default:
				t.Errorf("engine %d is not closed though its call has returned", i)
			}
		}
	})
}

// TestGuardLetsTwoHangAtMost starts a call while another may still hang.
func TestGuardLetsTwoHangAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		if _, err := h.where(t, wideHang); err == nil {
			t.Fatal("a hanging call = nil, want an error")
		}
		second, err := h.Open()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		go second.Recognize(ctx, wide(wideHang), hardware.Hint{})
		synctest.Wait()
		if got, err := h.where(t, 9); got != "there" {
			t.Errorf("with one hung and one under way a picture was read %q, %v, want there", got, err)
		}
		time.Sleep(2 * time.Second)
		close(h.release)
		synctest.Wait()
	})
}

func TestGuardPassesPanics(t *testing.T) {
	h := newHouse()
	r, err := h.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("Recognize() did not panic, want the engine's panic")
			}
		}()
		_, _ = r.Recognize(context.Background(), wide(wideCrash), hardware.Hint{})
	}()
	if lines, err := r.Recognize(context.Background(), wide(9), hardware.Hint{}); err != nil || string(lines[0].Text) != "here" {
		t.Errorf("Recognize() after a panic = %v, %v, want here", lines, err)
	}
}
