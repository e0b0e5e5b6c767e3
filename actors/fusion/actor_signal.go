package fusion

import (
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// awaited is the evidence of new rows whose text has not appeared yet.
type awaited struct {
	Evidence
	since       time.Time // when the rows were not there yet
	rows, delta int
	tries       int
}

// answered reports whether a frame with something new shows the text of the rows.
func (g awaited) answered(news Evidence, interval time.Duration) bool {
	return news.Conversation == g.Conversation && news.At.After(g.since.Add(-interval))
}

// rows handles a structure signal. The signal counts with the frame of the same
// poll. If rows came without a frame, their text is awaited. All this dies with
// the activation, and the next signal starts afresh.
func (a *actor) rows(turn *actors.Turn, m messages.StructureSignal) {
	for i, n := range m.Names {
		if i == len(a.namers) {
			a.namers = append(a.namers, namer{})
		}
		a.namers[i].polled(n, m.At)
	}
	now, _ := current.Get(turn, "current")
	if a.ignored.Conversation != "" || now == "" {
		return
	}
	e := Evidence{Rows(m.Delta), now, m.At}
	a.structure = &e
	g := awaited{Evidence: e, since: m.Since, rows: m.Rows, delta: m.Delta}
	if m.Delta <= 0 || g.answered(a.news, a.o.Interval) {
		return
	}
	if a.awaited != nil && a.awaited.Conversation == e.Conversation {
		a.awaited.rows, a.awaited.delta = m.Rows, a.awaited.delta+m.Delta
		return
	}
	a.awaited = &g
	turn.After("signal", a.o.Interval, messages.SignalDue{})
}

// retryAwaited asks for another reading, or gives up.
func (a *actor) retryAwaited(turn *actors.Turn) {
	g := a.awaited
	switch {
	case g == nil:
	case g.tries < a.o.Rules.Attempts:
		g.tries++
		turn.Send(messages.To(messages.ActorPoller, string(a.window)), messages.ReadNow{Window: a.window})
		turn.After("signal", a.o.Rules.AttemptsWithin/time.Duration(a.o.Rules.Attempts), messages.SignalDue{})
	default:
		a.awaited = nil
		score := a.o.Rules.Score(g.Signal)
		turn.Publish(events.MessageUnreadable{
			Window: a.window, Conversation: g.Conversation, Rows: g.rows, Delta: g.delta,
			Attempts: g.tries, SeenAt: g.At,
		})
		turn.Drop(events.StageFusion, events.RuleUnreadable, events.Detail{
			Window: a.window, Conversation: g.Conversation, Score: score, Changed: "0",
			Confidence: string(a.o.Rules.Label(score)),
		})
	}
}

// score adds up the signals of a frame's poll. A structure signal counts once.
// A frame with something new answers the awaited rows. Rows of another
// conversation are awaited no longer.
func (a *actor) score(pixel Signal, d messages.Detection) int {
	e := Evidence{pixel, d.Conversation, d.SeenAt}
	if pixel == TextChanged {
		a.news = e
	}
	if g := a.awaited; g != nil && (g.Conversation != e.Conversation || g.answered(a.news, a.o.Interval)) {
		a.awaited = nil
	}
	signals := []Signal{pixel}
	if s := a.structure; s != nil && s.Joins(e, a.o.Interval) {
		a.structure = nil
		signals = append(signals, s.Signal)
	}
	a.signals = a.signals[:0:0]
	for _, s := range signals {
		a.signals = append(a.signals, events.Signalled{Signal: s.String(), Score: a.o.Rules.scoreOf(s)})
	}
	return a.o.Rules.Score(signals...)
}
