// Package darwin drives macOS without cgo: [Screen] captures windows by id,
// [Recognizer] reads text with Vision, [Structure] counts the rows of a chat
// through the accessibility tree, [Usage] counts input, [Typist] types, and
// [Permissions] says what the system still has to allow. The package builds
// everywhere; elsewhere than on macOS each constructor returns
// [hardware.ErrUnavailable].
//
// Every framework function is one field of the table in api.go, with its C
// declaration beside it, because nothing checks the two against each other
// before the call. bind_darwin.go is the only file that needs macOS: it fills
// the table. All else runs against a table of fakes as well, which also count
// that what is created is released.
//
// Threads: no call needs the main thread or a run loop, so a host keeps both.
// That is why the front application is taken from the window server's list and
// not from NSWorkspace, which answers with the state at the last turn of the
// main run loop: in a process without one, the state at its start. Each entry
// point locks its goroutine to one thread for the length of one autorelease
// pool.
//
// Coordinates: the system counts screen positions in points, from the upper
// left corner of the main display. [hardware.Window.Box] holds points too, for
// two displays of different density have no common pixels. Captures, and all
// boxes in them, are in pixels.
//
// Colours: captured bytes stay in the capture's own colour space. Converting
// them to device RGB shifts the green of own bubbles.
package darwin
