package messages

import "time"

// TextSent says that Kehai is about to send a text into a conversation, so that
// the text is recognised when it is read back from the screen. It goes to
// ingress/CONVERSATION and to fusion/WINDOW of every window.
//
// The sender commits it before the call that presses the first key, or in the
// same turn. So it reaches ingress ahead of anything that is read afterwards.
//
// Trace names the sending: another attempt with the same text and Trace renews
// the first. At is when the sender decided; the time within which a text counts
// as an echo begins with the turn that records it.
type TextSent struct {
	Conversation ConversationID `json:"conversation"`
	Text         Text           `json:"text"`
	Trace        string         `json:"trace,omitempty"`
	At           time.Time      `json:"at"`
}

// MessageType implements [Message].
func (TextSent) MessageType() Type { return Type{"text_sent", 1} }

// Subject implements [About].
func (m TextSent) Subject() ConversationID { return m.Conversation }
