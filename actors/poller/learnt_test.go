package poller_test

import (
	"testing"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestLearnt: what a frame teaches about the window is kept once fusion has settled the
// frame, also over a crash, and goes with the next one. A frame that is held teaches
// nothing.
func TestLearnt(t *testing.T) {
	learnt := messages.Learnt{Fills: []messages.LearntFill{{Colour: 0xFFFFFF, Incoming: 1}}, Clocks: 1}
	h := spawn(t)
	one := func(n byte, known messages.Learnt, answer messages.Message, commits int) {
		t.Helper()
		h.WantCalls(ask)
		h.Answer(captured(n))
		request := messages.ReadFrame{Frame: shot(n), Hash: hash(n), Learnt: known}
		h.WantCalls(actortest.Ask("ocr", request, actors.CallOptions{Deadline: 60 * second, Retries: 1}))
		result := read(n)
		result.Learnt = learnt
		h.Answer(result)
		h.WantSent(actortest.To("fusion/w", result))
		h.SendFrom("fusion/w", answer)
		h.WantCommits(commits)
		h.Advance(second)
	}
	one(1, messages.Learnt{}, messages.FrameHeld{Window: "w", Hash: hash(1)}, 0)
	one(2, messages.Learnt{}, messages.FrameSettled{Window: "w", Hash: hash(2)}, 1)
	h.Crash()
	h.Calls()
	h.Start()
	one(3, learnt, messages.FrameSettled{Window: "w", Hash: hash(3)}, 0) // nothing new
}
