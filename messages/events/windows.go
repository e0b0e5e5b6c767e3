package events

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// CaptureState reports that a window became capturable (Code "") or not. It is
// published once per change.
type CaptureState struct {
	Window messages.WindowID
	Code   string // "" when captures work, else the driver's error code
	Detail string
	At     time.Time
}

// MessageType implements [messages.Message].
func (CaptureState) MessageType() messages.Type { return v1("capture_state") }

// FrameSeen hands the newest read frame to the live page. The image is shared
// and must not be changed.
type FrameSeen struct {
	Frame messages.Frame
	Read  messages.FrameRead
}

// MessageType implements [messages.Message].
func (FrameSeen) MessageType() messages.Type { return v1("frame_seen") }

// StructureState reports that the rows of a window can be counted (Code "") or
// not. It is published once per change.
type StructureState struct {
	Window messages.WindowID
	Code   string // "" when counting works, else the driver's error code
	Detail string
	At     time.Time
}

// MessageType implements [messages.Message].
func (StructureState) MessageType() messages.Type { return v1("structure_state") }

// MessageUnreadable reports that a message has come, because a window's list has grown,
// but nothing new could be read. It is durable: a host that answers messages wants to
// know that it missed one.
type MessageUnreadable struct {
	Window       messages.WindowID       `json:"window"`
	Conversation messages.ConversationID `json:"conversation,omitempty"` // shown then, "" if unknown
	Rows         int                     `json:"rows"`
	Delta        int                     `json:"delta"`    // rows that came
	Attempts     int                     `json:"attempts"` // readings that were asked for
	SeenAt       time.Time               `json:"seen_at"`
}

// MessageType implements [messages.Message].
func (MessageUnreadable) MessageType() messages.Type { return v1("message_unreadable") }

// Subject implements [messages.About].
func (m MessageUnreadable) Subject() messages.ConversationID { return m.Conversation }

// ConversationUnknown reports that for some seconds a window has not shown which
// conversation it is, so nothing in it is passed on. It is durable, and published once
// until the conversation is known again: a host that answers messages wants to know that
// it misses some.
type ConversationUnknown struct {
	Window  messages.WindowID `json:"window"`
	Why     UnknownReason     `json:"why"`
	Bubbles int               `json:"bubbles"` // that were read in the newest frame
	SeenAt  time.Time         `json:"seen_at"` // of the first frame without a known conversation
	At      time.Time         `json:"at"`
}

// MessageType implements [messages.Message].
func (ConversationUnknown) MessageType() messages.Type { return v1("conversation_unknown") }

// UnknownReason says why a conversation is unknown.
type UnknownReason = messages.UnknownReason

// Reasons why a conversation is unknown.
const (
	UnknownTitle  UnknownReason = "title_unreadable"
	UnknownUnsure UnknownReason = "title_unsure"    // it seems new, but its title may be misread
	UnknownAlike  UnknownReason = "title_ambiguous" // it may be one of several known ones
	// UnknownNamesake: the one known conversation of this title has shown none of these
	// bubbles.
	UnknownNamesake UnknownReason = "title_namesake"
	// UnknownMoving: it was just merged or divided, and what it has shown is on its way.
	UnknownMoving UnknownReason = "ledger_moving"
)

// IdentityState reports that a window shows which conversation it is (Why "") or, for
// some seconds, has not. It is published once per change.
type IdentityState struct {
	Window messages.WindowID
	Why    UnknownReason
	At     time.Time
}

// MessageType implements [messages.Message].
func (IdentityState) MessageType() messages.Type { return v1("identity_state") }

// SidesState reports that nothing in a window shows who wrote its messages, so nothing is
// passed on, or that this is over. Either no bubble has the colour and place of a side,
// or, with Bare, text stands outside any bubble. It is published once per change.
type SidesState struct {
	Window  messages.WindowID
	Unknown bool
	Bubbles int // in the frame
	Bare    int // blocks of text outside any bubble; 0 if bubbles lack a side
	Rows    int // of Bubbles, those that are rows with a name, and no name is known as one's own
	At      time.Time
}

// MessageType implements [messages.Message].
func (SidesState) MessageType() messages.Type { return v1("sides_state") }

// TypingState reports that replies for a window wait (Busy) because a person types there
// or unsent text is in its input field, or that this is over.
type TypingState struct {
	Window messages.WindowID
	Busy   bool
	Streak int // attempts in a row
	At     time.Time
}

// MessageType implements [messages.Message].
func (TypingState) MessageType() messages.Type { return v1("typing_state") }

// ReplyTyped reports that a reply was typed and Enter was pressed, or may have been, so
// its bubble is expected.
type ReplyTyped struct {
	Window       messages.WindowID
	Conversation messages.ConversationID
	At           time.Time
}

// MessageType implements [messages.Message].
func (ReplyTyped) MessageType() messages.Type { return v1("reply_typed") }
