// Package x11 captures windows of an X display, watches how it is used, and
// brings windows to the front. It is pure Go and builds everywhere; it works
// where an X server runs (Linux, the BSDs, Xwayland for its own windows).
//
// The main type is [Display]: a hardware.Screen that captures by window id,
// covered windows included. [Usage] is a hardware.Usage: counts and application
// names, never what was typed. Typing itself is package hardware/robot, which
// takes a Display to activate and verify windows and to lend the clipboard.
//
// Neither type connects when it is opened, and a display that went away is an
// error of one call: the next call tries again. A window's ref is its X id, as
// xwininfo prints it; decimal is understood too.
//
// # How a covered window is captured
//
// Without a compositor the server keeps no pixels for what is covered, so the
// first capture of a window asks for its top-level frame to be redirected into
// memory (the Composite extension) for as long as the Display is open. That
// capture waits until the application has painted what was hidden: 0.2 seconds
// for a picture that stands still, at most one.
package x11
