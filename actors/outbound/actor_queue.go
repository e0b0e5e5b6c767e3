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

// replies are all replies as they are now, the oldest first.
func (a *actor) replies(turn *actors.Turn) iter.Seq2[string, Reply] {
	var list []queued
	for row, s := range Replies.All(turn) {
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

// active is the reply that has the keyboard or asks for it. There is one at most.
func (a *actor) active(turn *actors.Turn) (row string, s Reply, ok bool) {
	for row, s := range Replies.All(turn) {
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

// due tells those whose time has come. One that waits for its turn gets it from goOn.
func (a *actor) due(turn *actors.Turn) {
	a.alarm = time.Time{}
	for row, s := range a.replies(turn) {
		if s.State == Queued || s.Due.After(turn.Now()) {
			continue
		}
		if s.State.Works() {
			a.look = nil // its answer was lost, or it is to be made anew
		}
		a.happened(turn, row, Event{Kind: OnDue})
	}
}

// goOn begins with the oldest reply that may be tried now, if none is worked on, and
// sets the timer for what comes next. Where the program is about to end it begins nothing.
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
	switch {
	case at.Equal(a.alarm):
	case at.IsZero():
		turn.Cancel("due")
	default:
		turn.After("due", max(0, at.Sub(turn.Now())), messages.SendDue{})
	}
	a.alarm = at
}

// eligible are the queued replies that wait for no older one of their conversation,
// whose order they keep.
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

// nextDue is when the next reply goes on by itself, zero for never. Where the program is
// about to end only what is being typed does.
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
	if works || a.ending { // when it is done, the others are looked at
		return at
	}
	for _, s := range a.eligible(turn) {
		earlier(s)
	}
	return at
}
