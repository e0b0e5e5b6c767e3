package fusion

import (
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// unproven is a series of frames with too much text outside bubbles. It dies with
// the activation: the poller sends the frame again.
type unproven struct {
	since     time.Time          // capture of the first frame; zero means no series
	frame     messages.FrameHash // of the last
	proof     proof              // of the last
	published bool
}

// withhold reports whether a frame proves too little. Such a frame yields neither a
// message nor a change and opens no conversation. It notifies the person if this
// lasts.
func (a *actor) withhold(turn *actors.Turn, m messages.FrameRead) bool {
	p := proofOf(m)
	if !p.insufficient(a.bareShare) {
		a.bareShare = p.share()
		a.endUnproven(turn, len(m.Bubbles))
		return false
	}
	if a.unproven.since.IsZero() {
		a.unproven.since = m.At
		turn.After("bare", a.o.Rules.Unknown, messages.BareDue{})
	}
	if a.unproven.frame != m.Hash {
		turn.Drop(events.StageFusion, events.RuleBare, events.Detail{Window: a.window, Frame: m.Hash, Count: p.bare})
	}
	a.unproven.frame, a.unproven.proof = m.Hash, p
	a.deferFrame(turn, m)
	return true
}

// reportBare says that text has stood outside bubbles for some seconds.
func (a *actor) reportBare(turn *actors.Turn) {
	if a.unproven.since.IsZero() || a.unproven.published || !a.unproven.proof.showsMessages() {
		return
	}
	a.unproven.published = true
	turn.Publish(events.SidesState{
		Window: a.window, Unknown: true, Bubbles: a.unproven.proof.filled, Bare: a.unproven.proof.bare, At: turn.Now(),
	})
}

// endUnproven ends the series.
func (a *actor) endUnproven(turn *actors.Turn, bubbles int) {
	if a.unproven.since.IsZero() {
		return
	}
	turn.Cancel("bare")
	if a.unproven.published {
		turn.Publish(events.SidesState{Window: a.window, Bubbles: bubbles, At: turn.Now()})
	}
	a.unproven = unproven{}
}
