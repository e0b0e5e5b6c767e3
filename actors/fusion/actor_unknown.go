package fusion

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// unknown is a stretch of frames that do not tell whose they are. It dies with
// the activation; that it was reported does not.
type unknown struct {
	since time.Time          // capture of the first, zero while the window tells
	frame messages.FrameHash // of the last
	told  bool               // this activation has published it
}

// identify finds the conversation's name, or says why it cannot be told.
func (a *actor) identify(turn *actors.Turn, m messages.FrameRead, last, view Last) (string, events.UnknownReason) {
	name := a.o.Rules.Name(m.Title)
	if name == "" {
		return "", events.UnknownTitle
	}
	if _, exact := lasts.Get(turn, name); exact {
		return name, ""
	}
	var names []string
	for k := range lasts.All(turn) {
		names = append(names, k)
	}
	name, ok := Identify(name, names, last.Name, last.resembles(view))
	switch {
	case !ok:
		return "", events.UnknownAlike
	case a.o.Rules.unsure(m.Title) && !slices.Contains(names, name):
		return "", events.UnknownUnsure
	}
	return name, ""
}

// hold passes nothing on of a frame whose conversation is unknown. The person
// hears of it once it lasts, unless there is nothing to miss.
func (a *actor) hold(turn *actors.Turn, m messages.FrameRead, why events.UnknownReason) {
	if a.unknown.since.IsZero() || a.unknown.frame != m.Hash {
		turn.Drop(events.StageFusion, events.RuleUnknown, events.Detail{Window: a.window, Frame: m.Hash})
	}
	if a.unknown.since.IsZero() {
		a.unknown.since = m.At
	}
	a.unknown.frame = m.Hash
	if len(m.Bubbles) > 0 && m.At.Sub(a.unknown.since) >= a.o.Rules.Unknown {
		a.report(turn, m, why)
	}
	turn.Send(messages.To(messages.ActorPoller, string(a.window)), messages.FrameHeld{Window: a.window, Hash: m.Hash})
}

func (a *actor) report(turn *actors.Turn, m messages.FrameRead, why events.UnknownReason) {
	if !a.unknown.told {
		a.unknown.told = true
		turn.Publish(events.IdentityState{Window: a.window, Why: why, At: turn.Now()})
	}
	if _, already := told.Get(turn, "unknown"); !already {
		told.Put(turn, "unknown", a.unknown.since)
		turn.Publish(events.ConversationUnknown{
			Window: a.window, Why: why, Bubbles: len(m.Bubbles), SeenAt: a.unknown.since, At: turn.Now(),
		})
	}
}

// identified ends a stretch of unknown frames.
func (a *actor) identified(turn *actors.Turn) {
	_, before := told.Get(turn, "unknown")
	if before {
		told.Delete(turn, "unknown")
	}
	if before || a.unknown.told {
		turn.Publish(events.IdentityState{Window: a.window, At: turn.Now()})
	}
	a.unknown = unknown{}
}
