package dedup

import (
	"encoding/json"
	"fmt"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// split moves a part of the ledger to another conversation's. It forgets what windows
// have shown of this one, because that may be the other's.
func (a *actor) split(turn *actors.Turn, m messages.SplitLedger) error {
	a.load(turn)
	head := a.ledger.Head()
	taken := a.ledger.Split(m.Occurrences)
	entries, err := json.Marshal(taken)
	if err != nil {
		return fmt.Errorf("dedup: split: %w", err)
	}
	places := make([]messages.Occurrence, 0, len(taken))
	for _, e := range taken {
		places = append(places, e.Occurrence)
	}
	for _, o := range m.Occurrences { // the tail may have dropped some that are still kept as messages
		places = also(places, o)
	}
	turn.Send(messages.To(Kind, string(m.Into)), messages.LedgerSplit{
		Conversation: m.Into, From: a.conversation, Next: head.Next, Entries: messages.Text(entries),
		Occurrences: places, App: m.App, New: m.Into,
	})
	if m.Moves > 0 {
		splits.Put(turn, HeadRow, m.Moves)
	}
	for w := range Views.All(turn) {
		turn.Send(messages.To(messages.ActorFusion, w), messages.ForgetView{Conversation: a.conversation})
	}
	Views.Clear(turn)
	return a.finish(turn, head)
}

func also(list []messages.Occurrence, o messages.Occurrence) []messages.Occurrence {
	for _, have := range list {
		if have == o {
			return list
		}
	}
	return append(list, o)
}

// takeIn starts the ledger of a conversation that was part of another one, and then asks
// for what was said.
func (a *actor) takeIn(turn *actors.Turn, m messages.LedgerSplit) error {
	a.load(turn)
	var entries []ledger.Entry
	if err := json.Unmarshal([]byte(m.Entries), &entries); err != nil {
		return fmt.Errorf("dedup: split: %w", err)
	}
	head := a.ledger.Head()
	offset, _ := a.ledger.Join(m.From, m.Next, entries)
	Views.Clear(turn)
	turn.Send(messages.To(messages.ActorConversation, string(m.From)), messages.SplitTalk{
		Conversation: m.From, Into: a.conversation, Offset: offset, Occurrences: m.Occurrences,
	})
	tellMoved(turn, m.App, messages.LedgerMoved{Conversation: m.New, Split: true})
	return a.finish(turn, head)
}

// splits has one row, [HeadRow]: the number with which views begin to count, since the
// ledger was divided.
var splits = actors.NewTable[int]("split")

// newest is the number of a view that counts in any case.
const newest = 1 << 30

// stale reports whether a view was taken for this conversation's before that was divided.
// It may be the other's, and laid along what is left it would be new. Its window is read
// again.
func (a *actor) stale(turn *actors.Turn, m messages.Detection) bool {
	if n, _ := splits.Get(turn, HeadRow); m.Moves >= n {
		return false
	}
	turn.Drop(events.StageDedup, events.RuleDivided, events.Detail{Window: m.Window, Conversation: a.conversation})
	turn.Send(messages.To(messages.ActorFusion, string(m.Window)), messages.ForgetView{Conversation: a.conversation})
	return true
}
