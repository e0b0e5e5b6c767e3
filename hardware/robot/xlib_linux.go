//go:build cgo

package robot

/*
#cgo LDFLAGS: -lX11
#include <X11/Xlib.h>

// What Xlib does by default when a request fails or the server goes away is to
// end the process. Both handlers let it go on; lost is set by the second one.
static volatile int lost = 0;

static int ignoreError(Display *d, XErrorEvent *e) { return 0; }
static void stay(Display *d, void *data) {}
static int connectionLost(Display *d) {
	lost = 1;
	XSetIOErrorExitHandler(d, stay, NULL);
	return 0;
}

static int reach(void) {
	XSetErrorHandler(ignoreError);
	XSetIOErrorHandler(connectionLost);
	Display *d = XOpenDisplay(NULL);
	if (d == NULL) return 0;
	XCloseDisplay(d);
	return 1;
}
static int isLost(void) { return lost; }
*/
import "C"

import (
	"fmt"

	"github.com/kehai-run/kehai/hardware"
)

// ready fails where robotgo would crash: without a display, and after it has
// lost the one that it still believes in.
func ready() error {
	if err := healthy(); err != nil {
		return err
	}
	if C.reach() == 0 {
		return fmt.Errorf("robot: no X server answers at $DISPLAY (start from inside the desktop session): %w", hardware.ErrNoDisplay)
	}
	return nil
}

// healthy fails after the X server went away while robotgo was using it: its
// connection cannot be replaced.
func healthy() error {
	if C.isLost() != 0 {
		return fmt.Errorf("robot: the X server went away, which robotgo does not survive (start this program again): %w", hardware.ErrNoDisplay)
	}
	return nil
}
