package dedup

import (
	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// gap tells that messages went by unseen, or has the window scrolled back to read them.
func (a *actor) gap(turn *actors.Turn, m messages.Detection, f ledger.Finding, after messages.Occurrence) {
	a.publish(turn, f.Notice)
	notice := messages.TranscriptGap{
		Conversation: a.conversation, Window: m.Window, Visible: f.Whole, Passed: f.Passed,
		After: after, SeenAt: m.SeenAt, Screens: a.ledger.Screens(f.Whole, m.Watched, m.SeenAt),
	}
	if !m.Watched.IsZero() {
		notice.Unseen = m.SeenAt.Sub(m.Watched)
	}
	if !a.ledger.Opened() {
		a.publish(turn, notice)
		return
	}
	a.ledger.Notify(notice)
	turn.Send(messages.To(messages.ActorCatchUp, string(m.Window)), messages.CatchUp{
		Conversation: a.conversation, Window: m.Window, After: a.ledger.After(), At: turn.Now().UTC().Round(0),
	})
}

// behind has a window turned to its newest position that was left at an older one, where nothing new comes into view.
func (a *actor) behind(turn *actors.Turn, m messages.Detection, f ledger.Finding) {
	left := f.Memory.Behind || f.Rule == events.RuleScrolled
	if !left || a.catchUp(m.Window) == 0 || a.ledger.Opened() {
		return
	}
	turn.Send(messages.To(messages.ActorCatchUp, string(m.Window)), messages.CatchUp{
		Conversation: a.conversation, Window: m.Window, At: turn.Now().UTC().Round(0), Lower: true,
	})
}

// publish tells a notice, unless it is none.
func (a *actor) publish(turn *actors.Turn, notice messages.TranscriptGap) {
	if notice.Conversation != "" {
		turn.Publish(notice)
	}
}

// viewBack takes in what the window shows, scrolled back.
func (a *actor) viewBack(turn *actors.Turn, m messages.ViewBack) error {
	a.load(turn)
	v, head := m.View, a.ledger.Head()
	step, fresh := a.ledger.Back(ledger.View{
		Bubbles: v.Bubbles, Marks: v.Marks, Rows: v.Rows, Size: v.Size, Scale: v.Scale, Title: v.Title,
		Window: v.Window, SeenAt: v.SeenAt,
	}, turn.Now())
	turn.Send(messages.To(messages.ActorCatchUp, string(v.Window)), messages.ViewBackSeen{Key: m.Key, Step: step})
	detail := events.Detail{Window: v.Window, Conversation: a.conversation}
	if step == messages.BackReached {
		detail.Occurrences = fresh
		turn.Pass(events.StageDedup, events.RuleCaughtUp, detail)
	} else {
		detail.Count = int(a.ledger.Head().Next - head.Next)
		detail.Match = events.Match(step)
		turn.Drop(events.StageDedup, events.RuleBack, detail)
	}
	return a.finish(turn, head)
}

// caughtUp ends the reading of a gap that was not read to its beginning.
func (a *actor) caughtUp(turn *actors.Turn, m messages.CaughtUp) error {
	a.load(turn)
	head := a.ledger.Head()
	if head.Open.After != m.After {
		return nil
	}
	notice, _ := a.ledger.GiveUp(m.Why, m.Later)
	a.publish(turn, notice)
	return a.finish(turn, head)
}

// expire passes on what came after a gap that takes too long to read.
func (a *actor) expire(turn *actors.Turn) {
	if until := a.ledger.Head().Open.Until; until.IsZero() || turn.Now().Before(until) {
		return
	}
	notice, _ := a.ledger.GiveUp(messages.CatchUpSlow, true)
	a.publish(turn, notice)
}
