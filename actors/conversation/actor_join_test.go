package conversation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/interview"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func inbound(id messages.MessageID, c messages.ConversationID, at messages.Occurrence, text messages.Text,
) messages.InboundMessage {
	return messages.InboundMessage{ID: id, Conversation: c, Sender: "Hena", Kind: messages.KindText, Text: text,
		Parts: []messages.Part{{Kind: messages.KindText, Text: text, Occurrence: at}}}
}

// TestJoinTalk: what was said goes once, whichever commit fails, and so do changes and
// messages that come later; what the other one has too is not there twice.
func TestJoinTalk(t *testing.T) {
	from := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("conversation/c-2"))
	from.Send(inbound("m-1", "c-2", 1, "twice"))
	from.Send(inbound("m-2", "c-2", 2, "new"))
	from.Send(messages.OwnMessage{Conversation: "c-2", Occurrence: 3, Text: "ours", SeenAt: from.Now()})
	from.Sent()
	from.CrashBeforeCommit()
	join := messages.JoinTalk{Conversation: "c-2", Into: "c-1", Offset: 10, Twice: []messages.Occurrence{1}}
	from.Send(join)
	var talk []messages.TalkJoined
	forgot := false
	for _, s := range from.Sent() {
		switch m := s.Message.(type) {
		case messages.TalkJoined:
			if s.To == "conversation/c-1" {
				talk = append(talk, m)
			}
		case messages.ReplyFate:
			forgot = s.To == "judge/c-2" && m.Fate == messages.FateForget
		}
	}
	if !forgot {
		t.Error("the judgement stays, want it forgotten with the messages it is about")
	}
	if len(talk) != 1 || len(talk[0].Messages) != 1 || talk[0].Messages[0].Parts[0].Occurrence != 12 {
		t.Fatalf("handed over %+v, want m-2 at place 12", talk)
	}
	actortest.WantRows(from, Messages, nil)
	actortest.WantRows(from, OwnMessages, nil)
	from.Crash()
	from.Send(join) // again
	from.WantSent()
	from.Send(inbound("m-3", "c-2", 4, "later"))
	from.WantSent(actortest.To("conversation/c-1", inbound("m-3", "c-1", 14, "later")))
	from.Send(messages.Revised{Conversation: "c-2", Occurrence: 2, Change: messages.ChangeUnsent})
	from.WantSent(actortest.To("conversation/c-1",
		messages.Revised{Conversation: "c-1", Occurrence: 12, Change: messages.ChangeUnsent}))

	into := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("conversation/c-1"))
	into.Send(inbound("m-0", "c-1", 1, "first"))
	into.CrashBeforeCommit()
	into.Send(talk[0])
	into.Send(talk[0]) // again
	into.Crash()
	into.Send(inbound("m-3", "c-1", 14, "later"))
	into.Send(messages.Revised{Conversation: "c-1", Occurrence: 12, Change: messages.ChangeUnsent})
	head, _ := actortest.Stored(into, Heads, "head")
	own, _ := actortest.Stored(into, OwnMessages, RowKey(1))
	second, _ := actortest.Stored(into, Messages, RowKey(2))
	if head.Count != 3 || head.Own != 1 || own.Occurrence != 13 || second.ID != "m-2" || !second.Parts[0].Unsent {
		t.Errorf("head %+v, own %+v, second %+v; want three messages, one of ours, and m-2 taken back", head, own,
			second)
	}
}

// More than one turn can write goes in several, whichever of their commits fails, in
// order and once; what comes meanwhile goes along.
func TestJoinTalkInSlices(t *testing.T) {
	const many, long = 10, 400 << 10
	from := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("conversation/c-2"))
	into := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("conversation/c-1"))
	into.Send(inbound("m-0", "c-1", 1, "first"))
	name := func(n int) messages.MessageID { return messages.MessageID(fmt.Sprint("m-", n)) }
	for n := 1; n <= many; n++ {
		text := messages.Text(strings.Repeat("x", long))
		from.Send(inbound(name(n), "c-2", messages.Occurrence(2*n), text))
		from.Send(messages.OwnMessage{Conversation: "c-2", Occurrence: messages.Occurrence(2*n + 1), Text: text,
			SeenAt: from.Now()})
	}
	from.Sent()
	handed, turns := map[messages.MessageID]int{}, 0
	take := func() {
		for _, s := range from.Sent() {
			m, ok := s.Message.(messages.TalkJoined)
			if !ok {
				continue
			}
			size := len(m.Rest)
			for _, d := range m.Messages {
				size += len(d.Text)
				handed[d.ID]++
			}
			if turns++; size > 2<<20 {
				t.Errorf("%d bytes of text go at once, want 2 MiB at most", size)
			}
			if turns%3 == 1 {
				into.CrashBeforeCommit()
			}
			into.Send(m)
		}
	}
	from.CrashBeforeCommit()
	from.Send(messages.JoinTalk{Conversation: "c-2", Into: "c-1", Offset: 10})
	take()
	from.Send(inbound(name(many+1), "c-2", 2*many+2, "meanwhile"))
	for before := -1; turns > before; {
		before = turns
		if row, _ := actortest.Stored(from, intos, onlyRow); !row.Gone {
			from.CrashBeforeCommit()
		}
		from.Advance(time.Second)
		take()
	}
	actortest.WantRows(from, Messages, nil)
	actortest.WantRows(from, OwnMessages, nil)
	if row, _ := actortest.Stored(from, intos, onlyRow); !row.Gone || turns < 7 {
		t.Errorf("after %d turns the conversation is %+v, want it gone after 7 at least", turns, row)
	}
	for n := 1; n <= many+1; n++ {
		d, _ := actortest.Stored(into, Messages, RowKey(int64(n+1)))
		if d.ID != name(n) || d.Parts[0].Occurrence != messages.Occurrence(2*n+10) || handed[d.ID] != 1 {
			t.Errorf("message %d is %s at place %d, handed over %d times", n, d.ID, d.Parts[0].Occurrence, handed[d.ID])
		}
	}
	head, _ := actortest.Stored(into, Heads, "head")
	if own, _ := actortest.Stored(into, OwnMessages, RowKey(many)); head.Own != many || own.Occurrence != 2*many+11 {
		t.Errorf("head %+v, the last of our side at place %d; want %d of ours", head, own.Occurrence, many)
	}
}

// TestJoinInterviews: who was interviewed twice was interviewed once, by whichever interview is
// over, and what was found in one is analysed with the other; a crash takes nothing of it.
func TestJoinInterviews(t *testing.T) {
	type half struct {
		project messages.ProjectID // "": no interview
		over    bool
	}
	for _, c := range []struct {
		from, into, want half
		analysed         string // anew, by conversation, with how many answers
	}{
		{half{"p-1", true}, half{}, half{"p-1", true}, "c-1:2 c-2:0"},
		{half{"p-1", false}, half{}, half{"p-1", false}, ""},
		{half{"p-1", true}, half{"p-1", false}, half{"p-1", true}, "c-1:2 c-2:0"},
		{half{"p-1", false}, half{"p-1", true}, half{"p-1", true}, "c-1:2"},
		{half{"p-1", true}, half{"p-2", false}, half{"p-2", false}, ""},
		{half{}, half{"p-1", true}, half{"p-1", true}, "c-1:2"},
	} {
		open := func(id messages.ConversationID, h half) *actortest.Harness {
			k := actortest.Spawn(t, New(DefaultOptions()), actortest.Address(messages.To(Kind, string(id))))
			if h.project != "" {
				k.Send(messages.InterviewBegins{Project: h.project, Conversation: id,
					Plan: messages.InterviewPlan{Goal: "why", MaxTurns: 9}})
			}
			m := inbound(messages.MessageID("m-"+id), id, 1, "the trains are full")
			m.PIIProcessed = true
			k.Send(m)
			if h.over {
				k.Send(messages.StopInterview{Conversation: id})
			}
			k.Sent()
			return k
		}
		from, into := open("c-2", c.from), open("c-1", c.into)
		from.CrashBeforeCommit()
		from.Send(messages.JoinTalk{Conversation: "c-2", Into: "c-1", Offset: 10})
		for _, s := range from.Sent() {
			if m, ok := s.Message.(messages.TalkJoined); ok {
				into.CrashBeforeCommit()
				into.Send(m)
				into.Crash()
				into.Send(m) // again
			}
		}
		actortest.WantRows(from, Interviews, nil)
		analysed := map[string]bool{}
		for _, s := range into.Sent() {
			if m, ok := s.Message.(messages.Analyse); ok && m.Project == c.want.project {
				analysed[fmt.Sprintf("%s:%d", m.Conversation, len(m.Lines))] = true
			}
		}
		v, _ := actortest.Stored(into, Interviews, onlyRow)
		got := strings.Join(slices.Sorted(maps.Keys(analysed)), " ")
		if (half{v.Project, v.State.Phase == interview.Done}) != c.want || got != c.analysed {
			t.Errorf("%+v into %+v: %s in %s, analysed %q, want %+v and %q", c.from, c.into, v.Project, v.State.Phase,
				got, c.want, c.analysed)
		}
		from.Send(messages.StopInterview{Conversation: "c-2"})
		from.WantSent(actortest.To("conversation/c-1", messages.StopInterview{Conversation: "c-1"}))
	}
}
