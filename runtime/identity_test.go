package runtime_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/testkit"
)

// TestAWindowThatDoesNotTellWhoseItIs: nothing is delivered, the person is told
// once, the window is read less and less often, and what waited is delivered.
func TestAWindowThatDoesNotTellWhoseItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var blank atomic.Bool
		var reads atomic.Int32
		s := testkit.Start(t, testkit.WithRuntime(runtime.WithWorkerWrapper(func(kind string,
			w actors.Worker) actors.Worker {
			if kind != "ocr" {
				return w
			}
			return actors.WorkerFunc(func(ctx context.Context, request messages.Message) (messages.Message, error) {
				out, err := w.Do(ctx, request)
				if read, ok := out.(messages.FrameRead); ok && blank.Load() {
					reads.Add(1)
					read.Title = messages.Line{}
					out = read
				}
				return out, err
			})
		})))
		s.Friend("Hana", "一")
		s.WantMessages("一")
		blank.Store(true)
		s.Friend("Hana", "二")
		s.Advance(2 * time.Minute)
		s.WantMessages("一")
		if n := reads.Load(); n < 6 || n > 10 {
			t.Errorf("the window was read %d times in two minutes, want 6 to 10", n)
		}
		err := s.Runtime.Healthy()
		if err == nil || !strings.Contains(err.Error(), "line@test") ||
			!strings.Contains(err.Error(), "kehai layout calibrate") || strings.Contains(err.Error(), "Hana") {
			t.Errorf("Healthy() = %v, want the window and kehai layout calibrate, and nobody's name", err)
		}
		s.Crash()
		s.Advance(2 * time.Minute)
		if s.Runtime.Healthy() == nil {
			t.Error("Healthy() = nil after a crash, want the window that does not tell")
		}
		told := 0
		for _, m := range s.Events() {
			if _, ok := m.(events.ConversationUnknown); ok {
				told++
			}
		}
		if told != 1 {
			t.Errorf("conversation_unknown was published %d times, want once", told)
		}
		blank.Store(false)
		s.Advance(time.Minute)
		s.WantMessages("一", "二")
		if err := s.Runtime.Healthy(); err != nil {
			t.Errorf("Healthy() = %v once the window tells again, want nil", err)
		}
	})
}
