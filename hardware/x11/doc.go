// Package x11 captures windows of an X display, watches how it is used, and
// brings windows to the front. It is pure Go and builds everywhere; it works
// where an X server runs (Linux, the BSDs, Xwayland for its own windows).
//
// The main type is [Display]: a hardware.Screen that captures by window id,
// covered windows included. [Usage] is a hardware.Usage: counts and application
// names, never what was typed. [Typist] types where package hardware/robot, which needs
// cgo, is not built in; that takes a Display to activate and verify windows and to paste.
//
// None of them connects when it is opened. If the display goes away a call fails,
// and the next call tries again. A window's ref is its X id, as xwininfo prints
// it; decimal is understood too.
//
// # How a covered window is captured
//
// Without a compositor the server keeps no pixels of covered parts. So the first
// capture of a window redirects its top-level frame into memory (the Composite
// extension) for as long as the Display is open. That capture waits until the
// application has painted what was hidden: 0.2 seconds for a still picture, at
// most one second.
package x11
