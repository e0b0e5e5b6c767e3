package burst_test

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func spawn(t testing.TB) *actortest.Harness {
	t.Helper()
	return actortest.Spawn(t, burst.New(burst.DefaultRules()), actortest.Address("burst/line:Hana"))
}

// wantPassed expects messages with these texts.
func wantPassed(t *testing.T, h *actortest.Harness, want ...messages.Text) {
	t.Helper()
	sent := h.Sent()
	if len(sent) != len(want) {
		t.Errorf("passed on %d messages, want %d", len(sent), len(want))
		return
	}
	ids := map[messages.MessageID]bool{}
	for i, s := range sent {
		m, ok := s.Message.(messages.InboundMessage)
		if !ok || s.To != "conversation/line:Hana" || m.Text != want[i] || m.ID == "" || ids[m.ID] {
			t.Errorf("passed on %+v with text %q to %s, want a new message with text %q", m, string(m.Text), s.To,
				string(want[i]))
		}
		ids[m.ID] = true
	}
}

func TestDebounce(t *testing.T) {
	h := spawn(t)
	h.Send(heard(1, "Hana", "a"))
	h.WantTimer("due", 1500*time.Millisecond)
	h.Advance(time.Second)
	h.Send(heard(2, "Hana", "b"))
	h.WantTimer("due", 1500*time.Millisecond)
	h.Advance(1499 * time.Millisecond)
	wantPassed(t, h)
	h.Advance(time.Millisecond)
	wantPassed(t, h, "a\nb")
	h.Advance(time.Minute)
	wantPassed(t, h)
}

func TestCap(t *testing.T) {
	h := spawn(t)
	for n := messages.Occurrence(1); n <= 8; n++ {
		h.Send(heard(n, "Hana", "x"))
		h.Advance(time.Second)
	}
	wantPassed(t, h, "x\nx\nx\nx\nx\nx\nx\nx") // eight came in 7.5 s
	h.WantNoTimer("due")
}

func TestFullAndOtherSender(t *testing.T) {
	h := spawn(t)
	want := messages.Text("x")
	h.Send(heard(1, "Hana", "x"))
	for n := messages.Occurrence(2); n <= 36; n++ {
		h.Send(heard(n, "Hana", "x"))
		want += "\nx"
	}
	h.WantNoTimer("due")
	wantPassed(t, h, want)
	h.Send(heard(37, "Hana", "y"))
	h.Send(heard(38, "Ken", "z"))
	wantPassed(t, h, "y")
	h.Advance(1500 * time.Millisecond)
	wantPassed(t, h, "z")
}

func TestCrashInsideABurst(t *testing.T) {
	h := spawn(t)
	h.Send(heard(1, "Hana", "a"))
	h.CrashBeforeCommit()
	h.Send(heard(2, "Hana", "b"))
	h.Crash()
	h.Advance(time.Second)
	h.FailNextCommit()
	h.Advance(time.Minute)
	wantPassed(t, h, "a\nb")
	h.WantDeadLetters(0)
}

func BenchmarkHeard(b *testing.B) {
	h := spawn(b)
	n := messages.Occurrence(0)
	for b.Loop() {
		n++
		h.Send(heard(n, "Hana", "明日の会議は10時からです"))
		h.Sent()
	}
}

// A change never overtakes its message, and does not hold up others.
func TestRevised(t *testing.T) {
	h := spawn(t)
	edit := func(o messages.Occurrence) messages.Revised {
		return messages.Revised{Conversation: "line:Hana", Occurrence: o, Change: messages.ChangeEdited, Text: "x"}
	}
	forwarded := func(o messages.Occurrence) actortest.Sent { return actortest.To("conversation/line:Hana", edit(o)) }
	h.Send(heard(1, "Hana", "a"))
	h.Send(heard(2, "Hana", "b"))
	h.CrashBeforeCommit()
	h.Send(edit(2))
	sent := h.Sent()
	if len(sent) != 2 || sent[0].Message.(messages.InboundMessage).Text != "a\nb" || sent[1] != forwarded(2) {
		t.Errorf("passed on %v, want the message that waited and then its change", sent)
	}
	h.WantNoTimer("due")
	h.Send(heard(3, "Hana", "c"))
	h.Send(edit(1))
	h.WantSent(forwarded(1))
	h.Advance(2 * time.Second)
	wantPassed(t, h, "c")
}

// A message with a part of a text says that it is not all.
func TestPartial(t *testing.T) {
	h := spawn(t)
	part := heard(1, "Hana", "the end of it")
	part.Partial = true
	h.Send(part)
	h.Send(heard(2, "Hana", "b"))
	h.Crash()
	h.Advance(2 * time.Second)
	h.Send(heard(3, "Hana", "c"))
	h.Advance(2 * time.Second)
	sent := h.Sent()
	if len(sent) != 2 {
		t.Fatalf("passed on %v, want two messages", sent)
	}
	first, second := sent[0].Message.(messages.InboundMessage), sent[1].Message.(messages.InboundMessage)
	if !first.Partial || !first.Parts[0].Partial || first.Parts[1].Partial || second.Partial {
		t.Errorf("partial: %v with parts %v, then %v, want only the first of each", first.Partial, first.Parts,
			second.Partial)
	}
}
