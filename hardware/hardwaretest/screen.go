package hardwaretest

import (
	"bytes"
	"context"
	"errors"
	"image"
	"sync"
	"testing"

	"github.com/kehai-run/kehai/hardware"
)

// ScreenFixture is a screen with one window that can be captured, and the means
// to bring the window into each state. A nil func means that the driver cannot
// get there in a test; Screen then checks nothing about that state.
type ScreenFixture struct {
	Screen hardware.Screen
	Ref    string
	Change func() // makes the window's pixels change
	Hide   func() // minimises it
	Show   func() // ends Hide
	Cover  func() // puts another window in front
	Empty  func() // gives it no area
	Close  func() // removes it
}

// Screen checks a driver. fixture makes a fresh one; it is called several times.
func Screen(t *testing.T, fixture func(t *testing.T) ScreenFixture) {
	t.Run("windows", func(t *testing.T) { checkWindows(t, fixture(t)) })
	t.Run("same", func(t *testing.T) { checkSame(t, fixture(t)) })
	t.Run("unchanged", func(t *testing.T) { checkUnchanged(t, fixture(t)) })
	t.Run("errors", func(t *testing.T) { checkErrors(t, fixture) })
	t.Run("covered", func(t *testing.T) { checkCovered(t, fixture(t)) })
	t.Run("context", func(t *testing.T) { checkContext(t, fixture(t)) })
	t.Run("concurrent", func(t *testing.T) { checkConcurrent(t, fixture(t)) })
}

func capture(t *testing.T, f ScreenFixture) hardware.Capture {
	t.Helper()
	c, err := f.Screen.Capture(t.Context(), f.Ref)
	if err != nil {
		t.Fatalf("Capture(%q) = %v, want a picture", f.Ref, err)
	}
	if c.Image == nil || c.Image.Rect.Empty() || c.Image.Rect.Min != (image.Point{}) {
		t.Fatalf("Capture(%q) has a picture that is empty or does not start at 0,0", f.Ref)
	}
	if !(c.Scale > 0) {
		t.Fatalf("Capture(%q).Scale = %v, want more than 0", f.Ref, c.Scale)
	}
	return c
}

func checkWindows(t *testing.T, f ScreenFixture) {
	list, err := f.Screen.Windows(t.Context())
	if err != nil {
		t.Fatalf("Windows() = %v, want no error", err)
	}
	refs := map[string]bool{}
	for _, w := range list {
		if w.Ref == "" || refs[w.Ref] {
			t.Errorf("Windows() has the ref %q, want one of its own for each", w.Ref)
		}
		refs[w.Ref] = true
	}
	if !refs[f.Ref] {
		t.Errorf("Windows() lacks the ref %q", f.Ref)
	}
}

func checkSame(t *testing.T, f ScreenFixture) {
	a, b := capture(t, f), capture(t, f)
	if a.Image.Rect != b.Image.Rect || !bytes.Equal(a.Image.Pix, b.Image.Pix) {
		t.Error("Capture() twice differs, want equal pixels while nothing changes")
	}
}

func checkUnchanged(t *testing.T, f ScreenFixture) {
	if f.Change == nil {
		return
	}
	a := capture(t, f)
	kept := bytes.Clone(a.Image.Pix)
	f.Change()
	b := capture(t, f)
	if !bytes.Equal(a.Image.Pix, kept) {
		t.Error("Capture() wrote to a picture that it had returned before")
	}
	if bytes.Equal(b.Image.Pix, kept) {
		t.Error("Capture() after a change = the old pixels, want new ones")
	}
}

func checkErrors(t *testing.T, fixture func(t *testing.T) ScreenFixture) {
	f := fixture(t)
	wantError(t, f, f.Ref+"-none", hardware.ErrWindowGone)
	if f.Hide != nil && f.Show != nil {
		f.Hide()
		wantError(t, f, f.Ref, hardware.ErrMinimised)
		f.Show()
		capture(t, f)
	}
	if f.Empty != nil {
		f.Empty()
		wantError(t, f, f.Ref, hardware.ErrEmptyFrame)
	}
	if f = fixture(t); f.Close == nil {
		return
	}
	f.Close()
	wantError(t, f, f.Ref, hardware.ErrWindowGone)
	list, err := f.Screen.Windows(t.Context())
	if err != nil {
		t.Fatalf("Windows() = %v, want no error", err)
	}
	for _, w := range list {
		if w.Ref == f.Ref {
			t.Errorf("Windows() still lists %q after it was closed", f.Ref)
		}
	}
}

func wantError(t *testing.T, f ScreenFixture, ref string, want error) {
	t.Helper()
	if c, err := f.Screen.Capture(t.Context(), ref); !errors.Is(err, want) || c.Image != nil {
		t.Errorf("Capture(%q) = %v, want no picture and %v", ref, err, want)
	}
}

func checkCovered(t *testing.T, f ScreenFixture) {
	if f.Cover == nil {
		return
	}
	a := capture(t, f)
	f.Cover()
	if b := capture(t, f); !bytes.Equal(a.Image.Pix, b.Image.Pix) {
		t.Error("Capture() of a covered window differs, want its own pixels")
	}
}

func checkContext(t *testing.T, f ScreenFixture) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Screen.Capture(ctx, f.Ref); !errors.Is(err, context.Canceled) {
		t.Errorf("Capture(cancelled) = %v, want %v", err, context.Canceled)
	}
	if _, err := f.Screen.Windows(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Windows(cancelled) = %v, want %v", err, context.Canceled)
	}
}

func checkConcurrent(t *testing.T, f ScreenFixture) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 3 {
				if _, err := f.Screen.Capture(t.Context(), f.Ref); err != nil {
					t.Errorf("Capture(%q) among others = %v, want a picture", f.Ref, err)
				}
			}
		})
	}
	if f.Change != nil {
		f.Change()
	}
	wg.Wait()
}
