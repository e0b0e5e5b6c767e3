package darwin

import (
	"fmt"
	"image"
	"math"
	"strconv"

	"github.com/kehai-run/kehai/hardware"
)

// windowID is a CGWindowID. It is unique while the session lasts.
type windowID uint32

func (id windowID) ref() string { return strconv.FormatUint(uint64(id), 10) }

// parseRef reads a Window.Ref; false if it is invalid.
func parseRef(ref string) (windowID, bool) {
	n, err := strconv.ParseUint(ref, 10, 32)
	return windowID(n), err == nil && n != 0 && windowID(n).ref() == ref
}

// windowInfo is one entry of the window server's list.
type windowInfo struct {
	id       windowID
	pid      int
	app      string
	title    string // empty without Screen Recording
	layer    int    // 0 for normal windows; menus, panels and the Dock have others
	bounds   rect   // points, origin at the upper left of the main display
	alpha    float64
	onScreen bool
	shared   bool // false: the application excludes it from captures, or they are not allowed
}

// entry is one dictionary of the list.
type entry interface {
	number(key string) float64 // NaN if missing
	text(key string) string    // "" if missing
	inner(key string) entry    // an empty one if missing
}

// Keys of the list. The exported constants have their own names as values.
const (
	keyNumber   = "kCGWindowNumber"
	keyPID      = "kCGWindowOwnerPID"
	keyApp      = "kCGWindowOwnerName"
	keyTitle    = "kCGWindowName"
	keyLayer    = "kCGWindowLayer"
	keyBounds   = "kCGWindowBounds"
	keyAlpha    = "kCGWindowAlpha"
	keyOnScreen = "kCGWindowIsOnscreen"
	keySharing  = "kCGWindowSharingState"
)

// idOf reads the id only; 0 if there is none.
func idOf(e entry) windowID {
	n := e.number(keyNumber)
	if !(n >= 1 && n <= math.MaxUint32) {
		return 0
	}
	return windowID(n)
}

// decodeWindow reads an entry; false if it names no window. A number that is
// missing or out of range becomes the value of an ordinary window.
func decodeWindow(e entry) (windowInfo, bool) {
	id := idOf(e)
	if id == 0 {
		return windowInfo{}, false
	}
	b := e.inner(keyBounds)
	return windowInfo{
		id:    id,
		pid:   max(0, whole(e.number(keyPID), 0)),
		app:   e.text(keyApp),
		title: e.text(keyTitle),
		layer: whole(e.number(keyLayer), 0),
		bounds: rect{finite(b.number("X")), finite(b.number("Y")), finite(b.number("Width")),
			finite(b.number("Height"))},
		alpha:    orElse(e.number(keyAlpha), 1),
		onScreen: orElse(e.number(keyOnScreen), 0) != 0,
		shared:   orElse(e.number(keySharing), 1) != 0,
	}, true
}

func orElse(v, other float64) float64 {
	if math.IsNaN(v) {
		return other
	}
	return v
}

// whole truncates v to an int32; other if it does not fit.
func whole(v float64, other int) int {
	if !(v >= math.MinInt32 && v <= math.MaxInt32) {
		return other
	}
	return int(v)
}

// finite is v, or 0 if v cannot be a coordinate.
func finite(v float64) float64 {
	if !(math.Abs(v) < 1e6) {
		return 0
	}
	return v
}

// Smaller windows, in points, are no windows to a person: ScreenCaptureKit puts one of 66×20 into
// the application that it captures.
const leastWidth, leastHeight = 100, 60

// ordinary reports whether a person would call w a window.
func (w windowInfo) ordinary() bool {
	return w.layer == 0 && w.onScreen && w.alpha > 0 && w.bounds.W >= leastWidth && w.bounds.H >= leastHeight
}

// capturable returns why a window cannot be captured, or nil. That it is not shared is left to the
// picture: without permission the system says so of every window.
func (w windowInfo) capturable() error {
	switch {
	case !w.onScreen:
		return fmt.Errorf("darwin: window %d is in the Dock, hidden, on another desktop or behind an application "+
			"that fills the screen; nothing is read until it shows: %w", w.id, hardware.ErrMinimised)
	case w.bounds.W < 1 || w.bounds.H < 1:
		return fmt.Errorf("darwin: window %d has no area: %w", w.id, hardware.ErrEmptyFrame)
	}
	return nil
}

func withheld(id windowID) error {
	return fmt.Errorf("darwin: the application keeps window %d out of all captures: %w", id, hardware.ErrEmptyFrame)
}

func (w windowInfo) box() image.Rectangle {
	return image.Rect(
		int(math.Round(w.bounds.X)), int(math.Round(w.bounds.Y)),
		int(math.Round(w.bounds.X+w.bounds.W)), int(math.Round(w.bounds.Y+w.bounds.H)))
}

// front is the topmost ordinary window of a list that is ordered front to back.
func front(list []windowInfo) (windowInfo, bool) {
	for _, w := range list {
		if w.ordinary() {
			return w, true
		}
	}
	return windowInfo{}, false
}

func gone(ref string) error {
	return fmt.Errorf("darwin: there is no window %q; list the windows again: %w", ref, hardware.ErrWindowGone)
}

// Options of CGWindowListCopyWindowInfo.
const (
	listAll       = 0
	listOnScreen  = 1 << 0
	listIncluding = 1 << 3
	listNoDesktop = 1 << 4
)

// dictionary is an [entry] read from the system.
type dictionary struct {
	a *api
	o obj
}

func (d dictionary) number(key string) float64 { return d.a.number(d.a.at(d.o, key)) }
func (d dictionary) text(key string) string    { return d.a.text(d.a.at(d.o, key)) }
func (d dictionary) inner(key string) entry    { return dictionary{d.a, d.a.at(d.o, key)} }

// windows lists the windows on screen, front to back.
func (a *api) windows() ([]windowInfo, error) {
	list := a.window.list(listOnScreen|listNoDesktop, 0)
	if list == 0 {
		return nil, noSession()
	}
	defer a.cf.release(list)
	var out []windowInfo
	for _, o := range a.list(list) {
		if w, ok := decodeWindow(dictionary{a, o}); ok {
			out = append(out, w)
		}
	}
	return out, nil
}

// find looks for one window, even off screen. The system's own look-up by id
// cannot tell a hidden window from a closed one, so find lists all windows.
func (a *api) find(ref string) (windowInfo, error) {
	id, ok := parseRef(ref)
	if !ok {
		return windowInfo{}, gone(ref)
	}
	list := a.window.list(listAll, 0)
	if list == 0 {
		return windowInfo{}, noSession()
	}
	defer a.cf.release(list)
	for _, o := range a.list(list) {
		if d := (dictionary{a, o}); idOf(d) == id {
			if w, ok := decodeWindow(d); ok {
				return w, nil
			}
		}
	}
	return windowInfo{}, gone(ref)
}

func noSession() error {
	return fmt.Errorf("darwin: the window server does not answer: run inside the logged-in person's session, not "+
		"over ssh or as a system daemon: %w", hardware.ErrNoDisplay)
}
