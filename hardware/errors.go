package hardware

import (
	"errors"

	"github.com/kehai-run/kehai/messages"
)

// Errors that drivers wrap. [Code] gives the stable code of each.
var (
	ErrPermission  = errors.New("hardware: permission denied by the system")
	ErrWindowGone  = errors.New("hardware: window is gone")
	ErrMinimised   = errors.New("hardware: window is minimised or hidden")
	ErrEmptyFrame  = errors.New("hardware: captured frame is empty")
	ErrNoDisplay   = errors.New("hardware: no display to talk to")
	ErrUnavailable = errors.New("hardware: driver is not available here")
	ErrNoLanguage  = errors.New("hardware: OCR language data is missing")
)

var codes = []struct {
	err       error
	code      string
	untouched bool // see [Untouched]
}{
	{ErrPermission, messages.CodePermission, true},
	{ErrWindowGone, messages.CodeWindowGone, true},
	{ErrMinimised, messages.CodeMinimised, true},
	{ErrEmptyFrame, messages.CodeEmptyFrame, true},
	{ErrNoDisplay, messages.CodeNoDisplay, true},
	{ErrUnavailable, messages.CodeUnavailable, true},
	{ErrNoLanguage, messages.CodeNoLanguage, false}, // no typist gives it: it says nothing of keys
	{ErrNotActive, messages.CodeNotActive, true},
	{ErrNoField, messages.CodeNoField, true},
	{ErrPartlyTyped, messages.CodePartlyTyped, false},
}

// Code returns the stable code of the driver error that err wraps: "error" for
// any other error, "" for nil.
func Code(err error) string {
	if err == nil {
		return ""
	}
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return "error"
}

// Untouched reports whether a [Typist] which failed with this code has pressed no key, so
// that the same may be typed again. It is false for a code that no driver gives.
func Untouched(code string) bool {
	for _, c := range codes {
		if c.code == code {
			return c.untouched
		}
	}
	return false
}

// ErrorOf returns the driver error with this code; nil if there is none.
func ErrorOf(code string) error {
	for _, c := range codes {
		if c.code == code {
			return c.err
		}
	}
	return nil
}
