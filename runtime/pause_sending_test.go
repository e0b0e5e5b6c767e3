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

// TestAPauseStopsWhatIsOnItsWay: sending is paused once the text stands in the field.
// It is taken out, and goes out, once, when the owner lets it, whatever crashed.
func TestAPauseStopsWhatIsOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		typed, paused := make(chan struct{}, 9), make(chan struct{})
		s := testkit.Start(t, quietly, testkit.WithRuntime(runtime.WithWorkerWrapper(
			func(kind string, w actors.Worker) actors.Worker {
				return actors.WorkerFunc(func(ctx context.Context, m messages.Message) (messages.Message, error) {
					answer, err := w.Do(ctx, m)
					if m.MessageType() == (messages.TypeText{}).MessageType() {
						typed <- struct{}{}
						<-paused
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
		for len(typed) == 0 {
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
	})
}
