// Package darwin drives macOS without cgo: [Screen] captures windows by id,
// [Recognizer] reads text with Vision, [Structure] counts the rows of a chat
// through the accessibility tree, [Usage] counts input, [Typist] types, and
// [Permissions] lists what the person still has to allow. The package builds
// everywhere; on other systems than macOS each constructor returns
// [hardware.ErrUnavailable].
//
// Every framework function is one field of the table in api.go, with its C
// declaration beside it, because nothing checks the two against each other
// before the call. bind_darwin.go fills the table and is the only file that needs
// macOS. Everything else also runs against a table of fakes, which check that
// every created object is released.
//
// Threads: no call needs the main thread or a run loop, so both stay free for the
// host. That is why the active application comes from the window server's list
// and not from NSWorkspace. NSWorkspace reports the state at the last iteration
// of the main run loop, and without a run loop the state at the start of the
// process. Each entry point locks its goroutine to one thread while its
// autorelease pool exists.
//
// Coordinates: screen positions are in points, from the upper left corner of the
// main display. [hardware.Window.Box] is in points too, because two displays of
// different density have no common pixels. Captures, and all boxes in them, are
// in pixels.
//
// Colours: captured bytes stay in the capture's own colour space. Converting
// them to device RGB shifts the green of own bubbles.
package darwin
