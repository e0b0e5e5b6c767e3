package engine

import (
	"maps"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// unread are timers and calls of an actor that need a key that is out of reach. The actor goes on meanwhile: to it
// they are late. They alone are read again, in the rhythm of restarts, and people are told which key it is.
// It does not change once an activation has it.
type unread struct {
	rows  []string // their keys, in order
	why   error    // the first of them cannot be read
	tries int      // so far
	key   string   // that people were told of; "": none
}

func (u *unread) reason() string {
	return cutText(because("engine: its timers and calls cannot be read: ", u.why).reason)
}

// leave notes that a row cannot be read for now.
func (r *resuming) leave(a messages.Address, key []byte, why error) {
	if r.away[a] == nil {
		r.away[a] = &unread{why: why, tries: 1}
	}
	r.away[a].rows = append(r.away[a].rows, string(key))
}

// keepUnread has the actors of this node keep what of theirs cannot be read.
func (e *Engine) keepUnread(away map[messages.Address]*unread) {
	for _, a := range slices.Sorted(maps.Keys(away)) {
		if !e.mine(a) {
			continue
		}
		u := away[a]
		e.reach(a, func(act *Activation) bool {
			act.mu.Lock()
			defer act.mu.Unlock()
			if before := act.unread; before != nil {
				u.tries, u.key = before.tries, before.key
			}
			act.unread = u
			e.readLater(act, u)
			return act.state != asleep
		})
	}
}

func (e *Engine) readLater(act *Activation, u *unread) {
	due := e.clock.Now().Add(backoff(u.tries, e.jitter()))
	e.timers.arm("u"+string(act.addr), due, false, func() { e.background(func() { e.readAgain(act) }) })
}

// readAgain resumes what of an actor's timers and calls can be read now.
func (e *Engine) readAgain(act *Activation) {
	act.mu.Lock()
	before, ended := act.unread, act.ended()
	act.mu.Unlock()
	if before == nil || ended {
		return
	}
	r := e.resuming()
	for _, row := range before.rows {
		take := r.call
		if strings.HasPrefix(row, keyTimer) {
			take = r.timer
		}
		err := e.scan([]byte(row), nil, func(k, v []byte, bad error) bool {
			if string(k) == row {
				take(k, v, bad)
			}
			return false
		})
		if err != nil { // the store says why
			r.leave(act.addr, []byte(row), before.why)
		}
	}
	r.submit()
	left := r.away[act.addr]
	act.mu.Lock()
	if act.unread != before { // all were read meanwhile
		act.mu.Unlock()
		return
	}
	was, now := before.key, ""
	if left != nil {
		if left.tries, left.key = before.tries+1, was; left.tries > waitsFloor {
			left.key = KeyAway(left.why)
		}
		now = left.key
		e.readLater(act, left)
	}
	act.unread = left
	tell := was != now && !act.budget.unhealthy // else people know of worse
	act.mu.Unlock()
	if tell {
		e.tellHealth(act)
	}
}

// tellHealth reports what is wrong with an actor, or that nothing is.
func (e *Engine) tellHealth(act *Activation) {
	m := events.ActorUnhealthy{Actor: act.addr, At: e.clock.Now()}
	act.mu.Lock()
	switch u := act.unread; {
	case act.budget.unhealthy:
		m.Reason, m.Key = act.budget.reason, act.budget.key
	case u != nil && u.key != "":
		m.Reason, m.Key = u.reason(), u.key
	default:
		m.Healthy = true
	}
	act.mu.Unlock()
	e.report(m)
}
