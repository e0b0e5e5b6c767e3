package notify_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/attention/notify"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

const (
	second = time.Second
	minute = time.Minute
)

func spawn(t *testing.T) *actortest.Harness {
	t.Helper()
	h := actortest.Spawn(t, notify.New(notify.Options{Times: notify.DefaultTimes()}),
		actortest.Address("notifier/desk"))
	h.Start()
	return h
}

func become(h *actortest.Harness, state messages.Attention) {
	h.Send(messages.FocusChanged{Desk: "desk", To: messages.FocusState{State: state, At: h.Now()}})
}

// wantNotices checks the notices that were given.
func wantNotices(t *testing.T, h *actortest.Harness, want ...messages.Attention) {
	t.Helper()
	var got []messages.Attention
	for _, m := range h.Published() {
		n, ok := m.(messages.FocusNotice)
		if !ok || n.Desk != "desk" || n.ID == "" || n.At.Before(n.Since) {
			t.Errorf("published %+v, want a notice", m)
		}
		got = append(got, n.State)
	}
	if len(got) != len(want) {
		t.Fatalf("notices %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("notices %v, want %v", got, want)
		}
	}
}

func TestDwell(t *testing.T) {
	for state, dwell := range map[messages.Attention]time.Duration{messages.Drowsy: 30 * second,
		messages.Distracted: 2 * minute} {
		h := spawn(t)
		become(h, state)
		h.Advance(dwell - 1)
		wantNotices(t, h)
		h.Advance(1)
		wantNotices(t, h, state)
		h.Advance(time.Hour) // once
		wantNotices(t, h)
	}
	for _, state := range []messages.Attention{messages.Focused, messages.Away, messages.Idle, messages.Unknown} {
		h := spawn(t)
		become(h, state)
		h.Advance(time.Hour)
		wantNotices(t, h)
	}
}

func TestAnInterruptedSpellBeginsAnew(t *testing.T) {
	h := spawn(t)
	become(h, messages.Distracted)
	h.Advance(119 * second)
	become(h, messages.Focused)
	h.Advance(second)
	become(h, messages.Distracted)
	h.Advance(119 * second)
	wantNotices(t, h)
	h.Advance(second)
	wantNotices(t, h, messages.Distracted)
}

func TestCoolDown(t *testing.T) {
	h := spawn(t)
	become(h, messages.Drowsy)
	h.Advance(30 * second)
	wantNotices(t, h, messages.Drowsy)
	become(h, messages.Focused)
	h.Advance(minute)
	become(h, messages.Drowsy)
	h.Advance(9*minute - 1)
	wantNotices(t, h)
	h.Advance(1) // ten minutes after the first
	wantNotices(t, h, messages.Drowsy)
	become(h, messages.Distracted) // another state has its own
	h.Advance(2 * minute)
	wantNotices(t, h, messages.Distracted)
}

func TestPause(t *testing.T) {
	h := spawn(t)
	h.Send(messages.PauseNotices{})
	become(h, messages.Drowsy)
	h.Advance(time.Hour)
	wantNotices(t, h)
	h.Send(messages.ResumeNotices{})
	h.Advance(0)
	wantNotices(t, h, messages.Drowsy) // it lasted all the while

	h = spawn(t)
	become(h, messages.Distracted)
	h.Send(messages.PauseNotices{Until: h.Now().Add(10 * minute)})
	h.Send(messages.PauseNotices{Until: h.Now().Add(-minute)}) // over before it begins
	h.Advance(10*minute - 1)
	wantNotices(t, h)
	h.Advance(1)
	wantNotices(t, h, messages.Distracted)
}

// Wherever a process is killed, an episode has one notice.
func TestCrashAtEveryPoint(t *testing.T) {
	for point := range 6 {
		h := spawn(t)
		crash := func(at int) {
			if at == point {
				h.Crash()
				h.Start()
			}
		}
		crash(0)
		if point == 1 {
			h.CrashBeforeCommit()
		}
		become(h, messages.Drowsy)
		crash(2)
		h.Advance(20 * second)
		crash(3)
		if point == 4 {
			h.CrashBeforeCommit()
		}
		h.Advance(10 * second)
		crash(5)
		h.Advance(time.Hour)
		wantNotices(t, h, messages.Drowsy)
	}
}

func TestFailedCommit(t *testing.T) {
	h := spawn(t)
	become(h, messages.Drowsy)
	h.FailNextCommit()
	h.Advance(30 * second)
	h.Restart()
	h.Advance(second)
	wantNotices(t, h, messages.Drowsy)
}

// After a sleep no notice tells of an hour ago.
func TestALateTimer(t *testing.T) {
	h := spawn(t)
	become(h, messages.Drowsy)
	h.SetClock(h.Now().Add(time.Hour))
	h.WantDropped(events.StageNotifier, events.RuleTooLate)
	wantNotices(t, h)
	become(h, messages.Focused)
	h.Advance(time.Hour)
	wantNotices(t, h)
}

func TestShows(t *testing.T) {
	h := actortest.Spawn(t, notify.New(notify.Options{Show: true, Times: notify.Times{Drowsy: -1, Distracted: second}}),
		actortest.Address("notifier/desk"))
	become(h, messages.Drowsy)
	h.Advance(time.Hour)
	wantNotices(t, h) // switched off
	become(h, messages.Distracted)
	h.Advance(second)
	calls, published := h.Calls(), h.Published()
	if len(calls) != 1 || len(published) != 1 ||
		calls[0].Request != messages.Message(messages.ShowNotice{Notice: published[0].(messages.FocusNotice)}) {
		t.Fatalf("called %v and published %v, want the notice to be shown", calls, published)
	}
	h.FailCall(messages.FailureError, messages.CodeUnavailable, "no desktop")
	h.WantDropped(events.StageNotifier, events.RuleUnavailable,
		events.Detail{Code: messages.CodeUnavailable, Note: "no desktop"})
}

// A desktop that shows nothing is reported once, even across a crash, and again if
// it has shown a notice meanwhile.
func TestAFailingDesktopIsReportedOnce(t *testing.T) {
	times := notify.DefaultTimes()
	times.CoolDown = second
	h := actortest.Spawn(t, notify.New(notify.Options{Show: true, Times: times}), actortest.Address("notifier/desk"))
	again := func() {
		t.Helper()
		become(h, messages.Focused)
		h.Advance(minute)
		become(h, messages.Drowsy)
		h.Advance(minute)
		wantNotices(t, h, messages.Drowsy)
		if calls := h.Calls(); len(calls) != 1 {
			t.Fatalf("%d calls, want one", len(calls))
		}
	}
	again()
	h.FailCall(messages.FailureError, messages.CodeUnavailable, "no desktop")
	h.WantDropped(events.StageNotifier, events.RuleUnavailable,
		events.Detail{Code: messages.CodeUnavailable, Note: "no desktop"})
	h.Crash()
	h.Start()
	again()
	h.FailCall(messages.FailureError, messages.CodeUnavailable, "no desktop")
	h.WantNothingDropped()
	again()
	h.FailCall(messages.FailureTimeout, "", "10s")
	h.WantDropped(events.StageNotifier, events.RuleUnavailable, events.Detail{Code: "timeout", Note: "10s"})
	again()
	h.Answer(messages.NoticeShown{})
	again()
	h.FailCall(messages.FailureTimeout, "", "10s")
	h.WantDropped(events.StageNotifier, events.RuleUnavailable, events.Detail{Code: "timeout", Note: "10s"})
}

// desktop is a hardware.Notifier made up by a test.
type desktop struct {
	title, body string
	err         error
}

func (d *desktop) Notify(_ context.Context, title, body string) error {
	d.title, d.body = title, body
	return d.err
}

func TestWorker(t *testing.T) {
	d := &desktop{}
	w, err := notify.NewWorker(d)()
	if err != nil {
		t.Fatal(err)
	}
	n := messages.FocusNotice{ID: "n1", State: messages.Drowsy, Since: time.Date(2026, 1, 1, 14, 3, 0, 0, time.Local)}
	got, err := w.Do(context.Background(), messages.ShowNotice{Notice: n})
	if want := (messages.NoticeShown{ID: "n1"}); err != nil || got != messages.Message(want) {
		t.Errorf("Do() = %v, %v, want %v", got, err, want)
	}
	if d.title != "You look drowsy" || d.body != "Since 14:03. A short break or some fresh air may help." {
		t.Errorf("Do() showed %q, %q, want that the person is drowsy since 14:03", d.title, d.body)
	}
	d.err = errors.New("no desktop")
	if _, err := w.Do(context.Background(), messages.ShowNotice{Notice: n}); !errors.Is(err, d.err) {
		t.Errorf("Do(no desktop) = %v, want its error", err)
	}
	d.err = fmt.Errorf("no desktop: %w", hardware.ErrUnavailable)
	var refusal *actors.Refusal
	if _, err := w.Do(context.Background(), messages.ShowNotice{Notice: n}); !errors.As(err, &refusal) ||
		refusal.Code != messages.CodeUnavailable {
		t.Errorf("Do(unavailable) = %v, want a refusal", err)
	}
	if _, err := w.Do(context.Background(), messages.PollDue{}); err == nil {
		t.Error("Do(poll_due) = nil, want an error")
	}
	var _ actors.Worker = w
}
