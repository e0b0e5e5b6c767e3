package fusion

import (
	"slices"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// sides reports when no bubble of a window tells whose it is, and when they tell
// again. What has no side is never passed on: it might be an own message. One
// such bubble alone may be an odd one.
func (a *actor) sides(turn *actors.Turn, bubbles []messages.Bubble) {
	sided := slices.ContainsFunc(bubbles, func(b messages.Bubble) bool { return b.Side != messages.SideNeither })
	if sided != a.sideless || !sided && len(bubbles) < 2 {
		return
	}
	a.sideless = !sided
	turn.Publish(events.SidesState{Window: a.window, Unknown: a.sideless, Bubbles: len(bubbles), At: turn.Now()})
}
