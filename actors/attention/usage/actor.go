package usage

import (
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// WorkerKind is the kind of the workers that the actor asks. Its own key is the desk.
const WorkerKind = messages.WorkerUsage

// Options of the actor. Start with [DefaultOptions].
type Options struct {
	Read     time.Duration // from one reading to the next
	Snapshot time.Duration // from one snapshot to the next
}

// DefaultOptions read every 5 s and send a snapshot every 30 s.
func DefaultOptions() Options { return Options{Read: 5 * time.Second, Snapshot: 30 * time.Second} }

// New makes the constructor.
func New(o Options) func(messages.Address) actors.Actor {
	return func(self messages.Address) actors.Actor {
		return &actor{o: o, to: messages.To(messages.ActorFocus, self.Key())}
	}
}

type actor struct {
	o  Options
	to messages.Address

	window Window
	call   string // pending, "" for none
	asked  time.Time
	next   time.Time // when a snapshot is due
	wrong  string    // why readings fail, "" while they work
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
		a.ask(turn)
	case messages.UsageDue:
		a.ask(turn)
	case messages.UsageRead:
		a.read(turn, m)
	case messages.CallFailed:
		a.failed(turn, m)
	default:
		return fmt.Errorf("pcusage: unexpected %s", msg.MessageType())
	}
	return nil
}

// deadline bounds one reading. After lost, a pending call is given up.
const (
	deadline = 4 * time.Second
	lost     = 30 * time.Second
)

func (a *actor) ask(turn *actors.Turn) {
	turn.After("read", a.o.Read, messages.UsageDue{})
	if a.call != "" && turn.Now().Sub(a.asked) < lost {
		return
	}
	a.call = turn.Call(WorkerKind, messages.ReadUsage{}, actors.CallOptions{Deadline: deadline})
	a.asked = turn.Now()
}

// read sends a snapshot when one is due, and otherwise the time of the last key
// press.
func (a *actor) read(turn *actors.Turn, m messages.UsageRead) {
	if turn.Cause().Call != a.call {
		return
	}
	a.call, a.wrong = "", ""
	a.window.Add(turn.Now(), m)
	if !turn.Now().Before(a.next) || a.next.Sub(turn.Now()) > a.o.Snapshot {
		a.next = turn.Now().Add(a.o.Snapshot)
		turn.Send(a.to, a.window.Snapshot())
		return
	}
	if m.SinceKey.Known {
		turn.Send(a.to, messages.KeyRecency{LastKey: turn.Now().Add(-m.SinceKey.Value)})
	}
}

// failed reports each new reason once. Meanwhile the last snapshot becomes stale.
func (a *actor) failed(turn *actors.Turn, m messages.CallFailed) {
	if m.Call != a.call {
		return
	}
	a.call, a.next, a.window = "", time.Time{}, Window{}
	if reason := m.Reason(); reason != a.wrong {
		a.wrong = reason
		turn.Drop(events.StageUsage, events.RuleUnavailable, events.Detail{Code: reason, Note: m.Detail})
	}
	turn.After("read", a.o.Snapshot, messages.UsageDue{})
}
