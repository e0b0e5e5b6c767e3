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

// sided gives the rows above the first name the side that they had when their names were in view: in the
// window's last view, or in that of a conversation under the same header. Neither a new theme nor a new
// start takes that away.
func (a *actor) sided(turn *actors.Turn, m messages.FrameRead) []messages.Bubble {
	group := unnamed(m)
	if len(group) == 0 {
		return m.Bubbles
	}
	side := a.latest(turn).sideOf(group)
	for _, l := range lastViews.All(turn) {
		if side == messages.SideNeither && m.Name != 0 && l.headed(m.Name, 1) {
			side = l.sideOf(group)
		}
	}
	if side == messages.SideNeither {
		return m.Bubbles
	}
	out := slices.Clone(m.Bubbles)
	for i := range group {
		out[i].Side = side
	}
	return out
}

// unnamed are the rows above the first name, if nobody knows whose they are: all of one person, whose name
// has scrolled away.
func unnamed(m messages.FrameRead) []messages.Bubble {
	named := func(b messages.Bubble) bool {
		return b.Side != messages.SideNeither || b.Named || b.Sender != ""
	}
	switch first := slices.IndexFunc(m.Bubbles, named); {
	case !m.Rows:
		return nil
	case first >= 0:
		return m.Bubbles[:first]
	}
	return m.Bubbles
}

// sideOf is whose rows of one person are that l shows in a run that proves a conversation;
// neither's if l does not, or shows it of both.
func (l View) sideOf(group []messages.Bubble) messages.Side {
	found := messages.SideNeither
	for _, side := range []messages.Side{messages.SideIncoming, messages.SideOwn} {
		as := slices.Clone(group)
		for i := range as {
			as[i].Side = side
		}
		if l.run(viewOf(l.Conversation, as)) < runProof {
			continue
		}
		if found != messages.SideNeither {
			return messages.SideNeither
		}
		found = side
	}
	return found
}
