package messages

import "time"

// The events in this file tell what rules over text have found. They identify
// a text by its length and a keyed hash. The text itself is with them in memory
// alone: a log writes it if its person has asked for that, and no JSON has it.

// TextMark identifies a text without telling it.
type TextMark struct {
	Hash  string // keyed, "" without a key
	Runes int
	Text  Text `json:"-"`
}

// CursorTruncation reports that lines passed on before were cut off.
type CursorTruncation struct {
	Window       WindowID
	Conversation ConversationID
	Discarded    int // lines
	Kept         int
	At           time.Time
}

// MessageType implements [Message].
func (CursorTruncation) MessageType() Type { return Type{"cursor_truncation", 1} }

// CursorNotFound reports that the lines passed on last are not in the window:
// everything in it goes on.
type CursorNotFound struct {
	Window       WindowID
	Conversation ConversationID
	Lines        int // of the text
	At           time.Time
}

// MessageType implements [Message].
func (CursorNotFound) MessageType() Type { return Type{"cursor_not_found", 1} }

// TextUnchanged reports that the pixels of a window have changed and its text
// has not.
type TextUnchanged struct {
	Window       WindowID
	Conversation ConversationID
	Previous     TextMark
	Current      TextMark
	At           time.Time
}

// MessageType implements [Message].
func (TextUnchanged) MessageType() Type { return Type{"text_unchanged", 1} }

// FuzzyDedupHit reports that a line was taken for one seen before, though they
// are not equal.
type FuzzyDedupHit struct {
	Conversation ConversationID
	Query        TextMark
	Matched      TextMark
	At           time.Time
}

// MessageType implements [Message].
func (FuzzyDedupHit) MessageType() Type { return Type{"fuzzy_dedup_hit", 1} }

// EchoMessage reports that fusion took what a window shows for what Kehai has
// sent into it.
type EchoMessage struct {
	Window       WindowID
	Conversation ConversationID
	Text         TextMark
	Trace        string        // of the sending
	Match        string        // how the texts are alike: "equal", "contains" …
	Age          time.Duration // since it was sent
	Side         Side          // what the window seemed to say
	At           time.Time
}

// MessageType implements [Message].
func (EchoMessage) MessageType() Type { return Type{"echo_message", 1} }

// MessageUnreadable reports that a window's list has grown, so that a message
// has come, but nothing new could be read in it. Durable: a host that answers
// messages wants to know that it missed one.
type MessageUnreadable struct {
	Window       WindowID       `json:"window"`
	Conversation ConversationID `json:"conversation,omitempty"` // shown then, "" if unknown
	Rows         int            `json:"rows"`
	Delta        int            `json:"delta"`    // rows that came
	Attempts     int            `json:"attempts"` // readings that were asked for
	SeenAt       time.Time      `json:"seen_at"`
}

// MessageType implements [Message].
func (MessageUnreadable) MessageType() Type { return Type{"message_unreadable", 1} }

// ConversationUnknown reports that for some seconds a window has not told whose
// conversation it shows, so that nothing in it is passed on. Durable, and once
// until the window tells again: a host that answers messages wants to know that
// it misses them.
type ConversationUnknown struct {
	Window  WindowID      `json:"window"`
	Why     UnknownReason `json:"why"`
	Bubbles int           `json:"bubbles"` // that were read in the newest frame
	SeenAt  time.Time     `json:"seen_at"` // of the first frame that did not tell
	At      time.Time     `json:"at"`
}

// MessageType implements [Message].
func (ConversationUnknown) MessageType() Type { return Type{"conversation_unknown", 1} }

// UnknownReason says why a conversation is unknown.
type UnknownReason string

// Reasons why a conversation is unknown.
const (
	UnknownTitle  UnknownReason = "title_unreadable"
	UnknownUnsure UnknownReason = "title_unsure"    // it would be a new one's, but may be misread
	UnknownAlike  UnknownReason = "title_ambiguous" // it may be that of several known ones
)

// Hint says what a person can do about it.
func (r UnknownReason) Hint() string {
	if r == UnknownAlike {
		return "the name in its header was misread and may be that of several conversations: make the window larger, or open another conversation and then this one again"
	}
	return "the name in its header cannot be read: bring the header into view; if it is, measure the window with kehai layout calibrate, or set header.title in its layout"
}

// IdentityState reports that a window tells whose conversation it shows (Why
// "") or, for some seconds, has not. It is published once per change.
type IdentityState struct {
	Window WindowID
	Why    UnknownReason
	At     time.Time
}

// MessageType implements [Message].
func (IdentityState) MessageType() Type { return Type{"identity_state", 1} }

// SidesState reports that no bubble of a window tells by its colour and place
// whose it is, so that none is passed on, or that they tell again. It is
// published once per change.
type SidesState struct {
	Window  WindowID
	Unknown bool
	Bubbles int // in the frame
	At      time.Time
}

// MessageType implements [Message].
func (SidesState) MessageType() Type { return Type{"sides_state", 1} }

// SidesHint says what a person can do where sides are unknown.
const SidesHint = "no bubble has the colour and the place of an own or an incoming one, and none is passed on: measure the window with kehai layout calibrate and name the result as its layout"
