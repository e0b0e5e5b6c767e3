package burst

import (
	"fmt"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the actor's kind; the key is the conversation.
const Kind = messages.ActorBurst

// Options of a coalescer.
type Options struct {
	Quiet time.Duration // a message goes on after so long without another part; 0 means 1.5 s
	Cap   time.Duration // and at the latest so long after its first part; 0 means 5 × Quiet
	Parts int           // and when it has so many parts; 0 means 36
	// Repeats are the rules by which a line says the same as one in the burst and is
	// left out: [text.DefaultRepeats] in profile seed, where messages have no place,
	// so that a line said twice is one read twice. The zero value compares no lines.
	Repeats text.LineRules
}

// WithDefaults returns the options with what they mean where they are zero.
func (o Options) WithDefaults() Options {
	if o.Quiet <= 0 {
		o.Quiet = 1500 * time.Millisecond
	}
	if o.Cap <= 0 {
		o.Cap = 5 * o.Quiet
	}
	if o.Parts <= 0 {
		o.Parts = 36
	}
	return o
}

// New makes the constructor of coalescers.
func New(o Options) func(messages.Address) actors.Actor {
	a := actor{rules: Rules(o.WithDefaults())}
	return func(messages.Address) actors.Actor { return a }
}

// Buffers is the table of a coalescer, with one row of its own name; a reader of
// the store decodes it with this.
var Buffers = actors.NewTable[Buffer]("buffer")

type actor struct{ rules Rules }

// Receive implements [actors.Actor].
func (a actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
	case messages.Heard:
		a.heard(turn, m)
	case messages.Revised:
		a.revised(turn, m)
	case messages.BurstDue:
		a.due(turn)
	default:
		return fmt.Errorf("burst: unexpected %s", msg.MessageType())
	}
	return nil
}

func (a actor) heard(turn *actors.Turn, m messages.Heard) {
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

// revised lets a change follow its message, which does not wait any longer.
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

// pass sends a buffer on; rule says why now.
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
