package poller

import (
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// typing says when Kehai itself types into the window. A capture would then show
// half a text of its own.
type typing struct {
	until   time.Time
	skipped bool // whether the last poll was skipped
}

func (t typing) on(now time.Time) bool { return now.Before(t.until) }

// typing begins or ends a time without captures. It is bounded, so that a typist
// that dies cannot stop the captures for ever.
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

// skip skips a poll. The next one comes as soon as the typing ends.
func (a *actor) skip(turn *actors.Turn) {
	a.typed.skipped = true
	turn.Drop(events.StageCapture, events.RuleTyping, events.Detail{Window: a.window})
	turn.After("poll", min(a.o.Interval, a.typed.until.Sub(turn.Now())), messages.PollDue{})
	a.cutShort(turn)
}

// cutShort reads an incomplete burst: its frames were captured before the typing.
func (a *actor) cutShort(turn *actors.Turn) {
	if a.job != nil && a.job.missing > 0 {
		a.job.missing = 0
		a.push(turn)
	}
}
