package hardware

import (
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

func TestNoTypistSaysWhatIsMissing(t *testing.T) {
	for _, n := range []NoTypist{{}, {Missing: "this program was built without cgo"}} {
		want := n.Missing
		if want == "" {
			want = "hardware/robot"
		}
		for name, err := range map[string]error{
			"Activate": n.Activate(t.Context(), "0x1"),
			"Type":     n.Type(t.Context(), "0x1", "secret"),
			"Press":    n.Press(t.Context(), "0x1", KeyEnter),
			"Click":    n.Click(t.Context(), "0x1", image.Pt(1, 1)),
		} {
			if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), want) ||
				strings.Contains(err.Error(), "secret") {
				t.Errorf("NoTypist%+v.%s() = %v, want %v and %q", n, name, err, ErrUnavailable, want)
			}
			if got := Code(err); got != messages.CodeUnavailable {
				t.Errorf("Code(%v) = %q, want unavailable", err, got)
			}
		}
	}
}
