package fusion

import (
	"strings"

	"github.com/kehai-run/kehai/messages"
)

// About says whether a row of fusion is about a conversation: the key of fusion
// is a window, which shows many. A row that cannot be read counts as about it, as
// nobody could tell; what it held is seen again with the next frame.
func About(c messages.ConversationID, row string, value []byte) bool {
	table, key, _ := strings.Cut(row, "\x00")
	_, name, _ := strings.Cut(string(c), ":")
	switch table {
	case lasts.Name():
		return key == name
	case current.Name():
		now, err := current.Decode(value)
		return err != nil || now == name
	case helds.Name():
		held, err := helds.Decode(value)
		return err != nil || held.Detection.Conversation == c || held.View.Name == name
	case cursors.Name():
		cursor, err := cursors.Decode(value)
		return err != nil || cursor.Conversation == c
	case echoes.Name():
		return key == string(c)
	}
	return false // when the window began to tell nothing
}
