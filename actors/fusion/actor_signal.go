package fusion

import (
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// grown waits for the text of rows that came.
type grown struct {
	Evidence
	since       time.Time // they were not there yet
	rows, delta int
	tries       int
}

// answered reports that a frame with something new shows what came.
func (g grown) answered(news Evidence, interval time.Duration) bool {
	return news.Conversation == g.Conversation && news.At.After(g.since.Add(-interval))
}

// rows takes in a structure signal. It counts with the frame of the same poll;
// rows that came without one are waited for. Whatever it knows dies with the
// activation, and the next signal begins anew.
func (a *actor) rows(turn *actors.Turn, m messages.StructureSignal) {
	name, _ := current.Get(turn, "current")
	if a.shut.Name != "" || name == "" {
		return
	}
	e := Evidence{Rows(m.Delta), Conversation(a.o.App, name), m.At}
	a.structure = &e
	g := grown{Evidence: e, since: m.Since, rows: m.Rows, delta: m.Delta}
	if m.Delta <= 0 || g.answered(a.news, a.o.Interval) {
		return
	}
	if a.grown != nil && a.grown.Conversation == e.Conversation {
		a.grown.rows, a.grown.delta = m.Rows, a.grown.delta+m.Delta
		return
	}
	a.grown = &g
	turn.After("signal", a.o.Interval, messages.SignalDue{})
}

// waited asks for another reading, or gives up.
func (a *actor) waited(turn *actors.Turn) {
	g := a.grown
	switch {
	case g == nil:
	case g.tries < a.o.Rules.Attempts:
		g.tries++
		turn.Send(messages.To(messages.ActorPoller, string(a.window)), messages.ReadNow{Window: a.window})
		turn.After("signal", a.o.Rules.AttemptsWithin/time.Duration(a.o.Rules.Attempts), messages.SignalDue{})
	default:
		a.grown = nil
		score := a.o.Rules.Score(g.Signal)
		turn.Publish(events.MessageUnreadable{
			Window: a.window, Conversation: g.Conversation, Rows: g.rows, Delta: g.delta, Attempts: g.tries, SeenAt: g.At,
		})
		turn.Drop(events.StageFusion, events.RuleUnreadable, events.Detail{
			Window: a.window, Conversation: g.Conversation, Score: score, Changed: "0", Confidence: string(a.o.Rules.Label(score)),
		})
	}
}

// score adds up the signals of a frame's poll. A structure signal counts once.
// A frame with something new is what grown rows have waited for; rows of another
// conversation are no news.
func (a *actor) score(pixel Signal, d messages.Detection) int {
	e := Evidence{pixel, d.Conversation, d.SeenAt}
	if pixel == TextChanged {
		a.news = e
	}
	if g := a.grown; g != nil && (g.Conversation != e.Conversation || g.answered(a.news, a.o.Interval)) {
		a.grown = nil
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
