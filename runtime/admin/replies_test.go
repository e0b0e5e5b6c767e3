package admin

import (
	"testing"

	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// TestADraftAnswersWhatReadsNow: a message that was edited after it came is shown as it reads now, and called
// edited; of one that was taken back nothing is shown.
func TestADraftAnswersWhatReadsNow(t *testing.T) {
	said := func(parts ...messages.Part) (m messages.MessageDelivered) {
		m.Sender, m.Text, m.Parts = "Hana", "At nine?", parts
		return m
	}
	d := desk{said: map[messages.MessageID]messages.MessageDelivered{
		"as it came": said(messages.Part{Text: "At nine?"}),
		"edited":     said(messages.Part{Text: "At nine?", Edited: "At ten?"}),
		"taken back": said(messages.Part{Text: "At nine?", Unsent: true}),
	}}
	want := []control.Answered{
		{Message: "as it came", Sender: "Hana", Text: "At nine?"},
		{Message: "edited", Sender: "Hana", Text: "At ten?", Edited: true},
		{Message: "taken back", Sender: "Hana", Unsent: true},
		{Message: "gone"},
	}
	turn := reply.Turn{ID: 1, Epoch: 1, State: reply.Drafted}
	for _, a := range want {
		turn.Messages = append(turn.Messages, a.Message)
	}
	for i, got := range d.draft("c-1", turn).Answers {
		if got != want[i] {
			t.Errorf("the draft answers %+v, want %+v", got, want[i])
		}
	}
}
