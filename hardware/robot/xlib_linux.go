//go:build cgo && robotgo

package robot

/*
#cgo LDFLAGS: -lX11 -Wl,--wrap=XOpenDisplay -Wl,--wrap=XCloseDisplay
#define _GNU_SOURCE
#include <poll.h>
#include <X11/Xlib.h>

// By default Xlib ends the process when a request fails or the server goes away.
// The handlers keep it alive; the second one sets lost.
static volatile int lost = 0;

static int ignoreError(Display *d, XErrorEvent *e) { return 0; }
static int connectionLost(Display *d) { lost = 1; return 0; }
static void stay(Display *d, void *data) {}

// Robotgo keeps connections in variables of its own and does not notice when
// they break. So the linker routes every XOpenDisplay and XCloseDisplay of this
// program through here. Calls are made one at a time.
enum { most = 16 };
static Display *opened[most];

Display *__real_XOpenDisplay(const char *name);
int __real_XCloseDisplay(Display *d);

Display *__wrap_XOpenDisplay(const char *name) {
	Display *d = __real_XOpenDisplay(name);
	if (d == NULL) return NULL;
	XSetIOErrorExitHandler(d, stay, NULL);
	for (int i = 0; i < most; i++) {
		if (opened[i] == NULL) { opened[i] = d; break; }
	}
	return d;
}

int __wrap_XCloseDisplay(Display *d) {
	if (d == NULL) return 0;
	for (int i = 0; i < most; i++) {
		if (opened[i] == d) opened[i] = NULL;
	}
	return __real_XCloseDisplay(d);
}

// broken reports whether the server has closed a connection that is still kept.
static int broken(void) {
	for (int i = 0; i < most && !lost; i++) {
		if (opened[i] == NULL) continue;
		struct pollfd p = { .fd = ConnectionNumber(opened[i]), .events = POLLRDHUP };
		if (poll(&p, 1, 0) > 0) lost = 1;
	}
	return lost;
}

static int isLost(void) { return lost; }

static int reach(void) {
	XSetErrorHandler(ignoreError);
	XSetIOErrorHandler(connectionLost);
	Display *d = XOpenDisplay(NULL);
	if (d == NULL) return 0;
	XCloseDisplay(d);
	return 1;
}
*/
import "C"

import (
	"fmt"

	"github.com/kehai-run/kehai/hardware"
)

// ready fails where robotgo would crash: without a display, and after the server
// has closed robotgo's connection.
func ready() error {
	if C.broken() != 0 {
		return healthy()
	}
	if C.reach() == 0 {
		return fmt.Errorf("robot: no X server answers at $DISPLAY (start from inside the desktop session): %w",
			hardware.ErrNoDisplay)
	}
	return nil
}

// healthy fails once robotgo has lost its X server.
func healthy() error {
	if C.isLost() != 0 {
		return fmt.Errorf("robot: the X server went away, which robotgo does not survive (start this program "+
			"again): %w", hardware.ErrNoDisplay)
	}
	return nil
}
