package runtime_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/testkit"
)

// TestAPauseStopsWhatIsOnItsWay: sending is paused while the hands are about to type,
// have typed, or are about to press Enter. What stands in the field is taken out, and the
// text goes out, once, when the owner lets it, whatever crashed.
func TestAPauseStopsWhatIsOnItsWay(t *testing.T) {
	for name, at := range map[string]struct {
		step  messages.Message
		after bool
	}{
		"before it is typed": {messages.TypeText{}, false},
		"after it is typed":  {messages.TypeText{}, true},
		"before Enter":       {messages.PressEnter{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { pausedOnTheWay(t, at.step.MessageType(), at.after) })
		})
	}
}

func pausedOnTheWay(t *testing.T, step messages.Type, after bool) {
	reached, paused := make(chan struct{}, 9), make(chan struct{})
	s := testkit.Start(t, quietly, testkit.WithRuntime(runtime.WithWorkerWrapper(
		func(kind string, w actors.Worker) actors.Worker {
			return actors.WorkerFunc(func(ctx context.Context, m messages.Message) (messages.Message, error) {
				wait := func() {
					if m.MessageType() == step {
						reached <- struct{}{}
						<-paused
					}
				}
				if !after {
					wait()
				}
				answer, err := w.Do(ctx, m)
				if after {
					wait()
				}
				return answer, err
			})
		})))
	s.Friend("Hana", "明日は何時にどこで会いますか", "駅まで迎えに行きましょうか")
	s.Advance(20 * time.Second)
	hana := s.Messages()[0].Conversation
	if err := s.Runtime.Send(t.Context(), "line", hana, reply, "k"); err != nil {
		t.Fatal(err)
	}
	for len(reached) == 0 {
		s.Advance(10 * time.Millisecond)
	}
	if err := s.Runtime.Pause(t.Context(), control.Sending); err != nil {
		t.Fatal(err)
	}
	s.Advance(time.Second)
	close(paused)
	s.Advance(time.Minute)
	s.Crash()
	s.Advance(time.Minute)
	if got := own(t, s, "Hana"); len(got) > 0 || s.Window.Draft() != "" {
		t.Errorf("paused: our side wrote %d messages, want none, and an empty field", len(got))
	}
	if err := s.Runtime.Resume(t.Context(), control.Sending); err != nil {
		t.Fatal(err)
	}
	awaitDone(t, s, 1)
	if got := own(t, s, "Hana"); len(got) != 1 {
		t.Errorf("resumed: our side wrote %d messages, want one", len(got))
	}
}
