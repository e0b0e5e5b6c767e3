package engine

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Asleep reports whether an activation has been put to sleep: it is of no use any
// more.
func (act *Activation) Asleep() bool {
	act.mu.Lock()
	defer act.mu.Unlock()
	return act.state == asleep
}

// IdleAfter is [Options.Idle].
func (c Control) IdleAfter() time.Duration { return c.e.idle }

// Idle lists the activations that may go to sleep: they have had no turn for
// [Options.Idle].
func (c Control) Idle() []*Activation {
	if c.e.idle == 0 {
		return nil
	}
	before := c.e.clock.Now().Add(-c.e.idle).UnixNano()
	var list []*Activation
	c.e.mu.RLock()
	for _, act := range c.e.activations {
		if used := act.used.Load(); used != 0 && used <= before {
			list = append(list, act)
		}
	}
	c.e.mu.RUnlock()
	slices.SortFunc(list, func(a, b *Activation) int { return strings.Compare(string(a.addr), string(b.addr)) })
	return list
}

// Sleep puts an activation to sleep that has had no turn for a while and has
// nothing to do. It holds no mail, no fleeting timer and no turn that waits for its
// commit, waits for no fleeting call, and is healthy: what it knows is in the store.
// Durable timers and answers wake it like mail. Its next message makes another
// activation, which begins with Started, as after a restart.
//
// It is called like Step. When it reports true, the driver lets go of the
// activation.
func (c Control) Sleep(act *Activation, idle time.Duration) bool {
	if len(act.fleeting) > 0 || c.e.clock.Now().UnixNano()-act.used.Load() < int64(idle) {
		return false
	}
	// A turn that is being released may still send and set timers.
	if !act.release.TryLock() {
		return false
	}
	defer act.release.Unlock()
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	act.mu.Lock()
	defer act.mu.Unlock()
	// Calls begin in a release only, and answers come before they are counted out.
	if act.pinned || act.kind.Source || act.budget.unhealthy || act.unread != nil || act.rows.told.Load() ||
		act.asking.Load() > 0 {
		return false
	}
	if act.state != running || len(act.pending) > 0 || !act.box.close() || !act.becomeAsleep() {
		return false
	}
	act.actor = nil
	c.e.remove(act.addr)
	c.e.slept[act.addr.Kind()] += act.turns
	return true
}

// remove forgets an activation. A map keeps the room of what was in it, and so does its
// clone: once most is gone another one takes its place. The caller holds e.mu.
func (e *Engine) remove(a messages.Address) {
	delete(e.activations, a)
	if n := len(e.activations); n < e.most/4 {
		e.activations, e.most = maps.Collect(maps.All(e.activations)), n
	}
}

// Slept counts the turns of the actors that sleep now, by kind, since the process
// started.
func (e *Engine) Slept() map[string]uint64 {
	e.mu.RLock()
	defer e.mu.RUnlock()
	turns := make(map[string]uint64, len(e.slept))
	for kind, n := range e.slept {
		turns[kind] = n
	}
	return turns
}
