package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// logged is an event log of these events, a second apart, with places from 1.
func logged(list ...messages.Message) logReader {
	return func(after uint64, yield func(engine.Published) bool) error {
		for i, m := range list {
			seq := uint64(i + 1)
			if seq > after && !yield(engine.Published{Seq: seq, At: pathTime.Add(time.Duration(i) * time.Second),
				Message: m}) {
				break
			}
		}
		return nil
	}
}

func said(c messages.ConversationID, at int, text string, places ...messages.Occurrence) messages.MessageDelivered {
	d := messages.MessageDelivered{InboundMessage: messages.InboundMessage{ID: messages.MessageID("m" + text),
		Conversation: c, Text: messages.Text(text)}, DeliveredAt: pathTime.Add(time.Duration(at) * time.Second)}
	for _, o := range places {
		d.Parts = append(d.Parts, messages.Part{Text: messages.Text(text), Occurrence: o})
	}
	return d
}

func became(c messages.ConversationID, turn int64, epoch int, state messages.ReplyState) messages.ReplyChanged {
	return messages.ReplyChanged{Conversation: c, Turn: turn, Epoch: epoch, State: state, Text: "r"}
}

// brief is an entry in a word.
func brief(e control.Entry) string {
	switch {
	case e.Message != nil:
		text := e.Message.Text
		for _, p := range e.Message.Parts {
			if p.Edited != "" {
				text += "→" + p.Edited
			}
			if p.Unsent {
				text += "×"
			}
		}
		return text
	case e.Change != nil:
		return "change:" + e.Change.New
	case e.Gap != nil:
		return fmt.Sprint("gap:", e.Gap.After)
	}
	return fmt.Sprint("reply:", e.Reply.ID, e.Reply.Key, " ", e.Reply.State, " ", e.Reply.Occurrence)
}

func TestTimeline(t *testing.T) {
	edited := func(text string, o messages.Occurrence) messages.MessageChanged {
		return messages.MessageChanged{Conversation: "c", Message: messages.MessageID("m" + text), Occurrence: o,
			Kind: messages.ChangeEdited, New: "new"}
	}
	gap := func(after messages.Occurrence) messages.TranscriptGap {
		return messages.TranscriptGap{Conversation: "c", After: after}
	}
	done := func(turn int64, key string, out messages.SendOutcome, o messages.Occurrence) messages.SendDone {
		return messages.SendDone{Conversation: "c", Turn: turn, Epoch: min(int(turn), 1), Key: key, Outcome: out,
			Occurrence: o}
	}
	for name, c := range map[string]struct {
		log  logReader
		q    control.Query
		want string
	}{
		"a change stands in its message": {logged(said("c", 0, "a", 1), said("c", 1, "b", 2), edited("a", 1)),
			control.Query{}, "a→new, b"},
		"or alone where that is not listed": {logged(said("c", 0, "a", 1), said("c", 1, "b", 2), edited("a", 1)),
			control.Query{After: 1}, "b, change:new"},
		"a gap stands where it is in the log": {logged(said("c", 0, "a", 1), gap(1), said("c", 2, "b", 2)),
			control.Query{}, "a, gap:1, b"},
		"or behind what was before it and waited": {logged(said("c", 0, "a", 1), gap(2), said("x", 2, "y", 1),
			said("c", 3, "b", 2), said("c", 4, "z", 3)), control.Query{}, "a, y, b, gap:2, z"},
		"a gap of an older version": {logged(said("c", 0, "a", 1), gap(0), said("c", 2, "b", 2)),
			control.Query{}, "a, gap:0, b"},
		"a reply that was sent": {logged(became("c", 1, 1, "sending"), done(1, "", messages.SendConfirmed, 4),
			became("c", 1, 1, "sent")), control.Query{}, "reply:c/1.1 sent 4"},
		"one that turns up after all": {logged(became("c", 1, 1, "unknown"), said("c", 1, "a", 5),
			done(1, "", messages.SendConfirmed, 4), became("c", 1, 1, "sent")), control.Query{},
			"reply:c/1.1 sent 4, a"},
		"also once a person has given it up": {logged(became("c", 1, 1, "unknown"), became("c", 1, 1, "rejected"),
			done(1, "", messages.SendConfirmed, 4)), control.Query{}, "reply:c/1.1 sent 4"},
		"one that a person sends once more": {logged(became("c", 1, 1, "unknown"), became("c", 1, 2, "sent")),
			control.Query{}, "reply:c/1.1 unknown 0, reply:c/1.2 sent 0"},
		"a host's own": {logged(done(0, "k", messages.SendUnknown, 0), done(0, "l", messages.SendNot, 0),
			done(0, "k", messages.SendConfirmed, 7)), control.Query{}, "reply:k sent 7"},
		"the newest": {logged(said("c", 0, "a", 1), said("c", 1, "b", 2), gap(2)), control.Query{Limit: 2},
			"b, gap:2"},
		"of one": {logged(said("c", 0, "a", 1), said("x", 1, "b", 2), gap(1)), control.Query{Conversation: "x"}, "b"},
		"since": {logged(said("c", 0, "a", 1), gap(1), said("c", 2, "b", 2)),
			control.Query{Since: pathTime.Add(time.Second)}, "gap:1, b"},
	} {
		var got []string
		err := readTimeline(t.Context(), c.log, c.q, func(e control.Entry) error {
			got = append(got, brief(e))
			return nil
		})
		if err != nil || strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %s, %v, want %s", name, strings.Join(got, ", "), err, c.want)
		}
	}
}

// What a reply rests on is told by its way, whatever became of it.
func TestTheWayOfAReply(t *testing.T) {
	basis := messages.ReplyBasis{Confidence: 1, Source: "default", Fallback: "no_model"}
	log := logged(
		said("c", 0, "a", 1),
		messages.JudgementMade{Conversation: "c", Message: "ma", Respond: true, Confidence: 1, Reason: "one to one",
			Source: "default", At: pathTime.Add(time.Second)},
		messages.ReplyChanged{Conversation: "c", Turn: 1, Epoch: 2, State: "sending", Text: "hello",
			Answers: []messages.MessageID{"ma"}, Rule: "auto", Basis: basis, At: pathTime.Add(2 * time.Second)},
		messages.SendDone{Conversation: "c", Turn: 1, Epoch: 2, Outcome: messages.SendConfirmed, Occurrence: 2,
			At: pathTime.Add(3 * time.Second)},
		messages.ReplyChanged{Conversation: "c", Turn: 1, Epoch: 2, State: "sent", Text: "hello",
			Answers: []messages.MessageID{"ma"}, Rule: "auto", Basis: basis, At: pathTime.Add(4 * time.Second)},
		messages.ReplyChanged{Conversation: "c", Turn: 2, Epoch: 1, State: "draft", Text: "good bye",
			Basis: messages.ReplyBasis{Model: "m", Lines: 3, Prompt: "v1"}, At: pathTime.Add(5 * time.Second)},
		messages.ReplyChanged{Conversation: "c", Turn: 2, Epoch: 1, State: "withdrawn",
			At: pathTime.Add(6 * time.Second)},
		messages.SendDone{Conversation: "c", Key: "k", Outcome: messages.SendUnknown, Reason: messages.SendFailed,
			Text: "from the host", At: pathTime.Add(7 * time.Second)},
	)
	ev := newEvidence()
	if err := log(0, func(p engine.Published) bool {
		ev.take(p, func(messages.ConversationID) bool { return true })
		return true
	}); err != nil {
		t.Fatal(err)
	}
	ev.addEntry("c", ledger.Entry{Occurrence: 2, Side: messages.SideOwn, Text: "hello"})
	const answered = "conversation delivered, judge passed, conversation sending auto, conversation sent auto"
	for _, c := range []struct {
		q     control.WhyQuery
		want  events.Outcome
		steps string
	}{
		{control.WhyQuery{Text: "hello"}, "sent", answered},
		{control.WhyQuery{ID: "c/1.2"}, "sent", answered},
		{control.WhyQuery{Text: "good bye"}, "withdrawn", "conversation draft, conversation withdrawn"},
		{control.WhyQuery{Text: "from the host"}, "unknown", ""},
		{control.WhyQuery{ID: "k"}, "unknown", ""},
	} {
		list := ev.ByID(c.q.ID)
		if c.q.ID == "" {
			c.q.Limit = control.DefaultFound
			list = ev.ByText(c.q, nil)
		}
		if len(list) != 1 {
			t.Errorf("why %+v: %+v, want one path", c.q, list)
			continue
		}
		var steps []string
		for _, s := range list[0].Steps {
			steps = append(steps, strings.TrimSpace(fmt.Sprint(s.Stage, " ", s.Outcome, " ", s.Detail.Rule)))
		}
		if got := strings.Join(steps, ", "); list[0].Outcome != c.want || got != c.steps {
			t.Errorf("why %+v: %s by %q, want %s by %q", c.q, list[0].Outcome, got, c.want, c.steps)
		}
	}
	first := ev.ByText(control.WhyQuery{Limit: 5, Text: "hello"}, nil)[0]
	if i := slices.IndexFunc(first.Steps, func(s control.Step) bool { return len(s.Matched) > 0 }); i < 0 ||
		first.Steps[i].Matched[0].Text != "a" {
		t.Errorf("the way of a reply is %+v, want it to quote what it answers", first.Steps)
	}
}
