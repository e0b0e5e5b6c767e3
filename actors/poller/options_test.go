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

func TestDefaults(t *testing.T) {
	got := poller.Options{}.WithDefaults()
	got.Excluded = nil
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"Interval", got.Interval, time.Second}, {"Deadline", got.Deadline, 30 * time.Second}, {"ReadTime", got.ReadTime, time.Minute},
		{"ReadRetries", got.ReadRetries, 1}, {"MaxBackoff", got.MaxBackoff, 30 * time.Second}, {"Gap", got.Gap, 120 * time.Millisecond},
		{"Tries", got.Tries, 5}, {"Late", got.Late, 2}, {"TellResets", got.TellResets, false},
	} {
		if c.got != c.want {
			t.Errorf("WithDefaults().%s = %v, want %v", c.what, c.got, c.want)
		}
	}
	if got := (poller.Options{ReadRetries: -1}).WithDefaults().ReadRetries; got != 0 {
		t.Errorf("WithDefaults() of -1 retries = %d, want 0", got)
	}
}

// There is nothing to reset before a frame was settled, and nothing to report.
func TestAbandonedPollsBeforeTheFirstFrame(t *testing.T) {
	h := actortest.Spawn(t, poller.New(poller.Options{TellResets: true}), actortest.Address("poller/w"))
	h.Start()
	for _, pause := range []time.Duration{second, 2 * second, 4 * second} {
		h.FailCall(messages.FailureTimeout, "", "deadline")
		h.WantNothingDropped()
		h.WantSent()
		h.Advance(pause)
	}
}

// The numbers of the options decide.
func TestOptions(t *testing.T) {
	h := actortest.Spawn(t, poller.New(poller.Options{
		Deadline: 7 * second, MaxBackoff: 2 * second, Late: 1, Tries: 1, Burst: 2, Gap: 250 * time.Millisecond,
	}), actortest.Address("poller/w"))
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
