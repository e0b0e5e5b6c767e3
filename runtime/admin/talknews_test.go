package admin

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// TestWhatWasShownIsVoid: the token that clears what was shown of a reply stays, so that
// whoever asks later is told too, until the message takes its place.
func TestWhatWasShownIsVoid(t *testing.T) {
	begun := messages.ReplyWriting{Conversation: "c-1", Turn: 7, Epoch: 2, Text: "At nine"}
	cleared := messages.ReplyWriting{Conversation: "c-1", Turn: 7, Epoch: 2, Done: true}
	is := func(turn int64, s messages.ReplyState) messages.Message {
		return messages.ReplyChanged{Conversation: "c-1", Turn: turn, Epoch: 2, State: s}
	}
	var another messages.MessageDelivered
	another.Conversation = "c-1"
	shown := control.Token{Turn: 7, Epoch: 2, Content: "At nine"}
	void := control.Token{Turn: 7, Epoch: 2, Done: true}
	for name, c := range map[string]struct {
		after []messages.Message
		want  *control.Token
	}{
		"cleared":                  {[]messages.Message{cleared}, &void},
		"cleared, then a draft":    {[]messages.Message{cleared, is(7, messages.ReplyDrafted)}, &void},
		"a draft":                  {[]messages.Message{is(7, messages.ReplyDrafted)}, &void},
		"held":                     {[]messages.Message{is(7, messages.ReplyHeld)}, &void},
		"withdrawn":                {[]messages.Message{is(7, messages.ReplyWithdrawn)}, &void},
		"rejected":                 {[]messages.Message{is(7, messages.ReplyRejected)}, &void},
		"being sent":               {[]messages.Message{is(7, messages.ReplySending)}, &shown},
		"sent":                     {[]messages.Message{is(7, messages.ReplySending), is(7, messages.ReplySent)}, nil},
		"an older turn is a draft": {[]messages.Message{is(6, messages.ReplyDrafted)}, &shown},
		"an older turn is sent":    {[]messages.Message{is(6, messages.ReplySent)}, &shown},
		"another message":          {[]messages.Message{another}, &shown},
	} {
		talks := NewTalks()
		defer talks.join("c-1")()
		for n, m := range append([]messages.Message{begun}, c.after...) {
			talks.Listen(engine.Published{Seq: uint64(n + 1), Message: m})
		}
		got, _ := talks.look("c-1")
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: the token is %+v, want %+v", name, got, c.want)
		}
	}
	talks := NewTalks()
	defer talks.join("c-1")()
	talks.Listen(engine.Published{Message: begun})
	talks.forget("c-1")
	if got, _ := talks.look("c-1"); got == nil || *got != void {
		t.Errorf("once it is forgotten the token is %+v, want %+v", got, void)
	}
}

// TestManyIdleTalks: what is kept of conversations in which nobody waits and nothing is written is bounded.
func TestManyIdleTalks(t *testing.T) {
	talks := NewTalks()
	for n := range 3 * mostIdle {
		c := messages.ConversationID(rune('a' + n))
		talks.Listen(engine.Published{Message: messages.ReplyWriting{Conversation: c, Turn: 1, Epoch: 1, Text: "a"}})
		talks.Listen(engine.Published{Message: messages.ReplyWriting{Conversation: c, Turn: 1, Epoch: 1, Done: true}})
	}
	if n := len(talks.talks); n > mostIdle+1 {
		t.Errorf("%d conversations are kept, want %d at most", n, mostIdle+1)
	}
}
