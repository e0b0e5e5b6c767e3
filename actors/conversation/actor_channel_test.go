package conversation_test

import (
	"fmt"
	"testing"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// guest writes the nth message on the web, and the owner's state follows if it is
// asked for.
func (k talk) guest(n int, text messages.Text) {
	k.t.Helper()
	k.Send(messages.Say{Conversation: hana, Channel: messages.ChannelWeb,
		ID: messages.MessageID(fmt.Sprintf("w%d", n)), Text: text, At: k.Now()})
	k.owner()
}

// owner tells the state of the owner if that was asked for, and nothing of the
// conversation may have gone to a window or a judge.
func (k talk) owner() {
	k.t.Helper()
	for _, s := range k.Sent() {
		switch m := s.Message.(type) {
		case messages.FollowOwner:
			if m.On {
				k.Send(messages.OwnerState{})
			}
		default:
			k.t.Errorf("%T went to %s, want nothing to leave the conversation", m, s.To)
		}
	}
}

// asked is the question to the model that was asked last, or fails.
func (k talk) asked() *messages.AskLLM {
	k.t.Helper()
	for _, c := range k.Calls() {
		if ask, ok := c.Request.(messages.AskLLM); ok {
			return &ask
		}
	}
	k.t.Fatal("no model was asked")
	return nil
}

// ours are the texts of our side, in order.
func (k talk) ours() (list []string) {
	for n := int64(1); ; n++ {
		o, ok := actortest.Stored(k.Harness, conversation.OwnMessages, conversation.RowKey(n))
		if !ok {
			return list
		}
		list = append(list, fmt.Sprintf("%d %s", o.Occurrence, string(o.Text)))
	}
}

// TestAChannelIsAnswered without a judge and a window, once, with a crash behind each
// step.
func TestAChannelIsAnswered(t *testing.T) {
	k := newTalk(t, options(auto()))
	k.CrashBeforeCommit()
	k.guest(1, "when do we meet?")
	k.asked()
	k.Crash() // the question to the model is lost
	k.Send(messages.OwnerState{})
	ask := k.asked()
	k.guest(2, "and where?") // while the reply is written: it is for the next turn
	k.CrashBeforeCommit()    // what the model wrote is lost
	k.writes(ask, "At nine.")
	k.Send(messages.OwnerState{})
	k.writes(k.asked(), "At nine.")
	k.Crash()
	k.Send(messages.OwnerState{})
	k.writes(k.asked(), "At the station.")
	if got, want := fmt.Sprint(k.ours()), "[3 At nine. 4 At the station.]"; got != want {
		t.Errorf("our side = %s, want %s", got, want)
	}
	k.wantState("")
	sent := 0
	for _, c := range k.changes() {
		if c.State == reply.Sent {
			sent++
			if c.Window != "web" || c.Occurrence == 0 {
				t.Errorf("sent %+v, want its channel and its place", c)
			}
		}
	}
	if sent != 2 {
		t.Errorf("%d replies were told to be sent, want 2", sent)
	}
	k.guest(2, "and where?") // the same again is no other message
	k.WantDropped(events.StageConversation, events.RuleRepeat, events.Detail{Message: "w2"})
	k.wantState("")
}

// TestAChannelWithoutAModel leaves the fixed text to the owner, as everywhere.
func TestAChannelWithoutAModel(t *testing.T) {
	k := newTalk(t, options(auto()))
	k.guest(1, "hello?")
	k.asked()
	k.FailCall(messages.FailureError, "no_model", "none")
	k.wantState(reply.Drafted)
	k.Crash()
	k.Send(messages.DraftCommand{Conversation: hana, Turn: 1, Epoch: 1, Do: messages.DraftApprove})
	if got := fmt.Sprint(k.ours()); got != "[2 "+theAck+"]" {
		t.Errorf("our side = %s, want the approved text", got)
	}
}

// TestAChannelWhileSendingIsPaused holds the reply until that is over.
func TestAChannelWhileSendingIsPaused(t *testing.T) {
	k := newTalk(t, options(auto()))
	k.guest(1, "hello?")
	ask := k.asked()
	k.Send(messages.OwnerState{Paused: true})
	k.writes(ask, "Hello.")
	k.wantState(reply.Held)
	k.Crash()
	k.Send(messages.OwnerState{})
	if got := fmt.Sprint(k.ours()); got != "[2 Hello.]" {
		t.Errorf("our side = %s, want the reply that was held", got)
	}
}

// TestAForeignReplyWaits on a channel as in a window: whoever writes there cannot read it.
func TestAForeignReplyWaits(t *testing.T) {
	k := newTalk(t, options(auto()))
	k.guest(1, "明日は何時に会いますか")
	k.Crash()
	k.Send(messages.OwnerState{})
	k.writes(k.asked(), "Завтра в девять, у вокзала.")
	k.wantState(reply.Drafted)
	if list := k.ours(); len(list) > 0 {
		t.Errorf("we said %q, want nothing", list)
	}
}
