package conversation

import (
	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/text/stream"
	"github.com/kehai-run/kehai/messages"
)

// commands are the desk's events for the verbs of a person.
var commands = map[messages.DraftVerb]reply.EventKind{
	messages.DraftApprove: reply.OnApprove, messages.DraftEdit: reply.OnEdit,
	messages.DraftReject: reply.OnReject, messages.DraftHold: reply.OnHold,
}

// command carries out what a person wants done with a draft.
func (a *actor) command(turn *actors.Turn, m messages.DraftCommand) {
	kind, known := commands[m.Do]
	m.Text = messages.Text(stream.DefaultRule().Final(string(m.Text)))
	e := reply.Event{Kind: kind, Turn: m.Turn, Epoch: m.Epoch, Text: m.Text}
	desk, _ := Desks.Get(turn, onlyRow)
	if _, _, ok := desk.Step(e); !ok || !known || m.Epoch < 1 || m.Do == messages.DraftEdit && m.Text == "" {
		a.late(turn)
		return
	}
	if open := desk.Open; m.Do == messages.DraftReject && open != nil && open.ID == m.Turn {
		a.tellJudge(turn, messages.FateForget) // before the next judgement
	}
	a.step(turn, e)
	if m.Do == messages.DraftApprove {
		usage, _ := usages.Get(turn, onlyRow)
		usages.Put(turn, onlyRow, usage.Person())
	}
}

// sent handles the result of a reply that was to be typed.
func (a *actor) sent(turn *actors.Turn, m messages.SendDone) {
	if a.stillAwaited(turn, m) {
		return
	}
	desk, _ := Desks.Get(turn, onlyRow)
	t := desk.Turn(m.Turn)
	kind := map[messages.SendOutcome]reply.EventKind{
		messages.SendConfirmed: reply.OnConfirmed, messages.SendNot: reply.OnNotSent,
		messages.SendUnknown: reply.OnUnconfirmed,
	}[m.Outcome]
	if t != nil {
		basis, _ := Bases.Get(turn, RowKey(m.Turn))
		basis.Reason = m.Reason
		Bases.Put(turn, RowKey(m.Turn), basis)
	}
	if !a.step(turn, reply.Event{Kind: kind, Turn: m.Turn, Epoch: m.Epoch}) {
		a.late(turn)
		return
	}
	switch {
	case m.Reason == messages.SendSilent: // should that machine come back, it sends nothing any more
		a.stopSending(turn, m.Turn, m.Epoch)
	case desk.StillSends(messages.Sending{Conversation: a.id, Turn: m.Turn, Epoch: m.Epoch}):
		turn.Cancel(overdue) // of an earlier turn it comes late, and the timer is the next one's
	}
	if m.Outcome != messages.SendConfirmed {
		a.tellJudge(turn, messages.FateFailed)
		return
	}
	a.keepOwn(turn, Own{Occurrence: m.Occurrence, Text: t.Text, Turn: m.Turn, At: m.At,
		Answered: answered(t)})
	a.tellJudge(turn, messages.FateDelivered)
}
