package keyboard

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Hold is the longest time that a window keeps the keyboard. One attempt to send takes
// far less: a few readings of the window and one text to type.
const Hold = 5 * time.Minute

// Lease is the holder of the keyboard and the windows that wait for it. The zero value is free.
type Lease struct {
	Window  messages.WindowID   `json:"window,omitempty"`
	Until   time.Time           `json:"until,omitzero"`
	Waiting []messages.WindowID `json:"waiting,omitempty"`
}

// Ask returns the lease after a window has asked; given says that it has the keyboard.
func (l Lease) Ask(w messages.WindowID, now time.Time) (next Lease, given bool) {
	switch {
	case l.Window == "" || l.Window == w:
		l.Window, l.Until = w, now.Add(Hold)
		l.Waiting = without(l.Waiting, w)
		return l, true
	case !slices.Contains(l.Waiting, w):
		l.Waiting = append(slices.Clip(l.Waiting), w)
	}
	return l, false
}

// Leave returns the lease after a window has returned the keyboard, or has stopped
// waiting. to is the new holder, "" if there is none or it has not changed.
func (l Lease) Leave(w messages.WindowID, now time.Time) (next Lease, to messages.WindowID) {
	if l.Window != w {
		l.Waiting = without(l.Waiting, w)
		return l, ""
	}
	return l.pass(now)
}

// Expire returns the lease at a time; to is the new holder as in [Lease.Leave].
func (l Lease) Expire(now time.Time) (next Lease, to messages.WindowID) {
	if l.Window == "" || now.Before(l.Until) {
		return l, ""
	}
	return l.pass(now)
}

func (l Lease) pass(now time.Time) (Lease, messages.WindowID) {
	if len(l.Waiting) == 0 {
		return Lease{}, ""
	}
	to := l.Waiting[0]
	return Lease{Window: to, Until: now.Add(Hold), Waiting: without(l.Waiting, to)}, to
}

func without(list []messages.WindowID, w messages.WindowID) []messages.WindowID {
	return slices.DeleteFunc(slices.Clone(list), func(o messages.WindowID) bool { return o == w })
}
