package fusion

import (
	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// ask asks whose conversation a frame shows, and keeps the frame until the answer
// is there. The poller sends it again if that takes long.
func (a *actor) ask(turn *actors.Turn, m messages.FrameRead) {
	a.asked = &m
	a.question(turn, m, messages.Identify{})
}

// identified goes on with the frame that waits, once its conversation is known.
func (a *actor) identified(turn *actors.Turn, answer messages.Identified) {
	if a.wanted != nil && a.wanted.Read.Hash == answer.Frame && a.wanted.Read.At.Equal(answer.At) {
		a.wantedIdentified(turn, answer)
		return
	}
	if a.asked == nil || a.asked.Hash != answer.Frame || !a.asked.At.Equal(answer.At) {
		return // that of an older frame
	}
	m := *a.asked
	view := viewOf(answer.Conversation, m.Bubbles)
	if len(answer.Compare) > 0 {
		a.compare(turn, m, answer.Compare, view)
		return
	}
	a.asked = nil
	if answer.Why != "" {
		a.hold(turn, m, events.UnknownReason(answer.Why))
		return
	}
	k := known{current: a.latest(turn), title: answer.Name, unlisted: answer.Unlisted}
	a.endUnknown(turn)
	switch {
	case answer.Unlisted:
		// It has no id. This one is never stored.
		view.Conversation = messages.ConversationID("-" + answer.Name)
	case answer.Conversation == "": // an empty window of nobody's
		a.settle(turn, m)
		return
	}
	a.o.Strategy.take(a, turn, m, view, k)
}

// compare tells what a frame that waits shares with some conversations.
func (a *actor) compare(turn *actors.Turn, m messages.FrameRead, list []messages.ConversationID, view View) {
	q := messages.Identify{Compared: true}
	for _, c := range list {
		last, _ := lastViews.Get(turn, string(c))
		q.Shared = append(q.Shared, messages.Shared{Conversation: c, Overlap: last.overlap(view)})
	}
	a.question(turn, m, q)
}

func (a *actor) question(turn *actors.Turn, m messages.FrameRead, q messages.Identify) {
	q.Window, q.Frame, q.At, q.Title = a.window, m.Hash, m.At, m.Title
	q.Empty = a.o.Strategy.needsProof() && len(m.Bubbles) == 0
	turn.Send(messages.To(messages.ActorDirectory, a.o.App), q)
}
