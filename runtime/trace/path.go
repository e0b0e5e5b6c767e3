package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// similarity returns how much what a person remembers is like what was read, from 0 to 1.
func similarity(asked, read string) float64 {
	a, b := text.Compact(asked), text.Compact(read)
	if a == "" || b == "" { // only signs
		a, b = strings.TrimSpace(asked), strings.TrimSpace(read)
	}
	switch short, long := min(len(a), len(b)), max(len(a), len(b)); {
	case short == 0:
		return 0
	case a == b:
		return 1
	case strings.Contains(a, b) || strings.Contains(b, a):
		return 0.6 + 0.35*float64(short)/float64(long)
	}
	return min(max(text.Similarity(a, b), partly([]rune(a), []rune(b))), 0.99)
}

// partly is what similarity returns for a part of what was read that is remembered with a wrong
// letter, or one in six of more; 0 where there are more, or too few letters to tell.
func partly(asked, read []rune) float64 {
	n := len(asked)
	telling := n >= 4 || n == 3 && asked[0] > unicode.MaxLatin1 // a word already in Japanese
	if wrong := text.PartDistance(asked, read); telling && n <= len(read) && wrong <= max(1, n/6) {
		return (0.6 + 0.35*float64(n)/float64(len(read))) * (1 - float64(wrong)/float64(2*n))
	}
	return 0
}

// path returns the path of something that was read. If it belongs to a delivered message,
// that message's path is returned.
func (ev *Evidence) path(s mention) control.Path {
	if s.occurrence == 0 {
		return ev.placeless(s)
	}
	if i, ok := ev.of[s.place]; ok {
		return ev.pathOf(&ev.delivered[i])
	}
	p := control.Path{Conversation: s.conversation, Occurrences: []messages.Occurrence{s.occurrence}, Text: s.text}
	ev.walk(&p, "")
	ev.judge(&p)
	return p
}

// pathOf returns the path of a delivered message.
func (ev *Evidence) pathOf(e *control.Entry) control.Path {
	d := e.Message
	p := control.Path{
		Conversation: e.Conversation, Entry: e, Text: d.Text, Outcome: events.OutcomeDelivered,
		Why: fmt.Sprintf("%s after it was first seen", d.DeliveredAt.Sub(e.SeenAt.Time).Round(time.Millisecond)),
	}
	for _, part := range d.Parts {
		p.Occurrences = append(p.Occurrences, part.Occurrence)
	}
	ev.walk(&p, d.ID)
	p.Steps = append(p.Steps, control.Step{
		At: d.DeliveredAt, Stage: events.StageConversation, Outcome: events.OutcomeDelivered, Trace: e.Trace,
		Actor:  messages.To(messages.ActorConversation, string(e.Conversation)),
		What:   fmt.Sprintf("delivered as message %s, place %d in the event log", d.ID, e.Seq),
		Detail: events.Detail{Conversation: e.Conversation, Occurrences: p.Occurrences, Message: d.ID},
	})
	for _, v := range ev.verdicts {
		if v.Stage == events.StageConversation && v.Passed() && v.Detail.Message == d.ID &&
			v.Detail.Rule != events.RuleDelivered {
			p.Steps = append(p.Steps, ev.step(v))
		}
	}
	slices.SortStableFunc(p.Steps, func(a, b control.Step) int { return a.At.Compare(b.At.Time) })
	return p
}

// placeless returns the path of a bubble that the ledger has not recorded yet.
func (ev *Evidence) placeless(s mention) control.Path {
	p := control.Path{Conversation: s.conversation, Text: s.text}
	for _, env := range ev.mail {
		if d, ok := env.Message.(messages.Detection); ok && d.Conversation == s.conversation && d.SeenAt.Equal(s.at) {
			p.Steps = append(p.Steps, waits(env))
			p.Outcome, p.Why = events.OutcomeWaiting, "it was seen, and waits for the ledger"
		}
	}
	for _, d := range ev.dead {
		if m, ok := d.message.(messages.Detection); ok && m.Conversation == s.conversation && m.SeenAt.Equal(s.at) {
			p.Steps = append(p.Steps, deadStep(d))
			p.Outcome, p.Why = events.OutcomeDeadLetter, deadWhy(d)
		}
	}
	return p
}

func visiblePath(s mention) control.Path {
	return control.Path{
		Conversation: s.conversation, Text: s.text, Outcome: events.OutcomeVisible,
		Why: "it is on the screen; no message has come of it, see the recent decisions below",
		Steps: []control.Step{{
			At: control.Stamp{Time: s.at}, Stage: events.StageOCR, Outcome: events.OutcomeSeen,
			What: "read in the newest picture of the window",
		}},
	}
}

// walk collects the steps of a path's occurrences in time order.
func (ev *Evidence) walk(p *control.Path, id messages.MessageID) {
	traces := ev.seen(p)
	var found []events.Verdict
	about := func(v events.Verdict) bool {
		return ConversationOf(v) == p.Conversation &&
			(id != "" && v.Detail.Message == id || shares(v.Detail.Occurrences, p.Occurrences))
	}
	for _, v := range ev.verdicts {
		if about(v) && !(v.Stage == events.StageConversation && v.Passed()) {
			found = append(found, v)
			if v.Stage == events.StageDedup && v.Detail.Rule != events.RuleReleased && v.Detail.Rule != events.RuleOwn {
				traces[v.Trace] = true
			}
		}
	}
	for _, v := range ev.verdicts {
		if v.Stage == events.StageFusion && traces[v.Trace] && v.Detail.Conversation == p.Conversation {
			found = append(found, v)
		}
	}
	slices.SortStableFunc(found, func(a, b events.Verdict) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Seq, b.Seq))
	})
	for _, v := range found {
		p.Steps = append(p.Steps, ev.step(v))
	}
	for _, env := range ev.mail {
		if ev.holds(env.Message, p) {
			p.Steps = append(p.Steps, waits(env))
		}
	}
	for _, d := range ev.dead {
		if ev.holds(d.message, p) {
			p.Steps = append(p.Steps, deadStep(d))
		}
	}
	slices.SortStableFunc(p.Steps, func(a, b control.Step) int { return a.At.Compare(b.At.Time) })
}

// seen adds when the occurrences were first captured, and returns their known traces.
func (ev *Evidence) seen(p *control.Path) map[string]bool {
	traces := map[string]bool{}
	var at []time.Time
	for _, o := range p.Occurrences {
		here := place{p.Conversation, o}
		if e, ok := ev.entries[here]; ok {
			at = append(at, e.SeenAt)
		}
		if i, ok := ev.of[here]; ok {
			for _, part := range ev.delivered[i].Message.Parts {
				if part.Occurrence == o {
					at = append(at, part.SeenAt.Time)
					if part.Trace != "" {
						traces[part.Trace] = true
					}
				}
			}
		}
	}
	slices.SortFunc(at, time.Time.Compare)
	for _, t := range slices.CompactFunc(at, time.Time.Equal) {
		p.Steps = append(p.Steps, control.Step{
			At: control.Stamp{Time: t}, Stage: events.StageCapture, Outcome: events.OutcomeSeen, What: "first captured",
		})
	}
	return traces
}

// holds reports whether a message of the pipeline carries one of the path's
// occurrences.
func (ev *Evidence) holds(m messages.Message, p *control.Path) bool {
	_, in := mentionsIn(m)
	return slices.ContainsFunc(in, func(s mention) bool {
		return s.conversation == p.Conversation && s.occurrence > 0 && slices.Contains(p.Occurrences, s.occurrence)
	})
}

// step describes a verdict and the messages it is based on.
func (ev *Evidence) step(v events.Verdict) control.Step {
	s := control.NewStep(v)
	c := ConversationOf(v)
	for _, o := range v.Detail.Known {
		if e, ok := ev.entries[place{c, o}]; ok {
			s.Matched = append(s.Matched, control.Matched{Occurrence: o, Side: e.Side, Text: string(e.Text)})
		}
	}
	if v.Stage == events.StageIngress && v.Detail.Age > 0 && len(v.Detail.Occurrences) == 1 {
		s.Matched = append(s.Matched, ev.matched(v, place{c, v.Detail.Occurrences[0]})...)
	}
	return s
}

// matched finds, by its age, the text that ingress took a message for.
func (ev *Evidence) matched(v events.Verdict, of place) (list []control.Matched) {
	e, ok := ev.entries[of]
	if !ok {
		return nil
	}
	was := e.SeenAt.Add(-v.Detail.Age)
	near := func(t time.Time) bool { return t.Sub(was).Abs() < time.Millisecond }
	if v.Detail.Rule == events.RuleEcho {
		for _, s := range ev.sent[of.conversation] {
			if near(s.At) {
				list = append(list, control.Matched{Side: messages.SideOwn, Text: string(s.Text)})
			}
		}
		return list
	}
	for at, other := range ev.entries {
		if at.conversation == of.conversation && at != of && near(other.SeenAt) {
			list = append(list, control.Matched{Occurrence: at.occurrence, Side: other.Side, Text: string(other.Text)})
		}
	}
	slices.SortFunc(list, func(a, b control.Matched) int { return cmp.Compare(a.Occurrence, b.Occurrence) })
	return list
}

// judge says what happened to something that was not delivered.
func (ev *Evidence) judge(p *control.Path) {
	here := place{p.Conversation, p.Occurrences[0]}
	entry, known := ev.entries[here]
	last := control.Step{}
	for _, s := range p.Steps {
		if s.Outcome != events.OutcomeSeen && s.Outcome != events.OutcomePassed {
			last = s
		}
	}
	buffered := slices.ContainsFunc(ev.buffered[p.Conversation].Parts,
		func(part messages.Part) bool { return part.Occurrence == here.occurrence })
	switch {
	case last.Outcome == events.OutcomeDeadLetter:
		p.Outcome, p.Why = events.OutcomeDeadLetter, last.What
	case last.Outcome == events.OutcomeWaiting:
		p.Outcome, p.Why = events.OutcomeWaiting, last.What
	case buffered:
		p.Outcome, p.Why = events.OutcomeWaiting, "it waits for the end of its burst"
	case known && entry.Waiting:
		p.Outcome, p.Why = events.OutcomeWaiting, "the ledger waits for it to become readable, or for one before it"
	case known && entry.Side == messages.SideOwn:
		p.Outcome, p.Why = events.OutcomeOwnSide,
			"it stands on the owner's side of the window: it is no incoming message"
	case last.Outcome == events.OutcomeDropped && last.Stage != events.StageDedup:
		p.Outcome, p.Why = events.OutcomeDropped,
			fmt.Sprintf("dropped at stage %s by rule %s: %s", last.Stage, last.Detail.Rule, last.What)
	case last.Outcome == events.OutcomeDropped:
		p.Outcome, p.Why = events.OutcomeHistory,
			fmt.Sprintf("the ledger took it for history by rule %s: %s", last.Detail.Rule, last.What)
	case known:
		p.Outcome, p.Why = events.OutcomeHistory, "it stands in the ledger as history; the decision is kept no longer"
	default:
		p.Outcome, p.Why = events.OutcomeWaiting, "no decision about it is stored yet"
	}
}

func shares(a, b []messages.Occurrence) bool {
	return slices.ContainsFunc(a, func(o messages.Occurrence) bool { return slices.Contains(b, o) })
}

func waits(env engine.Envelope) control.Step {
	return control.Step{
		At: control.Stamp{Time: env.At}, Stage: events.Stage(env.To.Kind()), Actor: env.To,
		Outcome: events.OutcomeWaiting, Trace: env.Trace,
		What: fmt.Sprintf("waits in the inbox of %s as %s", env.To.Kind(), env.ID),
	}
}

func deadStep(d dead) control.Step {
	return control.Step{
		At: control.Stamp{Time: d.At}, Stage: events.Stage(d.Actor.Kind()), Actor: d.Actor,
		Outcome: events.OutcomeDeadLetter, What: deadWhy(d),
	}
}

func deadWhy(d dead) string {
	return fmt.Sprintf("stage %s failed on it %d times (%s): it is dead letter %s, "+
		"kehai deadletters retry %s tries again", d.Actor.Kind(), d.Attempts, d.Error, d.ID, d.ID)
}
