package hardware

import (
	"context"
	"errors"
	"fmt"
	"image"
	"time"
)

// Errors of typing. A caller that sends messages must tell them apart. After
// ErrNotActive and ErrNoField nothing was typed and the call can be repeated.
// After ErrPartlyTyped the window may hold some of the text.
var (
	ErrNotActive   = errors.New("hardware: window did not become the active one")
	ErrNoField     = errors.New("hardware: no text field took the text")
	ErrPartlyTyped = errors.New("hardware: typing was interrupted")
)

// Usage observes how the computer is used: which application, how much input. It
// never sees what is typed, clicked or shown. All methods may be called
// concurrently.
type Usage interface {
	// ActiveApp is the application that gets the keyboard, or the zero App when
	// none does.
	ActiveApp(ctx context.Context) (App, error)
	// Idle is the time since the last input of any kind.
	Idle(ctx context.Context) (time.Duration, error)
	// Input counts key presses and mouse events since the driver was opened.
	Input(ctx context.Context) (Input, error)
}

// App is a running application.
type App struct {
	Name  string
	PID   int    // 0 if unknown
	Title string // of its active window; empty unless the driver was opened with titles on
}

// Input counts input events. The counts only grow while a driver lives. A caller
// that wants a rate subtracts two readings; a count that is smaller than before
// means a fresh start.
type Input struct {
	Keys  uint64 // key presses
	Mouse uint64 // button presses, wheel steps and movements
	// SinceKey is the time since the last key press; negative if none is known.
	SinceKey time.Duration
}

// Typist types into windows. ref is a [Window].Ref of the [Screen] that belongs
// to the typist. All methods may be called concurrently: one call types at a time.
type Typist interface {
	// Activate brings a window to the front and returns once the system reports
	// it as active. Otherwise it wraps ErrNotActive.
	Activate(ctx context.Context, ref string) error
	// Type activates the window and then types text into its focused field. A
	// line feed is typed as a line break that does not send (Shift+Enter). It
	// wraps ErrNotActive, ErrNoField or ErrPartlyTyped. No error means that the
	// window received the text, not that it shows it.
	Type(ctx context.Context, ref, text string) error
	// Press activates the window and presses one key, such as Enter to send.
	Press(ctx context.Context, ref string, key Key) error
}

// Key is a key that types no text.
type Key string

// Keys that every [Typist] knows. KeySelectAll selects everything in the focused
// field: Ctrl+A, or Cmd+A on macOS.
const (
	KeyEnter     Key = "enter"
	KeyTab       Key = "tab"
	KeyEscape    Key = "escape"
	KeyBackspace Key = "backspace"
	KeySelectAll Key = "select_all"
)

// Pointer clicks. A [Typist] may also be a Pointer.
type Pointer interface {
	// Click activates the window and clicks a point inside it, in the pixels of
	// [Window].Box, from its upper left corner. It wraps ErrNotActive.
	Click(ctx context.Context, ref string, at image.Point) error
}

// Wheel turns the mouse wheel. A [Typist] may also be a Wheel.
type Wheel interface {
	// Turn activates the window, moves the pointer to a point inside it, as given to
	// [Pointer].Click, and turns the wheel there: steps notches away from the person,
	// towards what stands above, or back if negative. It clicks nothing. It wraps
	// ErrNotActive.
	Turn(ctx context.Context, ref string, at image.Point, steps int) error
}

// Focus knows the active window. A [Typist] may also be a Focus.
type Focus interface {
	// Active is the ref of the window that gets the keyboard, "" if none does.
	Active(ctx context.Context) (ref string, err error)
}

// Presence knows whether somebody uses the keyboard or the mouse. A [Typist] may
// also be a Presence; its own keys may count or not.
type Presence interface {
	// Idle is the time since the last input of any kind.
	Idle(ctx context.Context) (time.Duration, error)
}

// NoTypist is the typist of a program that has none. Each call fails, wrapping
// ErrUnavailable, and says what is missing.
type NoTypist struct {
	// Missing completes the sentence "cannot type: …". Empty says that no
	// typing driver was given.
	Missing string
}

func (n NoTypist) fail() error {
	missing := n.Missing
	if missing == "" {
		missing = "this program was built without a typing driver, give it one (package hardware/robot) to send " +
			"into windows"
	}
	return fmt.Errorf("cannot type: %s: %w", missing, ErrUnavailable)
}

// Activate fails.
func (n NoTypist) Activate(context.Context, string) error { return n.fail() }

// Type fails and types nothing.
func (n NoTypist) Type(context.Context, string, string) error { return n.fail() }

// Press fails and presses nothing.
func (n NoTypist) Press(context.Context, string, Key) error { return n.fail() }

// Click fails and clicks nothing.
func (n NoTypist) Click(context.Context, string, image.Point) error { return n.fail() }

// Turn fails and turns nothing.
func (n NoTypist) Turn(context.Context, string, image.Point, int) error { return n.fail() }

var (
	_ Typist  = NoTypist{}
	_ Pointer = NoTypist{}
	_ Wheel   = NoTypist{}
)
