package fusion

import (
	"cmp"
	"slices"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// About says whether a row of fusion is about a conversation. The key of fusion
// is a window, which shows many conversations. A row that cannot be decoded counts
// as about each of them; the next frame brings back what it held.
func About(c messages.ConversationID, row string, value []byte) bool {
	table, key := actors.SplitRow(row)
	switch table {
	case lastViews.Name(), echoes.Name():
		return key == string(c)
	case current.Name():
		now, err := current.Decode(value)
		return err != nil || now == c
	case pendings.Name():
		pending, err := pendings.Decode(value)
		return err != nil || pending.Detection.Conversation == c || pending.View.Conversation == c
	case HeldReadings.Name():
		held, err := HeldReadings.Decode(value)
		return err != nil || slices.Contains(held.Of, c) || slices.Contains(held.Shown, c)
	case cursors.Name():
		cursor, err := cursors.Decode(value)
		return err != nil || cursor.Conversation == c
	}
	return false // "unknown" is a time
}

// SubjectOf returns the conversation that a row of fusion is about, "" for the window. A
// pending row may hold a detection for one conversation and a view of another: it is about
// the first.
func SubjectOf(row string, value []byte) (c messages.ConversationID) {
	table, key := actors.SplitRow(row)
	var err error
	switch table {
	case lastViews.Name(), echoes.Name():
		return messages.ConversationID(key)
	case current.Name():
		c, err = current.Decode(value)
	case pendings.Name():
		var pending Pending
		pending, err = pendings.Decode(value)
		c = cmp.Or(pending.Detection.Conversation, pending.View.Conversation)
	case cursors.Name():
		var cursor Cursor
		cursor, err = cursors.Decode(value)
		c = cursor.Conversation
	}
	if err != nil {
		return ""
	}
	return c
}
