package directory

import (
	"bytes"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// SubjectOf returns the conversation that a row of a directory is about. The directory's key
// is an application.
func SubjectOf(row string, _ []byte) messages.ConversationID {
	table, key := actors.SplitRow(row)
	if table != Conversations.Name() {
		return ""
	}
	return messages.ConversationID(key)
}

// Kept is what stays when a conversation is forgotten: what is known of it, under its next key. What a window still
// shows must not come back as a new conversation.
func Kept() map[string]func(row []byte) []byte {
	return map[string]func([]byte) []byte{Conversations.Name(): bytes.Clone}
}
