package conversation_test

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// A conversation asks what the owner allows, and the machine that was asked is lost with its disk before it tells. On
// another machine it asks the owner there: else its replies would be held for ever.
func TestAsksTheOwnerOfTheMachineToWhichItMoves(t *testing.T) {
	o := options(auto())
	h := actortest.Spawn(t, func(self messages.Address) actors.Actor { return conversation.New(o)(self) },
		actortest.Address("conversation/line:Hana"))
	k := talk{t, h}
	say := messages.Say{Conversation: hana, Channel: messages.ChannelWeb, ID: "w1", Text: "When?", At: k.Now()}
	k.Send(say)
	asks := func(of messages.Address, on bool) actortest.Sent {
		return actortest.To(of, messages.FollowOwner{Conversation: hana, On: on})
	}
	k.WantSent(asks("owner/mac-a", true))
	k.writes(k.asked(), "At three")
	k.wantState(reply.Held) // as long as nobody has said what the owner allows

	o.Owner = "owner/mac-b"
	k.Crash()
	k.Start()
	k.WantSent(asks("owner/mac-a", false), asks("owner/mac-b", true))
	k.SendFrom("owner/mac-a", messages.OwnerState{Paused: true}) // what is left of the one before
	k.wantState(reply.Held)
	k.SendFrom("owner/mac-b", messages.OwnerState{})
	k.wantState("")
	k.WantSent(asks("owner/mac-b", false))
	if ours := k.ours(); len(ours) != 1 || ours[0] != "2 At three" {
		t.Errorf("our side said %q, want the reply", ours)
	}
	say.ID = "w2"
	k.Send(say)
	k.WantSent(asks("owner/mac-b", true))
	k.Crash()
	k.Start()
	k.WantSent(asks("owner/mac-b", true)) // a new disk there knows nothing of the first time
	k.SendFrom("owner/mac-b", messages.OwnerState{})
	k.Crash()
	k.Start()
	k.WantSent()
}

// The machine that sends a reply is replaced by a new one. Nobody knows whether the reply was sent: it waits for a
// person, and the next message is answered.
func TestReplyLostWithItsMachine(t *testing.T) {
	for name, asks := range map[string]bool{"a message comes": true, "nothing comes": false} {
		disk := "old"
		o := options(auto())
		o.Overdue = func() time.Duration { return time.Hour }
		o.Disk = func(messages.WindowID) string { return disk }
		k := newTalk(t, o)
		k.writes(k.judged(k.hears(1), true), "Yes, at nine.")
		out := k.sends()
		k.Advance(10 * time.Minute)
		k.wantState(reply.Sending)
		disk = "new"
		if asks {
			q := k.hears(2)
			if q.Turn != out.Turn+1 {
				t.Fatalf("%s: it is judged as turn %d, want %d", name, q.Turn, out.Turn+1)
			}
			k.writes(k.judged(q, true), "And at ten.")
			k.sends()
		} else {
			k.Advance(time.Minute)
			k.wantState("")
		}
		desk, _ := actortest.Stored(k.Harness, conversation.Desks, conversation.DeskKey)
		if len(desk.Unknown) != 1 || desk.Unknown[0].ID != out.Turn {
			t.Errorf("%s: %+v, want that the first reply waits for a person", name, desk)
		}
		k.Advance(58 * time.Minute)
		if asks {
			k.wantState(reply.Sending) // its own time has not come
		}
	}
}
