package directory

import (
	"strings"

	"github.com/kehai-run/kehai/messages"
)

// Whose says whom a row of a directory is about. Its key is an application.
func Whose(row string, _ []byte) messages.ConversationID {
	table, key, _ := strings.Cut(row, "\x00")
	if table != Conversations.Name() {
		return ""
	}
	return messages.ConversationID(key)
}
