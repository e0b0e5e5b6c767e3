package poller_test

import (
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// looks answers captures with a frame for some seconds and defers each reading.
// It returns the seconds at which the frame was read.
func looks(t *testing.T, h *actortest.Harness, n byte, seconds int) (at []int) {
	t.Helper()
	for s := range seconds {
		if s > 0 {
			h.Advance(second)
		}
		h.WantCalls(ask)
		h.Answer(captured(n))
		if len(h.Calls()) == 0 {
			continue
		}
		h.Answer(read(n))
		h.WantSent(actortest.To("fusion/w", read(n)))
		h.SendFrom("fusion/w", messages.FrameHeld{Window: "w", Hash: hash(n)})
		at = append(at, s)
	}
	return at
}

func wantLooks(t *testing.T, what string, got []int, want ...int) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s was read at second %v, want %v", what, got, want)
	}
}

// TestDeferredFrames: what fusion cannot settle is read again after 1, 2, 4 … 30 s,
// and at once when the window changes, is reset, or the poller is new.
func TestDeferredFrames(t *testing.T) {
	h := spawn(t)
	wantLooks(t, "a deferred frame", looks(t, h, 1, 100), 0, 1, 3, 7, 15, 31, 61, 91)
	h.Advance(second)
	wantLooks(t, "another frame", looks(t, h, 2, 5), 0, 1, 3)
	h.Send(messages.ResetBaseline{Window: "w"})
	h.Advance(second)
	wantLooks(t, "a deferred frame after a reset", looks(t, h, 2, 5), 0, 1, 3)
	h.Crash()
	h.Calls()
	h.Start()
	wantLooks(t, "a deferred frame after a crash", looks(t, h, 2, 5), 0, 1, 3)
	h.WantCommits(0)
}

func TestDeferredFrameIsSettledAtLast(t *testing.T) {
	h := spawn(t)
	looks(t, h, 1, 2)
	h.Send(messages.FrameHeld{Window: "w", Hash: hash(1)}) // of no frame under way
	for range 2 {
		h.WantCalls()
		h.Advance(second)
		h.WantCalls(ask)
		h.Answer(captured(1))
	}
	h.WantCalls(readAsk(1))
	h.Answer(read(1))
	h.SendFrom("fusion/w", messages.FrameSettled{Window: "w", Hash: hash(1)})
	for range int(time.Minute / second) {
		h.Advance(second)
		h.Answer(captured(1))
	}
	for _, c := range h.Calls() {
		if c.Worker == "ocr" {
			t.Errorf("a settled frame was read again: %v", c)
		}
	}
}

// TestSettledFrameComesBack: after a deferred frame, the one that was settled
// before is read again, so that fusion learns that its trouble is over.
func TestSettledFrameComesBack(t *testing.T) {
	h := spawn(t)
	for n, answer := range []messages.Message{
		messages.FrameSettled{Window: "w", Hash: hash(1)}, messages.FrameHeld{Window: "w", Hash: hash(2)},
		messages.FrameSettled{Window: "w", Hash: hash(1)},
	} {
		frame := byte(1 + n%2)
		if n > 0 {
			h.Advance(second)
		}
		h.WantCalls(ask)
		h.Answer(captured(frame))
		h.WantCalls(readAsk(frame))
		h.Answer(read(frame))
		h.WantSent(actortest.To("fusion/w", read(frame)))
		h.SendFrom("fusion/w", answer)
	}
}
