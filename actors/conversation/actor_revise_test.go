package conversation_test

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func revised(o messages.Occurrence, change messages.ChangeKind, text messages.Text) messages.Revised {
	return messages.Revised{Conversation: "line:Hana", Occurrence: o, Change: change, Text: text, Window: "w",
		SeenAt: time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC)}
}

// changed is the event of message "idO", part O.
func changed(h *actortest.Harness, id messages.MessageID, r messages.Revised,
	old messages.Text) messages.MessageChanged {
	return messages.MessageChanged{
		Conversation: "line:Hana", Message: id, Occurrence: r.Occurrence, Kind: r.Change, Sender: "Hana",
		Old: old, New: r.Text, SeenAt: r.SeenAt, ChangedAt: h.Now(),
	}
}

func TestRevise(t *testing.T) {
	h := spawn(t, conversation.DefaultOptions())
	for n := 1; n <= 9; n++ {
		m := inbound(2 * n)
		part := m.Parts[0]
		part.Occurrence, part.Text = part.Occurrence+1, "more"
		m.Parts = append(m.Parts, part)
		h.Send(m)
	}
	h.Published()

	edit := revised(5, messages.ChangeEdited, "less")
	h.FailNextCommit()
	h.Send(edit)
	h.Advance(time.Minute) // the turn that failed comes again
	first := h.Published()
	if len(first) != 1 {
		t.Fatalf("after a failed commit published %v, want one change", first)
	}
	got := first[0].(messages.MessageChanged)
	want := changed(h, "id4", revised(5, messages.ChangeEdited, "less"), "more")
	want.ChangedAt = got.ChangedAt
	if got != want {
		t.Errorf("published %+v, want %+v", got, want)
	}
	h.Crash()
	h.Send(edit)
	h.WantDropped(events.StageConversation, events.RuleSaidAlready, events.Detail{Match: "edited", Message: "id4"})
	h.WantPublished()

	again := revised(5, messages.ChangeEdited, "nothing")
	h.CrashBeforeCommit()
	h.Send(again)
	h.WantPublished(changed(h, "id4", again, "less"))
	gone := revised(5, messages.ChangeUnsent, "")
	h.Send(gone)
	h.Crash()
	h.WantPublished(changed(h, "id4", gone, "nothing"))
	h.Send(gone)
	h.WantDropped(events.StageConversation, events.RuleSaidAlready, events.Detail{Match: "unsent", Message: "id4"})
	stored, _ := actortest.Stored(h, conversation.Messages, conversation.RowKey(2))
	if p := stored.Parts[1]; p.Text != "more" || p.Edited != "nothing" || !p.Unsent {
		t.Errorf("stored part %+v, want the text as delivered, the last text and that it was unsent", p)
	}
}

func TestReviseWhatIsNotThere(t *testing.T) {
	h := spawn(t, keeping(3))
	h.Send(revised(1, messages.ChangeEdited, "x"))
	h.WantDropped(events.StageConversation, events.RuleNotDelivered,
		events.Detail{Match: "edited", Occurrences: []messages.Occurrence{1}})
	for n := 1; n <= 5; n++ {
		h.Send(inbound(2 * n))
	}
	h.Published()
	for _, o := range []messages.Occurrence{1, 4, 7, 11} {
		h.Send(revised(o, messages.ChangeUnsent, ""))
	}
	h.WantPublished()
	h.Send(revised(6, messages.ChangeUnsent, ""))
	h.WantPublished(changed(h, "id6", revised(6, messages.ChangeUnsent, ""), "message 6"))
}
