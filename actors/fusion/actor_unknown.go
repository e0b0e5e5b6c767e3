package fusion

import (
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// unknown is a series of frames whose conversation is unknown. It dies with the
// activation, but a row keeps that it was reported.
type unknown struct {
	since     time.Time          // capture of the first, zero while it is known
	frame     messages.FrameHash // of the last
	published bool               // this activation has published it

	title    string // of the newest frames
	name     messages.PixelKey
	readings int       // with that title
	at       time.Time // capture of the last
	first    View      // the first with that title
	from     time.Time // its capture
}

// note counts a reading of a title.
func (u *unknown) note(m messages.FrameRead) {
	if !u.titled(m) || u.readings == 0 {
		u.title, u.name, u.readings = titleOf(m), m.Name, 0
		u.first, u.from = viewOf("", m.Bubbles), m.At
	}
	if !u.at.Equal(m.At) {
		u.readings++
	}
	u.at = m.At
}

// with is how many readings in a row have had a frame's title, that of the frame included.
func (u *unknown) with(m messages.FrameRead) int {
	switch {
	case !u.titled(m):
		return 1
	case u.at.Equal(m.At):
		return max(1, u.readings)
	}
	return u.readings + 1
}

// titled reports whether a frame has the title of the newest ones, and their header: a like
// reading of another one is none of the same title.
func (u *unknown) titled(m messages.FrameRead) bool {
	return u.title == titleOf(m) && (u.name == 0 || m.Name == 0 || u.name == m.Name)
}

// hold passes nothing on from a frame whose conversation is unknown. It notifies the person
// if this lasts and the frame has bubbles.
func (a *actor) hold(turn *actors.Turn, m messages.FrameRead, why events.UnknownReason) {
	if a.unknown.since.IsZero() || a.unknown.frame != m.Hash {
		turn.Drop(events.StageFusion, events.RuleUnknown, events.Detail{Window: a.window, Frame: m.Hash})
	}
	if a.unknown.since.IsZero() {
		a.unknown.since = m.At
	}
	a.unknown.frame = m.Hash
	a.unknown.note(m)
	if len(m.Bubbles) > 0 && m.At.Sub(a.unknown.since) >= a.o.Rules.Unknown {
		a.report(turn, m, why)
	}
	a.deferFrame(turn, m)
}

// contestUnknown notes that the bubbles of the pending view have appeared under a title
// whose conversation is unknown.
func (a *actor) contestUnknown(turn *actors.Turn, m messages.FrameRead, why events.UnknownReason) {
	pending, waits := pendings.Get(turn, "held")
	if waits && why != events.UnknownTitle && !a.unknown.at.Equal(m.At) &&
		titleOf(m) != text.Normalize(string(pending.Detection.Title)) {
		a.contest(turn, pending, viewOf("", m.Bubbles))
	}
}

// deferFrame has the poller read the frame again later.
func (a *actor) deferFrame(turn *actors.Turn, m messages.FrameRead) {
	turn.Send(messages.To(messages.ActorPoller, string(a.window)), messages.FrameHeld{Window: a.window, Hash: m.Hash})
}

func (a *actor) report(turn *actors.Turn, m messages.FrameRead, why events.UnknownReason) {
	if !a.unknown.published {
		a.unknown.published = true
		turn.Publish(events.IdentityState{Window: a.window, Why: why, At: turn.Now()})
	}
	if _, already := reported.Get(turn, "unknown"); !already {
		reported.Put(turn, "unknown", a.unknown.since)
		turn.Publish(events.ConversationUnknown{
			Window: a.window, Why: why, Bubbles: len(m.Bubbles), SeenAt: a.unknown.since, At: turn.Now(),
		})
	}
}

// endUnknown ends a series of unknown frames.
func (a *actor) endUnknown(turn *actors.Turn) {
	_, before := reported.Get(turn, "unknown")
	if before {
		reported.Delete(turn, "unknown")
	}
	if before || a.unknown.published {
		turn.Publish(events.IdentityState{Window: a.window, At: turn.Now()})
	}
	a.unknown = unknown{}
}
