package engine

import (
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// perform carries out what a turn wants, with what it has committed; nil: nothing.
func (e *Engine) perform(t *effect, w *changes) {
	var mail []storedMail
	var logged []storedEvent
	if w != nil {
		mail, logged = w.mail, w.events
		if d := w.dead; d != nil {
			e.report(events.MessageQuarantined{
				Actor: t.act.addr, ID: w.shard.deadLetterID(d.seq), Type: d.typeName, Reason: d.record.Error,
				At: d.record.At,
			})
		}
	}
	if t.out == nil {
		return
	}
	e.announce(t, logged)
	for _, timer := range t.out.Timers {
		e.performTimer(t, timer)
	}
	for i, s := range t.out.Sends {
		if len(mail) > 0 && mail[0].index == i {
			e.deliverStored(&mail[0])
			mail = mail[1:]
			continue
		}
		e.deliver(&Envelope{
			ID: e.fleetingID(), From: t.act.addr, To: s.To, Trace: t.cause.Trace, At: t.cause.Now, Message: s.Message,
		})
	}
	for _, call := range t.out.Calls {
		if call.Cancel {
			e.cancelCall(t.act, call.ID)
		} else {
			e.performCall(t, call)
		}
	}
}

// announce tells the listeners the verdicts and events of a turn. It comes before
// the deliveries, so that a listener hears of a cause before any effect.
func (e *Engine) announce(t *effect, logged []storedEvent) {
	for _, v := range t.out.Verdicts {
		e.listener(Published{Trace: v.Trace, At: v.At, Message: verdictEvent(v)})
	}
	for i, ev := range t.out.Events {
		p := Published{From: t.act.addr, Trace: t.cause.Trace, At: t.cause.Now, Message: ev}
		if len(logged) > 0 && logged[0].index == i {
			p.Seq = logged[0].seq
			logged = logged[1:]
		}
		e.listener(p)
	}
}

// verdictEvent is what listeners get of a verdict.
func verdictEvent(v events.Verdict) messages.Message {
	if v.Passed() {
		return events.Passed{Verdict: v}
	}
	return events.Dropped{Verdict: v}
}

// noActor reports mail for an unknown kind. Durable mail waits in the store.
func (e *Engine) noActor(stage events.Stage, to messages.Address, cause string) {
	e.drop(stage, events.RuleNoActor, to, cause)
}

// drop reports that a message or a request does not reach its receiver.
func (e *Engine) drop(stage events.Stage, rule events.Rule, to messages.Address, cause string) {
	e.report(events.Dropped{Verdict: events.Verdict{
		Actor: to, Stage: stage, Outcome: events.OutcomeDropped, Cause: cause, At: e.clock.Now(),
		Detail: events.Detail{Rule: rule},
	}})
}

func (e *Engine) deliverStored(m *storedMail) {
	if m.seq == 0 { // it crosses over, and its receiver is told when it has come
		return
	}
	env := &m.env
	env.seq = m.seq
	env.ID = e.shardOf(env.To).mailID(m.seq)
	if env.receipt = unsafeString(m.key); m.key == nil {
		env.receipt = inboxKey(env.To, m.seq)
	}
	e.deliver(env)
}

// deliver puts an envelope into its receiver's mailbox, making the receiver
// live if need be.
func (e *Engine) deliver(env *Envelope) {
	if e.divert != nil && e.divert(*env) {
		return
	}
	if !env.Durable() && e.passOn(env) || !e.mine(env.To) {
		return // its owner finds what is durable in the store
	}
	found := e.reach(env.To, func(act *Activation) bool {
		lost, ok := act.box.push(env)
		if lost != nil {
			if lost.job != nil {
				e.asks.end(lost.job)
			}
			e.report(events.MessageOverflowed{
				Actor: act.addr, Type: lost.Message.MessageType(), Policy: string(act.box.overflow), At: e.clock.Now(),
			})
		}
		return ok
	})
	if !found {
		e.noActor(events.StageDeliver, env.To, env.ID)
	}
}

// reach does something to the mailbox of an actor and wakes it. If it returns false, the
// actor has gone to sleep and is replaced.
func (e *Engine) reach(to messages.Address, do func(*Activation) bool) (found bool) {
	for {
		act := e.activation(to)
		if act == nil {
			return false
		}
		if do(act) {
			e.driver.Wake(act)
			return true
		}
	}
}

func fleetingTimer(a messages.Address, key string) string { return "f" + ofActor(keyTimer, a, key) }

func (e *Engine) performTimer(t *effect, timer actors.Timer) {
	stored := ofActor(keyTimer, t.act.addr, timer.Key)
	if timer.Cancel {
		e.timers.cancel(stored)
		e.timers.cancel(fleetingTimer(t.act.addr, timer.Key))
		return
	}
	env := Envelope{
		ID: timer.Gen, To: t.act.addr, Trace: t.cause.Trace, At: t.cause.Now, Message: timer.Message,
		timer: timer.Key, gen: timer.Gen,
	}
	if e.isDurable(timer.Message) {
		e.timers.cancel(fleetingTimer(t.act.addr, timer.Key))
		env.receipt = stored
		e.armDurable(env, t.cause.Now.Add(timer.After))
		return
	}
	e.timers.cancel(stored)
	// It starts a trace with its own id: a timer that sets itself again does not continue
	// one chain of causes for ever.
	env.ID, env.Trace, env.incarnation = e.fleetingID(), "", t.incarnation
	e.timers.arm(fleetingTimer(t.act.addr, timer.Key), t.cause.Now.Add(timer.After), false, func() { e.deliver(&env) })
}

func (e *Engine) armDurable(env Envelope, due time.Time) {
	if !e.mine(env.To) {
		return
	}
	e.timers.arm(env.receipt, due, true, func() { e.deliver(&env) })
}
