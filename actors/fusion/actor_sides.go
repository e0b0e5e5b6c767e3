package fusion

import (
	"slices"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// sides reports when no bubble of a window shows who wrote it, and when one does
// again. A bubble without a side is never passed on: it might be an own message.
// A single one proves nothing and is not reported.
func (a *actor) sides(turn *actors.Turn, bubbles []messages.Bubble) {
	sided := slices.ContainsFunc(bubbles, func(b messages.Bubble) bool { return b.Side != messages.SideNeither })
	if sided != a.sideless || !sided && len(bubbles) < 2 {
		return
	}
	a.sideless = !sided
	s := events.SidesState{Window: a.window, Unknown: a.sideless, Bubbles: len(bubbles), At: turn.Now()}
	for _, b := range bubbles {
		if b.Side == messages.SideNeither && b.Sender != "" { // no bubble without a side is given a name
			s.Rows++
		}
	}
	turn.Publish(s)
}
