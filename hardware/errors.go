package hardware

import "errors"

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
	err  error
	code string
}{
	{ErrPermission, "permission"},
	{ErrWindowGone, "window_gone"},
	{ErrMinimised, "minimised"},
	{ErrEmptyFrame, "empty_frame"},
	{ErrNoDisplay, "no_display"},
	{ErrUnavailable, "unavailable"},
	{ErrNoLanguage, "no_language"},
	{ErrNotActive, "not_active"},
	{ErrNoField, "no_field"},
	{ErrPartlyTyped, "partly_typed"},
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

// ErrorOf returns the driver error with this code; nil if there is none.
func ErrorOf(code string) error {
	for _, c := range codes {
		if c.code == code {
			return c.err
		}
	}
	return nil
}
