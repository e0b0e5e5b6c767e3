package runtime_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit"
)

// sentDone lists what became of sendings, by key, in order.
func sentDone(s *testkit.System) (list []messages.SendDone) {
	for _, ev := range s.Events() {
		if m, ok := ev.(messages.SendDone); ok {
			list = append(list, m)
		}
	}
	return list
}

// own lists what our side has written in a conversation of the window.
func own(t *testing.T, s *testkit.System, conversation string) (list []string) {
	t.Helper()
	for _, m := range s.Window.Transcript(conversation) {
		if m.Who == drawn.Me {
			list = append(list, string(m.Text))
		}
	}
	return list
}

// quietly keeps the assistant from answering by itself.
var quietly = testkit.WithConfig(func(c *config.Config) { c.Replies.Policy, c.Replies.Drawn = "off", false })

// awaitDone waits until n sendings have ended.
func awaitDone(t *testing.T, s *testkit.System, n int) []messages.SendDone {
	t.Helper()
	for range 900 {
		if list := sentDone(s); len(list) >= n {
			return list
		}
		s.Advance(time.Second)
	}
	t.Fatalf("%d sendings have ended, want %d; the field holds %d characters", len(sentDone(s)), n,
		len([]rune(string(s.Window.Draft()))))
	return nil
}

// TestSend: a text is typed into the window, seen there, and not taken for the
// friend's.
func TestSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t, quietly)
		s.Friend("Hana", "明日は何時にどこで会いますか", "駅まで迎えに行きましょうか")
		s.WantMessages("明日は何時にどこで会いますか", "駅まで迎えに行きましょうか")
		hana := s.Messages()[0].Conversation
		for _, key := range []string{"k1", "k1", "k2"} { // the second is the first again
			if err := s.Runtime.Send(t.Context(), "line", hana, "15時に渋谷駅で会いましょう", key); err != nil {
				t.Fatal(err)
			}
		}
		for i, d := range awaitDone(t, s, 2) {
			if d.Outcome != messages.SendConfirmed || d.Occurrence != messages.Occurrence(3+i) {
				t.Errorf("sending %d ended as %+v, want it confirmed", i, d)
			}
		}
		s.Advance(2 * time.Minute)
		want := []string{"15時に渋谷駅で会いましょう", "15時に渋谷駅で会いましょう"}
		if got := own(t, s, "Hana"); !slices.Equal(got, want) || len(sentDone(s)) != 2 {
			t.Errorf("our side wrote %d messages, want %d", len(got), len(want))
		}
		s.WantMessages("明日は何時にどこで会いますか", "駅まで迎えに行きましょうか")
	})
}

// meddler does something beside one call of a worker, the nth of those that are
// counted from when it is armed.
type meddler struct {
	mu     sync.Mutex
	armed  bool
	calls  int
	at     int
	after  bool // once the call is done, not before
	what   func(*drawn.Window)
	window *drawn.Window
	crash  bool // the call, or its answer, is lost with the process
	struck chan struct{}
}

func (m *meddler) wrap(kind string, w actors.Worker) actors.Worker {
	if kind != messages.WorkerHands && kind != messages.WorkerCapture && kind != messages.WorkerOCR {
		return w
	}
	return actors.WorkerFunc(func(ctx context.Context, request messages.Message) (messages.Message, error) {
		now := m.counts()
		if now && !m.after {
			if err := m.strike(ctx); err != nil {
				return nil, err
			}
		}
		answer, err := w.Do(ctx, request)
		if now && m.after {
			if err := m.strike(ctx); err != nil {
				return nil, err
			}
		}
		return answer, err
	})
}

// counts counts a call and says whether it is the one.
func (m *meddler) counts() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.armed {
		return false
	}
	m.calls++
	return m.calls == m.at
}

func (m *meddler) strike(ctx context.Context) error {
	close(m.struck)
	if m.crash {
		<-ctx.Done()
		return ctx.Err()
	}
	m.what(m.window)
	return nil
}

// meddled sends a text and meddles with one of the calls; it reports whether there
// were so many.
func meddled(t *testing.T, m *meddler, end func(t *testing.T, s *testkit.System)) (reached bool) {
	synctest.Test(t, func(t *testing.T) {
		m.struck = make(chan struct{})
		s := testkit.Start(t, quietly, testkit.WithRuntime(runtime.WithWorkerWrapper(m.wrap)))
		s.Friend("Ken", "この間の写真を送ってもらえますか")
		s.Friend("Hana", "明日は何時にどこで会いますか", "駅まで迎えに行きましょうか")
		s.Advance(20 * time.Second)
		hana := s.Messages()[len(s.Messages())-1].Conversation
		m.mu.Lock()
		m.window, m.armed = s.Window, true
		m.mu.Unlock()
		if err := s.Runtime.Send(t.Context(), "line", hana, reply, "k"); err != nil {
			t.Fatal(err)
		}
		for range 200 {
			select {
			case <-m.struck:
				reached = true
			default:
			}
			if reached || len(sentDone(s)) > 0 {
				break
			}
			s.Advance(100 * time.Millisecond)
		}
		if reached && m.crash {
			s.Crash()
		}
		end(t, s)
	})
	return reached
}

const reply = "15時に渋谷駅で会いましょう"

// TestSendIsNeverDoubled crashes before and after each call that a sending makes: in
// the end the text stands there once, and is confirmed.
func TestSendIsNeverDoubled(t *testing.T) {
	steps := 0
	for at := 1; ; at++ {
		reached := false
		for _, after := range []bool{false, true} {
			m := &meddler{at: at, after: after, crash: true}
			reached = meddled(t, m, func(t *testing.T, s *testkit.System) {
				done := awaitDone(t, s, 1)
				s.Advance(2 * time.Minute)
				if got := own(t, s, "Hana"); !slices.Equal(got, []string{reply}) || s.Window.Draft() != "" {
					t.Errorf("crash at call %d, after it %v: our side wrote %d messages, want one, the field empty",
						at,
						after, len(got))
				}
				if len(done) != 1 || done[0].Outcome != messages.SendConfirmed || len(own(t, s, "Ken")) > 0 {
					t.Errorf("crash at call %d, after it %v: ended as %+v, want it confirmed", at, after, done)
				}
				for _, m := range s.Messages() {
					if string(m.Text) == reply {
						t.Errorf("crash at call %d, after it %v: our text was delivered as a message", at, after)
					}
				}
			}) || reached
		}
		if !reached || t.Failed() {
			break
		}
		steps++
	}
	if steps < 7 {
		t.Errorf("a sending had %d calls to crash at, want 7 at least", steps)
	}
}

// TestSendElsewhere shows another conversation before and after each call that a
// sending makes: nothing is ever sent into it.
func TestSendElsewhere(t *testing.T) {
	for at := 1; at <= 9; at++ {
		for _, after := range []bool{false, true} {
			m := &meddler{at: at, after: after, what: func(w *drawn.Window) { _ = w.Switch("Ken") }}
			meddled(t, m, func(t *testing.T, s *testkit.System) {
				s.Advance(time.Minute)
				if got := own(t, s, "Ken"); len(got) > 0 || s.Window.Title() == "Ken" && s.Window.Draft() != "" {
					t.Errorf("switched at call %d, after it %v: %d messages elsewhere, %d characters in the field",
						at, after, len(got), len([]rune(string(s.Window.Draft()))))
				}
				if err := s.Window.Switch("Hana"); err != nil {
					t.Fatal(err)
				}
				awaitDone(t, s, 1)
				s.Advance(time.Minute) // what was lost from sight is seen again
				if done := sentDone(s); done[len(done)-1].Outcome != messages.SendConfirmed {
					t.Errorf("switched at call %d, after it %v: ended as %+v, want it confirmed", at, after, done)
				}
				if got := own(t, s, "Hana"); !slices.Equal(got, []string{reply}) {
					t.Errorf("switched at call %d, after it %v: our side wrote %d messages, want one", at, after,
						len(got))
				}
			})
		}
	}
}

// TestSendBesideAPerson types by hand before and after each call that a sending
// makes: the person's words are neither sent nor deleted. What was typed before them
// and is gone with them is not typed again.
func TestSendBesideAPerson(t *testing.T) {
	const mine, typing, enter = "ちょっと待ってね、今から書く", 3, 6
	for at := 1; at <= 9; at++ {
		for _, after := range []bool{false, true} {
			m := &meddler{at: at, after: after, what: func(w *drawn.Window) { _ = w.Type(w.Draft() + mine) }}
			meddled(t, m, func(t *testing.T, s *testkit.System) {
				s.Advance(30 * time.Second)
				for _, text := range own(t, s, "Hana") {
					if text != reply {
						t.Errorf("typed at call %d, after it %v: the person's words were sent", at, after)
					}
				}
				if !strings.Contains(string(s.Window.Draft()), mine) {
					t.Errorf("typed at call %d, after it %v: the person's words are gone", at, after)
				}
				if err := s.Window.Type(""); err != nil {
					t.Fatal(err)
				}
				want, wrote := messages.SendConfirmed, []string{reply}
				if at > typing && at < enter || at == typing && after || at == enter && !after {
					// the person took out what we had typed too
					want, wrote = messages.SendUnknown, nil
				}
				if done := awaitDone(t, s, 1); done[0].Outcome != want {
					t.Errorf("typed at call %d, after it %v: ended as %+v, want it %s", at, after, done, want)
				}
				if got := own(t, s, "Hana"); !slices.Equal(got, wrote) {
					t.Errorf("typed at call %d, after it %v: our side wrote %d messages, want %d", at, after, len(got),
						len(wrote))
				}
			})
		}
	}
}
