package poller_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/poller"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func TestDefaults(t *testing.T) {
	want := poller.Options{
		Rules: poller.Rules{
			Deadline: 30 * time.Second, Late: 2, Backoff: 30 * time.Second, Gap: 120 * time.Millisecond, Tries: 5,
		},
		Interval: time.Second, ReadTime: time.Minute, ReadRetries: 1, Burst: 1,
	}
	if got := poller.DefaultOptions(); !reflect.DeepEqual(got, want) {
		t.Errorf("DefaultOptions() = %+v, want %+v", got, want)
	}
}

// There is nothing to reset before a frame was settled, and nothing to report.
func TestAbandonedPollsBeforeTheFirstFrame(t *testing.T) {
	h := actortest.Spawn(t, poller.New(with(func(o *poller.Options) { o.TellResets = true })),
		actortest.Address("poller/w"))
	h.Start()
	for _, pause := range []time.Duration{second, 2 * second, 4 * second} {
		h.FailCall(messages.FailureTimeout, "", "deadline")
		h.WantNothingDropped()
		h.WantSent()
		h.Advance(pause)
	}
}

// The numbers in the options decide.
func TestOptions(t *testing.T) {
	o := poller.DefaultOptions()
	o.Rules = poller.Rules{Deadline: 7 * second, Backoff: 2 * second, Late: 1, Tries: 1, Gap: 250 * time.Millisecond}
	o.Burst = 2
	h := actortest.Spawn(t, poller.New(o), actortest.Address("poller/w"))
	h.Start()
	h.WantCalls(actortest.Ask("capture", messages.CaptureWindow{Window: "w"}, actors.CallOptions{Deadline: 7 * second}))
	h.Answer(captured(1))
	h.WantTimer("poll", 250*time.Millisecond)
	h.Advance(250 * time.Millisecond)
	h.Answer(captured(1))
	h.FailCall(messages.FailurePanic, "", "ocr")
	h.WantDropped(events.StageOCR, events.RuleGivenUp, events.Detail{Count: 1, Code: "panic"})

	h.SendFrom("fusion/w", messages.FrameSettled{Window: "w", Hash: hash(1)})
	h.Advance(second)
	h.FailCall(messages.FailureTimeout, "", "deadline")
	h.WantDropped(events.StagePoller, events.RuleBaselineReset, events.Detail{Count: 1})
	for range 4 {
		h.Advance(2 * second)
		h.FailCall(messages.FailureTimeout, "", "deadline")
	}
	h.WantTimer("poll", 2*second)
}
