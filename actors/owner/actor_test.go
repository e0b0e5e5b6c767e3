package owner_test

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/owner"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func spawn(t *testing.T, attends bool) *actortest.Harness {
	t.Helper()
	return actortest.Spawn(t, owner.New(owner.Options{Attends: attends}), actortest.Address("owner/mac-a"))
}

func told(c string, s messages.OwnerState) actortest.Sent {
	return actortest.To(messages.To("conversation", c), s)
}

func changed(to messages.Attention) messages.FocusChanged {
	return messages.FocusChanged{Desk: "mac-a", To: messages.FocusState{State: to}}
}

func TestTellsThoseWhoFollow(t *testing.T) {
	h := spawn(t, true)
	h.Send(messages.FollowOwner{Conversation: "c-1", On: true})
	h.WantSent(told("c-1", messages.OwnerState{Attention: messages.Unknown}))
	h.CrashBeforeCommit()
	h.Send(changed(messages.Away))
	h.Sent() // what a restart tells
	h.Send(messages.FollowOwner{Conversation: "c-2", On: true})
	h.WantSent(told("c-2", messages.OwnerState{Attention: messages.Away}))
	h.Send(changed(messages.Away))
	h.WantSent() // nothing changed
	h.Send(messages.PauseSending{})
	paused := messages.OwnerState{Attention: messages.Away, Paused: true}
	h.WantSent(told("c-1", paused), told("c-2", paused))
	h.Send(messages.FollowOwner{Conversation: "c-1"})
	h.Crash()
	h.Start()
	h.WantSent(told("c-2", paused))
	h.Advance(time.Hour)
	h.Send(messages.PauseSending{}) // it stays as it is
	h.WantSent()
	h.Send(messages.ResumeSending{})
	h.WantSent(told("c-2", messages.OwnerState{Attention: messages.Away}))
}

// TestTellsTheSenders: the senders hear of a pause, whoever follows.
func TestTellsTheSenders(t *testing.T) {
	h := actortest.Spawn(t, owner.New(owner.Options{Windows: []messages.WindowID{"line@mac-a"}}),
		actortest.Address("owner/mac-a"))
	h.CrashBeforeCommit()
	h.Send(messages.PauseSending{})
	h.Sent()
	h.Crash()
	h.Start()
	h.WantSent(actortest.To("outbound/line@mac-a", messages.OwnerState{Paused: true}))
	h.Send(messages.ResumeSending{})
	h.WantSent(actortest.To("outbound/line@mac-a", messages.OwnerState{}))
}

func TestAttentionThatIsOffDoesNotCount(t *testing.T) {
	h := spawn(t, false)
	h.Send(changed(messages.Away))
	h.Crash()
	h.Send(messages.FollowOwner{Conversation: "c-1", On: true})
	h.WantSent(told("c-1", messages.OwnerState{}))
}

// The key of one who follows is out of reach while the owner pauses, also at a start. Everybody else is told at once,
// and that one once the key is back, and only once.
func TestNobodyWaitsForTheKeyOfAnother(t *testing.T) {
	for name, crash := range map[string]bool{"running": false, "started": true} {
		keys := actortest.NewKeys()
		h := actortest.Spawn(t, owner.New(owner.Options{Windows: []messages.WindowID{"line@mac-a"}}),
			actortest.Address("owner/mac-a"), actortest.SealedFor(keys, owner.SubjectOf))
		for _, c := range []messages.ConversationID{"c-1", "c-2", "c-3"} {
			h.Send(messages.FollowOwner{Conversation: c, On: true})
		}
		h.Sent()
		keys.TakeAway("c-1", "c-2")
		paused, window := messages.OwnerState{Paused: true}, messages.Address("outbound/line@mac-a")
		h.Send(messages.PauseSending{})
		if h.WantSent(told("c-3", paused), actortest.To(window, paused)); crash {
			h.Crash()
			h.Start()
			h.WantSent(told("c-3", paused), actortest.To(window, paused))
		}
		h.Advance(time.Hour)
		h.WantSent()
		keys.GiveBack()
		h.Send(messages.FollowOwner{Conversation: "c-2"})
		h.Advance(time.Minute)
		if h.WantSent(told("c-1", paused)); t.Failed() {
			t.Fatalf("so it is %s", name)
		}
		h.Send(messages.ResumeSending{})
		h.WantSent(told("c-1", messages.OwnerState{}), told("c-3", messages.OwnerState{}),
			actortest.To(window, messages.OwnerState{}))
	}
}

func TestWhose(t *testing.T) {
	for row, want := range map[string]messages.ConversationID{
		"followers\x00c-1": "c-1", "state\x00state": "", "state\x00c-1": "",
	} {
		if got := owner.SubjectOf(row, nil); got != want {
			t.Errorf("SubjectOf(%q) = %q, want %q", row, got, want)
		}
	}
}
