package conversation_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/judge"
	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

const hana messages.ConversationID = "line:Hana"

const theAck = "Thank you for your message. I have seen it and will get back to you."

// auto answers by itself in a listed conversation.
func auto() conversation.Settings {
	return conversation.Settings{
		Mode: reply.Assistant, Policy: reply.PolicyAuto, Listed: true, When: reply.DefaultAttention(),
		Limits: reply.DefaultLimits(), Persona: "Kehai", Tone: "polite_soft", Typist: true,
		Context: conversation.DefaultContext,
	}
}

func options(s conversation.Settings) conversation.Options {
	o := conversation.DefaultOptions()
	o.Settings = func(messages.ConversationID, messages.WindowID) conversation.Settings { return s }
	o.Owner = "owner/mac-a"
	return o
}

// talk is a conversation under test, and what it says to others.
type talk struct {
	t *testing.T
	*actortest.Harness
}

func newTalk(t *testing.T, o conversation.Options) talk {
	return talk{t, spawn(t, o)}
}

// hears gives it the nth message, and the owner's state if it asks for that.
func (k talk) hears(n int) messages.JudgeReply {
	k.t.Helper()
	m := inbound(n)
	m.Window = "line@mac-a"
	k.Send(m)
	var asked messages.JudgeReply
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

// judged gives it a judgement, and returns the question to the model, if there is one.
func (k talk) judged(q messages.JudgeReply, respond bool) *messages.AskLLM {
	k.t.Helper()
	k.Send(messages.ReplyJudged{Conversation: hana, Turn: q.Turn, Epoch: q.Epoch, Respond: respond, Confidence: .8,
		Reason: "a question", Source: "model"})
	for _, c := range k.Calls() {
		if ask, ok := c.Request.(messages.AskLLM); ok {
			return &ask
		}
	}
	return nil
}

// writes answers the question of a model.
func (k talk) writes(ask *messages.AskLLM, text messages.Text) {
	k.t.Helper()
	k.Answer(messages.LLMAnswer{Key: ask.Key, Text: text, Model: "test"})
}

// sends is the only reply that was handed out for sending, or fails.
func (k talk) sends() messages.SendReply {
	k.t.Helper()
	var list []messages.SendReply
	for _, s := range k.Sent() {
		if m, ok := s.Message.(messages.SendReply); ok {
			if s.To != "outbound/line@mac-a" {
				k.t.Errorf("the reply goes to %s, want outbound/line@mac-a", s.To)
			}
			list = append(list, m)
		}
	}
	if len(list) != 1 {
		k.t.Fatalf("%d replies were handed out, want 1", len(list))
	}
	return list[0]
}

// sendsNothing fails if a reply was handed out.
func (k talk) sendsNothing() {
	k.t.Helper()
	for _, s := range k.Sent() {
		if _, ok := s.Message.(messages.SendReply); ok {
			k.t.Fatalf("a reply was handed out, want none")
		}
	}
}

// state is that of the open turn, "" for none.
func (k talk) state() reply.State {
	desk, _ := actortest.Stored(k.Harness, conversation.Desks, conversation.DeskKey)
	if desk.Open == nil {
		return ""
	}
	return desk.Open.State
}

func (k talk) wantState(want reply.State) {
	k.t.Helper()
	if got := k.state(); got != want {
		k.t.Fatalf("the turn is %q, want %q", got, want)
	}
}

// changes are the events of replies that were published.
func (k talk) changes() (list []messages.ReplyChanged) {
	for _, m := range k.Published() {
		if c, ok := m.(messages.ReplyChanged); ok {
			list = append(list, c)
		}
	}
	return list
}

// TestAnswersOnce plays a message to its confirmed answer, with a crash behind each
// step.
func TestAnswersOnce(t *testing.T) {
	k := newTalk(t, options(auto()))
	q := k.hears(1)
	if q.Latest != "id1" || q.Group || len(q.Lines) != 1 || q.Lines[0].Text != "message 1" {
		t.Errorf("the judge is asked %+v, want about the only message", q)
	}
	k.Crash()
	k.Send(messages.OwnerState{}) // as owner does after a restart
	again := k.Sent()
	if len(again) != 1 || again[0].Message.(messages.JudgeReply).Turn != q.Turn {
		t.Fatalf("after a crash sent %v, want the same question", again)
	}
	ask := k.judged(q, true)
	if ask == nil || ask.Purpose != "reply" || !ask.Retry || !ask.Stream {
		t.Fatalf("a model is asked %+v, want for a reply", ask)
	}
	k.Crash()
	k.Send(messages.OwnerState{})
	calls := k.Calls()
	if len(calls) != 1 {
		t.Fatalf("after a crash %d calls, want the question once more", len(calls))
	}
	k.CrashBeforeCommit()
	k.writes(ask, "Yes, at nine.") // is fleeting, so the crash loses it
	k.Send(messages.OwnerState{})
	k.Calls()
	k.writes(ask, "Yes, at nine.")
	out := k.sends()
	if out.Text != "Yes, at nine." || out.Turn != q.Turn || out.Window != "line@mac-a" {
		t.Errorf("handed out %+v, want the reply of the model", out)
	}
	k.Crash()
	k.Send(messages.OwnerState{})
	k.sendsNothing()
	k.wantState(reply.Sending)
	done := messages.SendDone{Conversation: hana, Turn: out.Turn, Epoch: out.Epoch, Outcome: messages.SendConfirmed,
		Occurrence: 2, At: k.Now()}
	k.CrashBeforeCommit()
	k.Send(done)
	k.wantState("")
	k.WantNothingDropped()
	k.Send(done)
	k.WantDropped(events.StageConversation, events.RuleLate)
	var states []string
	for _, c := range k.changes() {
		states = append(states, string(c.State))
	}
	if got := strings.Join(states, " "); got != "sending sent" {
		t.Errorf("published the states %q, want sending and sent", got)
	}
	own, _ := actortest.Stored(k.Harness, conversation.OwnMessages, conversation.RowKey(1))
	if own.Text != "Yes, at nine." || own.Occurrence != 2 || own.Turn != q.Turn {
		t.Errorf("kept %+v, want the reply at place 2", own)
	}
	if q := k.hears(3); len(q.Lines) != 3 || !q.Lines[1].Own {
		t.Errorf("the next question has %+v, want both sides in order", q.Lines)
	}
}

// TestDraftsWhereNothingMayGoOut looks at a draft and what it rests on.
func TestDraftsWhereNothingMayGoOut(t *testing.T) {
	s := auto()
	s.Policy = reply.PolicyDraft
	k := newTalk(t, options(s))
	ask := k.judged(k.hears(1), true)
	k.writes(ask, "At nine.")
	k.sendsNothing()
	k.wantState(reply.Drafted)
	k.Crash()
	c := k.changes()
	if len(c) != 1 || c[0].State != "draft" || c[0].Text != "At nine." || c[0].Rule != "policy" ||
		c[0].Basis.Confidence != .8 || c[0].Basis.Model != "test" || c[0].Basis.Lines != 1 ||
		c[0].Answers[0] != "id1" {
		t.Fatalf("published %+v, want a draft and what it rests on", c)
	}
	edit := messages.DraftCommand{Conversation: hana, Turn: c[0].Turn, Epoch: c[0].Epoch, Do: messages.DraftEdit,
		Text: "At ten."}
	k.CrashBeforeCommit()
	k.Send(edit)
	approve := edit
	approve.Do, approve.Text = messages.DraftApprove, ""
	k.Send(approve)
	k.WantDropped(events.StageConversation, events.RuleLate) // of the text before
	k.sendsNothing()
	k.Crash()
	approve.Epoch++
	k.Send(approve)
	if out := k.sends(); out.Text != "At ten." {
		t.Errorf("handed out %q, want the edited draft", string(out.Text))
	}
	k.Send(approve)
	k.WantDropped(events.StageConversation, events.RuleLate)
	k.sendsNothing()
}

// TestOldApprovalIsRefused: a message that came since makes another draft.
func TestOldApprovalIsRefused(t *testing.T) {
	s := auto()
	s.Policy = reply.PolicyDraft
	k := newTalk(t, options(s))
	k.writes(k.judged(k.hears(1), true), "At nine.")
	seen := k.changes()[0]
	q := k.hears(3)
	if q.Turn != seen.Turn || q.Epoch == seen.Epoch {
		t.Fatalf("asked %+v, want the same turn anew", q)
	}
	k.Send(messages.DraftCommand{Conversation: hana, Turn: seen.Turn, Epoch: seen.Epoch, Do: messages.DraftApprove})
	k.WantDropped(events.StageConversation, events.RuleLate)
	k.writes(k.judged(q, true), "At nine, both of us.")
	k.Send(messages.DraftCommand{Conversation: hana, Turn: seen.Turn, Epoch: seen.Epoch, Do: messages.DraftApprove})
	k.WantDropped(events.StageConversation, events.RuleLate)
	k.Crash()
	k.sendsNothing()
	k.wantState(reply.Drafted)
}

// TestFixedText: without a model, and where it writes nothing that can be sent.
func TestFixedText(t *testing.T) {
	for name, fail := range map[string]func(talk, *messages.AskLLM){
		"no model": func(k talk, _ *messages.AskLLM) { k.FailCall(messages.FailureError, "no_model", "none") },
		"nothing":  func(k talk, q *messages.AskLLM) { k.writes(q, " \n") },
		"a page":   func(k talk, q *messages.AskLLM) { k.writes(q, "<!DOCTYPE html><html>Error</html>") },
		"the prompt": func(k talk, q *messages.AskLLM) {
			k.writes(q, messages.Text(q.System))
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, options(auto()))
			fail(k, k.judged(k.hears(1), true))
			k.sendsNothing()
			k.wantState(reply.Drafted)
			k.Crash()
			c := k.changes()
			if len(c) != 1 || c[0].Text != theAck || c[0].Rule != "no_model" || c[0].Basis.Fallback == "" {
				t.Errorf("published %+v, want the fixed text as a draft", c)
			}
		})
	}
}

// TestDrawnWindowGetsTheFixedText without a person.
func TestDrawnWindowGetsTheFixedText(t *testing.T) {
	s := auto()
	s.Drawn = true
	k := newTalk(t, options(s))
	k.judged(k.hears(1), true)
	k.FailCall(messages.FailureError, "no_model", "none")
	if out := k.sends(); out.Text != theAck {
		t.Errorf("handed out %q, want the fixed text", string(out.Text))
	}
}

// TestACommandIsNotCarriedOut: what an application might carry out waits for a person, who
// may send it as it stands.
func TestACommandIsNotCarriedOut(t *testing.T) {
	for _, text := range []messages.Text{"/leave", "集合です @channel"} {
		k := newTalk(t, options(auto()))
		k.writes(k.judged(k.hears(1), true), text)
		k.sendsNothing()
		k.Crash()
		c := k.changes()
		if len(c) != 1 || c[0].State != "draft" || c[0].Text != text || c[0].Rule != "command" {
			t.Fatalf("published %+v, want a draft that waits as a command", c)
		}
		k.Send(messages.DraftCommand{Conversation: hana, Turn: c[0].Turn, Epoch: c[0].Epoch, Do: messages.DraftApprove})
		if out := k.sends(); out.Text != text {
			t.Errorf("handed out %q, want it as it was approved", string(out.Text))
		}
	}
}

// TestPersonAnswers withdraws what waits; what they wrote before the message does not.
func TestPersonAnswers(t *testing.T) {
	s := auto()
	s.Policy = reply.PolicyDraft
	k := newTalk(t, options(s))
	k.writes(k.judged(k.hears(2), true), "At nine.")
	k.Sent()
	k.Send(messages.OwnMessage{Conversation: hana, Occurrence: 1, Kind: messages.KindText, Text: "hi",
		SeenAt: k.Now()})
	k.wantState(reply.Drafted)
	k.CrashBeforeCommit()
	k.Send(messages.OwnMessage{Conversation: hana, Occurrence: 3, Kind: messages.KindText, Text: "ten",
		SeenAt: k.Now()})
	k.wantState("")
	c := k.changes()
	if c[len(c)-1].State != "withdrawn" {
		t.Errorf("published %+v, want that the draft was withdrawn", c)
	}
	k.WantSent(actortest.To("judge/line:Hana", messages.ReplyFate{Conversation: hana, Fate: messages.FateForget}))
	if q := k.hears(1); q.Turn != 0 {
		t.Errorf("a message that comes late is judged: %+v, want that it counts as answered", q)
	}
}

// TestPersonAnswersNothingBelow: what they wrote, read late, answers what stands above it.
func TestPersonAnswersNothingBelow(t *testing.T) {
	k := newTalk(t, options(auto()))
	k.judged(k.hears(1), true) // a model writes
	k.hears(2)
	k.hears(5) // both wait for the next turn
	k.CrashBeforeCommit()
	k.Send(messages.OwnMessage{Conversation: hana, Occurrence: 3, Kind: messages.KindText, Text: "No, at ten.",
		SeenAt: k.Now()})
	k.Crash()
	desk, _ := actortest.Stored(k.Harness, conversation.Desks, conversation.DeskKey)
	if open := desk.Open; open == nil || !slices.Equal(open.Messages, []messages.MessageID{"id5"}) {
		t.Errorf("to be answered is %+v, want message 5 alone", desk.Open)
	}
}

// TestReplyAnswersItsTurnAlone: a message that came just before a reply was entered stands
// above it, but was not read when it was written; what a host wrote there has answered it.
func TestReplyAnswersItsTurnAlone(t *testing.T) {
	for name, c := range map[string]struct {
		own  messages.OwnMessage
		want bool
	}{
		"reply, its bubble first": {messages.OwnMessage{Trace: "t1", Turn: 1}, true},
		"reply, confirmed first":  {messages.OwnMessage{}, true},
		"reply, read late":        {messages.OwnMessage{Trace: "t1", Turn: 1}, false},
		"host":                    {messages.OwnMessage{Trace: "h1"}, false},
		"person":                  {messages.OwnMessage{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, options(auto()))
			k.writes(k.judged(k.hears(1), true), "At nine.")
			k.wantState(reply.Sending)
			if strings.HasPrefix(name, "reply, c") {
				k.Send(messages.SendDone{Conversation: hana, Turn: 1, Epoch: k.sends().Epoch,
					Outcome: messages.SendConfirmed, Occurrence: 3, At: k.Now()})
			} else {
				m := c.own
				m.Conversation, m.Occurrence, m.Kind, m.Text, m.SeenAt = hana, 3, messages.KindText, "At nine.", k.Now()
				k.Send(m)
			}
			k.Crash()
			m := inbound(2)
			m.Window, m.Parts[0].Late = "line@mac-a", strings.HasSuffix(name, "read late")
			k.Send(m)
			desk, _ := actortest.Stored(k.Harness, conversation.Desks, conversation.DeskKey)
			waits := len(desk.Waiting) == 1
			if open := desk.Open; open != nil && open.State == reply.Judging {
				waits = true
			}
			if waits != c.want {
				t.Errorf("it is to be answered: %v, want %v; the desk is %+v", waits, c.want, desk)
			}
		})
	}
}

// TestPauseHolds until the owner resumes, and then for a while only.
func TestPauseHolds(t *testing.T) {
	k := newTalk(t, options(auto()))
	k.Send(messages.OwnerState{Paused: true}) // nobody follows: it does not count
	ask := k.judged(k.hears(1), true)
	k.Send(messages.OwnerState{Paused: true})
	k.writes(ask, "At nine.")
	k.sendsNothing()
	k.wantState(reply.Held)
	k.Crash()
	k.Send(messages.OwnerState{Paused: true})
	k.sendsNothing()
	k.Send(messages.OwnerState{})
	if out := k.sends(); out.Text != "At nine." {
		t.Errorf("handed out %q, want what was held", string(out.Text))
	}
}

func TestHeldForLongIsJudgedAgain(t *testing.T) {
	k := newTalk(t, options(auto()))
	ask := k.judged(k.hears(1), true)
	k.Send(messages.OwnerState{Paused: true})
	k.writes(ask, "At nine.")
	k.Advance(time.Hour)
	k.Crash()
	k.Send(messages.OwnerState{})
	k.wantState(reply.Judging)
	k.sendsNothing()
}

// TestQuietHoursEnd lets out what was held.
func TestQuietHoursEnd(t *testing.T) {
	s := auto()
	s.Quiet = reply.Quiet{From: 23 * 60, To: 10}
	k := newTalk(t, options(s)) // at midnight
	k.writes(k.judged(k.hears(1), true), "At nine.")
	k.sendsNothing()
	k.wantState(reply.Held)
	k.Crash()
	k.Send(messages.OwnerState{})
	k.Advance(10 * time.Minute)
	k.sends()
}

// TestAttentionRestricts what may go out.
func TestAttentionRestricts(t *testing.T) {
	for state, want := range map[messages.Attention]struct {
		state  reply.State
		notify bool
	}{
		messages.Focused: {reply.Sending, false}, messages.Away: {reply.Drafted, true},
		messages.Drowsy: {reply.Held, false}, messages.Unknown: {reply.Drafted, false},
	} {
		s := auto()
		s.When = reply.ByAttention{Focused: reply.Send, Away: reply.Notify, Drowsy: reply.Hold}
		o := options(s)
		o.Attends = true
		k := newTalk(t, o)
		ask := k.judged(k.hears(1), true)
		k.Crash()
		k.Send(messages.OwnerState{Attention: state})
		k.writes(ask, "At nine.")
		k.wantState(want.state)
		if c := k.changes(); len(c) != 1 || c[0].Notify != want.notify {
			t.Errorf("%s: published %+v, want notify = %v", state, c, want.notify)
		}
	}
}

// TestEditedMessage has its draft written anew; one that is taken back has none.
func TestEditedMessage(t *testing.T) {
	s := auto()
	s.Policy = reply.PolicyDraft
	k := newTalk(t, options(s))
	k.writes(k.judged(k.hears(1), true), "At nine.")
	k.Sent()
	k.CrashBeforeCommit()
	k.Send(revised(1, messages.ChangeEdited, "message one"))
	k.wantState(reply.Judging)
	var q messages.JudgeReply
	for _, s := range k.Sent() {
		if m, ok := s.Message.(messages.JudgeReply); ok {
			q = m
		}
	}
	if q.Revision != 1 || q.Lines[0].Text != "message one" {
		t.Errorf("the judge is asked %+v, want about the new text", q)
	}
	k.Send(revised(1, messages.ChangeUnsent, ""))
	k.wantState("")
}

// TestMaskedForTheCloud: a model sees no name and no number, and the window sees both.
func TestMaskedForTheCloud(t *testing.T) {
	o := options(auto())
	o.Mask, o.Key = true, func(string) []byte { return []byte("0123456789abcdef") }
	k := newTalk(t, o)
	m := inbound(1)
	m.Window, m.Parts[0].Text = "line@mac-a", "call me at 090-1234-5678"
	k.Send(m)
	k.Send(messages.OwnerState{})
	var q messages.JudgeReply
	for _, s := range k.Sent() {
		if j, ok := s.Message.(messages.JudgeReply); ok {
			q = j
		}
	}
	if strings.Contains(string(q.Lines[0].Text), "1234") {
		t.Errorf("the judge sees %q, want no number", string(q.Lines[0].Text))
	}
	k.Crash()
	k.Send(messages.OwnerState{})
	k.Sent()
	ask := k.judged(q, true)
	if strings.Contains(string(ask.Prompt), "1234") {
		t.Error("the model sees the number, want a placeholder")
	}
	_, mark, _ := strings.Cut(string(q.Lines[0].Text), "[")
	mark, _, _ = strings.Cut(mark, "]")
	k.writes(ask, messages.Text("I call ["+mark+"]."))
	if out := k.sends(); out.Text != "I call 090-1234-5678." {
		t.Errorf("handed out %q, want the number", string(out.Text))
	}
}

// TestGroupAndLimits: a limit makes a draft.
func TestLimits(t *testing.T) {
	s := auto()
	s.Limits = reply.Limits{PerHour: 20, InARow: 1}
	k := newTalk(t, options(s))
	k.writes(k.judged(k.hears(1), true), "At nine.")
	out := k.sends()
	k.Send(messages.SendDone{Conversation: hana, Turn: out.Turn, Epoch: out.Epoch, Outcome: messages.SendConfirmed,
		Occurrence: 2, At: k.Now()})
	k.Crash()
	k.writes(k.judged(k.hears(3), true), "At nine.")
	k.sendsNothing()
	k.wantState(reply.Drafted)
}

// TestNothingIsAnsweredByDefault and where Kehai observes.
func TestNothingIsAnsweredByDefault(t *testing.T) {
	observe, off := auto(), auto()
	observe.Mode, off.Policy = reply.Observe, reply.PolicyOff
	for name, o := range map[string]conversation.Options{
		"default": conversation.DefaultOptions(), "observe": options(observe), "off": options(off),
	} {
		k := newTalk(t, o)
		k.hears(1)
		k.Crash()
		k.WantSent()
		if k.state() != "" {
			t.Errorf("%s: a turn is open, want none", name)
		}
	}
}

// TestShownWhileWritten: what a model writes is seen at most every 150 ms and never
// taken back, and the last of it is what is stored.
func TestShownWhileWritten(t *testing.T) {
	k := newTalk(t, options(auto()))
	ask := k.judged(k.hears(1), true)
	say := func(text messages.Text) { k.Report(messages.LLMProgress{Key: ask.Key, Text: text}) }
	seen := func() (list []messages.ReplyWriting) {
		for _, m := range k.Published() {
			if w, ok := m.(messages.ReplyWriting); ok {
				list = append(list, w)
			}
		}
		return list
	}
	seen()
	const whole = "Yes, at nine. And bring it. Bye"
	say("Assistant: Yes, at nine. ")
	say("Assistant: Yes, at nine. And bring it. ")
	first := seen()
	if len(first) != 1 || first[0].Text == "" || !strings.HasPrefix(whole, string(first[0].Text)) {
		t.Fatalf("at once seen %+v, want its beginning, once", first)
	}
	k.Advance(150 * time.Millisecond)
	second := seen()
	if len(second) != 1 || len(second[0].Text) <= len(first[0].Text) ||
		!strings.HasPrefix(whole, string(second[0].Text)) {
		t.Errorf("after 150 ms seen %+v, want more of it, once", second)
	}
	k.writes(ask, "Assistant: "+whole)
	if list := seen(); len(list) != 1 || !list[0].Done || list[0].Text != whole {
		t.Errorf("at the end seen %+v, want all of it", list)
	}
}

// TestADraftIsNotShownWhileItIsWritten, whatever makes it one; what was shown of it before
// is taken back with the last report.
func TestADraftIsNotShownWhileItIsWritten(t *testing.T) {
	policy, unlisted := auto(), auto()
	policy.Policy, unlisted.Listed = reply.PolicyDraft, false
	for name, o := range map[string]conversation.Options{
		"policy": options(policy), "unlisted": options(unlisted), "paused": options(auto()),
	} {
		k := newTalk(t, o)
		ask := k.judged(k.hears(1), true)
		k.Send(messages.OwnerState{Paused: name == "paused"})
		k.Report(messages.LLMProgress{Key: ask.Key, Text: "Yes, at nine. "})
		k.Advance(time.Second)
		k.Answer(messages.LLMAnswer{Key: ask.Key, Text: "Yes, at nine. Bye", Model: "m"})
		for _, m := range k.Published() {
			if w, ok := m.(messages.ReplyWriting); ok && w.Text != "" {
				t.Errorf("%s: shown is %q, want nothing", name, string(w.Text))
			}
		}
		if got := k.state(); got != reply.Drafted && got != reply.Held {
			t.Errorf("%s: the reply is %s, want it kept", name, got)
		}
	}
	k := newTalk(t, options(auto()))
	ask := k.judged(k.hears(1), true)
	k.Send(messages.OwnerState{})
	k.Report(messages.LLMProgress{Key: ask.Key, Text: "Yes, at nine. "})
	k.Send(messages.OwnerState{Paused: true})
	k.Answer(messages.LLMAnswer{Key: ask.Key, Text: "Yes, at nine. Bye", Model: "m"})
	var last messages.ReplyWriting
	for _, m := range k.Published() {
		if w, ok := m.(messages.ReplyWriting); ok {
			last = w
		}
	}
	if !last.Done || last.Text != "" {
		t.Errorf("paused while it was written: shown last is %+v, want nothing", last)
	}
}

// TestShownOnceTheOwnerAllows: what was written before it was known whether it may be shown is not lost.
func TestShownOnceTheOwnerAllows(t *testing.T) {
	k := newTalk(t, options(auto()))
	ask := k.judged(k.hears(1), true)
	k.Send(messages.OwnerState{Paused: true})
	k.Report(messages.LLMProgress{Key: ask.Key, Text: "Yes, at nine. "})
	k.Advance(time.Second)
	shown := func() (list []messages.Text) {
		for _, m := range k.Published() {
			if w, ok := m.(messages.ReplyWriting); ok && w.Text != "" {
				list = append(list, w.Text)
			}
		}
		return list
	}
	if list := shown(); len(list) > 0 {
		t.Errorf("shown is %q while sending is paused, want nothing", fmt.Sprint(list))
	}
	k.Send(messages.OwnerState{})
	k.Advance(time.Second)
	if list := shown(); len(list) != 1 || list[0] != "Yes, at nine" {
		t.Errorf("shown is %q, want what was written before the owner's word came", fmt.Sprint(list))
	}
}

// TestWhatIsUnusableIsNotShown while it is written, and not sent when it is.
func TestWhatIsUnusableIsNotShown(t *testing.T) {
	asked := func(k talk) *messages.AskLLM { return k.judged(k.hears(1), true) }
	leads := func(k talk) *messages.AskLLM {
		k.Send(messages.Say{Conversation: hana, Channel: messages.ChannelWeb, ID: "w1", Text: "[interview start]",
			At: k.Now()})
		k.finishes()
		return k.asked()
	}
	for name, c := range map[string]struct {
		start func() talk
		ask   func(talk) *messages.AskLLM
		text  func(*messages.AskLLM) string
		sees  bool
	}{
		"a reply": {func() talk { return newTalk(t, options(auto())) }, asked,
			func(*messages.AskLLM) string { return "Yes, at nine, at the station." }, true},
		"the prompt": {func() talk { return newTalk(t, options(auto())) }, asked,
			func(ask *messages.AskLLM) string { return ask.System }, false},
		"a sentence of it": {func() talk { return newTalk(t, options(auto())) }, asked,
			func(ask *messages.AskLLM) string {
				lines := strings.Split(ask.System, "\n- ")
				return "That is easy. " + strings.Join(strings.Fields(lines[len(lines)-2]), " ") + " So: at nine."
			}, false},
		"a made-up placeholder": {func() talk { return newTalk(t, masked()) }, asked,
			func(*messages.AskLLM) string { return "[氏名·0000] will call you." }, false},
		"what is not to be asked": {func() talk { return led(t, nil) }, leads,
			func(*messages.AskLLM) string { return "Salary? Tell me of your salary." }, false},
		"what may be asked": {func() talk { return led(t, nil) }, leads,
			func(*messages.AskLLM) string { return "Hello! What makes mornings hard?" }, true},
	} {
		k := c.start()
		ask := c.ask(k)
		k.Published()
		whole := []rune(c.text(ask))
		for n := 1; n < len(whole); n += 5 {
			k.Report(messages.LLMProgress{Key: ask.Key, Text: messages.Text(whole[:n])})
			k.Advance(200 * time.Millisecond)
		}
		k.writes(ask, messages.Text(whole))
		longest := 0
		for _, m := range k.Published() {
			if w, ok := m.(messages.ReplyWriting); ok && strings.HasPrefix(string(whole), string(w.Text)) {
				longest = max(longest, len([]rune(w.Text)))
			}
		}
		if longest > 24 != c.sees { // less does not tell what it begins
			t.Errorf("%s: %d characters were shown, want all of it: %v", name, longest, c.sees)
		}
		stored := fmt.Sprint(k.ours())
		if desk, _ := actortest.Stored(k.Harness, conversation.Desks, conversation.DeskKey); desk.Open != nil {
			stored += string(desk.Open.Text)
		}
		if strings.Contains(stored, string(whole)) != c.sees {
			t.Errorf("%s: stored is %q, want the model's text: %v", name, stored, c.sees)
		}
	}
}

// TestARejectedDraftIsNotOnItsWay: the judge learns that no reply follows its yes, only for
// the rejected draft.
func TestARejectedDraftIsNotOnItsWay(t *testing.T) {
	s := auto()
	s.Policy = reply.PolicyDraft
	k := newTalk(t, options(s))
	q := k.hears(1)
	k.judged(q, true)
	k.Send(messages.OwnerState{})
	k.FailCall(messages.FailureError, "no_model", "none")
	k.wantState(reply.Drafted)
	forget := actortest.To("judge/line:Hana", messages.ReplyFate{Conversation: hana, Fate: messages.FateForget})
	reject := func(epoch int) (told bool) {
		k.Sent()
		k.Send(messages.DraftCommand{Conversation: hana, Turn: q.Turn, Epoch: epoch, Do: messages.DraftReject})
		return slices.ContainsFunc(k.Sent(), func(s actortest.Sent) bool { return reflect.DeepEqual(s, forget) })
	}
	if reject(q.Epoch + 1) {
		t.Error("the judge was told of a draft that was not rejected")
	}
	k.CrashBeforeCommit()
	if !reject(q.Epoch) {
		t.Error("the judge was not told of the rejected draft")
	}
	k.wantState("")
	if reject(q.Epoch) {
		t.Error("the judge was told twice")
	}
}

// TestStopWriting gives the model's answer up, and a crash meanwhile asks it anew.
func TestStopWriting(t *testing.T) {
	k := newTalk(t, options(auto()))
	q := k.hears(1)
	k.judged(q, true)
	k.Crash()
	k.Send(messages.OwnerState{})
	ask := k.Calls()[0].Request.(messages.AskLLM)
	k.Report(messages.LLMProgress{Key: ask.Key, Text: "Yes, at nine. "})
	begun := messages.ReplyWriting{Conversation: hana, Turn: q.Turn, Epoch: q.Epoch}
	if p := k.Published(); !slices.Contains(p, messages.Message(begun)) {
		t.Errorf("once the model is asked published %+v, want that it is", p)
	}
	k.Send(messages.DraftCommand{Conversation: hana, Turn: q.Turn, Epoch: q.Epoch, Do: messages.DraftReject})
	k.wantState("")
	told, void := k.Published(), begun
	void.Done = true
	if !slices.Contains(told, messages.Message(void)) {
		t.Errorf("when it is given up published %+v, want that what was shown is void", told)
	}
	if !slices.ContainsFunc(told, func(m messages.Message) bool {
		c, ok := m.(messages.ReplyChanged)
		return ok && c.State == reply.Rejected && c.Turn == q.Turn && c.Text == ""
	}) {
		t.Errorf("when it is given up published %+v, want that it is over", told)
	}
	k.Crash()
	k.Send(messages.OwnerState{})
	k.WantCalls()
	k.sendsNothing()
}

// TestStopJudging: a reply can also be given up before a model is asked for it.
func TestStopJudging(t *testing.T) {
	k := newTalk(t, options(auto()))
	q := k.hears(1)
	k.Send(messages.DraftCommand{Conversation: hana, Turn: q.Turn, Epoch: q.Epoch, Do: messages.DraftReject})
	k.wantState("")
	if c := k.changes(); len(c) != 1 || c[0].State != reply.Rejected {
		t.Errorf("published %+v, want that it is rejected", c)
	}
	k.Send(messages.ReplyJudged{Conversation: hana, Turn: q.Turn, Epoch: q.Epoch, Respond: true})
	k.WantCalls()
	k.sendsNothing()
}

// TestAYesWithoutReadableConfidenceWaits for a person, with a crash behind it. A "yes"
// whose confidence is missing or small is sent.
func TestAYesWithoutReadableConfidenceWaits(t *testing.T) {
	for confidence, want := range map[string]reply.State{
		"true": reply.Drafted, `"0.9"`: reply.Drafted, "NaN": reply.Drafted, "{}": reply.Drafted, "0": reply.Drafted,
		"null": reply.Sending, "0.01": reply.Sending,
	} {
		v, err := judge.ParseAnswer(messages.Text(`{"should_respond": true, "confidence": `+confidence+`}`), prompt.Prompt{})
		if err != nil {
			t.Fatalf("ParseAnswer(confidence %s) = %v, want a yes", confidence, err)
		}
		k := newTalk(t, options(auto()))
		q := k.hears(1)
		k.Send(messages.ReplyJudged{Conversation: hana, Turn: q.Turn, Epoch: q.Epoch, Respond: v.Respond,
			Confidence: v.Confidence, Source: messages.JudgeSource(v.Source)})
		k.Crash()
		k.Send(messages.OwnerState{})
		k.writes(k.asked(), "At nine.")
		if got := k.state(); got != want {
			t.Errorf("confidence %s: the reply is %q, want %q", confidence, got, want)
			continue
		}
		if c := k.changes(); want == reply.Drafted && c[len(c)-1].Rule != reply.RuleUnsure {
			t.Errorf("confidence %s: decided by %q, want %q", confidence, c[len(c)-1].Rule, reply.RuleUnsure)
		}
	}
}

// TestRemindsWhenAskedTo makes a durable timer and then a draft of it, once.
func TestRemindsWhenAskedTo(t *testing.T) {
	s := auto()
	s.Policy = reply.PolicyDraft
	k := newTalk(t, options(s))
	m := inbound(1)
	m.Window, m.Parts[0].Text = "line@mac-a", "Remind me in two hours to call Bob"
	k.CrashBeforeCommit()
	k.Send(m)
	want := conversation.Reminder{Number: 1, At: k.Now().Add(2 * time.Hour), What: "call Bob", Message: "id1",
		Window: "line@mac-a"}
	if r, _ := actortest.Stored(k.Harness, conversation.Reminders, conversation.RowKey(1)); !r.At.Equal(want.At) ||
		r.What != want.What || r.Message != want.Message || r.Window != want.Window {
		t.Fatalf("stored %+v, want %+v", r, want)
	}
	k.Send(messages.OwnMessage{Conversation: hana, Occurrence: 2, Kind: messages.KindText, Text: "ok", SeenAt: k.Now()})
	k.wantState("")
	k.Sent()
	k.changes()
	k.Crash()
	k.Advance(2*time.Hour - time.Second)
	k.wantState("")
	k.Advance(time.Second)
	k.Send(messages.OwnerState{})
	for _, s := range k.Sent() {
		if _, judged := s.Message.(messages.JudgeReply); judged {
			t.Error("the judge was asked, want no judgement of what was asked for")
		}
	}
	k.Crash()
	k.Send(messages.OwnerState{})
	calls := k.Calls()
	ask := calls[len(calls)-1].Request.(messages.AskLLM)
	if !strings.Contains(string(ask.Prompt), "call Bob") {
		t.Error("the model is not told what to remind of")
	}
	k.FailCall(messages.FailureError, "no_model", "none")
	k.wantState(reply.Drafted)
	c := k.changes()
	if len(c) != 1 || c[0].Text != "You asked me to remind you: call Bob" || c[0].Basis.Source != "reminder" {
		t.Fatalf("published %+v, want the draft of the reminder", c)
	}
	k.Send(messages.DraftCommand{Conversation: hana, Turn: c[0].Turn, Epoch: c[0].Epoch, Do: messages.DraftApprove})
	out := k.sends()
	k.Send(messages.SendDone{Conversation: hana, Turn: out.Turn, Epoch: out.Epoch, Outcome: messages.SendConfirmed,
		Occurrence: 3, At: k.Now()})
	k.Crash()
	k.Advance(48 * time.Hour)
	actortest.WantRows(k.Harness, conversation.Reminders, map[string]conversation.Reminder{})
	k.sendsNothing()
}

// TestReminderIsCancelled by hand, and by taking the message back.
func TestReminderIsCancelled(t *testing.T) {
	for name, cancel := range map[string]messages.Message{
		"by hand":    messages.CancelReminder{Conversation: hana, Number: 1},
		"taken back": revised(1, messages.ChangeUnsent, ""),
	} {
		k := newTalk(t, options(auto()))
		m := inbound(1)
		m.Parts[0].Text = "tell me tomorrow at nine"
		k.Send(m)
		if _, ok := actortest.Stored(k.Harness, conversation.Reminders, conversation.RowKey(1)); !ok {
			t.Fatalf("%s: no reminder is stored", name)
		}
		k.CrashBeforeCommit()
		k.Send(cancel)
		actortest.WantRows(k.Harness, conversation.Reminders, map[string]conversation.Reminder{})
		k.WantNoTimer("remind " + conversation.RowKey(1))
	}
	k := newTalk(t, options(auto()))
	k.Send(messages.CancelReminder{Conversation: hana, Number: 1})
	k.WantDropped(events.StageConversation, events.RuleLate)
}

// TestReminderKeepsADraft: a draft that waits for a person stays as it is when a reminder
// is due, whose own draft comes after it, also if the person writes in the window.
func TestReminderKeepsADraft(t *testing.T) {
	for name, end := range map[string]func(talk, messages.ReplyChanged){
		"rejected": func(k talk, c messages.ReplyChanged) {
			k.Send(messages.DraftCommand{Conversation: hana, Turn: c.Turn, Epoch: c.Epoch, Do: messages.DraftReject})
		},
		"answered by the person": func(k talk, _ messages.ReplyChanged) {
			k.Send(messages.OwnMessage{Conversation: hana, Occurrence: 9, Kind: messages.KindText, Text: "at noon",
				SeenAt: k.Now()})
		},
	} {
		s := auto()
		s.Policy = reply.PolicyDraft
		k := newTalk(t, options(s))
		m := inbound(1)
		m.Parts[0].Text = "Remind me in two hours to call Bob"
		k.Send(m)
		k.Send(messages.OwnMessage{Conversation: hana, Occurrence: 2, Kind: messages.KindText, Text: "ok",
			SeenAt: k.Now()})
		k.judged(k.says(3, "Hana", "Where is the station?"), true)
		k.Send(messages.OwnerState{})
		k.FailCall(messages.FailureError, "no_model", "none")
		k.wantState(reply.Drafted)
		drafts := k.changes()
		draft := drafts[len(drafts)-1]
		k.CrashBeforeCommit()
		k.Advance(2 * time.Hour)
		k.Crash()
		desk, _ := actortest.Stored(k.Harness, conversation.Desks, conversation.DeskKey)
		if t0 := desk.Open; t0 == nil || t0.State != reply.Drafted || t0.Epoch != draft.Epoch || t0.Text != draft.Text {
			t.Fatalf("%s: the reminder left %+v, want the draft as it was", name, desk)
		}
		end(k, draft)
		k.Send(messages.OwnerState{})
		k.FailCall(messages.FailureError, "no_model", "none")
		k.wantState(reply.Drafted)
		c := k.changes()
		if last := c[len(c)-1]; last.Text != "You asked me to remind you: call Bob" {
			t.Errorf("%s: published %+v, want the draft of the reminder in the end", name, c)
		}
	}
}

// TestReminderBesideAQuestion: what is asked while a reminder is due is answered with it,
// and an edited request is another reminder.
func TestReminderBesideAQuestion(t *testing.T) {
	s := auto()
	s.Policy = reply.PolicyDraft
	k := newTalk(t, options(s))
	m := inbound(1)
	m.Parts[0].Text = "Remind me in two hours to call Bob"
	k.Send(m)
	k.Send(revised(1, messages.ChangeEdited, "Remind me in one hour to call Bob"))
	k.Crash()
	k.Send(messages.OwnMessage{Conversation: hana, Occurrence: 2, Kind: messages.KindText, Text: "ok", SeenAt: k.Now()})
	k.Advance(time.Hour - time.Second)
	question := inbound(3)
	question.Parts[0].Text = "Where is the station?"
	k.Send(question)
	k.Advance(time.Second)
	k.Send(messages.OwnerState{})
	k.FailCall(messages.FailureError, "no_model", "none")
	k.wantState(reply.Drafted)
	c := k.changes()
	want := reply.Acknowledgement(text.English) + " You asked me to remind you: call Bob"
	if len(c) != 2 || c[0].State != messages.ReplyWithdrawn || c[1].Text != want || len(c[1].Answers) != 2 {
		t.Errorf("published %+v, want one draft that answers both: %q", c, string(want))
	}
}

// TestAnAnswerOfThePersonIsTold: a reply that is judged or written when the person answers in the window is told to
// have ended, to who waits for it.
func TestAnAnswerOfThePersonIsTold(t *testing.T) {
	for name, before := range map[string]func(talk, messages.JudgeReply){
		"judged":  func(talk, messages.JudgeReply) {},
		"written": func(k talk, m messages.JudgeReply) { k.judged(m, true) },
	} {
		k := newTalk(t, options(auto()))
		m := k.says(1, "Hana", "Where is the station?")
		before(k, m)
		k.Send(messages.OwnMessage{Conversation: hana, Occurrence: 2, Kind: messages.KindText, Text: "at the river",
			SeenAt: k.Now()})
		c := k.changes()
		if len(c) != 1 || c[0].State != messages.ReplyWithdrawn || len(c[0].Answers) != 1 || c[0].Turn != 1 {
			t.Errorf("%s: published %+v, want its end", name, c)
		}
		if desk, _ := actortest.Stored(k.Harness, conversation.Desks, conversation.DeskKey); desk.Open != nil {
			t.Errorf("%s: the desk has %+v, want nothing", name, desk.Open)
		}
	}
}

// A reply whose window never reports an outcome steps aside: the next message is answered,
// and if the machine with the window comes back, it must send nothing. If it comes back in
// time, it reports the outcome itself.
func TestSilentWindow(t *testing.T) {
	for _, silent := range []bool{true, false} {
		o := options(auto())
		o.Overdue = func() time.Duration { return time.Hour }
		k := newTalk(t, o)
		ask := k.judged(k.hears(1), true)
		k.writes(ask, "Yes, at nine.")
		out := k.sends()
		k.WantTimer("overdue", time.Hour)
		if !silent {
			k.Send(messages.SendDone{Conversation: hana, Turn: out.Turn, Epoch: out.Epoch,
				Outcome: messages.SendConfirmed, Occurrence: 2, At: k.Now()})
			k.WantNoTimer("overdue")
			k.wantState("")
			continue
		}
		k.Crash()
		k.Advance(time.Hour)
		stopped := messages.StopSending{Conversation: hana, Window: "line@mac-a", Turn: out.Turn, Epoch: out.Epoch}
		if !slices.ContainsFunc(k.Sent(), func(s actortest.Sent) bool { return s.Message == stopped }) {
			t.Error("the window was not told to send nothing")
		}
		k.wantState("")
		q := k.hears(2)
		if q.Turn != out.Turn+1 {
			t.Errorf("the next message is judged as turn %d, want %d", q.Turn, out.Turn+1)
		}
		k.writes(k.judged(q, true), "And at ten.")
		k.sends()
		k.Send(messages.SendDone{Conversation: hana, Turn: out.Turn, Epoch: out.Epoch,
			Outcome: messages.SendConfirmed, Occurrence: 2, At: k.Now()}) // the machine came back after all
		k.WantTimer("overdue", time.Hour)
	}
}
