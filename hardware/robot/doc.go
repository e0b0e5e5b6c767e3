// Package robot types into windows, clicks, and captures what the screen shows,
// with robotgo. It needs cgo. On Linux it needs the build tag robotgo, with libx11-dev
// and libxtst-dev, and an X display to run: so a plain go install works without those
// headers. Without them every call fails and says how to build it. Nothing else imports
// robotgo.
//
// The main type is [Robot], a hardware.Typist and hardware.Pointer. It types
// only into the intended window: it brings the window to the front, checks that
// it is active, and only then presses keys. A [Desktop] knows the windows: an
// x11.Display on Linux. Robotgo acts on the display that $DISPLAY names, so the
// Desktop must use the same one.
//
// # Keys or clipboard
//
// Keys go through the person's keyboard layout and input method: with a Japanese
// input method switched on, "hello" becomes "へっぉ". Pasting depends on neither,
// so it is the rule where the clipboard can report that the text was read (X11).
// Afterwards the previous text is put back on the clipboard.
//
// # What robotgo is used for
//
// Keys, the mouse and the plain capture below. Without a Desktop it also gives the
// active window, its title and its process.
//
// It does not observe usage. It knows only the active window, no counts and no
// idle time. It keeps the first display that it saw and crashes when that ends.
// And every program that only observes would need cgo. x11.Usage and darwin.Usage
// do all of this without cgo.
//
// Robot is also a hardware.Screen of the simplest kind: it captures the rectangle
// of the screen where the window is, with whatever covers it. Prefer a driver
// that captures by window id.
package robot

import (
	"context"
	"fmt"

	"github.com/kehai-run/kehai/hardware"
)

// Desktop knows the windows of a desktop.
type Desktop interface {
	// Windows lists windows, topmost first.
	Windows(ctx context.Context) ([]hardware.Window, error)
	// Activate returns once the window is the active one.
	Activate(ctx context.Context, ref string) error
	// Active is the window that gets the keyboard, or the zero Window.
	Active(ctx context.Context) (hardware.Window, error)
}

// Clipboard pastes text.
type Clipboard interface {
	// PasteText puts text on the clipboard, calls paste, waits until a program has
	// read the text, and restores the previous text. It wraps
	// hardware.ErrNoField if no program read it.
	PasteText(ctx context.Context, text string, paste func(context.Context) error) error
}

// Method is a way to get text into a field.
type Method string

// Typing methods. MethodAuto pastes on X11. MethodKeys presses keys, on X11 those
// of a US keyboard. Both paste text that keys cannot type.
const (
	MethodAuto  Method = ""
	MethodKeys  Method = "keys"
	MethodPaste Method = "paste"
)

// Options configure a robot.
type Options struct {
	// Desktop knows the windows. Nil uses robotgo itself: a ref is then a process
	// id, and the only window listed is the active one.
	Desktop Desktop
	// Clipboard pastes text. Nil uses Desktop if it is a Clipboard. Otherwise it
	// uses the system's clipboard on macOS and Windows; on X11 there is none, and
	// only ASCII can be typed.
	Clipboard Clipboard
	// Method says how text is typed.
	Method Method
}

func (o Options) validate() error {
	switch o.Method {
	case MethodAuto, MethodKeys, MethodPaste:
		return nil
	}
	return fmt.Errorf("robot: method %q: use %q, %q or none", o.Method, MethodKeys, MethodPaste)
}
