package ledger

import (
	"cmp"
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Release returns the messages that can be passed on, in the order of their occurrences.
// One that is unreadable, or whose side is unknown, holds up those behind it until it is
// known better, was seen often enough, or has waited long enough; wait is how long that
// takes at most, or 0. Sideless counts messages that are not passed on because their
// side stayed unknown.
func (l *Ledger) Release(now time.Time) (ready []messages.IncomingBubble, wait time.Duration, sideless int) {
	for _, i := range l.waiting() {
		e := &l.entries[i]
		if l.holds(i, now) {
			return ready, l.Held(now), sideless
		}
		left := e.Since.Add(l.rules.Timeout).Sub(now)
		if e.uncertain() && e.Seen < l.rules.Tries && left > 0 {
			return ready, left, sideless
		}
		e.Waiting = false
		l.dirty[e.Pos] = true
		switch e.Side {
		case messages.SideOwn: // it came without a side
			e.Own = e.Fresh
		case messages.SideIncoming:
			ready = append(ready, messages.IncomingBubble{
				Occurrence: e.Occurrence, Sender: l.sender(e), Kind: e.Kind, Text: e.Text,
				Window: l.head.Window, Side: e.Side, Partial: e.Partial, Fresh: e.Fresh, Late: e.Late,
				SeenAt: e.SeenAt,
			})
		case messages.SideNeither:
			sideless++
		}
	}
	return ready, 0, sideless
}

// Own returns the new messages of our own side, in the order of their occurrences. An
// unreadable one waits as in [Ledger.Release] but holds nothing up; wait is how long at
// most, or 0. One that was taken back meanwhile is not reported.
func (l *Ledger) Own(now time.Time) (list []messages.OwnMessage, wait time.Duration) {
	for i := range l.entries {
		e := &l.entries[i]
		if !e.Own || l.holds(i, now) {
			continue
		}
		left := e.Since.Add(l.rules.Timeout).Sub(now)
		if e.uncertain() && !e.Gone && e.Seen < l.rules.Tries && left > 0 {
			if wait == 0 || left < wait {
				wait = left
			}
			continue
		}
		e.Own = false
		l.dirty[e.Pos] = true
		if !e.Gone {
			list = append(list, messages.OwnMessage{
				Occurrence: e.Occurrence, Kind: e.Kind, Text: e.Text, Window: l.head.Window, SeenAt: e.SeenAt,
			})
		}
	}
	slices.SortFunc(list, func(a, b messages.OwnMessage) int { return cmp.Compare(a.Occurrence, b.Occurrence) })
	return list, wait
}

// Waits reports whether anything waits to be passed on.
func (l *Ledger) Waits() bool {
	return slices.ContainsFunc(l.entries, func(e Entry) bool { return e.Waiting || e.Own })
}

// waiting returns the indices of the waiting entries, by occurrence.
func (l *Ledger) waiting() []int {
	var out []int
	for i := range l.entries {
		if l.entries[i].Waiting {
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(a, b int) int {
		return cmp.Compare(l.entries[a].Occurrence, l.entries[b].Occurrence)
	})
	return out
}

// Sideless returns the waiting occurrences whose side is unknown, in order.
func (l *Ledger) Sideless() (list []messages.Occurrence) {
	for _, i := range l.waiting() {
		if l.entries[i].Side == messages.SideNeither {
			list = append(list, l.entries[i].Occurrence)
		}
	}
	return list
}

// sender is the shown name; in a conversation of two it is the title. In a group, an
// unknown sender stays unknown.
func (l *Ledger) sender(e *Entry) messages.Text {
	if e.Sender == "" && !l.head.Group {
		return l.head.Title
	}
	return e.Sender
}
