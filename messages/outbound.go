package messages

import "time"

// TextSent tells ingress/CONVERSATION and fusion/WINDOW of every window that
// Kehai is about to send a text into that conversation, so that it is known
// again when it is read back from the screen. Whoever sends commits TextSent before, or in the same turn as, the
// call that presses the first key; it is then in ingress's inbox ahead of
// anything read afterwards. Trace names the sending: the same text with the
// same Trace, for another attempt, renews the first. At is when the sender
// decided; windows count from the turn that records it.
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
