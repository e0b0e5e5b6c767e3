package hardwaretest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/kehai-run/kehai/hardware"
)

// TypistFixture is a typist and a window with an empty text field that has the
// focus.
type TypistFixture struct {
	Typist hardware.Typist
	Ref    string
	// Shows waits until the field holds one of these texts and returns which one;
	// otherwise it fails the test. If nothing was to be typed, the suite passes the
	// previous text: a driver has handed over its text when it returns.
	Shows func(t *testing.T, texts ...string) string
	Clear func()       // empties the field
	Cover func()       // puts another window in front, with the keyboard focus
	Steal func()       // makes another window keep the keyboard focus; nil if a test cannot
	Give  func()       // ends Steal
	Gone  string       // ref of a window that does not exist
	Close func() error // nil if the driver has nothing to close
}

// The typed texts. The second one has characters that many keyboards lack.
var typed = []string{"Kehai (2026) ~ #1?!", "明日の15:30に渋谷駅で。OK? ヴァ～ー", "一行目\nline two"}

// Typist checks a driver. fixture makes a fresh one; it is called several times.
func Typist(t *testing.T, fixture func(t *testing.T) TypistFixture) {
	t.Run("types", func(t *testing.T) { checkTypes(t, fixture(t)) })
	t.Run("covered", func(t *testing.T) { checkTypesCovered(t, fixture(t)) })
	t.Run("refuses", func(t *testing.T) { checkTypistRefuses(t, fixture(t)) })
	t.Run("stolen", func(t *testing.T) { checkStolen(t, fixture(t)) })
	t.Run("context", func(t *testing.T) { checkTypistContext(t, fixture(t)) })
	t.Run("concurrent", func(t *testing.T) { checkConcurrentTypes(t, fixture(t)) })
	t.Run("close", func(t *testing.T) { checkTypistCloses(t, fixture(t)) })
}

func (f TypistFixture) types(t *testing.T, text string) {
	t.Helper()
	if err := f.Typist.Type(t.Context(), f.Ref, text); err != nil {
		t.Fatalf("Type(%q) = %v, want no error", text, err)
	}
}

func checkTypes(t *testing.T, f TypistFixture) {
	for _, text := range typed {
		f.types(t, text)
		f.Shows(t, text)
		f.Clear()
	}
	f.types(t, "")
	f.Shows(t, "")
	f.types(t, "one")
	f.types(t, " two")
	f.Shows(t, "one two")
	if err := f.Typist.Activate(t.Context(), f.Ref); err != nil {
		t.Errorf("Activate() of the active window = %v, want no error", err)
	}
	for _, key := range []hardware.Key{hardware.KeySelectAll, hardware.KeyBackspace} {
		if err := f.Typist.Press(t.Context(), f.Ref, key); err != nil {
			t.Errorf("Press(%s) = %v, want no error", key, err)
		}
	}
	f.Shows(t, "")
}

func checkTypesCovered(t *testing.T, f TypistFixture) {
	if f.Cover == nil {
		return
	}
	f.Cover()
	f.types(t, typed[1])
	f.Shows(t, typed[1])
}

// calls makes every call on a window and returns the errors by method name.
func (f TypistFixture) calls(ctx context.Context, ref, text string) map[string]error {
	return map[string]error{
		"Activate": f.Typist.Activate(ctx, ref),
		"Type":     f.Typist.Type(ctx, ref, text),
		"Press":    f.Typist.Press(ctx, ref, hardware.KeyEscape),
	}
}

const secret = "himitsu"

func checkTypistRefuses(t *testing.T, f TypistFixture) {
	for call, err := range f.calls(t.Context(), f.Gone, secret) {
		wantTyped(t, call+"(gone)", err, hardware.ErrWindowGone, []string{secret})
		if errors.Is(err, hardware.ErrPartlyTyped) {
			t.Errorf("%s(gone) = %v, want no doubt that nothing was typed", call, err)
		}
	}
	// Control characters would act, so they are refused or left out.
	for _, control := range []string{"\t", "\x1b", "\x7f"} {
		err := f.Typist.Type(t.Context(), f.Ref, secret+control)
		noSecret(t, "Type(control character)", err, []string{secret})
		if err == nil {
			f.Shows(t, secret, secret+" ")
			f.Clear()
		}
	}
	wantTyped(t, "Press(a key that is none)", f.Typist.Press(t.Context(), f.Ref, "launch"), hardware.ErrUnavailable,
		nil)
	// Text that was typed by mistake would precede this.
	f.types(t, "after")
	f.Shows(t, "after")
}

func checkStolen(t *testing.T, f TypistFixture) {
	if f.Steal == nil {
		return
	}
	f.Steal()
	for call, err := range f.calls(t.Context(), f.Ref, secret) {
		wantTyped(t, call+" while another window has the keyboard", err, hardware.ErrNotActive, []string{secret})
		if errors.Is(err, hardware.ErrPartlyTyped) {
			t.Errorf("%s = %v, want no doubt that nothing was typed", call, err)
		}
	}
	f.Give()
	f.types(t, "back")
	f.Shows(t, "back")
}

func checkTypistContext(t *testing.T, f TypistFixture) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for call, err := range f.calls(ctx, f.Ref, secret) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s(cancelled) = %v, want %v", call, err, context.Canceled)
		}
		noSecret(t, call+"(cancelled)", err, []string{secret})
	}
	f.types(t, "next")
	f.Shows(t, "next")
}

// One call types at a time, so each text is typed as a whole.
func checkConcurrentTypes(t *testing.T, f TypistFixture) {
	a, b := strings.Repeat("a", 20), strings.Repeat("b", 20)
	var wg sync.WaitGroup
	for _, text := range []string{a, b} {
		wg.Go(func() {
			if err := f.Typist.Type(t.Context(), f.Ref, text); err != nil {
				t.Errorf("Type(%s) beside another = %v, want no error", text, err)
			}
		})
	}
	wg.Wait()
	f.Shows(t, a+b, b+a)
}

func checkTypistCloses(t *testing.T, f TypistFixture) {
	if f.Close != nil {
		closes(t, func() { f.types(t, "last") }, f.Close)
	}
}
