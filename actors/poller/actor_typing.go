package poller

import (
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// typing is when Kehai itself types into the window. What a capture would show
// then is half a text of its own.
type typing struct {
	until   time.Time
	skipped bool // a poll, since the last one
}

func (t typing) on(now time.Time) bool { return now.Before(t.until) }

// typing begins or ends a time without captures. It is bounded, so that whoever
// dies while typing blinds nobody.
func (a *actor) typing(turn *actors.Turn, until time.Time) {
	now := turn.Now()
	if latest := now.Add(messages.MaxTyping); until.After(latest) {
		until = latest
	}
	a.typed.until = until
	switch {
	case a.typed.on(now):
		a.cutShort(turn)
	case a.typed.skipped && a.capture == "" && a.job == nil:
		a.poll(turn)
	}
}

// skip leaves a poll out; the next one comes as soon as nobody types.
func (a *actor) skip(turn *actors.Turn) {
	a.typed.skipped = true
	turn.Drop(events.StageCapture, events.RuleTyping, events.Detail{Window: a.window})
	turn.After("poll", min(a.o.Interval, a.typed.until.Sub(turn.Now())), messages.PollDue{})
	a.cutShort(turn)
}

// cutShort reads what there is of a burst: it was captured before the typing.
func (a *actor) cutShort(turn *actors.Turn) {
	if a.job != nil && a.job.lacking > 0 {
		a.job.lacking = 0
		a.push(turn)
	}
}
