package reply

import (
	"slices"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

// TestWhatWaitedJoinsTheDraft: a message that came while a reply was sent is answered no
// later than one that comes after it.
func TestWhatWaitedJoinsTheDraft(t *testing.T) {
	var d Desk
	for _, e := range []Event{
		{Kind: OnMessage, Message: "m1"}, {Kind: OnVerdict, Turn: 1, Epoch: 1, Respond: true},
		{Kind: OnWrote, Turn: 1, Epoch: 1, Action: Send, Text: "a"}, {Kind: OnMessage, Message: "m2"},
		{Kind: OnNotSent, Turn: 1, Epoch: 2}, {Kind: OnMessage, Message: "m3"},
	} {
		var ok bool
		if d, _, ok = d.Step(e); !ok {
			t.Fatalf("%+v was refused, want it taken", e)
		}
	}
	if want := []messages.MessageID{"m1", "m2", "m3"}; !slices.Equal(d.Open.Messages, want) || len(d.Waiting) > 0 {
		t.Errorf("the turn answers %v, and %v wait; want %v in the turn", d.Open.Messages, d.Waiting, want)
	}
}
