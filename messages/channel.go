package messages

import "time"

// Channels without a screen. In a message, the channel's name takes the place of the
// window that an answer goes to: the answer is delivered but not typed.
const (
	ChannelWeb  Channel = "web"  // the chat page and the HTTP interface
	ChannelHost Channel = "host" // the program that runs Kehai
)

// Place is what replaces a window if a channel delivers the answer.
func (c Channel) Place() WindowID { return WindowID(c) }

// Channel is the channel that a window's place stands for, "" for a real window.
func (w WindowID) Channel() Channel {
	if c := Channel(w); c == ChannelWeb || c == ChannelHost {
		return c
	}
	return ""
}

// Say is a message that came through a channel without a screen. It goes to
// conversation/CONVERSATION, which delivers it once for each ID.
type Say struct {
	Conversation ConversationID `json:"conversation"`
	Channel      Channel        `json:"channel"`
	ID           MessageID      `json:"id"`
	Sender       Text           `json:"sender,omitempty"`
	Text         Text           `json:"text"`
	At           time.Time      `json:"at"`
}

// MessageType implements [Message].
func (Say) MessageType() Type { return Type{"say", 1} }

// Subject implements [About].
func (m Say) Subject() ConversationID { return m.Conversation }
