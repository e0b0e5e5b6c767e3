package poller_test

import (
	"image"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/poller"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

const second = time.Second

var ask = actortest.Ask("capture", messages.CaptureWindow{Window: "w"}, actors.CallOptions{Deadline: 30 * second})

// with changes the default options.
func with(change func(*poller.Options)) poller.Options {
	o := poller.DefaultOptions()
	change(&o)
	return o
}

func spawn(t *testing.T) *actortest.Harness {
	t.Helper()
	h := actortest.Spawn(t, poller.New(poller.DefaultOptions()), actortest.Address("poller/w"))
	h.Start()
	return h
}

// shot is a frame whose pixels follow from a number.
func shot(n byte) messages.Frame {
	img := image.NewRGBA(image.Rect(0, 0, 8, 8))
	img.Pix[0] = n
	return messages.Frame{Window: "w", Image: img, Scale: 1}
}

func hash(n byte) messages.FrameHash { return poller.Hash(shot(n).Image, nil) }

func readAsk(n byte) actortest.Call {
	return actortest.Ask("ocr", messages.ReadFrame{Frame: shot(n), Hash: hash(n)},
		actors.CallOptions{Deadline: 60 * second, Retries: 1})
}

func read(n byte) messages.FrameRead {
	return messages.FrameRead{Window: "w", Hash: hash(n), Title: messages.Line{Text: "Hana"}}
}

func captured(n byte) messages.FrameCaptured { return messages.FrameCaptured{Frame: shot(n)} }

// state takes the published events and checks the capture states among them.
func wantStates(t *testing.T, h *actortest.Harness, want ...string) {
	t.Helper()
	var got []string
	for _, m := range h.Published() {
		if s, ok := m.(events.CaptureState); ok {
			got = append(got, s.Code)
		}
	}
	if len(got) != len(want) {
		t.Errorf("capture states %q, want %q", got, want)
		return
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("capture states %q, want %q", got, want)
		}
	}
}

func TestReadsWhatChanged(t *testing.T) {
	h := spawn(t)
	h.WantCalls(ask)
	h.WantTimer("poll", second)
	h.Answer(captured(1))
	h.WantCalls(readAsk(1))
	h.Answer(read(1))
	h.WantSent(actortest.To("fusion/w", read(1)))
	h.WantPublished(
		events.CaptureState{Window: "w", At: h.Now()},
		events.FrameSeen{Frame: shot(1), Read: read(1)},
	)
	h.SendFrom("fusion/w", messages.FrameSettled{Window: "w", Hash: hash(1)})

	h.Advance(second)
	h.WantCalls(ask)
	h.Answer(captured(1)) // settled: no OCR
	h.Advance(second)
	h.WantCalls(ask)
	h.Answer(captured(2))
	h.WantCalls(readAsk(2))
	h.WantCommits(0)
}

func TestReadsAgainAfterABaselineReset(t *testing.T) {
	h := spawn(t)
	for range 2 {
		h.WantCalls(ask)
		h.Answer(captured(1))
		h.WantCalls(readAsk(1))
		h.Answer(read(1))
		h.SendFrom("fusion/w", messages.FrameSettled{Window: "w", Hash: hash(1)})
		h.Advance(second)
		h.WantCalls(ask)
		h.Answer(captured(1)) // settled
		h.WantCalls()
		h.Send(messages.ResetBaseline{Window: "w"})
		h.Advance(second)
	}
}

func TestNeverOverlaps(t *testing.T) {
	h := spawn(t)
	h.WantCalls(ask)
	h.Advance(3500 * time.Millisecond)
	h.WantCalls()
	for range 3 {
		h.WantDropped(events.StagePoller, events.RuleCaptureBusy)
	}
	h.WantNothingDropped()
	h.Answer(captured(1))
	h.WantCalls(readAsk(1))
	h.Answer(read(1))
	h.SendFrom("fusion/w", messages.FrameSettled{Window: "w", Hash: hash(1)})
	h.Advance(second / 2)
	h.WantCalls(ask)
}

// Nothing is captured between a changed frame's capture and fusion's commit.
func TestOneFrameAtATime(t *testing.T) {
	h := spawn(t)
	h.Answer(captured(1))
	h.WantCalls(ask, readAsk(1))
	h.Advance(second)
	h.WantCalls()
	h.WantDropped(events.StagePoller, events.RuleReadingBusy)
	h.Answer(read(1))
	h.WantSent(actortest.To("fusion/w", read(1)))
	h.Advance(second)
	h.WantSent(actortest.To("fusion/w", read(1)))
	h.WantCalls()
	h.SendFrom("fusion/w", messages.FrameSettled{Window: "w", Hash: hash(1)})
	h.Advance(second)
	h.WantCalls(ask)
}

func TestFusionAsksForAnotherLook(t *testing.T) {
	h := spawn(t)
	h.Answer(captured(1))
	h.Send(messages.ReadAgain{Window: "w"}) // OCR has the frame: nothing to look at again
	h.WantCalls(ask, readAsk(1))
	h.Answer(read(1))
	h.WantSent(actortest.To("fusion/w", read(1)))
	h.Send(messages.ReadAgain{Window: "w"})
	h.Advance(second)
	h.WantSent()
	h.WantCalls(ask)
	h.Answer(captured(1))
	h.WantCalls(readAsk(1))
}

func TestFusionThatDoesNotSettleIsNotWaitedForForEver(t *testing.T) {
	h := spawn(t)
	h.Answer(captured(1))
	h.Answer(read(1))
	for range 4 {
		h.Advance(second)
	}
	h.Calls()
	h.Advance(second)
	h.WantCalls(ask)
	if n := len(h.Sent()); n != 5 {
		t.Errorf("the reading was sent %d times, want 5", n)
	}
}

func TestCaptureStates(t *testing.T) {
	h := spawn(t)
	pause := second
	for range 7 {
		h.WantCalls(ask)
		h.FailCall(messages.FailureError, messages.CodeWindowGone, "window is gone")
		h.WantTimer("poll", pause)
		h.Advance(pause)
		pause = min(2*pause, 30*second)
	}
	wantStates(t, h, messages.CodeWindowGone)
	h.FailCall(messages.FailureError, messages.CodeMinimised, "window is minimised")
	wantStates(t, h, messages.CodeMinimised)
	h.Advance(30 * second)
	h.Answer(captured(1))
	wantStates(t, h, "")
	h.Answer(read(1))
	h.SendFrom("fusion/w", messages.FrameSettled{Window: "w", Hash: hash(1)})
	h.Calls()
	h.Advance(second)
	h.WantCalls(ask)
}

func TestTwoAbandonedPollsResetTheBaseline(t *testing.T) {
	h := spawn(t)
	h.Answer(captured(1))
	h.Answer(read(1))
	h.SendFrom("fusion/w", messages.FrameSettled{Window: "w", Hash: hash(1)})
	h.Advance(second)
	h.FailCall(messages.FailureTimeout, "", "deadline")
	h.WantNothingDropped()
	h.Advance(second)
	h.FailCall(messages.FailureTimeout, "", "deadline")
	h.WantDropped(events.StagePoller, events.RuleBaselineReset, events.Detail{Count: 2})
	h.Advance(2 * second)
	h.Calls()
	h.Answer(captured(1))
	h.WantCalls(readAsk(1))
	wantStates(t, h, "", "timeout", "")
}

// A frame on which OCR fails waits longer each time and is given up at the fifth.
// Then the window is captured again.
func TestFailedReadings(t *testing.T) {
	h := spawn(t)
	h.Answer(captured(1))
	h.WantCalls(ask, readAsk(1))
	for _, seconds := range []int{1, 2, 4, 8} {
		h.FailCall(messages.FailurePanic, "", "ocr")
		h.WantDropped(events.StageOCR, events.RuleTriedAgain, events.Detail{Count: 2, Code: "panic"})
		h.WantSent()
		for range seconds - 1 {
			h.Advance(second)
			h.WantCalls()
			h.WantDropped(events.StagePoller, events.RuleReadingBusy)
		}
		h.Advance(second)
		h.WantCalls(readAsk(1))
		h.WantDropped(events.StagePoller, events.RuleReadingBusy)
	}
	h.FailCall(messages.FailurePanic, "", "ocr")
	h.WantDropped(events.StageOCR, events.RuleGivenUp, events.Detail{Count: 5, Code: "panic"})
	h.Advance(second)
	h.WantCalls(ask)
}

func TestCrashStartsAnew(t *testing.T) {
	h := spawn(t)
	h.Answer(captured(1))
	h.Answer(read(1))
	h.SendFrom("fusion/w", messages.FrameSettled{Window: "w", Hash: hash(1)})
	h.Crash()
	h.Calls()
	h.Start()
	h.WantCalls(ask)
	h.Answer(captured(1))
	h.WantCalls(readAsk(1))
	h.WantCommits(0)
}

func TestAnImageIsRequired(t *testing.T) {
	h := spawn(t)
	h.Answer(messages.FrameCaptured{})
	wantStates(t, h, "error")
	h.Calls()
	h.Advance(second)
	h.WantCalls(ask)
}

func TestLostAnswers(t *testing.T) {
	h := spawn(t)
	h.Advance(62 * second)
	h.WantCalls(ask, ask) // the first was never answered
	h.Send(messages.FrameCaptured{Frame: shot(1)})
	h.WantCalls() // no answer to the call under way
}

func TestBurst(t *testing.T) {
	h := actortest.Spawn(t, poller.New(with(func(o *poller.Options) { o.Burst = 3 })), actortest.Address("poller/w"))
	h.Start()
	h.WantCalls(ask)
	h.Answer(captured(1))
	h.WantCalls() // two more are wanted first
	h.WantTimer("poll", 120*time.Millisecond)
	h.Advance(120 * time.Millisecond)
	h.WantCalls(ask)
	h.Answer(captured(2))
	h.Advance(120 * time.Millisecond)
	h.WantCalls(ask)
	h.Answer(captured(3))
	together := messages.ReadFrame{Frame: shot(1), Hash: hash(1), More: []messages.Frame{shot(2), shot(3)}}
	h.WantCalls(actortest.Ask("ocr", together, actors.CallOptions{Deadline: 60 * second, Retries: 1}))
}

// TestBurstCutShort: if a further capture fails, the burst is read as far as it
// got, and what OCR left out is reported.
func TestBurstCutShort(t *testing.T) {
	h := actortest.Spawn(t, poller.New(with(func(o *poller.Options) { o.Burst = 3 })), actortest.Address("poller/w"))
	h.Start()
	h.WantCalls(ask)
	h.Answer(captured(1))
	h.Advance(120 * time.Millisecond)
	h.WantCalls(ask)
	h.FailCall(messages.FailureError, messages.CodeWindowGone, "")
	h.Advance(second)
	h.WantCalls(readAsk(1))
	partial := read(1)
	partial.Unread = []messages.Omitted{{What: messages.OmittedLines, Count: 7, Of: 400}}
	partial.LeftOut = []messages.Omitted{{What: messages.OtherMiddle, Count: 1}}
	h.Answer(partial)
	h.WantDropped(events.StagePoller, "") // the poll that began to read
	h.WantDropped(events.StageOCR, events.RuleUnread, events.Detail{Code: "lines", Count: 7, Of: 400})
	h.WantDropped(events.StageMask, events.RuleLeftOut, events.Detail{Code: "middle", Count: 1})
}

// TestAway: a reading says whether the window could not be captured since the last one.
func TestAway(t *testing.T) {
	h := spawn(t)
	shows := func(n byte) messages.FrameRead {
		t.Helper()
		h.Answer(captured(n))
		h.Answer(read(n))
		for _, s := range h.Sent() {
			if m, ok := s.Message.(messages.FrameRead); ok {
				h.Send(messages.FrameSettled{Window: "w", Hash: m.Hash})
				h.Advance(second)
				return m
			}
		}
		t.Fatalf("nothing is read of frame %d", n)
		return messages.FrameRead{}
	}
	fails := func(kind messages.FailureKind) {
		h.FailCall(kind, messages.CodeWindowGone, "")
		h.Advance(2 * second)
	}
	for i, c := range []struct {
		what   string
		before func()
		want   bool
	}{
		{"the first", func() {}, false},
		{"the next", func() {}, false},
		{"the window was gone", func() { fails(messages.FailureError) }, true},
		{"it is back", func() {}, false},
		{"a capture was late", func() { fails(messages.FailureTimeout) }, false},
		{"it was gone and looks as before", func() {
			fails(messages.FailureError)
			h.Answer(captured(5))
			h.Advance(second)
		}, false},
		{"after a crash", func() { h.Crash(); h.Start() }, false},
	} {
		c.before()
		if got := shows(byte(i + 1)).Away; got != c.want {
			t.Errorf("%s: Away = %v, want %v", c.what, got, c.want)
		}
	}
}
