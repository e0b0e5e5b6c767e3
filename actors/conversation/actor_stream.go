package conversation

import (
	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/pii"
	"github.com/kehai-run/kehai/actors/text/stream"
	"github.com/kehai-run/kehai/messages"
)

// progress handles what a model has written so far.
func (a *actor) progress(turn *actors.Turn, m messages.LLMProgress) {
	if a.writing == nil || m.Key != a.asked {
		return // of a question that was given up
	}
	a.writing.Set(m.Epoch, reply.Begun(string(m.Text), a.persona))
	a.show(turn)
}

// show publishes the visible part of the reply, unless it did so a moment ago. Nothing is
// shown of a reply that would not go out by itself, or that breaks its interview's rules.
func (a *actor) show(turn *actors.Turn) {
	desk, _ := Desks.Get(turn, onlyRow)
	if t := desk.Open; a.writing == nil || t == nil || replyKey(t) != a.asked {
		return
	}
	frame, wait, ok := a.writing.Next(turn.Now())
	switch {
	case ok && !a.shows(turn, desk.Open, messages.Text(frame.Text)):
		a.writing.Withhold() // it may be shown once the owner allows it
	case ok:
		a.publishWriting(turn, desk.Open, frame)
	case wait > 0:
		turn.After("show", wait, messages.ShowDue{})
	}
}

// shows reports whether the beginning of a reply may be seen.
func (a *actor) shows(turn *actors.Turn, t *reply.Turn, written messages.Text) bool {
	v, _ := a.leads(turn)
	if a.echoes(string(written)) || a.invents(turn, a.restored(turn, written)) {
		return false
	}
	return a.outcome(turn, t, written).Action == reply.Send && ProjectOf(v.Plan).Breaks(string(written)) == ""
}

// showAll publishes the whole reply as it is stored, "" if it may not be seen, and ends the
// stream.
func (a *actor) showAll(turn *actors.Turn, t *reply.Turn, written messages.Text) {
	attempt := 0
	if a.writing != nil {
		attempt = a.writing.End().Epoch
	}
	turn.Publish(messages.ReplyWriting{Conversation: a.id, Turn: t.ID, Epoch: t.Epoch, Attempt: attempt, Text: written,
		Done: true})
	a.asked, a.call, a.writing = "", "", nil
	turn.Cancel("show")
	a.let(turn)
}

// publishWriting restores the originals of masked words. It holds back what may be the
// start of a placeholder.
func (a *actor) publishWriting(turn *actors.Turn, t *reply.Turn, f stream.Frame) {
	shown := f.Text
	if a.o.Mask {
		shown = string(a.restored(turn, messages.Text(shown[:pii.Held(shown)])))
	}
	turn.Publish(messages.ReplyWriting{Conversation: a.id, Turn: t.ID, Epoch: t.Epoch, Attempt: f.Epoch,
		Text: messages.Text(shown)})
}

// stopWriting cancels the question to the model: no answer arrives any more. What was shown of the reply is void.
func (a *actor) stopWriting(turn *actors.Turn, of int64, epoch int) {
	if a.call != "" {
		turn.CancelCall(a.call)
	}
	turn.Publish(messages.ReplyWriting{Conversation: a.id, Turn: of, Epoch: epoch, Done: true})
	a.asked, a.call, a.writing = "", "", nil
	turn.Cancel("show")
	a.let(turn)
}
