package engine

import (
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

type timerWish = actors.Timer

// perform does what a committed turn wants.
func (e *Engine) perform(c *Cell, st *staged) {
	if st.dead != nil {
		e.report(events.MessageQuarantined{
			Actor: c.addr, ID: deadLetterID(st.deadSeq), Type: st.deadType, Reason: st.dead.Error, At: st.dead.At,
		})
	}
	if st.out == nil {
		return
	}
	e.tell(c, st)
	for _, t := range st.out.Timers {
		e.performTimer(c, st, t)
	}
	mail := st.mail
	for i, s := range st.out.Sends {
		if len(mail) > 0 && mail[0].index == i {
			e.deliverStored(mail[0])
			mail = mail[1:]
			continue
		}
		e.deliver(Envelope{
			ID: e.fleetingID(), From: c.addr, To: s.To, Trace: st.cause.Trace, At: st.cause.Now, Message: s.Message,
		})
	}
	for _, call := range st.out.Calls {
		e.performCall(c, st, call)
	}
}

// tell tells the listeners what a turn says. It comes before the deliveries, so
// that a listener hears of a cause before it hears of any effect.
func (e *Engine) tell(c *Cell, st *staged) {
	for _, v := range st.out.Verdicts {
		e.listener(Published{Trace: v.Trace, At: v.At, Message: told(v)})
	}
	logged := st.events
	for i, ev := range st.out.Events {
		p := Published{From: c.addr, Trace: st.cause.Trace, At: st.cause.Now, Message: ev}
		if len(logged) > 0 && logged[0].index == i {
			p.Seq = logged[0].seq
			logged = logged[1:]
		}
		e.listener(p)
	}
}

// told is the event of a verdict.
func told(v events.Verdict) messages.Message {
	if v.Passed() {
		return events.Passed{Verdict: v}
	}
	return events.Dropped{Verdict: v}
}

// noActor reports mail for a kind that is not in this runtime. Durable mail waits
// in the store.
func (e *Engine) noActor(stage events.Stage, to messages.Address, cause string) {
	e.report(events.Dropped{Verdict: events.Verdict{
		Actor: to, Stage: stage, Outcome: events.OutcomeDropped, Cause: cause, At: e.clock.Now(),
		Reason: fmt.Sprintf("no actor kind %q in this runtime; durable mail waits in the store", to.Kind()),
		Detail: events.Detail{Rule: events.RuleNoActor},
	}})
}

// deliverMail delivers what a host injected.
func (e *Engine) deliverMail(st *staged) {
	for _, m := range st.mail {
		e.deliverStored(m)
	}
}

func (e *Engine) deliverStored(m stagedMail) {
	env := m.env
	env.seq = m.seq
	env.ID = fmt.Sprintf("m%d", m.seq)
	env.receipt = inboxKey(m.to, m.seq)
	e.deliver(env)
}

// deliver puts an envelope into its receiver's mailbox, making the receiver
// live if need be.
func (e *Engine) deliver(env Envelope) {
	if e.divert(env) {
		return
	}
	c := e.cell(env.To)
	if c == nil {
		e.noActor(events.StageDeliver, env.To, env.ID)
		return
	}
	if lost := c.box.push(env); lost != nil {
		e.report(events.MessageOverflowed{
			Actor: c.addr, Type: lost.Message.MessageType(), Policy: string(c.box.overflow), At: e.clock.Now(),
		})
	}
	e.driver.Wake(c)
}

func fleetingTimer(a messages.Address, key string) string { return "f" + ofActor(keyTimer, a, key) }

func (e *Engine) performTimer(c *Cell, st *staged, t timerWish) {
	stored := ofActor(keyTimer, c.addr, t.Key)
	if t.Cancel {
		e.timers.cancel(stored)
		e.timers.cancel(fleetingTimer(c.addr, t.Key))
		return
	}
	env := Envelope{
		ID: t.Gen, To: c.addr, Trace: st.cause.Trace, At: st.cause.Now, Message: t.Message, timer: t.Key, gen: t.Gen,
	}
	if e.durable(t.Message) {
		e.timers.cancel(fleetingTimer(c.addr, t.Key))
		env.receipt = stored
		e.armDurable(env, st.cause.Now.Add(t.After))
		return
	}
	e.timers.cancel(stored)
	// It begins a trace of its own, and has an id of its own: a timer that sets
	// itself again is no one chain of causes.
	env.ID, env.Trace, env.inc = e.fleetingID(), "", st.inc
	e.timers.arm(fleetingTimer(c.addr, t.Key), st.cause.Now.Add(t.After), false, func() { e.deliver(env) })
}

func (e *Engine) armDurable(env Envelope, due time.Time) {
	e.timers.arm(env.receipt, due, true, func() { e.deliver(env) })
}
