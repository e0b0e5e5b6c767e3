package burst

import (
	"fmt"
	"slices"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the actor's kind; the key is the conversation.
const Kind = messages.ActorBurst

// New makes the constructor of coalescers.
func New(r Rules) func(messages.Address) actors.Actor {
	return func(messages.Address) actors.Actor { return actor{r} }
}

// Buffers is the table of a coalescer, with one row of the same name. Readers of the
// store decode it with this.
var Buffers = actors.NewTable[Buffer]("buffer")

type actor struct{ rules Rules }

// Receive implements [actors.Actor].
func (a actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
	case messages.IncomingBubble:
		a.incoming(turn, m)
	case messages.Revised:
		a.revised(turn, m)
	case messages.BurstDue:
		a.due(turn)
	default:
		return fmt.Errorf("burst: unexpected %s", msg.MessageType())
	}
	return nil
}

func (a actor) incoming(turn *actors.Turn, m messages.IncomingBubble) {
	b, _ := Buffers.Get(turn, "buffer")
	flushed, rest, left := a.rules.Add(b, m, turn.Now())
	if left.Lines > 0 {
		turn.Drop(events.StageBurst, events.RuleSameLine, events.Detail{
			Window: m.Window, Conversation: m.Conversation, Count: left.some(),
			Occurrences: []messages.Occurrence{m.Occurrence}, Known: left.Of,
		})
	}
	if left.All {
		return
	}
	mark(m.Occurrence, turn.Cause().Trace, append(flushed, rest)...)
	turn.Pass(events.StageBurst, events.RuleJoined, events.Detail{
		Window: m.Window, Conversation: m.Conversation, Occurrences: []messages.Occurrence{m.Occurrence},
	})
	for _, f := range flushed {
		pass(turn, f, a.rules.why(f, m))
	}
	if len(rest.Parts) == 0 {
		Buffers.Delete(turn, "buffer")
		turn.Cancel("due")
		return
	}
	Buffers.Put(turn, "buffer", rest)
	turn.After("due", a.rules.Wait(rest, turn.Now()), messages.BurstDue{})
}

// revised passes a change on behind its message, which is passed on first if it still
// waits.
func (a actor) revised(turn *actors.Turn, m messages.Revised) {
	b, _ := Buffers.Get(turn, "buffer")
	if slices.ContainsFunc(b.Parts, func(p messages.Part) bool { return p.Occurrence == m.Occurrence }) {
		pass(turn, b, events.RuleChanged)
		Buffers.Delete(turn, "buffer")
		turn.Cancel("due")
	}
	turn.Send(messages.To(messages.ActorConversation, turn.Self().Key()), m)
}

func (a actor) due(turn *actors.Turn) {
	b, ok := Buffers.Get(turn, "buffer")
	if !ok || len(b.Parts) == 0 {
		return
	}
	pass(turn, b, events.RuleQuiet)
	Buffers.Delete(turn, "buffer")
}

// pass sends a buffer on; rule says why.
func pass(turn *actors.Turn, b Buffer, rule events.Rule) {
	conversation := messages.ConversationID(turn.Self().Key())
	m := Message(messages.MessageID(turn.NewID()), conversation, b)
	turn.Send(messages.To(messages.ActorConversation, string(conversation)), m)
	detail := events.Detail{Conversation: conversation, Message: m.ID}
	for _, p := range m.Parts {
		detail.Occurrences = append(detail.Occurrences, p.Occurrence)
	}
	turn.Pass(events.StageBurst, rule, detail)
}
