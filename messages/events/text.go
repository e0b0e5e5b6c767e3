package events

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// The events in this file tell what rules over text have found. They identify a text by
// its length and a keyed hash. The text itself is attached in memory only: a log writes
// it only if its owner asked for that, and JSON never contains it.

// TextMark identifies a text without revealing it.
type TextMark struct {
	Hash  string // keyed, "" without a key
	Runes int
	Text  messages.Text `json:"-"`
}

// CursorTruncation reports that lines passed on before were cut off.
type CursorTruncation struct {
	Window       messages.WindowID
	Conversation messages.ConversationID
	Discarded    int // lines
	Kept         int
	At           time.Time
}

// MessageType implements [messages.Message].
func (CursorTruncation) MessageType() messages.Type { return v1("cursor_truncation") }

// CursorNotFound reports that the lines passed on last are no longer in the window, so
// everything in it is passed on.
type CursorNotFound struct {
	Window       messages.WindowID
	Conversation messages.ConversationID
	Lines        int // of the text
	At           time.Time
}

// MessageType implements [messages.Message].
func (CursorNotFound) MessageType() messages.Type { return v1("cursor_not_found") }

// TextUnchanged reports that the pixels of a window have changed and its text
// has not.
type TextUnchanged struct {
	Window       messages.WindowID
	Conversation messages.ConversationID
	Previous     TextMark
	Current      TextMark
	At           time.Time
}

// MessageType implements [messages.Message].
func (TextUnchanged) MessageType() messages.Type { return v1("text_unchanged") }

// FuzzyDedupHit reports that a line was taken for one seen before, though they
// are not equal.
type FuzzyDedupHit struct {
	Conversation messages.ConversationID
	Query        TextMark
	Matched      TextMark
	At           time.Time
}

// MessageType implements [messages.Message].
func (FuzzyDedupHit) MessageType() messages.Type { return v1("fuzzy_dedup_hit") }

// EchoMessage reports that fusion recognised text in a window as sent by Kehai.
type EchoMessage struct {
	Window       messages.WindowID
	Conversation messages.ConversationID
	Text         TextMark
	Trace        string        // of the sending
	Match        string        // how the texts are alike: "equal", "contains" …
	Age          time.Duration // since it was sent
	Side         messages.Side // the side the window seemed to show
	At           time.Time
}

// MessageType implements [messages.Message].
func (EchoMessage) MessageType() messages.Type { return v1("echo_message") }

// TextDelta reports the new part of a window's text, where the text decides what is new.
type TextDelta struct {
	Window       messages.WindowID
	Conversation messages.ConversationID
	Lines        int
	Text         TextMark
	At           time.Time
}

// MessageType implements [messages.Message].
func (TextDelta) MessageType() messages.Type { return v1("text_delta") }

// Accepted reports that ingress let a message pass.
type Accepted struct {
	Conversation messages.ConversationID
	Occurrence   messages.Occurrence
	Window       messages.WindowID
	Channel      messages.Channel
	Spared       string // the text window that would have stopped it if its place did not prove it new; "" for none
	At           time.Time
}

// MessageType implements [messages.Message].
func (Accepted) MessageType() messages.Type { return v1("ingress_accepted") }

// EchoGuardMiss reports that a message was not recognised as an echo although Kehai has
// recently sent something into the conversation.
type EchoGuardMiss struct {
	Conversation messages.ConversationID
	Occurrence   messages.Occurrence
	Hash         string        // keyed hash of the text, "" without a key
	Runes        int           // length of the text
	Active       int           // texts sent within the time window
	LastSendAge  time.Duration // since the newest of them
	Matched      bool          // its text is that of an echo, but its side is incoming
	Text         messages.Text `json:"-"`
	At           time.Time
}

// MessageType implements [messages.Message].
func (EchoGuardMiss) MessageType() messages.Type { return v1("echo_guard_miss") }
