package outbound

import (
	"iter"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// queued is a reply and its row.
type queued struct {
	row string
	Reply
}

// replies yields all replies in reach in their current state, oldest first.
func (a *actor) replies(turn *actors.Turn) iter.Seq2[string, Reply] {
	var list []queued
	for row, s := range Replies.AllInReach(turn) {
		list = append(list, queued{row, s})
	}
	return func(yield func(string, Reply) bool) {
		for _, q := range list {
			if !yield(q.row, q.Reply) {
				return
			}
		}
	}
}

// active returns the reply that has or has asked for the keyboard. There is at most one, and it is in reach.
func (a *actor) active(turn *actors.Turn) (row string, s Reply, ok bool) {
	for row, s := range Replies.AllInReach(turn) {
		if s.State.Works() {
			return row, s, true
		}
	}
	return "", Reply{}, false
}

func (a *actor) tellActive(turn *actors.Turn, e Event) {
	if row, _, ok := a.active(turn); ok {
		a.happened(turn, row, e)
	}
}

// due wakes the replies whose time has come. Queued ones are started by goOn.
func (a *actor) due(turn *actors.Turn) {
	a.alarm = time.Time{}
	for row, s := range a.replies(turn) {
		if s.State == Queued || s.Due.After(turn.Now()) {
			continue
		}
		if s.State.Works() {
			a.look = nil // its answer was lost, or it has to be repeated
		}
		a.happened(turn, row, Event{Kind: OnDue})
	}
}

// goOn starts the oldest reply that may be tried now, unless one is in progress, and sets
// the timer for what comes next. It starts nothing while the program is shutting down.
func (a *actor) goOn(turn *actors.Turn) {
	if _, _, works := a.active(turn); !works && !a.ending {
		for row, s := range a.eligible(turn) {
			if !s.Due.After(turn.Now()) {
				a.happened(turn, row, Event{Kind: OnDue})
				break
			}
		}
	}
	at := a.nextDue(turn)
	if again := turn.Now().Add(readAgain); len(a.unread) > 0 && (at.IsZero() || again.Before(at)) {
		at = again
	}
	switch {
	case at.Equal(a.alarm):
	case at.IsZero():
		turn.Cancel("due")
	default:
		turn.After("due", max(0, at.Sub(turn.Now())), messages.SendDue{})
	}
	a.alarm = at
}

// eligible yields the queued replies with no older reply in their conversation: replies
// of one conversation keep their order.
func (a *actor) eligible(turn *actors.Turn) iter.Seq2[string, Reply] {
	return func(yield func(string, Reply) bool) {
		var before []messages.ConversationID
		for row, s := range a.replies(turn) {
			if s.State == Queued && !slices.Contains(before, s.Conversation) && !yield(row, s) {
				return
			}
			before = append(before, s.Conversation)
		}
	}
}

// nextDue returns when the next reply continues by itself, or zero for never. While the
// program is shutting down, only the reply being typed does.
func (a *actor) nextDue(turn *actors.Turn) (at time.Time) {
	earlier := func(s Reply) {
		if at.IsZero() || s.Due.Before(at) {
			at = s.Due
		}
	}
	works := false
	for _, s := range a.replies(turn) {
		if s.State == Queued || a.ending && !s.State.Works() {
			continue
		}
		works = works || s.State.Works()
		earlier(s)
	}
	if works || a.ending { // the others are looked at once it is done
		return at
	}
	for _, s := range a.eligible(turn) {
		earlier(s)
	}
	return at
}
