package directory

import (
	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// SubjectOf says whom a row of a directory is about. Its key is an application.
func SubjectOf(row string, _ []byte) messages.ConversationID {
	table, key := actors.SplitRow(row)
	if table != Conversations.Name() {
		return ""
	}
	return messages.ConversationID(key)
}
