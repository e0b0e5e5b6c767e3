package stall

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// Kind is the actor's kind; the key is the node.
const Kind = messages.ActorStall

// Pending holds the tasks being watched, and Known those reported as final, both by
// trace.
var (
	Pending = actors.NewTable[Watch]("pending")
	Known   = actors.NewTable[Watch]("known")
)

// SubjectOf returns the conversation that a row is about.
func SubjectOf(_ string, value []byte) messages.ConversationID {
	w, err := Pending.Decode(value)
	if err != nil {
		return ""
	}
	return w.Conversation
}

// About reports whether a row is about a conversation. A row that cannot be read may be.
func About(c messages.ConversationID, row string, value []byte) bool {
	whose := SubjectOf(row, value)
	return whose == c || whose == ""
}

// New returns a constructor of watches.
func New(r Rules) func(messages.Address) actors.Actor {
	return func(messages.Address) actors.Actor { return actor{r} }
}

type actor struct{ rules Rules }

// Receive implements [actors.Actor].
func (a actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started: // its timers are durable
	case messages.TaskDone:
		a.done(turn, m)
	case messages.SendTried:
		a.tried(turn, m)
	case messages.StallDue:
		a.look(turn)
	default:
		return fmt.Errorf("stall: unexpected %s", msg.MessageType())
	}
	return nil
}

// done starts watching a task, unless it is known already.
func (a actor) done(turn *actors.Turn, m messages.TaskDone) {
	_, pending := Pending.Get(turn, m.Trace)
	if _, known := Known.Get(turn, m.Trace); m.Trace == "" || pending || known {
		return
	}
	Pending.Put(turn, m.Trace, a.rules.Begin(m.Conversation, now(turn)))
	a.arm(turn)
}

// tried notes how an attempt to send something ended.
func (a actor) tried(turn *actors.Turn, m messages.SendTried) {
	w, ok := Pending.Get(turn, m.Trace)
	switch {
	case m.Reason == "":
		a.sent(turn, m)
	case m.Reason == messages.SendStopped:
		a.end(turn, m.Trace, w, ok)
	case ok:
		w.Failure = m.Reason
		Pending.Put(turn, m.Trace, w)
	}
}

// sent ends the watch of the task that a text was about: the one with its trace, or else
// one near it.
func (a actor) sent(turn *actors.Turn, m messages.SendTried) {
	if w, ok := Pending.Get(turn, m.Trace); ok {
		a.end(turn, m.Trace, w, ok)
		return
	}
	if w, ok := Known.Get(turn, m.Trace); ok {
		if !w.Over {
			w.Over = true
			Known.Put(turn, m.Trace, w)
			a.tell(turn, m.Trace, w)
		}
		return
	}
	var trace string
	var near Watch
	pending := 0
	for t, w := range Pending.AllInReach(turn) { // what is out of reach is of others, whose text was not just read
		if w.Conversation == m.Conversation {
			trace, near = t, w
			pending++
		}
	}
	if a.rules.Near(near, pending, now(turn)) {
		a.end(turn, trace, near, true)
	}
}

// end stops watching a task.
func (a actor) end(turn *actors.Turn, trace string, w Watch, pending bool) {
	if !pending {
		return
	}
	Pending.Delete(turn, trace)
	if w.Reported != "" {
		w.Over = true
		a.tell(turn, trace, w)
	}
	a.arm(turn)
}

// look reports what has stalled.
func (a actor) look(turn *actors.Turn) {
	for trace, w := range watches(turn, Pending) {
		next, say := a.rules.Look(w, now(turn))
		if next == w {
			continue
		}
		if say == messages.StalledNoSend {
			Pending.Delete(turn, trace)
			a.remember(turn, trace, next)
		} else {
			Pending.Put(turn, trace, next)
		}
		if say != "" {
			a.tell(turn, trace, next)
		}
	}
	a.arm(turn)
}

// remember keeps a task that was reported as final, and drops the oldest ones if necessary. Those out of reach are
// counted once they are back.
func (a actor) remember(turn *actors.Turn, trace string, w Watch) {
	known, _ := Known.InReach(turn)
	list := slices.SortedFunc(maps.Keys(known), func(x, y string) int {
		return cmp.Or(known[x].At.Compare(known[y].At), strings.Compare(x, y))
	})
	for _, oldest := range list[:max(0, len(list)+1-a.rules.Traces)] {
		Known.Delete(turn, oldest)
	}
	Known.Put(turn, trace, w)
}

func (a actor) tell(turn *actors.Turn, trace string, w Watch) {
	turn.Publish(messages.SendStalled{
		Conversation: w.Conversation, Trace: trace, Reason: w.Reported, Final: w.Reported == messages.StalledNoSend,
		Over: w.Over, Since: w.Since, At: turn.Now(),
	})
}

// readAgain is how long after a look the tasks are looked at again that could not be read.
const readAgain = time.Minute

// arm sets the timer for the next task to look at. A task out of reach may be due.
func (a actor) arm(turn *actors.Turn) {
	var at time.Time
	if len(Pending.Away(turn)) > 0 {
		at = now(turn).Add(readAgain)
	}
	for _, w := range Pending.AllInReach(turn) {
		if at.IsZero() || w.Due.Before(at) {
			at = w.Due
		}
	}
	if at.IsZero() {
		turn.Cancel("due")
		return
	}
	turn.After("due", max(0, at.Sub(turn.Now())), messages.StallDue{})
}

func now(turn *actors.Turn) time.Time { return turn.Now().UTC().Round(0) }

// watches yields the current rows of a table that are in reach.
func watches(turn *actors.Turn, table actors.Table[Watch]) iter.Seq2[string, Watch] {
	type row struct {
		trace string
		watch Watch
	}
	var list []row
	for trace, w := range table.AllInReach(turn) {
		list = append(list, row{trace, w})
	}
	return func(yield func(string, Watch) bool) {
		for _, r := range list {
			if !yield(r.trace, r.watch) {
				return
			}
		}
	}
}
