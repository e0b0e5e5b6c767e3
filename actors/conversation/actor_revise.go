package conversation

import (
	"slices"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// revise records and publishes that a delivered message was changed.
func (a *actor) revise(turn *actors.Turn, m messages.Revised) {
	detail := events.Detail{Window: m.Window, Conversation: m.Conversation,
		Occurrences: []messages.Occurrence{m.Occurrence}}
	row, d, i := a.find(turn, m.Occurrence)
	if i < 0 {
		detail.Match = events.Match(m.Change)
		turn.Drop(events.StageConversation, events.RuleNotDelivered, detail)
		return
	}
	detail.Message = d.ID
	if d.PIIProcessed {
		var kinds []string
		v, _ := Interviews.Get(turn, onlyRow)
		m.Text, kinds = private(m.Text, known(v, d.Sender))
		for _, k := range kinds {
			if !slices.Contains(d.Masked, k) {
				d.Masked = append(slices.Clip(d.Masked), k)
			}
		}
	}
	d.Parts = slices.Clone(d.Parts)
	part := &d.Parts[i]
	was := part.Text
	if part.Edited != "" {
		was = part.Edited
	}
	changed := messages.MessageChanged{
		Conversation: m.Conversation, Message: d.ID, Occurrence: m.Occurrence, Kind: m.Change, Sender: d.Sender,
		Old: was, SeenAt: m.SeenAt, ChangedAt: turn.Now(),
	}
	switch {
	case part.Unsent || m.Change != messages.ChangeUnsent && (m.Text == was || m.Text == ""):
		detail.Match = events.Match(m.Change)
		turn.Drop(events.StageConversation, events.RuleSaidAlready, detail)
		return
	case m.Change == messages.ChangeUnsent:
		part.Unsent = true
	default:
		part.Edited, changed.New = m.Text, m.Text
	}
	Messages.Put(turn, row, d)
	a.uncheck(turn, d)
	a.reviseItems(turn, was, changed.New)
	turn.Publish(changed)
	turn.Pass(events.StageConversation, events.Rule(m.Change), detail)
	a.changed(turn, d)
}

// find returns the row, the message, and the index of the part with an occurrence, -1 if
// there is none.
func (a *actor) find(turn *actors.Turn, o messages.Occurrence) (row string, d messages.MessageDelivered, part int) {
	head, _ := Heads.Get(turn, "head")
	for n := head.Count; n > max(0, head.Count-int64(a.o.Keep)); n-- {
		d, _ = Messages.Get(turn, RowKey(n))
		part = slices.IndexFunc(d.Parts, func(p messages.Part) bool { return p.Occurrence == o })
		if part >= 0 {
			return RowKey(n), d, part
		}
	}
	return "", messages.MessageDelivered{}, -1
}
