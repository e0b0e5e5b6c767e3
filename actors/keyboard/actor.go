package keyboard

import (
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// Kind is the actor's kind; the key is the node.
const Kind = messages.ActorKeyboard

// Leases has the one row "lease".
var Leases = actors.NewTable[Lease]("lease")

// New makes a keyboard.
func New(messages.Address) actors.Actor { return actor{} }

type actor struct{}

// Receive implements [actors.Actor].
func (actor) Receive(turn *actors.Turn, msg messages.Message) error {
	l, _ := Leases.Get(turn, "lease")
	now := turn.Now().UTC().Round(0)
	var to messages.WindowID
	who := func(w messages.WindowID, asks string) messages.WindowID {
		if asks == "" { // a message of an older version
			asks = turn.Cause().From.Kind()
		}
		if asks == messages.ActorCatchUp {
			return catchUp + w
		}
		return w
	}
	switch m := msg.(type) {
	case messages.Started:
		return nil
	case messages.AskKeyboard:
		var given bool
		if l, given = l.Ask(who(m.Window, m.For), now); given {
			to = who(m.Window, m.For)
		}
	case messages.LeaveKeyboard:
		l, to = l.Leave(who(m.Window, m.For), now)
	case messages.KeyboardDue:
		l, to = l.Expire(now)
	default:
		return fmt.Errorf("keyboard: unexpected %s", msg.MessageType())
	}
	Leases.Put(turn, "lease", l)
	if l.Window == "" {
		turn.Cancel("due")
		return nil
	}
	turn.After("due", l.Until.Sub(now), messages.KeyboardDue{})
	if w, ok := strings.CutPrefix(string(to), catchUp); ok {
		turn.Send(messages.To(messages.ActorCatchUp, w), messages.KeyboardGiven{Until: l.Until})
	} else if to != "" {
		turn.Send(messages.To(messages.ActorOutbound, string(to)), messages.KeyboardGiven{Until: l.Until})
	}
	return nil
}

// catchUp precedes a window whose holder scrolls in it, and does not type.
const catchUp = "catchup/"
