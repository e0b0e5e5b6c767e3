package ingress

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the actor's kind; the key is the conversation.
const Kind = messages.ActorIngress

// New makes the constructor of gates.
func New(r Rules) func(messages.Address) actors.Actor {
	return func(messages.Address) actors.Actor { return &actor{rules: r} }
}

// Tables of a gate. Readers of the store decode rows with them.
var (
	Sends           = actors.NewTable[Sent]("sent")
	Incoming        = actors.NewTable[Entry]("heard")
	LastOccurrences = actors.NewTable[messages.Occurrence]("last") // accepted or refused; one row, "last"
)

type actor struct {
	rules  Rules
	memory *Memory // of the tables; nil before the first message
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	if a.forward(turn, msg) {
		return nil
	}
	switch m := msg.(type) {
	case messages.Started:
		return nil
	case messages.JoinSent:
		return a.join(turn, m)
	case messages.SentJoined:
		return a.joined(turn, m)
	case messages.TextSent:
		return a.sent(turn, m)
	case messages.IncomingBubble:
		return a.incoming(turn, m)
	case messages.OwnMessage:
		return a.own(turn, m)
	case messages.Revised: // not after the message it changes, and never an echo
		if err := ours(turn, m, m.Conversation); err != nil {
			return err
		}
		turn.Send(messages.To(messages.ActorBurst, string(m.Conversation)), m)
		return nil
	default:
		return fmt.Errorf("ingress: unexpected %s", msg.MessageType())
	}
}

// ours refuses a message of another conversation, which is its sender's mistake.
func ours(turn *actors.Turn, msg messages.Message, c messages.ConversationID) error {
	if string(c) != turn.Self().Key() {
		return fmt.Errorf("ingress: %s of another conversation came here: its sender must address ingress/CONVERSATION",
			msg.MessageType().Name)
	}
	return nil
}

func (a *actor) sent(turn *actors.Turn, m messages.TextSent) error {
	if err := a.ready(turn, m, m.Conversation); err != nil {
		return err
	}
	s := Sent{Text: text.First(m.Text, maxCompared), Trace: m.Trace, At: turn.Now().UTC().Round(0),
		By: m.Window, Stands: m.Stands, Entered: m.Entered, Turn: m.Turn}
	if from := turn.Cause().From; s.By == "" && from.Kind() == messages.ActorOutbound { // of an older version
		s.By = messages.WindowID(from.Key())
	}
	a.keep(turn, s)
	return nil
}

// keep remembers what was sent, up to a number of texts.
func (a *actor) keep(turn *actors.Turn, s Sent) {
	n := a.memory.nextSent()
	if i, ok := a.memory.renewed(s); ok {
		s.Seen, s.Entered = s.Seen || a.memory.sent[i].Seen, s.Entered || a.memory.sent[i].Entered
		a.forgetSent(turn, i)
	}
	for len(a.memory.sent) >= a.rules.Sends {
		a.forgetSent(turn, 0)
	}
	a.memory.addSent(a.rules, n, s)
	Sends.Put(turn, actors.RowKey(n), s)
}

// own passes a message of our own side on. If it shows a text that was sent, it confirms
// that sending, once; otherwise a person wrote it.
func (a *actor) own(turn *actors.Turn, m messages.OwnMessage) error {
	if err := a.ready(turn, m, m.Conversation); err != nil {
		return err
	}
	at := m.SeenAt
	if at.IsZero() || at.After(turn.Now()) {
		at = turn.Now()
	}
	if i, ok := a.memory.shown(m.Text, at, a.rules.EchoWindow); ok && m.Kind == messages.KindText {
		s := &a.memory.sent[i]
		s.Seen, m.Trace, m.Turn = true, s.Trace, s.Turn
		Sends.Put(turn, actors.RowKey(s.n), s.Sent)
		if s.By != "" {
			turn.Send(messages.To(messages.ActorOutbound, string(s.By)), m)
		}
	}
	turn.Send(messages.To(messages.ActorConversation, string(m.Conversation)), m)
	return nil
}

func (a *actor) incoming(turn *actors.Turn, h messages.IncomingBubble) error {
	if err := a.ready(turn, h, h.Conversation); err != nil {
		return err
	}
	last, _ := LastOccurrences.Get(turn, "last")
	at := When(h, turn.Now())
	v := a.rules.Decide(a.memory, last, h, at)
	if v.Missed() {
		turn.Publish(events.EchoGuardMiss{
			Conversation: h.Conversation, Occurrence: h.Occurrence, Hash: a.rules.hash(h.Text),
			Runes: utf8.RuneCountInString(string(h.Text)), Active: v.Echo.Active, LastSendAge: v.Echo.Newest,
			Matched: v.Echo.How != "", At: turn.Now(), Text: h.Text,
		})
	}
	if v.Rule == events.RuleRepeat {
		turn.Drop(events.StageIngress, v.Rule, v.detail(h))
		return nil
	}
	LastOccurrences.Put(turn, "last", h.Occurrence)
	a.forgetOld(turn, at)
	if !v.Passes() {
		turn.Drop(events.StageIngress, v.Rule, v.detail(h))
		return nil
	}
	turn.Pass(events.StageIngress, v.Rule, v.detail(h))
	a.remember(turn, h, at)
	turn.Send(messages.To(messages.ActorBurst, string(h.Conversation)), h)
	turn.Publish(events.Accepted{
		Conversation: h.Conversation, Occurrence: h.Occurrence, Window: h.Window, Channel: h.Channel,
		Spared: string(v.Spared), At: turn.Now(),
	})
	return nil
}

// remember claims the text of a message that is passed on.
func (a *actor) remember(turn *actors.Turn, h messages.IncomingBubble, at time.Time) {
	e, runes := a.rules.entryOf(h, at)
	if !a.rules.remembers(e, runes) {
		return
	}
	for len(a.memory.incoming) >= a.rules.Entries {
		a.forgetIncoming(turn)
	}
	n := a.memory.nextIncoming()
	a.memory.addIncoming(n, e)
	Incoming.Put(turn, actors.RowKey(n), e)
}

// forgetOld deletes the oldest rows that no window reaches at a time. A row behind a
// newer one waits for it; the windows check ages anyway.
func (a *actor) forgetOld(turn *actors.Turn, at time.Time) {
	for len(a.memory.sent) > 0 && at.Sub(a.memory.sent[0].At) >= a.rules.EchoWindow {
		a.forgetSent(turn, 0)
	}
	window := max(a.rules.ShortWindow, a.rules.CommonWindow)
	for len(a.memory.incoming) > 0 && at.Sub(a.memory.incoming[0].At) >= window {
		a.forgetIncoming(turn)
	}
}

func (a *actor) forgetSent(turn *actors.Turn, i int) {
	Sends.Delete(turn, actors.RowKey(a.memory.sent[i].n))
	a.memory.removeSent(i)
}

func (a *actor) forgetIncoming(turn *actors.Turn) {
	Incoming.Delete(turn, actors.RowKey(a.memory.first))
	a.memory.removeIncoming()
}

// ready reads the tables before the first message of an activation.
func (a *actor) ready(turn *actors.Turn, msg messages.Message, c messages.ConversationID) error {
	if err := ours(turn, msg, c); err != nil || a.memory != nil {
		return err
	}
	a.memory = &Memory{}
	for key, s := range Sends.All(turn) {
		n, err := actors.RowNumber(key)
		if err != nil {
			return err
		}
		a.memory.addSent(a.rules, n, s)
	}
	for key, e := range Incoming.All(turn) {
		n, err := actors.RowNumber(key)
		if err != nil {
			return err
		}
		if next := a.memory.nextIncoming(); len(a.memory.incoming) > 0 && n != next {
			return fmt.Errorf("ingress: row %d of table heard is followed by %d: "+
				"the store is damaged, run: kehai doctor",
				next-1, n)
		}
		a.memory.addIncoming(n, e)
	}
	return nil
}
