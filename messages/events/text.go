package events

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// The events in this file tell what rules over text have found. They identify
// a text by its length and a keyed hash. The text itself is with them in memory
// alone: a log writes it if its person has asked for that, and no JSON has it.

// TextMark identifies a text without telling it.
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

// CursorNotFound reports that the lines passed on last are not in the window:
// everything in it goes on.
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

// EchoMessage reports that fusion took what a window shows for what Kehai has
// sent into it.
type EchoMessage struct {
	Window       messages.WindowID
	Conversation messages.ConversationID
	Text         TextMark
	Trace        string        // of the sending
	Match        string        // how the texts are alike: "equal", "contains" …
	Age          time.Duration // since it was sent
	Side         messages.Side // what the window seemed to say
	At           time.Time
}

// MessageType implements [messages.Message].
func (EchoMessage) MessageType() messages.Type { return v1("echo_message") }

// TextDelta reports what a window's text says that it did not say before, where
// the text decides what is new.
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
	Spared       string // text window that would have stopped it, had its place not proved it new; "" for none
	At           time.Time
}

// MessageType implements [messages.Message].
func (Accepted) MessageType() messages.Type { return v1("ingress_accepted") }

// EchoGuardMiss reports that a message was not taken for an echo although
// Kehai has lately sent something into the conversation.
type EchoGuardMiss struct {
	Conversation messages.ConversationID
	Occurrence   messages.Occurrence
	Hash         string        // keyed hash of the text, "" without a key
	Runes        int           // length of the text
	Active       int           // texts sent within the window
	LastSendAge  time.Duration // since the newest of them
	Matched      bool          // the text is that of an echo, its side says incoming
	Text         messages.Text `json:"-"`
	At           time.Time
}

// MessageType implements [messages.Message].
func (EchoGuardMiss) MessageType() messages.Type { return v1("echo_guard_miss") }
