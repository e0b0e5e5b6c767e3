package replay

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// What was stopped by the rule of echoes is recorded where it would have come out,
// whatever the verdict's sentence says.
func TestRecorderKnowsEchoesByTheirRule(t *testing.T) {
	r := newRecorder()
	for id, n := range map[string]messages.Occurrence{"m1": 1, "m2": 2} {
		r.incoming[id] = messages.IncomingBubble{Conversation: "line:Hana", Kind: messages.KindText,
			Text: messages.Text(id), Occurrence: n}
	}
	r.delivered(messages.MessageDelivered{InboundMessage: messages.InboundMessage{
		Conversation: "line:Hana", Parts: []messages.Part{{Kind: messages.KindText, Text: "m3", Occurrence: 3}}},
	})
	drop := func(id string, rule events.Rule) {
		r.dropped(events.Dropped{Verdict: events.Verdict{Cause: id, Reason: "echo, or so",
			Detail: events.Detail{Rule: rule}}})
	}
	drop("m1", events.RuleEcho)
	drop("m2", events.RuleCommon)
	drop("m9", events.RuleEcho) // of another stage
	if len(r.got) != 2 || r.got[0].text != "m1" || !r.got[0].echo || r.got[1].text != "m3" || r.got[1].echo {
		t.Errorf("recorded %+v, want the echo m1 and then m3", r.got)
	}
}
