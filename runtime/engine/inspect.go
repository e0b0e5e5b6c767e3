package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// ActorInfo is what an observer can see of a live actor.
type ActorInfo struct {
	Address   messages.Address `json:"address"`
	Source    bool             `json:"source,omitempty"`
	Mailbox   int              `json:"mailbox"`        // messages in memory
	More      bool             `json:"more,omitempty"` // the store holds more
	Pending   int              `json:"pending"`        // turns that wait for their commit
	Turns     uint64           `json:"turns"`          // since the process started
	Restarts  int              `json:"restarts"`       // since the process started
	Healthy   bool             `json:"healthy"`
	LastError string           `json:"last_error,omitempty"`
	Stopped   bool             `json:"stopped,omitempty"`
}

// TimerInfo is an armed timer of an actor.
type TimerInfo struct {
	Actor   messages.Address `json:"actor"`
	Key     string           `json:"key"`
	Due     time.Time        `json:"due"`
	Durable bool             `json:"durable"`
}

// PoolInfo is what an observer can see of a worker pool.
type PoolInfo struct {
	Kind    string `json:"kind"`
	Size    int    `json:"size"`
	Waiting int    `json:"waiting"`
	Busy    int    `json:"busy"`
	Resting int    `json:"resting"` // between two attempts
}

// Actors describes the live actors, sorted by address.
func (e *Engine) Actors() []ActorInfo {
	var list []ActorInfo
	for _, act := range e.live() {
		n, more := act.box.depth()
		act.mu.Lock()
		info := ActorInfo{
			Address: act.addr, Source: act.kind.Source, Mailbox: n, More: more,
			Pending: len(act.pending), Turns: act.turns, Restarts: act.budget.restarts,
			Healthy: !act.budget.unhealthy && !act.blocked, LastError: act.budget.reason, Stopped: act.state == stopped,
		}
		if u := act.unread; u != nil && u.key != "" && info.Healthy {
			info.Healthy, info.LastError = false, u.reason()
		}
		act.mu.Unlock()
		list = append(list, info)
	}
	return list
}

// Busy lists the actors whose code runs now, sorted.
func (e *Engine) Busy() (list []messages.Address) {
	for _, act := range e.live() {
		if act.busy.Load() != 0 {
			list = append(list, act.addr)
		}
	}
	return list
}

// blockedAfter is how long the turn of an actor may take until it is trouble.
const blockedAfter = 30 * time.Second

// Blocked reports each turn that takes longer than it should, once. It must have been under
// way when Blocked was last called: a machine that slept ran no turn. A later turn that ends
// well reports that the actor works again.
func (c Control) Blocked() {
	now := c.e.clock.Now()
	for _, act := range c.e.live() {
		act.mu.Lock()
		busy := act.busy.Load()
		blocked := busy != 0 && busy == act.seen && !act.blocked && now.UnixNano()-busy >= int64(blockedAfter)
		act.seen, act.blocked = busy, act.blocked || blocked
		act.mu.Unlock()
		if blocked {
			c.e.report(events.ActorUnhealthy{Actor: act.addr, Blocked: true,
				Reason: "a turn has not ended for " + blockedAfter.String(), At: now})
		}
	}
}

// Pools describes the worker pools, sorted by kind.
func (e *Engine) Pools() []PoolInfo {
	var list []PoolInfo
	for _, p := range e.pools {
		p.mu.Lock()
		list = append(list, PoolInfo{
			Kind: p.kind.Name, Size: p.kind.Size, Waiting: len(p.queue), Busy: p.busy, Resting: p.resting,
		})
		p.mu.Unlock()
	}
	slices.SortFunc(list, func(a, b PoolInfo) int { return strings.Compare(a.Kind, b.Kind) })
	return list
}

// Timers lists the armed timers of actors, sorted by actor and key.
func (e *Engine) Timers() []TimerInfo {
	e.timers.mu.Lock()
	defer e.timers.mu.Unlock()
	var list []TimerInfo
	for key, t := range e.timers.byKey {
		actor, name, ok := splitKey(keyTimer, strings.TrimPrefix(key, "f"))
		if !strings.HasPrefix(key, keyTimer) && !strings.HasPrefix(key, "f"+keyTimer) || !ok {
			continue
		}
		list = append(list, TimerInfo{Actor: actor, Key: name, Due: t.due, Durable: t.durable})
	}
	slices.SortFunc(list, func(a, b TimerInfo) int {
		return cmp.Or(strings.Compare(string(a.Actor), string(b.Actor)), strings.Compare(a.Key, b.Key))
	})
	return list
}

// Left counts what is still under way.
type Left struct {
	Mail    int `json:"mail"`    // messages in mailboxes of actors that are not stopped, and mailboxes to read again
	Turns   int `json:"turns"`   // turns that run, and those that wait for their commit
	Calls   int `json:"calls"`   // waiting, under way or between attempts
	Timers  int `json:"timers"`  // durable timers due within the horizon
	Writing int `json:"writing"` // handed to the committer
}

// None reports whether nothing is under way.
func (l Left) None() bool { return l == Left{} }

// Left counts what is under way now, and the durable timers due within horizon
// from now.
func (e *Engine) Left(horizon time.Duration) Left {
	l := Left{Writing: e.committer.waiting(), Timers: e.timers.durableBefore(e.clock.Now().Add(horizon))}
	for _, act := range e.live() {
		n, more := act.box.depth()
		if more {
			n++
		}
		act.mu.Lock()
		if act.state == stale {
			n++ // what the restart will find in the store
		}
		if act.state == stopped {
			n = 0
		}
		l.Mail += n
		l.Turns += len(act.pending)
		if act.busy.Load() != 0 {
			l.Turns++
		}
		act.mu.Unlock()
	}
	for _, p := range e.Pools() {
		l.Calls += p.Waiting + p.Busy + p.Resting
	}
	return l
}
