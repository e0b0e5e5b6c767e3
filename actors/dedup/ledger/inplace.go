package ledger

import (
	"slices"

	"github.com/kehai-run/kehai/messages"
)

// place counts what a view shows in the places of the messages that the last one showed.
type place struct {
	same    int // messages that have not changed
	changed int // with another text, or gone without a notice
	gone    int // with a notice instead
}

// few reports that the changes are those of messages. Nobody edits two while somebody
// looks away for a moment and leaves nothing beside them.
func (p place) few() bool { return p.changed <= max(1, p.same) }

// inPlace reports that a view shows what the last view of its window showed, in the same
// places, sides and times, and after it what is new, but for a few messages that were
// edited or taken back since; also if that is the only one. complete says that the view
// shows the transcript from its beginning, so that nothing has moved out at the top.
func (l *Ledger) inPlace(list []observation, mem Memory, width int, complete bool) bool {
	if len(list) > 0 && list[0].clipped {
		list = list[1:]
	}
	var tail []*Entry
	for i := range l.entries {
		if e := &l.entries[i]; mem.shows(e, width) {
			tail = append(tail, e)
		}
	}
	for from := range tail {
		if inPlaceFrom(list, tail[from:]) {
			return true
		}
		if complete {
			break
		}
	}
	return false
}

// inPlaceFrom is inPlace for a view that begins with the first of some entries.
func inPlaceFrom(list []observation, tail []*Entry) bool {
	var p place
	i := 0
	for k, e := range tail {
		if i == len(list) {
			if !e.vacant() {
				p.changed++
			}
			continue
		}
		o := &list[i]
		moved := i > 0 && list[i-1].Gone
		switch {
		case o.Gone && !e.vacant():
			p.gone++
		case o.Gone:
		case e.vacant():
			continue // its notice has gone too
		case o.Kind == messages.KindUnreadable || e.Kind == messages.KindUnreadable:
		case sameMessage(o, e) > 0:
			p.same++
		case slices.ContainsFunc(tail[k+1:], func(e *Entry) bool { return sameMessage(o, e) > 0 }):
			p.changed++ // it has gone, and what is below has closed up
			continue
		case replaces(o, e) && clockScore(o, e) >= 0 && (moved || sameRoom(o, e)):
			p.changed++
		default:
			return false
		}
		i++
	}
	return p.few() && (p.same+p.gone > 0 || i == len(list) && p.changed > 0)
}

// sameRoom reports that an observation has as much room above it as an entry had.
func sameRoom(o *observation, e *Entry) bool {
	return o.Above == 0 || e.Above == 0 || abs(o.Above-e.Above) <= 1
}
