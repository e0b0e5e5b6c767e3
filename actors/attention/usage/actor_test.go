package usage_test

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/attention/usage"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

const second = time.Second

var ask = actortest.Ask("usage", messages.ReadUsage{}, actors.CallOptions{Deadline: 4 * second})

func spawn(t *testing.T) *actortest.Harness {
	t.Helper()
	h := actortest.Spawn(t, usage.New(usage.DefaultOptions()), actortest.Address("pcusage/desk"))
	h.Start()
	return h
}

func reading(app messages.Text, keys, mouse uint64, sinceKey time.Duration) messages.UsageRead {
	return messages.UsageRead{
		App: app, Idle: messages.Just(sinceKey), Keys: messages.Just(keys), Mouse: messages.Just(mouse),
		SinceKey: messages.Just(sinceKey),
	}
}

func TestSnapshotsAndKeysBetween(t *testing.T) {
	h := spawn(t)
	start := h.Now()
	for i := range uint64(13) {
		h.WantCalls(ask)
		app := messages.Text("Code")
		if i == 3 || i == 4 {
			app = "Mail"
		}
		h.Answer(reading(app, 10*i, 3*i, 2*second))
		at := start.Add(time.Duration(i) * 5 * second)
		if i%6 != 0 {
			h.WantSent(actortest.To("focus/desk", messages.KeyRecency{LastKey: at.Add(-2 * second)}))
		} else {
			switches := map[uint64]int{0: 0, 6: 2, 12: 2}[i]
			unique := map[uint64]int{0: 1, 6: 2, 12: 2}[i]
			h.WantSent(actortest.To("focus/desk", messages.UsageSnapshot{
				ActiveApp: "Code", IdleSeconds: messages.Just(2.0), IsIdle: messages.Just(false),
				KeyboardRateWindow: messages.Just(float64(10 * i)), MouseRateWindow: messages.Just(float64(3 * i)),
				AppSwitchesInWindow: messages.Just(switches), UniqueAppsInWindow: messages.Just(unique),
				SecondsSinceLastKeyboard: messages.Just(2.0), ObservedAt: at,
			}))
		}
		h.Advance(5 * second)
	}
	h.WantCommits(0)
}

func TestIdleBound(t *testing.T) {
	for _, c := range []struct {
		idle time.Duration
		want bool
	}{{60 * second, false}, {60*second + 1, true}} {
		var w usage.Window
		w.Add(time.Unix(0, 0), messages.UsageRead{Idle: messages.Just(c.idle)})
		if got := w.Snapshot().IsIdle; got != messages.Just(c.want) {
			t.Errorf("IsIdle(%v) = %v, want %v", c.idle, got, c.want)
		}
	}
}

func TestWindow(t *testing.T) {
	var w usage.Window
	if got := w.Snapshot(); got != (messages.UsageSnapshot{}) {
		t.Errorf("Snapshot() = %+v, want nothing known", got)
	}
	at := time.Unix(1000, 0)
	w.Add(at, reading("A", 100, 5, second))
	w.Add(at.Add(30*second), reading("B", 130, 9, second))
	w.Add(at.Add(90*second), reading("B", 150, 10, second))
	got := w.Snapshot()
	if got.KeyboardRateWindow != messages.Just(20.0) || got.AppSwitchesInWindow != messages.Just(0) ||
		got.UniqueAppsInWindow != messages.Just(1) {
		t.Errorf("Snapshot() = %v keys, %v switches, %v applications, want those of the last minute: 20, 0 and 1",
			got.KeyboardRateWindow, got.AppSwitchesInWindow, got.UniqueAppsInWindow)
	}
	w.Add(at.Add(95*second), reading("B", 3, 1, second)) // the driver was opened anew
	if got := w.Snapshot(); got.KeyboardRateWindow != messages.Just(0.0) {
		t.Errorf("Snapshot().KeyboardRateWindow = %v after a fresh start, want 0", got.KeyboardRateWindow)
	}
	w.Add(at, reading("C", 4, 1, second)) // the clock was set back
	if got := w.Snapshot(); got.ActiveApp != "C" || got.UniqueAppsInWindow != messages.Just(1) {
		t.Errorf("Snapshot() = %+v after the clock was set back, want the newest reading", got)
	}
	var part usage.Window
	part.Add(at, messages.UsageRead{App: "A"})
	if got := part.Snapshot(); got.IdleSeconds.Known || got.IsIdle.Known || got.KeyboardRateWindow.Known ||
		got.SecondsSinceLastKeyboard.Known {
		t.Errorf("Snapshot(only an application) = %+v, want the rest missing", got)
	}
}

func TestFailures(t *testing.T) {
	h := spawn(t)
	h.WantCalls(ask)
	h.FailCall(messages.FailureError, messages.CodeNoDisplay, "no display")
	h.WantDropped(events.StageUsage, events.RuleUnavailable,
		events.Detail{Code: messages.CodeNoDisplay, Note: "no display"})
	h.WantTimer("read", 30*second)
	h.Advance(30 * second)
	h.WantCalls(ask)
	h.FailCall(messages.FailureError, messages.CodeNoDisplay, "no display")
	h.WantNothingDropped()
	h.Advance(30 * second)
	h.FailCall(messages.FailureTimeout, "", "late")
	h.WantDropped(events.StageUsage, events.RuleUnavailable, events.Detail{Code: "timeout", Note: "late"})
	h.Advance(30 * second)
	h.Answer(reading("A", 1, 1, second))
	if sent := h.Sent(); len(sent) != 1 {
		t.Errorf("sent %v once it works again, want a snapshot at once", sent)
	}
}

func TestOneReadingAtATime(t *testing.T) {
	h := spawn(t)
	h.Advance(20 * second)
	h.WantCalls(ask)
	h.Advance(10 * second)
	h.WantCalls(ask) // the first was lost
	h.Send(reading("A", 1, 1, second))
	h.WantSent() // no answer to what was asked
}
