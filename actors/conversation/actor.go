package conversation

import (
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the actor's kind; the key is the conversation.
const Kind = messages.ActorConversation

// Options of a conversation.
type Options struct {
	Keep int // messages that are kept; 0 means 500
}

// Head sums a conversation up.
type Head struct {
	Count  int64              `json:"count"` // messages ever delivered
	LastID messages.MessageID `json:"last_id"`
	LastAt time.Time          `json:"last_at"` // of its delivery
}

// Tables of a conversation; a reader of the store decodes rows with them.
var (
	Heads    = actors.NewTable[Head]("head")
	Messages = actors.NewTable[messages.MessageDelivered]("messages")
	ids      = actors.NewTable[int64]("ids")
)

// RowKey is the key in [Messages] of the nth message, counted from 1.
func RowKey(n int64) string { return actors.RowKey(uint64(n)) }

// New makes the constructor of conversations.
func New(o Options) func(messages.Address) actors.Actor {
	if o.Keep <= 0 {
		o.Keep = 500
	}
	return func(messages.Address) actors.Actor { return actor{o} }
}

type actor struct{ o Options }

// Receive implements [actors.Actor].
func (a actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
	case messages.InboundMessage:
		a.deliver(turn, m)
	case messages.Revised:
		a.revise(turn, m)
	case messages.TrimDue:
		trim(turn, m.Before)
	default:
		return fmt.Errorf("conversation: unexpected %s", msg.MessageType())
	}
	return nil
}

func (a actor) deliver(turn *actors.Turn, m messages.InboundMessage) {
	if _, known := ids.Get(turn, string(m.ID)); known {
		turn.Drop(events.StageConversation, events.RuleRepeat,
			events.Detail{Conversation: m.Conversation, Message: m.ID})
		return
	}
	head, _ := Heads.Get(turn, "head")
	head.Count++
	head.LastID, head.LastAt = m.ID, turn.Now()
	delivered := messages.MessageDelivered{InboundMessage: m, DeliveredAt: turn.Now()}
	Heads.Put(turn, "head", head)
	Messages.Put(turn, RowKey(head.Count), delivered)
	ids.Put(turn, string(m.ID), head.Count)
	a.forget(turn, head.Count-int64(a.o.Keep))
	turn.Publish(delivered)
	detail := events.Detail{Conversation: m.Conversation, Message: m.ID}
	for _, p := range m.Parts {
		detail.Occurrences = append(detail.Occurrences, p.Occurrence)
	}
	turn.Pass(events.StageConversation, events.RuleDelivered, detail)
}

// forget removes the message that makes room for the newest, and what is left
// of an earlier, larger Keep, a few at a time.
func (a actor) forget(turn *actors.Turn, upTo int64) {
	for n := upTo; n > max(0, upTo-8); n-- {
		old, ok := Messages.Get(turn, RowKey(n))
		if !ok {
			return
		}
		Messages.Delete(turn, RowKey(n))
		ids.Delete(turn, string(old.ID))
	}
}

// trim removes what was delivered before a time. Numbers have no gaps, so that the
// first one missing ends the search.
func trim(turn *actors.Turn, before time.Time) {
	head, _ := Heads.Get(turn, "head")
	for n := head.Count; n > 0; n-- {
		m, ok := Messages.Get(turn, RowKey(n))
		if !ok {
			return
		}
		if m.DeliveredAt.Before(before) {
			Messages.Delete(turn, RowKey(n))
			ids.Delete(turn, string(m.ID))
		}
	}
}
