package fusion

import (
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// lacking is a stretch of frames whose text stands in no bubble. It dies with
// the activation: the poller sends the frame again.
type lacking struct {
	since time.Time          // capture of the first, zero while bubbles fit
	frame messages.FrameHash // of the last
	proof proof              // of the last
	told  bool
}

// withhold passes nothing on of a frame that proves too little, neither a
// message nor a change, and opens no conversation for it. It reports whether it
// did. The person hears of it once it lasts.
func (a *actor) withhold(turn *actors.Turn, m messages.FrameRead) bool {
	p := proofOf(m)
	if !p.lacks(a.bareShare) {
		a.bareShare = p.share()
		a.fits(turn, len(m.Bubbles))
		return false
	}
	if a.lacking.since.IsZero() {
		a.lacking.since = m.At
		turn.After("bare", a.o.Rules.Unknown, messages.BareDue{})
	}
	if a.lacking.frame != m.Hash {
		turn.Drop(events.StageFusion, events.RuleBare, events.Detail{Window: a.window, Frame: m.Hash, Count: p.bare})
	}
	a.lacking.frame, a.lacking.proof = m.Hash, p
	turn.Send(messages.To(messages.ActorPoller, string(a.window)), messages.FrameHeld{Window: a.window, Hash: m.Hash})
	return true
}

// tellBare says that text has been in no bubble for some seconds.
func (a *actor) tellBare(turn *actors.Turn) {
	if a.lacking.since.IsZero() || a.lacking.told || !a.lacking.proof.misfits() {
		return
	}
	a.lacking.told = true
	turn.Publish(events.SidesState{
		Window: a.window, Unknown: true, Bubbles: a.lacking.proof.filled, Bare: a.lacking.proof.bare, At: turn.Now(),
	})
}

// fits ends such a stretch.
func (a *actor) fits(turn *actors.Turn, bubbles int) {
	if a.lacking.since.IsZero() {
		return
	}
	turn.Cancel("bare")
	if a.lacking.told {
		turn.Publish(events.SidesState{Window: a.window, Bubbles: bubbles, At: turn.Now()})
	}
	a.lacking = lacking{}
}
