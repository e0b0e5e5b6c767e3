package freedesktop

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/hardware"
)

func TestNoBus(t *testing.T) {
	n := Notifier{Address: "unix:path=" + filepath.Join(t.TempDir(), "nobody")}
	err := n.Notify(t.Context(), "a title", "a body")
	if !errors.Is(err, hardware.ErrUnavailable) || !strings.Contains(err.Error(), "focus.notify") {
		t.Errorf("Notify(no bus) = %v, want %v that says what to do", err, hardware.ErrUnavailable)
	}
	if strings.Contains(err.Error(), "a title") || strings.Contains(err.Error(), "a body") {
		t.Errorf("Notify(no bus) = %v, want an error without the notice", err)
	}
	if _, err := n.Check(t.Context()); !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("Check(no bus) = %v, want %v", err, hardware.ErrUnavailable)
	}
}

func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (Notifier{}).Notify(ctx, "a", "b"); !errors.Is(err, context.Canceled) {
		t.Errorf("Notify(ended) = %v, want %v", err, context.Canceled)
	}
}
