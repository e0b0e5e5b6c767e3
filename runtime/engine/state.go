package engine

import "errors"

// state is where an activation stands. It moves
//
//	from starting             to running  when Started was handled
//	from starting or running  to failed   when a turn failed
//	from all of these         to stale    when a commit failed or a step crashed
//	from all of these         to starting by Restart
//	from all of these         to frozen   while Forget deletes what it knows
//	from frozen               to stale    when Forget is done
//	from running              to asleep   when it has nothing to do, which is the end
//	from any                  to asleep   when another node owns it, which is the end
//	from any                  to stopped  in an ordered stop, which is the end
type state int

const (
	starting state = iota // the next step sends Started
	running
	failed  // a turn failed: the driver restarts it after its delay
	stale   // memory may differ from the store: steps fail until a restart, which reads the inbox again
	frozen  // what it knows is being deleted: it takes no step
	asleep  // put to sleep: the next message makes another activation
	stopped // an ordered stop: it never takes a step again
)

// errForgotten makes an activation stale whose rows or mail were deleted.
var errForgotten = errors.New("engine: what it knew was deleted")

// errUnread makes an activation stale whose timers and calls the store did not give out: without them it would
// wait for ever. Those that need a key are [unread].
var errUnread = errors.New("engine: its timers and calls cannot be read")

// The methods below are these transitions. They refuse all others, because failed
// commits, deletions and stops come at any moment, in any order. The caller holds act.mu.

// becomeRunning notes that Started was handled.
func (act *Activation) becomeRunning() {
	if act.state == starting {
		act.state = running
	}
}

// becomeFailed notes that a turn left no trace.
func (act *Activation) becomeFailed() {
	if act.state == starting || act.state == running {
		act.state = failed
	}
}

// becomeStale records that memory may differ from the store.
func (act *Activation) becomeStale(why error) {
	if act.state != frozen && !act.ended() {
		act.state, act.why = stale, why
	}
}

// becomeStarting begins a new incarnation under a number that no other has. reread
// says that memory was stale.
func (act *Activation) becomeStarting(incarnation uint64) (reread bool) {
	act.incarnation = incarnation
	if act.state == frozen || act.ended() {
		return false
	}
	reread = act.state == stale
	act.state, act.why = starting, nil
	return reread
}

// becomeFrozen takes back what is under way and prevents the activation from stepping.
func (act *Activation) becomeFrozen() {
	act.takeBack()
	if !act.ended() {
		act.state, act.why = frozen, nil
	}
}

// becomeThawed ends becomeFrozen, and may be called without it.
func (act *Activation) becomeThawed() {
	act.takeBack()
	if act.state == frozen {
		act.state = failed
	}
	act.becomeStale(errForgotten)
}

// becomeAsleep reports false if it may have something to do.
func (act *Activation) becomeAsleep() bool {
	if act.state != running || len(act.pending) > 0 {
		return false
	}
	act.state = asleep
	return true
}

// becomeLost gives up an activation whose actor belongs to another node.
func (act *Activation) becomeLost() {
	act.takeBack()
	if !act.ended() {
		act.state, act.why = asleep, nil
	}
}

// ended reports whether it takes no step and becomes nothing else any more.
func (act *Activation) ended() bool { return act.state == asleep || act.state == stopped }

// becomeStopped reports false if it had ended before.
func (act *Activation) becomeStopped() bool {
	if act.ended() {
		return false
	}
	act.state, act.why = stopped, nil
	return true
}

// takeBack drops the turns that wait for their commit. The committer skips those in its
// queue, by their generation.
func (act *Activation) takeBack() {
	act.generation++
	act.view, act.pending, act.givenUp, act.uncommitted = nil, nil, nil, 0
}
