package messages

import "time"

// TextDelta reports what a window's text says that it did not say before, where
// the text decides what is new.
type TextDelta struct {
	Window       WindowID
	Conversation ConversationID
	Lines        int
	Text         TextMark
	At           time.Time
}

// MessageType implements [Message].
func (TextDelta) MessageType() Type { return Type{"text_delta", 1} }
