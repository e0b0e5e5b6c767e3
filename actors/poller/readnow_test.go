package poller_test

import (
	"testing"

	"github.com/kehai-run/kehai/actors/poller"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func TestReadNow(t *testing.T) {
	h := spawn(t)
	h.WantCalls(ask)
	h.Send(messages.ReadNow{Window: "w"}) // a capture is under way
	h.WantCalls()
	h.Answer(captured(1))
	h.WantCalls(readAsk(1))
	h.Send(messages.ReadNow{Window: "w"}) // a reading is under way
	h.WantCalls()
	h.Answer(read(1))
	h.WantSent(actortest.To("fusion/w", read(1)))
	h.Send(messages.FrameSettled{Window: "w", Hash: hash(1)})
	h.Advance(second / 4)
	h.Send(messages.ReadNow{Window: "w"}) // at once, though the window is as it was
	h.WantCalls(ask)
	h.Answer(captured(1))
	h.WantCalls(readAsk(1))
	h.WantTimer("poll", second)
}

func TestTellResets(t *testing.T) {
	reset := messages.ResetBaseline{Window: "w"}
	for tell, want := range map[bool][]actortest.Sent{true: {actortest.To("fusion/w", reset)}, false: nil} {
		h := actortest.Spawn(t, poller.New(with(func(o *poller.Options) { o.TellResets = tell })),
			actortest.Address("poller/w"))
		h.Send(reset)
		h.WantSent(want...)
		h.Send(messages.ReadAgain{Window: "w"}) // fusion knows
		h.WantSent()
	}
}
