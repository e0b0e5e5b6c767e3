package conversation_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func withMemory(s conversation.Settings) conversation.Options {
	o := options(s)
	o.Memory = true
	return o
}

// told is what recall was told, and asked, since it was asked last.
func told(k talk) (kept []messages.Event, gone []messages.MessageID, asked []messages.Recall) {
	k.t.Helper()
	for _, s := range k.Sent() {
		if s.To.Kind() != messages.ActorRecall {
			continue
		}
		if s.To != messages.To(messages.ActorRecall, string(hana)) {
			k.t.Errorf("%s was told, want recall/%s", s.To, hana)
		}
		switch m := s.Message.(type) {
		case messages.Remember:
			kept = append(kept, m.Events...)
		case messages.TakeBack:
			gone = append(gone, m.ID)
		case messages.Recall:
			asked = append(asked, m)
		}
	}
	return kept, gone, asked
}

// observing keeps what is said, and answers nothing.
func observing() conversation.Settings { return conversation.Settings{Mode: reply.Observe} }

// TestRemembers: what either side says is remembered, as it reads now, also where
// nothing is answered; what was taken back is not.
func TestRemembers(t *testing.T) {
	k := newTalk(t, withMemory(observing()))
	m := inbound(1)
	k.Send(m)
	kept, _, _ := told(k)
	if len(kept) != 1 || kept[0].ID != m.ID || kept[0].Own || kept[0].Speaker != m.Sender ||
		!strings.Contains(string(kept[0].Text), string(m.Parts[0].Text)) || !kept[0].At.Equal(m.SeenAt) {
		t.Fatalf("remembered %+v, want the message", kept)
	}
	k.CrashBeforeCommit()
	k.Send(messages.OwnMessage{Conversation: hana, Occurrence: 50, Text: "I wrote this", SeenAt: k.Now()})
	if kept, _, _ = told(k); len(kept) != 1 || !kept[0].Own || kept[0].ID != "own:50" ||
		kept[0].Text != "I wrote this" {
		t.Errorf("remembered %+v, want our own message", kept)
	}
	revised := messages.Revised{Conversation: hana, Occurrence: m.Parts[0].Occurrence, Change: messages.ChangeEdited,
		Text: "something else", SeenAt: k.Now()}
	k.Send(revised)
	if kept, _, _ = told(k); len(kept) != 1 || kept[0].ID != m.ID ||
		!strings.Contains(string(kept[0].Text), "something else") {
		t.Errorf("after an edit remembered %+v, want the new text under the same id", kept)
	}
	for _, p := range m.Parts {
		k.Send(messages.Revised{Conversation: hana, Occurrence: p.Occurrence, Change: messages.ChangeUnsent,
			SeenAt: k.Now()})
	}
	if _, gone, _ := told(k); !slices.Equal(gone, []messages.MessageID{m.ID}) {
		t.Errorf("taken back: %v, want %s", gone, m.ID)
	}
}

// TestRemembersWhatItAnswered: a reply is remembered with the message that it was written for, and not
// with what came while it was sent, whether it is read or confirmed first.
func TestRemembersWhatItAnswered(t *testing.T) {
	for _, readFirst := range []bool{true, false} {
		k, q := asksMemory(t, auto())
		k.Send(recalledOf(q))
		k.writes(k.modelAsked(), "Sputnik!")
		epoch := k.sends().Epoch
		k.Send(inbound(2))
		read := messages.OwnMessage{Conversation: hana, Occurrence: 9, Text: "Sputnik!", Turn: 1, SeenAt: k.Now()}
		done := messages.SendDone{Conversation: hana, Turn: 1, Epoch: epoch, Outcome: messages.SendConfirmed,
			Occurrence: 9, At: k.Now()}
		if readFirst {
			k.Send(read)
		}
		k.Send(done)
		if !readFirst {
			k.Send(read)
		}
		kept, _, _ := told(k)
		kept = slices.DeleteFunc(kept, func(e messages.Event) bool { return !e.Own })
		for _, e := range kept {
			if e.ID != "own:9" || e.Answered != inbound(1).ID {
				t.Errorf("remembered %+v, want that it answers %s", e, inbound(1).ID)
			}
		}
		if len(kept) == 0 {
			t.Error("the reply is not remembered")
		}
	}
}

// TestRemembersNoAcknowledgement: it says nothing, and would come back with every question
// that its neighbours answer.
func TestRemembersNoAcknowledgement(t *testing.T) {
	s := auto()
	s.Drawn = true
	k := newTalk(t, withMemory(s))
	k.Send(messages.OwnMessage{Conversation: hana, Occurrence: 50, SeenAt: k.Now(),
		Text: "Thank you for your message.\nI have seen it and will get back to you."})
	if kept, _, _ := told(k); len(kept) != 0 {
		t.Errorf("remembered %+v, want no acknowledgement", kept)
	}
	k.CrashBeforeCommit()
	k.Send(messages.OwnMessage{Conversation: hana, Occurrence: 51, Text: "I wrote this", SeenAt: k.Now()})
	if kept, _, _ := told(k); len(kept) != 1 || kept[0].ID != "own:51" {
		t.Errorf("remembered %+v, want what a person wrote", kept)
	}
}

// TestRemembersWhatWasBefore: a conversation of an older version tells what it kept, once.
func TestRemembersWhatWasBefore(t *testing.T) {
	store := actortest.Store(mem.New())
	old := talk{t, actortest.Spawn(t, conversation.New(options(observing())),
		actortest.Address("conversation/line:Hana"), store)}
	old.Send(inbound(1))
	old.Send(messages.OwnMessage{Conversation: hana, Occurrence: 50, Text: "mine", SeenAt: old.Now()})
	old.Send(messages.OwnMessage{Conversation: hana, Occurrence: 51, Text: theAck, SeenAt: old.Now()})
	old.Send(inbound(2))
	k := talk{t, actortest.Spawn(t, conversation.New(withMemory(observing())),
		actortest.Address("conversation/line:Hana"), store)}
	k.Start()
	if kept, _, _ := told(k); len(kept) != 3 {
		t.Errorf("remembered %+v, want three messages", kept)
	}
	k.Crash()
	k.Start()
	if kept, _, _ := told(k); len(kept) != 0 {
		t.Errorf("remembered %+v again", kept)
	}

	// An older version had told of the acknowledgement too, and had no row that it had not.
	actortest.Spawn(t, func(messages.Address) actors.Actor {
		return actors.On(func(turn *actors.Turn, _ messages.Started) error {
			actors.NewTable[bool]("remembered").Delete(turn, "acknowledged")
			return nil
		})
	}, actortest.Address("conversation/line:Hana"), store).Start()
	k = talk{t, actortest.Spawn(t, conversation.New(withMemory(observing())),
		actortest.Address("conversation/line:Hana"), store)}
	k.Start()
	if _, gone, _ := told(k); !slices.Equal(gone, []messages.MessageID{"own:51"}) {
		t.Errorf("took back %v, want the acknowledgement", gone)
	}
	k.Crash()
	k.Start()
	if _, gone, _ := told(k); len(gone) != 0 {
		t.Errorf("took back %v again", gone)
	}
}

// TestMasksInterviews: what is remembered of an interview is masked.
func TestMasksInterviews(t *testing.T) {
	s := observing()
	s.Mode = reply.Interview
	s.Policy = reply.PolicyOff
	k := newTalk(t, withMemory(s))
	m := inbound(1)
	m.Parts[0].Text = "call me at 090-1234-5678"
	k.Send(m)
	if kept, _, _ := told(k); len(kept) != 1 || strings.Contains(string(kept[0].Text), "1234") {
		t.Errorf("remembered %+v, want no number", kept)
	}
}

func recalledOf(q messages.Recall) messages.Recalled {
	return messages.Recalled{Key: q.Key, Run: "line:Hana/run.1", Found: []messages.Memory{
		{Event: messages.Event{ID: "m-old", Speaker: "Hana", Text: "my dog is called Sputnik",
			At: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}, Conversation: hana, Covers: .8},
		{Event: messages.Event{ID: "m-new", Text: "in context"}, Conversation: hana, Covers: .9, Context: true},
	}}
}

// asksMemory plays a message until memory is asked.
func asksMemory(t *testing.T, s conversation.Settings) (talk, messages.Recall) {
	t.Helper()
	return asksAbout(t, s, "what is my dog called?")
}

// asksAbout is asksMemory of a message that ends with that question.
func asksAbout(t *testing.T, s conversation.Settings, text messages.Text) (talk, messages.Recall) {
	t.Helper()
	k := newTalk(t, withMemory(s))
	m := inbound(1)
	m.Window, m.Parts[0].Text = "line@mac-a", text
	k.Send(m)
	var q messages.JudgeReply
	for _, s := range k.Sent() {
		if j, ok := s.Message.(messages.JudgeReply); ok {
			q = j
		}
	}
	k.Send(messages.OwnerState{})
	if ask := k.judged(q, true); ask != nil {
		t.Fatal("a model was asked before memory")
	}
	_, _, asked := told(k)
	if len(asked) != 1 || !strings.Contains(string(asked[0].Text), "what is my dog called?") ||
		!slices.Equal(asked[0].Except, []messages.MessageID{m.ID}) || asked[0].Group {
		t.Fatalf("asked %+v, want the message", asked)
	}
	return k, asked[0]
}

// modelAsked is the question to the model that is open.
func (k talk) modelAsked() *messages.AskLLM {
	for _, c := range k.Calls() {
		if ask, ok := c.Request.(messages.AskLLM); ok {
			return &ask
		}
	}
	return nil
}

// TestRecallsBeforeTheFirstWord: a model is asked with what was recalled, as data; what
// it reads anyway is not repeated, and the reply keeps the run.
func TestRecallsBeforeTheFirstWord(t *testing.T) {
	k, q := asksMemory(t, auto())
	k.Crash() // the question is lost with the process, and asked again
	k.Start()
	_, _, asked := told(k)
	if len(asked) != 1 || asked[0].Key != q.Key {
		t.Fatalf("after a crash asked %+v, want the same once more", asked)
	}
	r := recalledOf(q)
	r.About = []messages.Known{{Speaker: "Hana", Text: "likes: green tea"}, {Speaker: "Hana", Text: "of late: tired"}}
	k.Send(r)
	ask := k.modelAsked()
	if ask == nil {
		t.Fatal("no model was asked")
	}
	for _, known := range []string{`"name":"Hana","text":"likes: green tea"}`, `"name":"Hana","text":"of late: tired"}`} {
		if !strings.Contains(string(ask.Prompt), known) {
			t.Errorf("the prompt is %s, want %s in it", string(ask.Prompt), known)
		}
	}
	if !strings.Contains(string(ask.Prompt), `"kind":"note"`) || !strings.Contains(string(ask.Prompt), "Sputnik") ||
		strings.Contains(string(ask.Prompt), "in context") || strings.Contains(ask.System, "Sputnik") {
		t.Errorf("the prompt is %s, want the memory as a note of the data", string(ask.Prompt))
	}
	k.Send(recalledOf(q)) // late
	k.WantNoTimer("material")
	k.Published()
	k.writes(ask, "Sputnik!")
	changes := k.changes()
	if len(changes) == 0 || changes[0].Basis.Run != "line:Hana/run.1" || changes[0].Basis.Recalled != 1 {
		t.Errorf("the reply is %+v, want that it rests on the run", changes)
	}
}

// TestAsksForTheEndOfALongMessage: memory reads how it begins and what it asks at last.
func TestAsksForTheEndOfALongMessage(t *testing.T) {
	long := "Hi! " + strings.Repeat("so much to do ", 300) + "what is my dog called?"
	_, q := asksAbout(t, auto(), messages.Text(long))
	if !strings.HasPrefix(string(q.Text), "Hi!") || len(q.Text) > 2_000 {
		t.Errorf("asked for %.30q… of %d bytes, want the beginning too and no more than 2,000",
			string(q.Text), len(q.Text))
	}
}

// TestNextTurnsMessageWaits: a message that comes while memory searches is left to the
// next turn, also after a crash and where memory has found it already: it would be answered twice.
func TestNextTurnsMessageWaits(t *testing.T) {
	k, q := asksMemory(t, auto())
	k.hears(2)
	k.Crash()
	k.Start()
	found := recalledOf(q)
	found.Found = append(found.Found, messages.Memory{Event: messages.Event{ID: inbound(2).ID, Speaker: "Hana",
		Text: inbound(2).Parts[0].Text}, Conversation: hana, Covers: .7})
	k.Send(found)
	ask := k.modelAsked()
	if ask == nil || !strings.Contains(string(ask.Prompt), "my dog called?") ||
		strings.Contains(string(ask.Prompt), string(inbound(2).Parts[0].Text)) {
		t.Fatalf("a model was asked %+v, want to answer the first message alone", ask)
	}
}

// TestWaitsForMemoryNotForLong: a reply is written without what does not come.
func TestWaitsForMemoryNotForLong(t *testing.T) {
	k, q := asksMemory(t, auto())
	k.WantTimer("material", 2500*time.Millisecond)
	k.Advance(2500 * time.Millisecond)
	ask := k.modelAsked()
	if ask == nil || strings.Contains(string(ask.Prompt), `"kind":"note"`) {
		t.Fatalf("after 2.5 s a model was asked %v, want without a memory", ask)
	}
	k.Send(recalledOf(q)) // too late
	if again := k.modelAsked(); again != nil {
		t.Errorf("a model was asked once more: %v", again)
	}
}

// TestNamesWhatItRemembers: without a model a fixed text names what answers a question.
func TestNamesWhatItRemembers(t *testing.T) {
	for _, c := range []struct {
		name   string
		edit   func(*messages.Recalled)
		want   string
		rested int
	}{
		{"answers", func(*messages.Recalled) {}, "You told me on 2 March 2026: “my dog is called Sputnik”", 1},
		{"ours", func(r *messages.Recalled) { r.Found[0].Own = true },
			"As I wrote on 2 March 2026: “my dog is called Sputnik”", 1},
		{"too little in common", func(r *messages.Recalled) { r.Found, r.Found[0].Covers = r.Found[:1], .5 },
			theAck, 0},
		{"a question itself", func(r *messages.Recalled) { r.Found, r.Found[0].Text = r.Found[:1], "dog?" }, theAck, 0},
		{"nothing", func(r *messages.Recalled) { r.Found = nil }, theAck, 0},
		{"how it is now", func(r *messages.Recalled) {
			now := r.Found[0]
			now.Text, now.State = "we called the dog Laika now", "dog: Laika"
			r.Found = append(r.Found, now)
		}, "You told me on 2 March 2026: “we called the dog Laika now”", 1},
		{"outdated", func(r *messages.Recalled) { r.Found, r.Found[0].Former = r.Found[:1], true },
			theAck, 0},
	} {
		s := auto()
		s.Drawn = true
		k, q := asksMemory(t, s)
		r := recalledOf(q)
		c.edit(&r)
		k.Send(r)
		k.Published()
		k.FailCall(messages.FailureUnknown, "", "no model")
		changes := k.changes()
		if len(changes) == 0 || string(changes[0].Text) != c.want || changes[0].Basis.Recalled != c.rested {
			t.Errorf("%s: the reply is %+v, want %q", c.name, changes, c.want)
		}
	}
}

// TestTheModelWaitsForOneCommit: between a guest's message and the question to a model the
// conversation stores once, and memory searches before it stores the message.
func TestTheModelWaitsForOneCommit(t *testing.T) {
	o := withMemory(auto())
	o.Mask, o.Key = true, masked().Key
	k := newTalk(t, o)
	k.Send(messages.Say{Conversation: hana, Channel: messages.ChannelWeb, ID: "w1",
		Text: "Where is my dog?", At: k.Now()})
	k.WantCommits(1)
	var order []string
	var q messages.Recall
	for _, s := range k.Sent() {
		switch m := s.Message.(type) {
		case messages.Recall:
			q, order = m, append(order, "recall")
		case messages.Remember:
			order = append(order, "remember")
		}
	}
	if !slices.Equal(order, []string{"recall", "remember"}) {
		t.Errorf("memory was told to %v, want to recall before it stores", order)
	}
	k.Send(messages.Recalled{Key: q.Key})
	k.WantCommits(0)
	if k.modelAsked() == nil {
		t.Error("no model was asked")
	}
}

// TestAQuestionStoresNothing: once the names of those who talk are known, a question to a
// model waits for no commit, whoever is named in which order.
func TestAQuestionStoresNothing(t *testing.T) {
	o := withMemory(auto())
	o.Mask, o.Key = true, masked().Key
	o.Name = func(messages.ConversationID) string { return "Hana Sato" }
	k := newTalk(t, o)
	for n := 1; n <= 3; n++ {
		k.Send(messages.Say{Conversation: hana, Channel: messages.ChannelWeb, ID: messages.MessageID(rune('a' + n)),
			Sender: "Hana", Text: "Where is my dog?", At: k.Now()})
		k.WantCommits(1)
		var q messages.Recall
		for _, s := range k.Sent() {
			switch m := s.Message.(type) {
			case messages.Recall:
				q = m
			case messages.FollowOwner:
				k.Send(messages.OwnerState{})
				k.WantCommits(1)
			}
		}
		k.Send(messages.Recalled{Key: q.Key})
		k.WantCommits(max(0, 2-n)) // with the first question the names are new
		ask := k.modelAsked()
		if ask == nil {
			t.Fatalf("question %d: no model was asked", n)
		}
		k.writes(ask, "In the garden.")
		k.WantCommits(1)
	}
}
