package directory

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// The key of a conversation may be out of reach for now. Its row is there and may say anything: any name may be
// its, it may have been merged with another, and its ledger may be on its way. What that cannot change goes on.
// The rest is held until it can be read, as a guess could mix two people up.

// readAgain is how long after a look the rows are looked at again that could not be read.
const readAgain = time.Second

// taken reports whether an id belongs to a conversation, be it one that cannot be read.
func (a *actor) taken(id messages.ConversationID) bool {
	_, known := a.known[id]
	return known || a.unread[id]
}

// whole reports whether all that concerns a known conversation can be read. Where one was merged or divided,
// the other side may be missing.
func (a *actor) whole(id messages.ConversationID) bool {
	left := Resolve(a.known, id)
	return !a.unread[id] && !a.unread[left] && a.known[left].Moves == 0
}

// waits reports whether a message needs a row that cannot be read.
func (a *actor) waits(msg messages.Message) bool {
	var about []messages.ConversationID
	switch m := msg.(type) {
	case messages.Rename:
		about = append(about, m.Conversation)
	case messages.Merge:
		about = append(about, m.Conversation, m.Into)
	case messages.Split:
		about = append(about, m.From, m.Conversation)
	case messages.LedgerMoved:
		about = append(about, m.Conversation, a.known[m.Conversation].From)
	case messages.SettleHeld:
		about = append(about, m.Conversation)
	case messages.SettleNew:
		about = append(about, m.Conversation)
	}
	return slices.ContainsFunc(about, func(id messages.ConversationID) bool {
		return a.unread[id] || a.unread[Resolve(a.known, id)]
	})
}

// certain is a decision, unless what cannot be read might change it: nobody new begins, and a title alone is not
// enough, because somebody of the same name may be missing.
func (a *actor) certain(q messages.Identify, d Decision) Decision {
	id := d.Conversation
	switch {
	case len(a.unread) == 0, d.Why != "", d.Compare != nil, d.Search:
		return d
	case !d.New && a.whole(id) && (id == q.Shows || slices.Contains(shownBy(q.Shared), id)):
		return d
	}
	of := whose(q.Shared)
	if id != "" && !slices.Contains(of, id) {
		of = append(of, id)
	}
	return Decision{Why: events.UnknownUnsure, Of: of}
}

// shownBy are the conversations that have shown what is shown now.
func shownBy(shared []messages.Shared) []messages.ConversationID {
	return having(shared, whose(shared), []messages.Overlap{messages.OverlapSame})
}
