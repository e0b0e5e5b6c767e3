// Package recording is Kehai's flight recorder: it keeps what drivers and models gave, so that what
// happened in a window can be played again. [Recorder] taps the drivers and listens to events,
// [Open] reads what it wrote; package testkit/replay plays it.
//
// A recording is a file:
//
//	"kehai recording 1\n" | its name (16 random bytes) | records
//	record: length (4 bytes) | form (1 byte: 0 open, 1 sealed, 2 twice) | body
//	body, opened: length (4 bytes) | an [Entry] in JSON | pixels of a frame ([Delta])
//
// A body is sealed like a row of the store: with the key of the conversation that its window showed,
// so that forgetting the conversation makes it useless, with [Unknown] where that cannot be told, and
// with the node's key where it says nothing about anybody. What shows a whole window, or was read
// anywhere in it, is sealed once more with the key of [Beside], which is destroyed whenever any
// conversation is forgotten: that one may stand in a list beside the one on show. The place of a body is
// the name of the recording and its number, so that none can be moved. What a conversation shows that is
// not to be read is not kept.
//
// Entries are written once it is known whose they are. A crash loses those that wait for that, a few
// seconds at most; what is whole in the file stays readable.
package recording
