package trace

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
	"github.com/kehai-run/kehai/runtime/engine"
)

// replied is what the event log says happened to one reply.
type replied struct {
	conversation messages.ConversationID
	turn         int64  // 0 of a host's own text
	key          string // of a host's own text
	changes      []messages.ReplyChanged
	done         []messages.SendDone
	judged       []messages.JudgementMade
	entry        *control.Entry // on the timeline: the newest; nil before that
}

// takeReply keeps an event that is about a reply.
func (ev *Evidence) takeReply(p engine.Published, entry control.Entry) {
	var r *replied
	switch m := p.Message.(type) {
	case messages.JudgementMade:
		ev.judged = append(ev.judged, m)
		return
	case messages.ReplyChanged:
		r = ev.reply(m.Conversation, m.Turn, "")
		r.changes = append(r.changes, m)
		for _, j := range ev.judged { // those since the previous reply
			if j.Conversation == m.Conversation && slices.Contains(m.Answers, j.Message) &&
				!slices.Contains(r.judged, j) {
				r.judged = append(r.judged, j)
			}
		}
	case messages.SendDone:
		r = ev.reply(m.Conversation, m.Turn, m.Key)
		r.done = append(r.done, m)
		if m.Occurrence > 0 {
			ev.ours[place{m.Conversation, m.Occurrence}] = r
		}
	default:
		return
	}
	if entry.Reply != nil {
		r.entry = &entry
	}
}

// reply finds what is known about a reply, or starts a record of it.
func (ev *Evidence) reply(c messages.ConversationID, turn int64, key string) *replied {
	for _, r := range slices.Backward(ev.replies) {
		if r.conversation == c && r.turn == turn && r.key == key {
			return r
		}
	}
	r := &replied{conversation: c, turn: turn, key: key}
	ev.replies = append(ev.replies, r)
	return r
}

// text returns what the reply says, or said last.
func (r *replied) text() string {
	if r.entry != nil && r.entry.Reply.Text != "" {
		return r.entry.Reply.Text
	}
	for _, c := range slices.Backward(r.changes) {
		if c.Text != "" {
			return string(c.Text)
		}
	}
	for _, d := range slices.Backward(r.done) {
		if d.Text != "" {
			return string(d.Text)
		}
	}
	return ""
}

// at returns when something last happened to it.
func (r *replied) at() (at time.Time) {
	for _, c := range r.changes {
		at = c.At
	}
	for _, d := range r.done {
		if d.At.After(at) {
			at = d.At
		}
	}
	return at
}

// named reports whether an id names the reply in any of its epochs.
func (r *replied) named(id string) bool {
	c, turn, _, ok := control.DraftID(id).Split()
	return ok && c == r.conversation && turn == r.turn || r.key != "" && r.key == id
}

// replyPath returns the path of a reply: what it is based on, who wrote it, and how it
// was sent.
func (ev *Evidence) replyPath(r *replied) control.Path {
	p := control.Path{Conversation: r.conversation, Entry: r.entry, Text: r.text(), Outcome: events.OutcomeWaiting,
		Why: "it is on its way"}
	var answers []messages.MessageID
	for _, c := range r.changes {
		p.Outcome, p.Why = events.Outcome(c.State), replyWhy(c)
		if len(c.Answers) > 0 {
			answers = c.Answers
		}
	}
	for _, d := range r.done {
		if d.Occurrence > 0 {
			p.Occurrences = []messages.Occurrence{d.Occurrence}
		}
		if r.key != "" || d.Outcome == messages.SendConfirmed {
			p.Outcome, p.Why = events.Outcome(d.Outcome), describe.Sending(d.Outcome, d.Reason)
		}
		if d.Outcome == messages.SendConfirmed {
			p.Outcome = events.Outcome(reply.Sent)
		}
	}
	for _, d := range ev.delivered {
		if slices.Contains(answers, d.Message.ID) {
			p.Steps = append(p.Steps, control.Step{At: d.Message.DeliveredAt, Stage: events.StageConversation,
				Outcome: events.OutcomeDelivered, What: fmt.Sprintf("it answers message %s", d.Message.ID),
				Matched: matchedParts(d.Message)})
		}
	}
	for _, j := range r.judged {
		p.Steps = append(p.Steps, judgedStep(j))
	}
	for _, c := range r.changes {
		p.Steps = append(p.Steps, control.Step{At: control.Stamp{Time: c.At}, Stage: events.StageConversation,
			Outcome: events.Outcome(c.State), What: replyWhat(c),
			Detail: events.Detail{Conversation: r.conversation, Rule: events.Rule(c.Rule)}})
	}
	ev.remembers(&p, r)
	ev.typed(&p, r)
	slices.SortStableFunc(p.Steps, func(a, b control.Step) int { return a.At.Compare(b.At.Time) })
	return p
}

func matchedParts(m *control.Message) (list []control.Matched) {
	for _, part := range m.Parts {
		list = append(list, control.Matched{Occurrence: part.Occurrence, Side: messages.SideIncoming, Text: part.Text})
	}
	return list
}

// typed adds what the sender decided while sending the reply.
func (ev *Evidence) typed(p *control.Path, r *replied) {
	var from time.Time
	if len(r.changes) > 0 {
		from = r.changes[0].At
	}
	for _, v := range ev.verdicts {
		if v.Stage == events.StageOutbound && v.Detail.Conversation == r.conversation && !v.At.Before(from) &&
			!v.At.After(r.at()) {
			p.Steps = append(p.Steps, ev.step(v))
		}
	}
}

func judgedStep(j messages.JudgementMade) control.Step {
	verdict := "no answer is wanted"
	if j.Respond {
		verdict = "an answer is wanted"
	}
	return control.Step{At: control.Stamp{Time: j.At}, Stage: events.StageJudge, Outcome: events.OutcomePassed,
		What: fmt.Sprintf("%s, %s: %s", verdict, describe.Sure(j.Source, j.Confidence), string(j.Reason))}
}

// replyWhat names a change of a reply.
func replyWhat(c messages.ReplyChanged) string {
	rule := ""
	if c.Rule != "" {
		rule = ", by rule " + string(c.Rule)
	}
	switch c.State {
	case reply.Drafted, reply.Held, reply.Sending:
		return fmt.Sprintf("reply %s, %s%s", control.NewDraftID(c.Conversation, c.Turn, c.Epoch), writtenBy(c.Basis),
			rule)
	}
	return replyWhy(c)
}

// replyWhy says what happened to a reply.
func replyWhy(c messages.ReplyChanged) string {
	channel := c.Window.Channel()
	switch c.State {
	case reply.Sent:
		if channel != "" {
			return describe.HandedOut(channel)
		}
		return describe.Sending(messages.SendConfirmed, "")
	case reply.Unknown:
		return describe.Sending(messages.SendUnknown, c.Reason)
	case reply.Sending:
		if channel != "" {
			return "it is to be handed out on the channel " + string(channel)
		}
		return "it is to be typed"
	case reply.Drafted:
		return "it waits for a person"
	case reply.Held:
		return "it is held"
	case reply.Rejected:
		return "a person has given it up"
	case reply.Withdrawn:
		return "it was withdrawn: a person answered, or what it answers was taken back"
	}
	return "it was given up for another one, because of what came since"
}

// writtenBy says where the text of a reply comes from.
func writtenBy(b messages.ReplyBasis) string {
	remembered := ""
	if b.Recalled > 0 {
		remembered = fmt.Sprintf(" and %d that it remembers", b.Recalled)
	}
	switch {
	case b.Model == "" && b.Recalled > 0:
		return "a fixed text that names what it remembers"
	case b.Model == "" && b.Fallback == "":
		return "a fixed text"
	case b.Model == "":
		return "a fixed text, as " + describe.Fallback(b.Fallback)
	}
	return fmt.Sprintf("written by %s from %d messages%s with prompts %s", b.Model, b.Lines, remembered,
		cmp.Or(b.Prompt, "unknown"))
}

// remembers adds the memories that a reply was given.
func (ev *Evidence) remembers(p *control.Path, r *replied) {
	const shown = 5
	for _, c := range slices.Backward(r.changes) {
		if c.Basis.Run == "" || c.Basis.Recalled == 0 && c.Basis.Model == "" || ev.Recalled == nil {
			continue
		}
		run, err := ev.Recalled(c.Basis.Run)
		if err != nil { // it is no longer kept
			return
		}
		if c.Basis.Recalled == 0 && len(run.Background) == 0 {
			return
		}
		step := control.Step{At: run.At, Stage: events.StageRecall, Outcome: events.OutcomePassed,
			What: fmt.Sprintf("what helps was recalled by run %s; %d of it is in the reply's material", c.Basis.Run,
				c.Basis.Recalled)}
		for _, f := range run.Found[:min(len(run.Found), shown)] {
			side := messages.SideIncoming
			if f.Own {
				side = messages.SideOwn
			}
			step.Matched = append(step.Matched, control.Matched{Side: side, Text: f.Text})
		}
		p.Steps = append(p.Steps, step)
		for _, t := range run.Background {
			if c.Basis.Model != "" { // a fixed text is not told
				p.Steps = append(p.Steps, control.Step{At: run.At, Stage: events.StageRecall,
					Outcome: events.OutcomePassed, What: "the model was told what is known: " + t.String()})
			}
		}
		return
	}
}
