package messages

import "time"

// Channels without a screen. Where a message names the window that an answer goes to,
// the channel's name stands in its place: the answer is handed out and typed nowhere.
const (
	ChannelWeb  Channel = "web"  // the chat page and the HTTP interface
	ChannelHost Channel = "host" // the program that runs Kehai
)

// Place stands for a window where a channel hands the answer out.
func (c Channel) Place() WindowID { return WindowID(c) }

// Channel is the channel that a window's place stands for, "" for a real window.
func (w WindowID) Channel() Channel {
	if c := Channel(w); c == ChannelWeb || c == ChannelHost {
		return c
	}
	return ""
}

// Say is a message that came in by a channel without a screen. It goes to
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
