package structure

import (
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/backoff"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the kind of the actor and of its worker; the actor's key is the
// window.
const Kind = messages.ActorStructure

// Options of a structure poller.
type Options struct {
	Interval time.Duration // from the start of one poll to the next
	Deadline time.Duration // of a count
	Backoff  time.Duration // longest pause while counts fail
}

// New makes the constructor of structure pollers.
func New(o Options) func(messages.Address) actors.Actor {
	return func(self messages.Address) actors.Actor {
		return &actor{o: o, window: messages.WindowID(self.Key())}
	}
}

// actor polls one window. Everything it knows dies with it.
type actor struct {
	o      Options
	window messages.WindowID

	call     string // id of the count under way; "" means none
	began    time.Time
	failures int // in a row
	state    *string

	known bool      // whether there was a count
	rows  int       // the last count
	at    time.Time // of the last count
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
		a.poll(turn)
	case messages.StructureDue:
		a.due(turn)
	case messages.RowsCounted:
		a.counted(turn, m)
	case messages.CallFailed:
		a.failed(turn, m)
	default:
		return fmt.Errorf("structure: unexpected %s", msg.MessageType())
	}
	return nil
}

func (a *actor) poll(turn *actors.Turn) {
	a.call = turn.Call(Kind, messages.CountRows{Window: a.window}, actors.CallOptions{Deadline: a.o.Deadline})
	a.began = turn.Now()
	turn.After("poll", a.o.Interval, messages.StructureDue{})
}

func (a *actor) due(turn *actors.Turn) {
	// The engine answers every call, but a flooded mailbox may lose the answer.
	if a.call != "" && turn.Now().Sub(a.began) <= 2*a.o.Deadline {
		turn.Drop(events.StageStructure, events.RuleCountBusy, events.Detail{})
		turn.After("poll", a.o.Interval, messages.StructureDue{})
		return
	}
	a.poll(turn)
}

func (a *actor) counted(turn *actors.Turn, m messages.RowsCounted) {
	if turn.Cause().Call != a.call {
		return
	}
	a.call, a.failures = "", 0
	a.report(turn, "", "")
	if a.known {
		turn.Send(messages.To(messages.ActorFusion, string(a.window)), messages.StructureSignal{
			Window: a.window, Rows: m.Rows, Delta: m.Rows - a.rows, Names: m.Names, Since: a.at, At: m.At,
		})
	}
	a.known, a.rows, a.at = true, m.Rows, m.At
}

func (a *actor) failed(turn *actors.Turn, m messages.CallFailed) {
	if m.Call != a.call {
		return
	}
	a.call = ""
	a.failures++
	code := m.Reason()
	if code == hardware.Code(hardware.ErrWindowGone) {
		a.known = false // the next window has a list of its own
	}
	a.report(turn, code, m.Detail)
	turn.After("poll", backoff.Delay(a.o.Interval, a.o.Backoff, a.failures), messages.StructureDue{})
}

// report publishes when the rows can no longer be counted, or can again.
func (a *actor) report(turn *actors.Turn, code, detail string) {
	if a.state != nil && *a.state == code {
		return
	}
	a.state = &code
	turn.Publish(events.StructureState{Window: a.window, Code: code, Detail: detail, At: turn.Now()})
}
