package dedup

import (
	"encoding/json"
	"fmt"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// intos has one row, [HeadRow]: the conversation that this one was merged into.
var intos = actors.NewTable[messages.ConversationID]("into")

// forward passes on what still arrives for a conversation that was merged into another.
func (a *actor) forward(turn *actors.Turn, msg messages.Message) bool {
	into, ok := intos.Get(turn, HeadRow)
	if !ok {
		return false
	}
	switch m := msg.(type) {
	case messages.Detection:
		if a.stale(turn, m) {
			return true
		}
		m.Conversation, m.Moves = into, newest
		turn.Send(messages.To(Kind, string(into)), m)
	case messages.CaughtUp:
		m.Conversation = into
		turn.Send(messages.To(Kind, string(into)), m)
	case messages.ViewBack: // its places are others now
		turn.Send(messages.To(messages.ActorCatchUp, string(m.View.Window)),
			messages.ViewBackSeen{Key: m.Key, Step: messages.BackClosed})
	case messages.LedgerJoined:
		m.Conversation = into
		turn.Send(messages.To(Kind, string(into)), m)
	case messages.SplitLedger: // its places are others now: nothing goes
		turn.Drop(events.StageDedup, events.RuleNobody, events.Detail{Conversation: a.conversation})
		tellMoved(turn, m.App, messages.LedgerMoved{Conversation: m.Into, Split: true})
	case messages.LedgerSplit:
		m.Conversation = into
		turn.Send(messages.To(Kind, string(into)), m)
	case messages.AskOverlap: // the directory has just dropped it
		turn.Send(messages.To(messages.ActorFusion, string(m.Window)), messages.OverlapAnswer{
			Frame: m.Frame, At: m.At, Conversation: a.conversation})
	}
	return true
}

// join hands the ledger to another conversation's, and starts empty from then on.
func (a *actor) join(turn *actors.Turn, m messages.JoinLedger) error {
	into := m.Into
	a.load(turn)
	entries, err := json.Marshal(a.ledger.Entries())
	if err != nil {
		return fmt.Errorf("dedup: join: %w", err)
	}
	turn.Send(messages.To(Kind, string(into)), messages.LedgerJoined{
		Conversation: into, From: a.conversation, Next: a.ledger.Head().Next, Entries: messages.Text(entries),
		App: m.App,
	})
	turn.Send(messages.To(messages.ActorIngress, string(a.conversation)),
		messages.JoinSent{Conversation: a.conversation, Into: into})
	Tail.Clear(turn)
	Heads.Clear(turn)
	Views.Clear(turn)
	Lines.Clear(turn)
	Prints.Clear(turn)
	turn.Cancel("release")
	intos.Put(turn, HeadRow, into)
	a.ledger, a.recent = nil, nil
	return nil
}

// joined takes another conversation's ledger in, and has the messages follow. Positions
// change, so what windows showed last is forgotten.
func (a *actor) joined(turn *actors.Turn, m messages.LedgerJoined) error {
	a.load(turn)
	var entries []ledger.Entry
	if err := json.Unmarshal([]byte(m.Entries), &entries); err != nil {
		return fmt.Errorf("dedup: join: %w", err)
	}
	head := a.ledger.Head()
	offset, twice := a.ledger.Join(m.From, m.Next, entries)
	Views.Clear(turn)
	turn.Send(messages.To(messages.ActorConversation, string(m.From)), messages.JoinTalk{
		Conversation: m.From, Into: a.conversation, Offset: offset, Twice: twice,
	})
	tellMoved(turn, m.App, messages.LedgerMoved{Conversation: m.From})
	return a.finish(turn, head)
}

// tellMoved tells the directory of an application that a ledger has arrived. An older
// version did not wait for that, and named none.
func tellMoved(turn *actors.Turn, app string, m messages.LedgerMoved) {
	if app != "" {
		turn.Send(messages.To(messages.ActorDirectory, app), m)
	}
}
