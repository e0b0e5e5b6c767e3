package hardware

import (
	"errors"
	"fmt"
	"testing"
)

// TestCodes: each error has its code, each code its error, and of each is known whether
// a typist that failed with it has left the window as it was.
func TestCodes(t *testing.T) {
	table := []struct {
		err       error
		code      string
		untouched bool
	}{
		{ErrPermission, "permission", true},
		{ErrWindowGone, "window_gone", true},
		{ErrMinimised, "minimised", true},
		{ErrEmptyFrame, "empty_frame", true},
		{ErrNoDisplay, "no_display", true},
		{ErrUnavailable, "unavailable", true},
		{ErrNoLanguage, "no_language", false},
		{ErrNotActive, "not_active", true},
		{ErrNoField, "no_field", true},
		{ErrPartlyTyped, "partly_typed", false},
	}
	if len(table) != len(codes) {
		t.Errorf("%d codes, want each of them in this table of %d", len(codes), len(table))
	}
	for _, c := range table {
		if code := Code(fmt.Errorf("driver: %w", c.err)); code != c.code {
			t.Errorf("Code(%v) = %q, want %q", c.err, code, c.code)
		}
		if err := ErrorOf(c.code); !errors.Is(err, c.err) {
			t.Errorf("ErrorOf(%q) = %v, want %v", c.code, err, c.err)
		}
		if got := Untouched(c.code); got != c.untouched {
			t.Errorf("Untouched(%q) = %v, want %v", c.code, got, c.untouched)
		}
	}
	for _, code := range []string{"", "error", "session_typing_busy"} {
		if ErrorOf(code) != nil || Untouched(code) {
			t.Errorf("ErrorOf(%q) = %v, Untouched = %v, want no driver's error", code, ErrorOf(code), Untouched(code))
		}
	}
	if Code(nil) != "" || Code(errors.New("x")) != "error" {
		t.Errorf("Code(nil) = %q, Code(x) = %q, want none and error", Code(nil), Code(errors.New("x")))
	}
}
