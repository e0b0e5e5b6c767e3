package conversation

import (
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/text/stream"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the actor's kind; the key is the conversation.
const Kind = messages.ActorConversation

// Head is the summary of a conversation.
type Head struct {
	Count  int64              `json:"count"` // messages ever delivered
	LastID messages.MessageID `json:"last_id"`
	LastAt time.Time          `json:"last_at"`       // of its delivery
	Own    int64              `json:"own,omitempty"` // messages of our side

	// Place is the newest position in the transcript, for a conversation without a
	// ledger.
	Place messages.Occurrence `json:"place,omitempty"`

	Reminders int64 `json:"reminders,omitempty"` // ever requested
}

// Tables of a conversation. Readers of the store decode rows with them.
var (
	Heads    = actors.NewTable[Head]("head")
	Messages = actors.NewTable[messages.MessageDelivered]("messages")
	ids      = actors.NewTable[int64]("ids")
)

// RowKey is the key in [Messages] of the nth message, counted from 1.
func RowKey(n int64) string { return actors.RowKey(uint64(n)) }

// New makes the constructor of conversations.
func New(o Options) func(messages.Address) actors.Actor {
	o = o.withDefaults()
	return func(self messages.Address) actors.Actor {
		return &actor{o: o, id: messages.ConversationID(self.Key())}
	}
}

type actor struct {
	o  Options
	id messages.ConversationID

	asked   string // key of the question that a model is answering
	call    string // by which it was asked
	writing *stream.Assembler
	echoes  func(soFar string) bool // the model may be repeating what it was told
	persona string                  // for whom it is written
	rests   messages.ReplyBasis     // what the question rests on

	counted string // key of the last question that was counted
	tooMany bool   // it was one too many

	checking string // the call by which a model looks for private data

	gathers  string // key of the reply for which memory was asked
	material material
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	if a.forward(turn, msg) {
		return nil
	}
	switch m := msg.(type) {
	case messages.Started:
		a.resume(turn)
	case messages.JoinTalk, messages.TalkJoined, messages.SplitTalk, messages.TalkSplit:
		return a.moves(turn, msg)
	case messages.InboundMessage:
		a.deliver(turn, m)
	case messages.Say:
		a.say(turn, m)
	case messages.InterviewBegins:
		a.beginInterview(turn, m)
	case messages.StopInterview:
		a.stopInterview(turn)
	case messages.Revised:
		a.revise(turn, m)
	case messages.OwnMessage:
		a.own(turn, m)
	case messages.ReplyJudged:
		a.judged(turn, m)
	case messages.JudgeAgain:
		a.step(turn, reply.Event{Kind: reply.OnAgain, Turn: m.Turn, Epoch: m.Epoch})
	case messages.Recalled:
		a.recalled(turn, m)
	case messages.MaterialDue:
		a.recalled(turn, messages.Recalled{Key: m.Key})
	case messages.LLMAnswer:
		a.answered(turn, m)
	case messages.LLMProgress:
		a.progress(turn, m)
	case messages.ShowDue:
		a.show(turn)
	case messages.CallFailed:
		a.failed(turn, m)
	case messages.OwnerState:
		a.ownerIs(turn, m)
	case messages.DecideDue:
		a.decide(turn)
	case messages.CheckDue:
		a.check(turn)
	case messages.ReminderDue:
		a.remind(turn, m.Number)
	case messages.CancelReminder:
		a.cancelReminder(turn, m.Number)
	case messages.DraftCommand:
		a.command(turn, m)
	case messages.SendDone:
		a.sent(turn, m)
		return a.joinNow(turn)
	case messages.TrimDue:
		a.trim(turn, m.Before)
		a.trimDraft(turn, m.Before)
	default:
		return fmt.Errorf("conversation: unexpected %s", msg.MessageType())
	}
	return nil
}

func (a *actor) deliver(turn *actors.Turn, m messages.InboundMessage) {
	if _, known := ids.Get(turn, string(m.ID)); known {
		turn.Drop(events.StageConversation, events.RuleRepeat,
			events.Detail{Conversation: m.Conversation, Message: m.ID})
		return
	}
	m = a.hidden(turn, m)
	head, _ := Heads.Get(turn, "head")
	head.Count++
	head.LastID, head.LastAt = m.ID, turn.Now()
	delivered := messages.MessageDelivered{InboundMessage: m, DeliveredAt: turn.Now()}
	Heads.Put(turn, "head", head)
	Messages.Put(turn, RowKey(head.Count), delivered)
	ids.Put(turn, string(m.ID), head.Count)
	a.uncheck(turn, delivered)
	a.forget(turn, head.Count-int64(a.o.Keep))
	turn.Publish(delivered)
	detail := events.Detail{Conversation: m.Conversation, Message: m.ID}
	for _, p := range m.Parts {
		detail.Occurrences = append(detail.Occurrences, p.Occurrence)
	}
	turn.Pass(events.StageConversation, events.RuleDelivered, detail)
	a.delivered(turn, delivered)
}

// forget removes the message that makes room for the newest. After Keep was lowered it
// removes a few more each time.
func (a *actor) forget(turn *actors.Turn, upTo int64) {
	for n := upTo; n > max(0, upTo-8); n-- {
		old, ok := Messages.Get(turn, RowKey(n))
		if !ok {
			return
		}
		Messages.Delete(turn, RowKey(n))
		ids.Delete(turn, string(old.ID))
		revisions.Delete(turn, string(old.ID))
	}
}

// trim removes what was delivered before a time. In a conversation that others were
// merged into, older messages may stand behind newer ones.
func (a *actor) trim(turn *actors.Turn, before time.Time) {
	for key, m := range Messages.All(turn) {
		if m.DeliveredAt.Before(before) {
			Messages.Delete(turn, key)
			ids.Delete(turn, string(m.ID))
			revisions.Delete(turn, string(m.ID))
		}
	}
	for key, o := range OwnMessages.All(turn) {
		if o.At.Before(before) {
			OwnMessages.Delete(turn, key)
			placesOfOwn.Delete(turn, placeKey(o.Occurrence))
		}
	}
}
