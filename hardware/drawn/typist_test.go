package drawn_test

import (
	"errors"
	"image"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/hardwaretest"
)

func TestTypistConforms(t *testing.T) {
	hardwaretest.Typist(t, func(t *testing.T) hardwaretest.TypistFixture {
		o := drawn.DefaultOptions(time.Now)
		o.Ref = "line"
		w, err := drawn.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return hardwaretest.TypistFixture{
			Typist: drawn.NewTypist(w), Ref: "line", Gone: "other",
			Shows: func(t *testing.T, texts ...string) string {
				t.Helper()
				if got := string(w.Draft()); slices.Contains(texts, got) {
					return got
				}
				t.Fatalf("the field holds %q, want one of %q", string(w.Draft()), texts)
				return ""
			},
			Clear: func() {
				if err := w.Type(""); err != nil {
					t.Fatal(err)
				}
			},
			Cover: func() {
				if err := errors.Join(w.Cover(), w.Hide()); err != nil {
					t.Fatal(err)
				}
			},
		}
	})
}

// TestTypistSends: Enter makes an own message of what stands in the field, and
// only of that.
func TestTypistSends(t *testing.T) {
	now := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	o := drawn.DefaultOptions(func() time.Time { return now })
	o.Ref = "line"
	w, err := drawn.New(o)
	if err != nil {
		t.Fatal(err)
	}
	typist := drawn.NewTypist(w)
	want := func(idle time.Duration, draft string, sent int) {
		t.Helper()
		got, err := typist.Idle(t.Context())
		_, more := w.FromScript("Hana", -1)
		if err != nil || got != idle || string(w.Draft()) != draft || more != (sent > 0) {
			t.Errorf("Idle() = %v, %v, draft %q, sent %v, want %v, %q, %d", got, err, string(w.Draft()), more, idle,
				draft, sent)
		}
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	never := 24 * time.Hour
	do(typist.Press(t.Context(), "line", hardware.KeyEnter))
	do(typist.Type(t.Context(), "line", "了解👍"))
	do(typist.Click(t.Context(), "line", image.Pt(9, 9)))
	want(never, "了解👍", 0)
	do(typist.Press(t.Context(), "line", hardware.KeyBackspace))
	want(never, "了解", 0)
	do(w.Type("了解です"))
	now = now.Add(2 * time.Second)
	want(2*time.Second, "了解です", 0)
	do(typist.Press(t.Context(), "line", hardware.KeyEnter))
	want(2*time.Second, "", 1)
	if err := typist.Click(t.Context(), "line", image.Pt(-1, 9)); !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("Click(outside) = %v, want %v", err, hardware.ErrUnavailable)
	}
	do(w.Close())
	for _, err := range []error{
		typist.Type(t.Context(), "line", "x"), typist.Activate(t.Context(), "line"),
		typist.Press(t.Context(), "line", hardware.KeyEnter),
	} {
		if !errors.Is(err, hardware.ErrWindowGone) {
			t.Errorf("in a closed window %v, want %v", err, hardware.ErrWindowGone)
		}
	}
}
