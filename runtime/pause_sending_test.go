package runtime_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/hardware/drawn"
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

// TestAStopLeavesNothingTyped stops the program in order during and after each call that
// a sending makes: then nothing stands in the field, and it has not taken long. At the
// next start the text goes out, once.
func TestAStopLeavesNothingTyped(t *testing.T) {
	var taken []string // out of the field
	for at := 1; at <= 7; at++ {
		for _, after := range []bool{false, true} {
			m := &meddler{at: at, after: after, what: func(*drawn.Window) { time.Sleep(2 * time.Second) }}
			meddled(t, m, func(t *testing.T, s *testkit.System) {
				began, stood := time.Now(), ""
				go func() {
					for range 100 {
						time.Sleep(100 * time.Millisecond)
						stood = max(stood, string(s.Window.Draft()))
					}
				}()
				s.Stop()
				synctest.Wait()
				if left := string(s.Window.Draft()); left != "" || time.Since(began) > 8*time.Second {
					t.Errorf("stopped at call %d, after it %v: the field holds %d characters after %v, want it empty",
						at, after, len([]rune(left)), time.Since(began))
				}
				if len(own(t, s, "Hana")) == 0 && stood != "" {
					taken = append(taken, stood)
				}
				s.Restart()
				if done := awaitDone(t, s, 1); done[0].Outcome != messages.SendConfirmed {
					t.Errorf("stopped at call %d, after it %v: ended as %+v, want it confirmed", at, after, done)
				}
				s.Advance(time.Minute)
				if got := own(t, s, "Hana"); !slices.Equal(got, []string{reply}) || s.Window.Draft() != "" {
					t.Errorf("stopped at call %d, after it %v: our side wrote %d messages, want one", at, after,
						len(got))
				}
			})
		}
	}
	if len(taken) < 3 {
		t.Errorf("%d stops came while the text stood in the field, want some: this test shows little", len(taken))
	}
}
