package history

import (
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// Kind is the history's actor kind; the key is the desk.
const Kind = messages.ActorHistory

// Options of a history.
type Options struct {
	Keep time.Duration // how long changes are kept; 0 means for ever
}

// Changes are the rows of a history, see [actors.TimeKey].
var Changes = actors.NewTable[messages.FocusState]("changes")

// trimEvery is how long a row may outlive Options.Keep.
const trimEvery = time.Hour

// New makes the constructor of histories.
func New(o Options) func(messages.Address) actors.Actor {
	return func(messages.Address) actors.Actor { return actor{o} }
}

type actor struct{ o Options }

// Receive implements [actors.Actor].
func (a actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
		a.trim(turn)
	case messages.HistoryDue:
		a.trim(turn)
	case messages.FocusChanged:
		Changes.Put(turn, actors.TimeKey(m.To.At), m.To)
	default:
		return fmt.Errorf("focushistory: unexpected %s", msg.MessageType())
	}
	return nil
}

// trim deletes the changes before the kept time, except the last one of them: it
// says which state held when that time began.
func (a actor) trim(turn *actors.Turn) {
	if a.o.Keep <= 0 {
		return
	}
	turn.After("trim", trimEvery, messages.HistoryDue{})
	cut, held := turn.Now().Add(-a.o.Keep), ""
	for key, state := range Changes.All(turn) {
		if state.At.After(cut) {
			return
		}
		if held != "" {
			Changes.Delete(turn, held)
		}
		held = key
	}
}
