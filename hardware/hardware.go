// Package hardware holds the interfaces that drivers implement, and the typed
// errors that they return. Each sub-folder is one driver; the conformance suites
// of package hardwaretest say what every driver must do.
//
// Workers call drivers, actors never do: a driver may block, but must return
// soon after its context ends. Unless a method says otherwise, one driver value
// serves one goroutine at a time.
package hardware

import (
	"context"
	"image"

	"github.com/kehai-run/kehai/messages"
)

// Screen captures windows.
type Screen interface {
	// Windows lists what can be captured, topmost first.
	Windows(ctx context.Context) ([]Window, error)
	// Capture returns the current pixels of one window, even if other windows
	// cover it. ref is a Window.Ref. It may be called concurrently.
	Capture(ctx context.Context, ref string) (Capture, error)
}

// Window describes a window that can be captured.
type Window struct {
	Ref   string // the driver's own id, stable while the window lives
	Title string
	App   string
	PID   int
	Box   image.Rectangle // screen pixels
}

// Capture is one picture of a window.
type Capture struct {
	Image *image.RGBA // the driver does not write to it after returning it
	Scale float64     // captured pixels per logical pixel
}

// Recognizer reads text.
type Recognizer interface {
	// Recognize reads the lines of one prepared picture: one bubble, dark text
	// on a light background. Boxes are in the picture's pixels. An empty result
	// without an error means that there is no text.
	Recognize(ctx context.Context, img *image.Gray, hint Hint) ([]messages.Line, error)
	// Close frees the engine. The recognizer is unusable afterwards.
	Close() error
}

// CropRecognizer is a [Recognizer] that reads directly from a frame, without a
// prepared picture. Callers prefer it to Recognize.
type CropRecognizer interface {
	Recognizer
	// RecognizeCrop reads the lines inside box, in frame pixels and unmasked: a
	// bubble, a title or a timestamp. Boxes of the result are in frame pixels.
	// It does not write to frame.
	RecognizeCrop(ctx context.Context, frame *image.RGBA, box image.Rectangle, hint Hint) ([]messages.Line, error)
}

// Hint tells a recognizer what to expect.
type Hint struct {
	Scale float64 // captured pixels per logical pixel of the source
	Lang  Lang    // LangAuto lets the engine choose
	Block bool    // true: several lines (a bubble); false: one line (a title, a time)
}

// Lang is an expected script.
type Lang string

// Expected scripts.
const (
	LangAuto     Lang = ""
	LangJapanese Lang = "jpn"
	LangLatin    Lang = "eng"
)

// Structure reads the accessibility tree of a chat window.
type Structure interface {
	// Rows counts the rows of the message list.
	Rows(ctx context.Context, ref string) (int, error)
}

// ChatNamer is a [Structure] that also finds texts that begin with the name of the chat
// that the window shows.
type ChatNamer interface {
	Structure
	// Chat is Rows, with a text of each source, always in the same order: the window's
	// name, then the selected row outside the message list. A text is "" where a source
	// has none.
	Chat(ctx context.Context, ref string) (rows int, names []string, err error)
}
