package messages

import (
	"image"
	"time"
)

// WindowID names a watched window on its node, for example "line@mac-a". It is
// the key of the window's poller and fusion actors.
type WindowID string

// FrameHash is a 64-bit hash of a frame's pixels outside excluded rectangles.
type FrameHash uint64

// Frame is one capture of a window. The image is never written to after the
// capture. Scale is captured pixels per logical pixel (2 on a Retina display).
type Frame struct {
	Window WindowID
	Image  *image.RGBA
	Scale  float64
	At     time.Time
}

// PollDue is the poller's own timer.
type PollDue struct{}

// MessageType implements [Message].
func (PollDue) MessageType() Type { return Type{"poll_due", 1} }

// CaptureWindow asks a capture worker for one frame.
type CaptureWindow struct{ Window WindowID }

// MessageType implements [Message].
func (CaptureWindow) MessageType() Type { return Type{"capture_window", 1} }

// FrameCaptured is the capture worker's result.
type FrameCaptured struct{ Frame Frame }

// MessageType implements [Message].
func (FrameCaptured) MessageType() Type { return Type{"frame_captured", 1} }

// FrameSettled tells a poller that everything in the frame with this hash is
// committed, so that it need not be read again while it stays unchanged.
type FrameSettled struct {
	Window WindowID
	Hash   FrameHash
}

// MessageType implements [Message].
func (FrameSettled) MessageType() Type { return Type{"frame_settled", 1} }

// FrameHeld tells a poller that nothing in the frame with this hash can be passed on yet.
// The frame is read again, less and less often while it stays unchanged.
type FrameHeld struct {
	Window WindowID
	Hash   FrameHash
}

// MessageType implements [Message].
func (FrameHeld) MessageType() Type { return Type{"frame_held", 1} }

// MaxTyping is how long Kehai may keep a window unwatched because it types there.
const MaxTyping = 30 * time.Second

// Typing tells a poller that Kehai types into its window until then, so it must not
// capture. Until in the past means that typing has stopped.
type Typing struct {
	Window WindowID
	Until  time.Time // at most MaxTyping from now counts
}

// MessageType implements [Message].
func (Typing) MessageType() Type { return Type{"typing", 1} }

// ReadAgain tells a poller that fusion needs another reading of the window before
// it can tell what is new: the present frame is not settled.
type ReadAgain struct{ Window WindowID }

// MessageType implements [Message].
func (ReadAgain) MessageType() Type { return Type{"read_again", 1} }

// ResetBaseline makes a poller or a fusion actor forget which frame it saw last.
type ResetBaseline struct{ Window WindowID }

// MessageType implements [Message].
func (ResetBaseline) MessageType() Type { return Type{"reset_baseline", 1} }

// CodePaused is the code of a window that is not captured because a person has
// paused watching.
const CodePaused = "paused"

// Codes of a driver's failure, as [CallFailed.Code] and the events about windows carry them. Each
// stands for an error of package hardware.
const (
	CodePermission  = "permission"
	CodeWindowGone  = "window_gone"
	CodeMinimised   = "minimised"
	CodeEmptyFrame  = "empty_frame"
	CodeNoDisplay   = "no_display"
	CodeUnavailable = "unavailable"
	CodeNoLanguage  = "no_language"
	CodeNotActive   = "not_active"
	CodeNoField     = "no_field"
	CodePartlyTyped = "partly_typed"
)

// CodePane refuses a frame in which the layout's pane does not lie.
const CodePane = "pane_outside"
