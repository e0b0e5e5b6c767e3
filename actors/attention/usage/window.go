package usage

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// span is the window of all counts.
const span = time.Minute

// idleAfter is the time without input after which a computer is idle.
const idleAfter = time.Minute

// sample is one reading.
type sample struct {
	at   time.Time
	read messages.UsageRead
}

// Window keeps the readings of the last minute, oldest first, and one older
// reading as the starting point of the counts. The zero value is empty.
type Window struct{ samples []sample }

// Add takes a reading.
func (w *Window) Add(at time.Time, read messages.UsageRead) {
	if n := len(w.samples); n > 0 && (!at.After(w.samples[n-1].at) || smaller(read, w.samples[n-1].read)) {
		w.samples = w.samples[:0] // the clock was set back, or the counts started again
	}
	w.samples = append(w.samples, sample{at, read})
	for len(w.samples) > 1 && !w.samples[1].at.After(at.Add(-span)) {
		w.samples = w.samples[1:]
	}
}

func smaller(a, b messages.UsageRead) bool {
	return a.Keys.Known && b.Keys.Known && a.Keys.Value < b.Keys.Value ||
		a.Mouse.Known && b.Mouse.Known && a.Mouse.Value < b.Mouse.Value
}

// Snapshot summarises the window at its newest reading. Before the window is full
// the counts are those since its beginning. A switch away and back between two
// readings is not seen.
func (w *Window) Snapshot() messages.UsageSnapshot {
	if len(w.samples) == 0 {
		return messages.UsageSnapshot{}
	}
	first, last := w.samples[0], w.samples[len(w.samples)-1]
	s := messages.UsageSnapshot{ActiveApp: last.read.App, ObservedAt: last.at}
	if idle := last.read.Idle; idle.Known {
		s.IdleSeconds, s.IsIdle = messages.Just(idle.Value.Seconds()), messages.Just(idle.Value > idleAfter)
	}
	if since := last.read.SinceKey; since.Known {
		s.SecondsSinceLastKeyboard = messages.Just(since.Value.Seconds())
	}
	s.KeyboardRateWindow = counted(first.read.Keys, last.read.Keys)
	s.MouseRateWindow = counted(first.read.Mouse, last.read.Mouse)
	switches, apps := 0, map[messages.Text]bool{}
	for i, one := range w.samples {
		if one.read.App == "" || i == 0 && len(w.samples) > 1 && !one.at.After(last.at.Add(-span)) {
			continue // the reading before the window only says what was active when it began
		}
		apps[one.read.App] = true
	}
	front := first.read.App
	for _, one := range w.samples[1:] {
		if app := one.read.App; app != "" && app != front {
			if front != "" {
				switches++
			}
			front = app
		}
	}
	s.AppSwitchesInWindow, s.UniqueAppsInWindow = messages.Just(switches), messages.Just(len(apps))
	return s
}

// counted is the growth of a counter.
func counted(from, to messages.Maybe[uint64]) messages.Maybe[float64] {
	if !from.Known || !to.Known || to.Value < from.Value {
		return messages.Maybe[float64]{}
	}
	return messages.Just(float64(to.Value - from.Value))
}
