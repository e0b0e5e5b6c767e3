package events

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// ConversationNamed reports that a conversation got its id, another name, or became part
// of another one, whose name it then has.
type ConversationNamed struct {
	Conversation messages.ConversationID
	App          string
	Name         messages.Text
	New          bool // it got its id
	At           time.Time
}

// MessageType implements [messages.Message].
func (ConversationNamed) MessageType() messages.Type { return v1("conversation_named") }

// ConversationCalled answers [messages.Introduce]: whom an application calls so.
type ConversationCalled struct {
	App           string
	Name          messages.Text // as it was introduced
	Conversations []messages.ConversationID
	At            time.Time
}

// MessageType implements [messages.Message].
func (ConversationCalled) MessageType() messages.Type { return v1("conversation_called") }
