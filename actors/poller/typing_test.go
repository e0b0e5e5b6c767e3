package poller_test

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/poller"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// types says that Kehai types for a time.
func types(h *actortest.Harness, d time.Duration) {
	h.Send(messages.Typing{Window: "w", Until: h.Now().Add(d)})
}

// settled spawns a poller whose window is settled and waits for the next poll.
func settled(t *testing.T) *actortest.Harness {
	t.Helper()
	h := spawn(t)
	h.Answer(captured(1))
	h.Answer(read(1))
	h.SendFrom("fusion/w", messages.FrameSettled{Window: "w", Hash: hash(1)})
	h.Calls()
	return h
}

func wantTyping(t *testing.T, h *actortest.Harness, n int) {
	t.Helper()
	for range n {
		h.WantDropped(events.StageCapture, events.RuleTyping)
	}
	h.WantNothingDropped()
}

// TestNothingIsCapturedWhileKehaiTypes: polls are skipped and counted, and the
// first one comes when the typing ends, not an interval later.
func TestNothingIsCapturedWhileKehaiTypes(t *testing.T) {
	h := settled(t)
	types(h, 2300*time.Millisecond)
	h.Advance(2299 * time.Millisecond)
	h.WantCalls()
	wantTyping(t, h, 2)
	h.Advance(time.Millisecond)
	h.WantCalls(ask)
	h.Answer(captured(2))
	h.WantCalls(readAsk(2))
}

// TestTypingIsBounded: a typist that dies cannot stop the captures for ever.
func TestTypingIsBounded(t *testing.T) {
	h := settled(t)
	types(h, time.Hour)
	h.Advance(messages.MaxTyping - 1)
	h.WantCalls()
	h.Advance(1)
	h.WantCalls(ask)

	h = settled(t)
	types(h, 20*second)
	h.Crash()
	h.Calls()
	h.Start() // nor does a crash of the poller
	h.WantCalls(ask)
	h.WantCommits(0)
}

// TestTypingEndsEarly: a skipped poll is made up for at once.
func TestTypingEndsEarly(t *testing.T) {
	h := settled(t)
	types(h, 20*second)
	types(h, 0)
	h.WantCalls() // none was skipped
	types(h, 20*second)
	h.Advance(1500 * time.Millisecond)
	h.WantCalls()
	h.Send(messages.ReadNow{Window: "w"}) // not now
	h.WantCalls()
	types(h, 0)
	h.WantCalls(ask)
	h.WantTimer("poll", second)
	h.Answer(captured(1)) // unchanged, but ReadNow is not forgotten
	h.WantCalls(readAsk(1))
}

// TestACaptureThatTypingOvertakes is dropped: it may show what is being typed.
func TestACaptureThatTypingOvertakes(t *testing.T) {
	h := spawn(t)
	h.WantCalls(ask)
	types(h, 300*time.Millisecond)
	h.Answer(captured(1))
	h.WantCalls()
	wantTyping(t, h, 1)
	h.Advance(300 * time.Millisecond)
	h.WantCalls(ask)
	h.Answer(captured(1))
	h.WantCalls(readAsk(1))
}

// TestTypingDoesNotDelayWhatWasCaptured: an incomplete burst is read.
func TestTypingDoesNotDelayWhatWasCaptured(t *testing.T) {
	h := actortest.Spawn(t, poller.New(with(func(o *poller.Options) { o.Burst = 3 })), actortest.Address("poller/w"))
	h.Start()
	h.Answer(captured(1))
	h.WantCalls(ask)
	types(h, 5*second)
	h.WantCalls(actortest.Ask("ocr", messages.ReadFrame{Frame: shot(1), Hash: hash(1)},
		actors.CallOptions{Deadline: 60 * second, Retries: 1}))

	h = actortest.Spawn(t, poller.New(with(func(o *poller.Options) { o.Burst = 3 })), actortest.Address("poller/w"))
	h.Start()
	h.Answer(captured(1))
	h.Advance(120 * time.Millisecond)
	h.WantCalls(ask, ask) // the second is under way
	types(h, 5*second)
	h.WantCalls(actortest.Ask("ocr", messages.ReadFrame{Frame: shot(1), Hash: hash(1)},
		actors.CallOptions{Deadline: 60 * second, Retries: 1}))
	h.Answer(captured(2))
	wantTyping(t, h, 1)
}
