package conversation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/interview"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// led is a conversation that is led as an interview.
func led(t *testing.T, change func(*messages.InterviewPlan)) talk {
	t.Helper()
	return ledWith(t, options(auto()), change)
}

func ledWith(t *testing.T, o conversation.Options, change func(*messages.InterviewPlan)) talk {
	t.Helper()
	o.Key = func(string) []byte { return []byte("0123456789abcdef") }
	k := newTalk(t, o)
	plan := messages.InterviewPlan{Tone: "polite_soft", Goal: "why mornings are hard", MaxTurns: 12, MaxDeep: 2,
		MustAsk: []messages.Text{"Who is with you then?"}, MustNotAsk: []messages.Text{"salary"}}
	if change != nil {
		change(&plan)
	}
	k.Send(messages.InterviewBegins{Project: "p-1", Conversation: hana, Plan: plan})
	return k
}

// finishes are how often the project was told that the interview is over.
func (k talk) finishes() (n int) {
	k.t.Helper()
	for _, s := range k.Sent() {
		switch m := s.Message.(type) {
		case messages.InterviewFinished:
			n++
		case messages.FollowOwner:
			if m.On {
				k.Send(messages.OwnerState{})
			}
		}
	}
	return n
}

func (k talk) interview() conversation.Interview {
	v, _ := actortest.Stored(k.Harness, conversation.Interviews, conversation.DeskKey)
	return v
}

// answers says something, crashes while a model writes, and has it written; "" is a model
// that fails. It returns how often the interview was told to be over.
func (k talk) answers(n int, said, written messages.Text) (finished int) {
	k.t.Helper()
	k.CrashBeforeCommit()
	k.Send(messages.Say{Conversation: hana, Channel: messages.ChannelWeb,
		ID: messages.MessageID(fmt.Sprintf("w%d", n)), Text: said, At: k.Now()})
	finished = k.finishes()
	if k.state() != "writing" {
		return finished
	}
	k.Crash()
	k.Send(messages.OwnerState{})
	ask := k.asked()
	if written == "" {
		k.FailCall(messages.FailureError, "no_model", "none")
	} else {
		k.writes(ask, written)
	}
	return finished + k.finishes()
}

// TestAnInterviewIsLed through its states to one finish, with a crash in each turn.
func TestAnInterviewIsLed(t *testing.T) {
	k := led(t, nil)
	finished := 0
	for i, step := range []struct{ said, written, phase string }{
		{"[interview start]", "Hello! What makes mornings hard?", "intro"},
		{"the alarm, the cold, trains. Above all trains", "What matters most?", "enumerate"},
		{"that's all", "Is it the trains?", "recommend"},
		{"yes, trains", "Then let us talk of trains.", "choose"},
		{"they are full", "Tell me of the last time.", "deepening"},
		{"on Monday nobody could get in", "What did you do?", "deepening"},
		{"I walked", "So trains are full, and you walk. Is that right?", "summary_check"},
		{"right", "", "done"},
	} {
		finished += k.answers(i+1, messages.Text(step.said), messages.Text(step.written))
		if got := string(k.interview().State.Phase); got != step.phase {
			t.Fatalf("after %q: %s, want %s", step.said, got, step.phase)
		}
	}
	ours := strings.Join(k.ours(), "\n")
	v := k.interview().State
	switch {
	case finished != 1:
		t.Errorf("told to be over %d times, want once", finished)
	case v.FallbackMode || v.Reason != interview.Completed || v.MostImportant() != "trains":
		t.Errorf("ended as %+v, want completed about trains", v)
	case strings.Count(ours, "Who is with you then?") != 1:
		t.Errorf("we said\n%s\nwant the question that must be asked once", ours)
	case !strings.Contains(ours, "That is the end of the interview."):
		t.Errorf("we said\n%s\nwant the closing text", ours)
	}
	before := len(k.ours())
	if k.answers(20, "one more thing", "no") != 0 || len(k.ours()) != before {
		t.Error("what comes behind the end is answered, want nothing")
	}
}

// TestAnInterviewWithoutAModel asks three questions and the one of must_ask, each once, and
// ends once.
func TestAnInterviewWithoutAModel(t *testing.T) {
	k := led(t, nil)
	finished := 0
	for i, said := range []messages.Text{"[interview start]", "the alarm", "[skip]", "that it were quiet",
		"nobody"} {
		finished += k.answers(i+1, said, "")
	}
	v := k.interview().State
	if ours := k.ours(); len(ours) != 5 || finished != 1 || v.Reason != interview.FallbackAsked || !v.FallbackMode {
		t.Errorf("finished %d times with %+v, having said %q, want four questions and thanks", finished, v, ours)
	} else if v.Turns != 3 || len(v.Items) != 1 || !strings.Contains(ours[3], "Who is with you then?") {
		t.Errorf("counted %d answers and %v in %q, want three, one thing, and what must be asked", v.Turns,
			v.Items, ours)
	}
}

// TestAnInterviewGoesOnWithItsModel where the settings allow that and one answers again, over
// crashes; while none does, each fixed question is put once.
func TestAnInterviewGoesOnWithItsModel(t *testing.T) {
	for _, resume := range []bool{false, true} {
		o := options(auto())
		o.Interviews.Resume = resume
		k := ledWith(t, o, nil)
		k.answers(1, "[interview start]", "Hello! What makes mornings hard?")
		k.answers(2, "the alarm", "What else?")
		k.answers(3, "the cold", "")
		k.answers(4, "trains", "")
		ours := k.ours()
		if v := k.interview().State; v.Phase != interview.Fallback || v.Turns != 3 || v.Asked != 2 ||
			len(v.Items) != 3 || len(ours) != 4 || ours[2] == ours[3] {
			t.Fatalf("resume %v: without a model %+v after %q, want two fixed questions", resume, v, ours)
		}
		k.answers(5, "that's all", "Is it the trains?")
		v, ours := k.interview().State, k.ours()
		if resume != (v.Phase == interview.Recommend) || resume != strings.Contains(ours[4], "Is it the trains?") ||
			!v.FallbackMode || v.Turns != 4 {
			t.Errorf("resume %v: with a model again %+v after %q", resume, v, ours)
		}
	}
}

// TestAnInterviewKeepsItsLanguage though skips and the start are said in another: the goal
// says which it is, then what is said.
func TestAnInterviewKeepsItsLanguage(t *testing.T) {
	k := led(t, func(p *messages.InterviewPlan) {
		p.Goal, p.MustAsk = "朝がつらい理由", []messages.Text{"誰と乗りますか？"}
	})
	for i, said := range []messages.Text{"[interview start]", "[skip]", "skip", "[skip]", "[stop]"} {
		k.answers(i+1, said, "")
	}
	for _, said := range k.ours() {
		if text.LanguageOf(said, text.English) != text.Japanese {
			t.Errorf("we said %q, want Japanese", said)
		}
	}
}

// TestAModelThatAsksWhatItMustNot is not sent, as one that writes nothing.
func TestAModelThatAsksWhatItMustNot(t *testing.T) {
	k := led(t, nil)
	k.answers(1, "hello", "And what is your Salary, roughly?")
	if ours := strings.Join(k.ours(), "\n"); strings.Contains(ours, "alary") || !k.interview().State.FallbackMode {
		t.Errorf("we said %q, want a fixed question", ours)
	}
}

// TestAnAnswerIsChangedAfterTheEnd of an interview: what is said now is analysed, masked.
func TestAnAnswerIsChangedAfterTheEnd(t *testing.T) {
	k := led(t, nil)
	for i, said := range []messages.Text{"trains are full", "the cold"} {
		id := messages.MessageID(fmt.Sprint("w", i+1))
		k.Send(messages.Say{Conversation: hana, Channel: "web", ID: id, Text: said, At: k.Now()})
	}
	k.Send(messages.StopInterview{Conversation: hana})
	over := k.interview().State.FinishedAt
	k.Sent()
	analysed := func(of messages.Revised) (lines []messages.Text) {
		k.Advance(time.Hour)
		k.CrashBeforeCommit()
		k.Send(of)
		k.Crash()
		for _, s := range k.Sent() {
			if m, ok := s.Message.(messages.Analyse); ok && s.To == "insight/p-1" && m.At.Equal(over) {
				lines = append(lines, m.Lines...)
			}
		}
		return lines
	}
	at := func(n int64) messages.Occurrence {
		m, _ := actortest.Stored(k.Harness, conversation.Messages, conversation.RowKey(n))
		return m.Parts[0].Occurrence
	}
	edit := messages.Revised{Conversation: hana, Occurrence: at(1), Change: messages.ChangeEdited,
		Text: "call me at 090-1234-5678"}
	if got := analysed(edit); len(got) != 2 || strings.Contains(string(got[0]), "1234") || got[1] != "the cold" {
		t.Errorf("after an edit %q is analysed, want the new text, masked", got)
	}
	if got := analysed(edit); len(got) != 0 {
		t.Errorf("after the same edit %q is analysed, want nothing", got)
	}
	gone := messages.Revised{Conversation: hana, Occurrence: at(2), Change: messages.ChangeUnsent}
	if got := analysed(gone); len(got) != 1 || strings.Contains(string(got[0]), "cold") {
		t.Errorf("after a withdrawal %q is analysed, want what is left", got)
	}
}

// TestAnAnswerLeavesTheList of an interview when it is taken back or edited.
func TestAnAnswerLeavesTheList(t *testing.T) {
	k := led(t, nil)
	k.answers(1, "[interview start]", "What makes mornings hard?")
	k.answers(2, "the alarm", "What else?")
	k.answers(3, "trains", "What else?")
	revise := func(n int64, c messages.ChangeKind, text messages.Text) {
		m, _ := actortest.Stored(k.Harness, conversation.Messages, conversation.RowKey(n))
		k.CrashBeforeCommit()
		r := messages.Revised{Conversation: hana, Occurrence: m.Parts[0].Occurrence, Change: c, Text: text}
		k.Send(r)
		k.Crash()
		k.Send(r) // again
	}
	for _, c := range []struct {
		revise func()
		want   string
	}{
		{func() {}, "[the alarm trains]"},
		{func() { revise(2, messages.ChangeUnsent, "") }, "[trains]"},
		{func() { revise(3, messages.ChangeEdited, "buses") }, "[buses]"},
	} {
		c.revise()
		var got []string
		for _, it := range k.interview().State.Items {
			got = append(got, it.Text)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("the list is %q, want %s", got, c.want)
		}
	}
}

// TestTheTurnLimit ends an interview at the last answer that counts.
func TestTheTurnLimit(t *testing.T) {
	k := led(t, func(p *messages.InterviewPlan) { p.MaxTurns, p.MustAsk = 3, nil })
	finished := 0
	for i, said := range []messages.Text{"[interview start]", "[skip]", "trains", "trains", "trains"} {
		finished += k.answers(i+1, said, "And what else?")
	}
	if v := k.interview().State; finished != 1 || v.Reason != interview.TurnLimit || v.Turns != 3 {
		t.Errorf("finished %d times with %+v, want once after three answers", finished, v)
	}
}

// TestAnInterviewStoresMaskedTexts only: nothing of the original is left.
func TestAnInterviewStoresMaskedTexts(t *testing.T) {
	k := led(t, nil)
	k.answers(1, "田中太郎です。電話は090-1234-5678です。", "ありがとうございます。")
	m, ok := actortest.Stored(k.Harness, conversation.Messages, conversation.RowKey(1))
	if !ok || strings.Contains(fmt.Sprintf("%#v", m), "1234") || !strings.Contains(string(m.Text), "[電話番号]") ||
		len(m.Masked) == 0 || !m.PIIProcessed || m.ContentHash == "" || m.Parts[0].Text != m.Text {
		t.Errorf("stored %q of kinds %v, want labels", string(m.Text), m.Masked)
	}
}

// TestWhatComesWhileItIsHeld belongs to the same step: the machine does not count twice.
func TestWhatComesWhileItIsHeld(t *testing.T) {
	k := led(t, nil)
	k.Send(messages.Say{Conversation: hana, Channel: "web", ID: "w1", Text: "trains", At: k.Now()})
	k.Send(messages.OwnerState{Paused: true})
	k.writes(k.asked(), "What else?")
	k.wantState("held")
	k.Send(messages.Say{Conversation: hana, Channel: "web", ID: "w2", Text: "the cold", At: k.Now()})
	k.writes(k.asked(), "Anything else?")
	k.Crash()
	k.Send(messages.OwnerState{})
	v, ours := k.interview().State, fmt.Sprint(k.ours())
	if v.Turns != 1 || len(v.Items) != 2 || ours != "[3 Anything else?]" {
		t.Errorf("%+v after %s, want one turn with both things", v, ours)
	}
}

// TestSkipsThatCameTogether while a model wrote are one skip: they name nothing, and no answer
// is counted or analysed.
func TestSkipsThatCameTogether(t *testing.T) {
	k := led(t, nil)
	k.answers(1, "hello", "What makes mornings hard?")
	k.Send(messages.Say{Conversation: hana, Channel: "web", ID: "w2", Text: "trains", At: k.Now()})
	k.finishes() // tells what the owner allows
	for _, id := range []messages.MessageID{"w3", "w4"} {
		k.CrashBeforeCommit()
		k.Send(messages.Say{Conversation: hana, Channel: "web", ID: id, Text: "[skip]", At: k.Now()})
	}
	k.writes(k.asked(), "What else?")
	k.Crash()
	k.Send(messages.OwnerState{})
	k.writes(k.asked(), "Is it the trains?")
	v := k.interview().State
	if v.Phase != interview.Recommend || v.Turns != 2 || fmt.Sprint(v.Items) != "[{hello 0} {trains 0}]" {
		t.Errorf("after an answer and two skips: %+v, want the skips to move on once and count nothing", v)
	}
}

// TestABurstThatEndsTheList is one answer without its last words, in the list and in the
// analysis.
func TestABurstThatEndsTheList(t *testing.T) {
	k := led(t, func(p *messages.InterviewPlan) { p.Goal = "朝がつらい理由" })
	m := inbound(1)
	m.Window, m.Parts = messages.ChannelWeb.Place(), nil
	for i, said := range []messages.Text{"[スキップ]", "電車", "会議", "以上です"} {
		m.Parts = append(m.Parts, messages.Part{Kind: messages.KindText, Text: said,
			Occurrence: messages.Occurrence(i + 1), SeenAt: m.SeenAt})
	}
	k.CrashBeforeCommit()
	k.Send(m)
	v := k.interview().State
	if v.Phase != interview.Recommend || v.Turns != 1 || fmt.Sprint(v.Items) != "[{電車 0} {会議 0}]" {
		t.Errorf("after the burst: %+v, want one turn that named two things and ended the list", v)
	}
	k.Sent()
	k.Send(messages.StopInterview{Conversation: hana})
	for _, s := range k.Sent() {
		if a, ok := s.Message.(messages.Analyse); ok && (len(a.Lines) != 1 || a.Lines[0] != "電車\n会議") {
			t.Errorf("analysed is %q, want what was answered alone", a.Lines)
		}
	}
}

// TestTheHostStops an interview, at whatever it is about: what the participant waits for
// becomes the closing text, and the analysis gets what was answered.
func TestTheHostStops(t *testing.T) {
	for _, at := range []string{"writing", "held", "sent"} {
		k := led(t, nil)
		k.Send(messages.StopInterview{Conversation: "c-other"}) // its own is meant, whatever it says
		if v := k.interview(); v.State.Reason != interview.Stopped {
			t.Fatalf("%+v, want it stopped before it began", v.State)
		}
		k = led(t, nil)
		k.Send(messages.Say{Conversation: hana, Channel: "web", ID: "w1", Text: "trains", At: k.Now()})
		k.Send(messages.Say{Conversation: hana, Channel: "web", ID: "w2", Text: "[skip]", At: k.Now()})
		switch at {
		case "held":
			k.Send(messages.OwnerState{Paused: true})
			k.writes(k.asked(), "What else?")
			k.wantState("held")
		case "sent":
			k.Send(messages.OwnerState{})
			k.writes(k.asked(), "What else?")
			k.Send(messages.OwnerState{})
			k.writes(k.asked(), "What else?") // the second message came while the first was answered
			k.wantState("")
		}
		k.Sent()
		k.CrashBeforeCommit()
		k.Send(messages.StopInterview{Conversation: hana})
		analysed := 0
		for _, s := range k.Sent() {
			if m, ok := s.Message.(messages.Analyse); ok && s.To == "insight/p-1" && len(m.Lines) == 1 &&
				m.Lines[0] == "trains" && m.Conversation == hana {
				analysed++
			}
		}
		k.Crash()
		k.Send(messages.OwnerState{})
		k.Send(messages.StopInterview{Conversation: hana})
		ours := strings.Join(k.ours(), "\n")
		if closed := strings.Contains(ours, "That is the end of the interview."); analysed != 1 ||
			closed == (at == "sent") || at == "held" && strings.Contains(ours, "What else?") {
			t.Errorf("stopped while a reply is %s: analysed %d times, and we said %q", at, analysed, ours)
		}
	}
}

// TestAnInterviewInAWindow is opened by us, follows the policy for replies, crashes in each
// turn, and ends; what was said before and what is said behind it are as in any conversation.
func TestAnInterviewInAWindow(t *testing.T) {
	for _, policy := range []reply.Policy{reply.PolicyDraft, reply.PolicyAuto} {
		s := auto()
		s.Policy, s.Limits.InARow = policy, 2
		o := options(s)
		o.Key = func(string) []byte { return []byte("0123456789abcdef") }
		k := newTalk(t, o)
		k.says(1, "Zephyrine", "call 090-8642-1357")
		k.CrashBeforeCommit()
		begins := messages.InterviewBegins{Project: "p-1", Conversation: hana, Plan: messages.InterviewPlan{
			Tone: "casual", Goal: "why mornings are hard", MaxTurns: 2, MaxDeep: 1}}
		k.Send(begins)
		k.Crash()
		k.Send(begins) // again
		prompt := k.types(2, "What makes mornings hard?", policy)
		if strings.Contains(prompt, "8642") || !strings.Contains(prompt, "why mornings are hard") {
			t.Errorf("%s: the opening is written from %q, want from the plan alone", policy, prompt)
		}
		k.CrashBeforeCommit()
		k.says(3, "Zephyrine", "the alarm at 090-8642-1357 of Zephyrine")
		if m := k.row(2); string(m.Text) != "the alarm at [phone] of [name]" || m.Parts[0].Text != m.Text ||
			!m.PIIProcessed || m.ContentHash == "" ||
			strings.Contains(fmt.Sprintf("%+v", k.interview().State), "8642") {
			t.Errorf("%s: stored %q, want it masked", policy, string(m.Text))
		}
		k.types(4, "What else?", policy)
		k.Send(messages.OwnMessage{Conversation: hana, Occurrence: 5, Text: "Zephyrine, take your time",
			SeenAt: k.Now()})
		k.says(6, "Zephyrine", "trains")
		k.types(7, "", policy)
		v, ours := k.interview().State, strings.Join(k.ours(), "\n")
		if v.Reason != interview.TurnLimit || v.Turns != 2 || len(v.Items) != 2 ||
			!strings.Contains(ours, "5 [name], take") ||
			!strings.Contains(ours, "7 That is the end of the interview.") {
			t.Errorf("%s: %+v after %q, want it over after two answers", policy, v, ours)
		}
		if q := k.says(8, "Zephyrine", "call 090-8642-1357"); q.Latest != "id8" || k.row(1).Masked != nil ||
			!strings.Contains(string(k.row(4).Text), "8642") {
			t.Errorf("%s: behind it %+v is judged and %q stored, want as before it", policy, q, string(k.row(4).Text))
		}
	}
}

// row is the nth message as it is stored.
func (k talk) row(n int64) messages.MessageDelivered {
	m, _ := actortest.Stored(k.Harness, conversation.Messages, conversation.RowKey(n))
	return m
}

// types has a reply written, over a crash, approved if it waits for that, and seen at a
// place; "" is one with a fixed text. It returns the prompt.
func (k talk) types(place messages.Occurrence, written messages.Text, policy reply.Policy) (prompt string) {
	k.t.Helper()
	var sent []messages.SendReply
	look := func() {
		for _, s := range k.Sent() {
			switch m := s.Message.(type) {
			case messages.SendReply:
				sent = append(sent, m)
			case messages.FollowOwner:
				if m.On {
					k.Send(messages.OwnerState{})
				}
			}
		}
	}
	look()
	if written != "" {
		k.Crash()
		k.Send(messages.OwnerState{})
		ask := k.asked()
		prompt = string(ask.Prompt) + ask.System
		k.writes(ask, written)
	}
	look()
	desk, _ := actortest.Stored(k.Harness, conversation.Desks, conversation.DeskKey)
	if policy == reply.PolicyDraft {
		k.wantState(reply.Drafted)
		k.Send(messages.DraftCommand{Conversation: hana, Turn: desk.Open.ID, Epoch: desk.Open.Epoch,
			Do: messages.DraftApprove})
		look()
	}
	if len(sent) != 1 || written != "" && sent[0].Text != written {
		k.t.Fatalf("%s: sent %+v, want %q once", policy, sent, string(written))
	}
	k.Crash()
	k.Send(messages.SendDone{Conversation: hana, Turn: sent[0].Turn, Epoch: sent[0].Epoch,
		Outcome: messages.SendConfirmed, Occurrence: place, At: k.Now()})
	k.Sent()
	return prompt
}
