package fusion

import (
	"encoding/json"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// Tables of an older version, whose rows had the names of conversations.
var (
	namedViews = actors.NewTable[View]("last")
	namedNow   = actors.NewTable[string]("current")
)

// adopt moves what an older version has left. It made ids of names, and the
// directory keeps those.
func (a *actor) adopt(turn *actors.Turn) {
	id := func(name string) messages.ConversationID { return messages.ConversationID(a.o.App + ":" + name) }
	for name, view := range namedViews.All(turn) {
		view.Conversation = id(name)
		lastViews.Put(turn, string(view.Conversation), view)
		namedViews.Delete(turn, name)
	}
	if name, ok := namedNow.Get(turn, "current"); ok {
		current.Put(turn, "current", id(name))
		namedNow.Delete(turn, "current")
	}
}

// upcastPending puts the id into a view that had a name.
func upcastPending(_ int, row json.RawMessage) (json.RawMessage, error) {
	var p Pending
	if err := json.Unmarshal(row, &p); err != nil {
		return nil, err
	}
	p.View.Conversation = p.Detection.Conversation
	return json.Marshal(p)
}
