package directory

import (
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
