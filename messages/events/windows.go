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

// MessageUnreadable reports that a window's list has grown, so that a message
// has come, but nothing new could be read in it. Durable: a host that answers
// messages wants to know that it missed one.
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

// ConversationUnknown reports that for some seconds a window has not told whose
// conversation it shows, so that nothing in it is passed on. Durable, and once
// until the window tells again: a host that answers messages wants to know that
// it misses them.
type ConversationUnknown struct {
	Window  messages.WindowID `json:"window"`
	Why     UnknownReason     `json:"why"`
	Bubbles int               `json:"bubbles"` // that were read in the newest frame
	SeenAt  time.Time         `json:"seen_at"` // of the first frame that did not tell
	At      time.Time         `json:"at"`
}

// MessageType implements [messages.Message].
func (ConversationUnknown) MessageType() messages.Type { return v1("conversation_unknown") }

// UnknownReason says why a conversation is unknown.
type UnknownReason = messages.UnknownReason

// Reasons why a conversation is unknown.
const (
	UnknownTitle  UnknownReason = "title_unreadable"
	UnknownUnsure UnknownReason = "title_unsure"    // it would be a new one's, but may be misread
	UnknownAlike  UnknownReason = "title_ambiguous" // it may be that of several known ones
	// UnknownNamesake: the one known of this title has shown nothing of what is shown.
	UnknownNamesake UnknownReason = "title_namesake"
)

// IdentityState reports that a window tells whose conversation it shows (Why
// "") or, for some seconds, has not. It is published once per change.
type IdentityState struct {
	Window messages.WindowID
	Why    UnknownReason
	At     time.Time
}

// MessageType implements [messages.Message].
func (IdentityState) MessageType() messages.Type { return v1("identity_state") }

// SidesState reports that nothing in a window tells whose it is, so that nothing
// is passed on, or that it tells again. Either no bubble has the colour and the
// place of one side, or, with Bare, text stands in no bubble. It is published
// once per change.
type SidesState struct {
	Window  messages.WindowID
	Unknown bool
	Bubbles int // in the frame
	Bare    int // blocks of text in no bubble, 0 where bubbles lack their side
	At      time.Time
}

// MessageType implements [messages.Message].
func (SidesState) MessageType() messages.Type { return v1("sides_state") }

// TypingState reports that replies for a window wait because a person types there,
// or because unsent text stands in its input field (Busy), or that they go on.
type TypingState struct {
	Window messages.WindowID
	Busy   bool
	Streak int // attempts in a row
	At     time.Time
}

// MessageType implements [messages.Message].
func (TypingState) MessageType() messages.Type { return v1("typing_state") }

// ReplyTyped reports that a reply was typed and Enter was pressed, or may have been, so
// that its bubble is waited for.
type ReplyTyped struct {
	Window       messages.WindowID
	Conversation messages.ConversationID
	At           time.Time
}

// MessageType implements [messages.Message].
func (ReplyTyped) MessageType() messages.Type { return v1("reply_typed") }
