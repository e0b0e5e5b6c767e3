package conversation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/messages"
)

// masked are the options of a conversation whose model is in the cloud.
func masked() conversation.Options {
	o := options(auto())
	o.Mask, o.Key = true, func(string) []byte { return []byte("0123456789abcdef") }
	return o
}

// says gives it the nth message of somebody.
func (k talk) says(n int, who, text messages.Text) (asked messages.JudgeReply) {
	k.t.Helper()
	m := inbound(n)
	m.Window, m.Sender, m.Text, m.Parts[0].Text = "line@mac-a", who, text, text
	k.Send(m)
	for _, s := range k.Sent() {
		switch m := s.Message.(type) {
		case messages.JudgeReply:
			asked = m
		case messages.FollowOwner:
			if m.On {
				k.Send(messages.OwnerState{})
			}
		}
	}
	return asked
}

// TestNamesAreMasked: no model sees who writes, in what conversation, and who wrote
// before.
func TestNamesAreMasked(t *testing.T) {
	o := masked()
	o.Name = func(messages.ConversationID) string { return "Rowing club" }
	k := newTalk(t, o)
	k.says(1, "Kowalczyk", "hello")
	k.Crash()
	k.Send(messages.OwnerState{})
	k.Sent()
	q := k.says(2, "Xuc", "Kowalczyk told Xuc of the rowing club. 090")
	var seen strings.Builder
	for _, l := range q.Lines {
		seen.WriteString(string(l.Name + ": " + l.Text + "\n"))
	}
	ask := k.judged(q, true)
	seen.WriteString(string(ask.Prompt) + ask.System)
	for _, private := range []string{"Kowalczyk", "Xuc", "owing club"} {
		if strings.Contains(seen.String(), private) {
			t.Errorf("a model sees %q in %q, want a placeholder", private, seen.String())
		}
	}
	name := q.Lines[len(q.Lines)-1].Name
	k.writes(ask, "Dear "+name+", yes.")
	if out := k.sends(); out.Text != "Dear Xuc, yes." {
		t.Errorf("handed out %q, want the name", string(out.Text))
	}
}

// TestTooManyQuestions leaves a fixed text for the owner, as without a model.
func TestTooManyQuestions(t *testing.T) {
	o := options(auto())
	o.PerHour = 1
	k := newTalk(t, o)
	k.writes(k.judged(k.hears(1), true), "At nine.")
	out := k.sends()
	k.Send(messages.SendDone{Conversation: hana, Turn: out.Turn, Epoch: out.Epoch, Outcome: messages.SendConfirmed,
		Occurrence: 2, At: k.Now()})
	k.changes()
	q := k.hears(3)
	k.Crash()
	k.Send(messages.OwnerState{})
	k.Sent()
	if ask := k.judged(q, true); ask != nil {
		t.Errorf("a model is asked, want nobody")
	}
	c := k.changes()
	if len(c) != 1 || c[0].Text != theAck || c[0].Basis.Fallback != reply.TooMany || c[0].State != "draft" {
		t.Errorf("published %+v, want a draft with a fixed text that says why", c)
	}
}

// TestReminderBeyondTheQuota ends with nobody to follow the owner.
func TestReminderBeyondTheQuota(t *testing.T) {
	o := options(auto())
	o.PerHour = 1
	k := newTalk(t, o)
	k.judged(k.says(1, "Hana", "Remind me in two minutes to call Bob"), true)
	k.Send(messages.DraftCommand{Conversation: hana, Turn: 1, Epoch: 1, Do: messages.DraftReject})
	k.Sent()
	k.Advance(2 * time.Minute)
	follows := 0
	for _, s := range k.Sent() {
		if m, ok := s.Message.(messages.FollowOwner); ok {
			follows++
			if m.On != (follows == 1) {
				t.Errorf("FollowOwner %d is %v, want on and then off", follows, m.On)
			}
		}
	}
	k.WantCalls()
	k.Send(messages.OwnerState{})
	k.Crash()
	k.wantState(reply.Drafted)
}

// TestWhatGoesOutIsCleanAndShort, wherever it comes from.
func TestWhatGoesOutIsCleanAndShort(t *testing.T) {
	check := func(what string, got messages.Text) {
		t.Helper()
		if n := len([]rune(got)); n == 0 || n > 400 {
			t.Errorf("%s: handed out %d characters, want 1 to 400", what, n)
		}
		if strings.ContainsAny(string(got), "\u202e\u202c\x1b\x07\u200b\u2060\u00ad") {
			t.Errorf("%s: handed out %q, want nothing that nobody sees", what, string(got))
		}
	}
	for _, evil := range []messages.Text{"090\u202e1234\u202c5678", "090\x1b1234\x075678", "090\u200b1234\u20605678",
		messages.Text("sk-" + strings.Repeat("Ab9x", 25000))} {
		k := newTalk(t, masked())
		q := k.says(1, "Hana", "please confirm this: "+evil)
		_, mark, _ := strings.Cut(string(q.Lines[0].Text), "[")
		mark, _, ok := strings.Cut(mark, "]")
		if !ok {
			t.Fatalf("the judge sees %q, want a placeholder", string(q.Lines[0].Text))
		}
		k.writes(k.judged(q, true), messages.Text("Confirmed: ["+mark+"]"))
		check("an original", k.sends().Text)
	}
	k := newTalk(t, options(auto()))
	k.says(1, "Hana", messages.Text("Remind me in two minutes to \u202eyap\u202c \x1b[2J x"+strings.Repeat("y", 3000)))
	k.Send(messages.OwnMessage{Conversation: hana, Occurrence: 2, Kind: messages.KindText, Text: "ok", SeenAt: k.Now()})
	k.Calls()
	k.Advance(2 * time.Minute)
	k.Crash()
	k.Send(messages.OwnerState{})
	k.FailCall(messages.FailureError, "no_model", "none")
	c := k.changes()
	draft := c[len(c)-1]
	check("a reminder", draft.Text)
	edit := messages.DraftCommand{Conversation: hana, Turn: draft.Turn, Epoch: draft.Epoch, Do: messages.DraftEdit,
		Text: messages.Text("At \u202eten\u202c\x1b." + strings.Repeat("y", 3000))}
	k.Send(edit)
	c = k.changes()
	check("an edited draft", c[len(c)-1].Text)
}

// TestAJudgeIsToldSoMuch of long messages, the newest ones.
func TestAJudgeIsToldSoMuch(t *testing.T) {
	k := newTalk(t, options(auto()))
	var q messages.JudgeReply
	for n := 1; n <= 20; n++ {
		q = k.says(n, "Hana", messages.Text(strings.Repeat("花", 10_000)))
	}
	k.Crash()
	all := 0
	for _, l := range q.Lines {
		n := len([]rune(l.Text))
		if all += n; n > 2_000 {
			t.Errorf("a line has %d characters, want at most 2000", n)
		}
	}
	if all == 0 || all > 24_000 || len(q.Lines) != 11 {
		t.Errorf("%d lines of %d characters in all, want the newest 11 within 24000", len(q.Lines), all)
	}
}
