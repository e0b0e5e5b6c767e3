package ledger

import (
	"slices"

	"github.com/kehai-run/kehai/messages"
)

// place counts what a view shows in the places of the last view's messages.
type place struct {
	same    int // messages that have not changed, though they may read differently
	changed int // with another text, or missing without a notice
	gone    int // with a notice instead
}

// few reports whether the changes can be those of messages: within a moment nobody edits two
// and leaves nothing else.
func (p place) few() bool { return p.changed <= max(1, p.same) }

// inPlace reports whether a view shows the same as the last view of its window: same places,
// sides and times, followed by what is new. A few messages, or the only one, may have
// been edited or taken back. complete says that the view shows the transcript from its
// beginning, so nothing has moved out at the top.
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
		if inPlaceFrom(list, tail[from:], complete) {
			return true
		}
		if complete {
			break
		}
	}
	return false
}

// inPlaceFrom is inPlace for a view that begins with the first of these entries. Below the
// only message of a transcript that was edited, one more may have come.
func inPlaceFrom(list []observation, tail []*Entry, complete bool) bool {
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
			p.changed++ // it is missing, and the gap has closed
			continue
		case replaces(o, e) && clockScore(o, e) >= 0 && (moved || sameRoom(o, e)):
			if misread(o, e) {
				p.same++
			} else {
				p.changed++
			}
		default:
			return false
		}
		i++
	}
	alone := complete && len(tail) == 1 && i == len(list)-1
	return p.few() && (p.same+p.gone > 0 || (i == len(list) || alone) && p.changed > 0)
}

// sameRoom reports whether an observation has as much room above it as an entry had.
func sameRoom(o *observation, e *Entry) bool {
	return o.Above == 0 || e.Above == 0 || abs(o.Above-e.Above) <= 1
}
