// Package robot types into windows, clicks, and captures what the screen shows,
// with robotgo. It needs cgo and, on Linux, libx11-dev and libxtst-dev to build
// and an X display to run; without cgo everything fails clearly and says how to
// build it. Nothing else imports robotgo.
//
// The main type is [Robot], a hardware.Typist and hardware.Pointer. It types
// only into the window that was meant: it brings the window to the front, asks
// again which one is active, and only then presses keys. Who knows windows is a
// [Desktop]: an x11.Display on Linux. Robotgo acts on the display that $DISPLAY
// names, so a Desktop must be of the same.
//
// # Keys or clipboard
//
// Keys go through the person's keyboard layout and input method: with a Japanese
// input method switched on, "hello" becomes "へっぉ". Pasting depends on neither
// and is therefore the rule where the clipboard can say that it was taken
// (X11). The text that was on the clipboard is put back.
//
// # What robotgo is used for
//
// Keys, the mouse and the plain capture below; and, where no Desktop is given, the
// active window, its title and its process. It is not used to observe usage: it
// knows the active window alone, no counts and no idle time, keeps the display
// that it saw first and does not survive its end, and would make every program
// that only observes need cgo. x11.Usage and darwin.Usage know all three without.
// Nor does it capture what is watched: it sees a rectangle of the screen, not a
// window that others cover.
//
// Robot is a hardware.Screen too, of the plainest kind: the rectangle of the
// screen where the window is, with whatever covers it. Prefer a driver that
// captures by window id.
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

// Clipboard lends text to be pasted.
type Clipboard interface {
	// PasteText puts text on the clipboard, calls paste, waits until the text was
	// taken, and puts back what was there. It wraps hardware.ErrNoField where
	// nothing took it.
	PasteText(ctx context.Context, text string, paste func(context.Context) error) error
}

// Method is a way to get text into a field.
type Method string

// Ways to type. MethodAuto pastes on X11. MethodKeys presses keys, on X11 those
// of a US keyboard. Both paste what keys cannot type.
const (
	MethodAuto  Method = ""
	MethodKeys  Method = "keys"
	MethodPaste Method = "paste"
)

// Options configure a robot.
type Options struct {
	// Desktop knows the windows. Nil takes robotgo's own knowledge, in which a ref
	// is a process id and the only window listed is the active one.
	Desktop Desktop
	// Clipboard lends text. Nil takes Desktop where it can do that, else the
	// system's clipboard on macOS and Windows; on X11 there is none then, and
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
