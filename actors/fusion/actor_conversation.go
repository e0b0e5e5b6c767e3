package fusion

import (
	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// askConversation asks whose conversation a reading shows that a sender has. Nothing of the
// reading is kept but until the answer; a newer one takes its place.
func (a *actor) askConversation(turn *actors.Turn, m messages.AskConversation) {
	a.wanted = &m
	a.question(turn, m.Read, messages.Identify{})
}

// wantedIdentified goes on with the reading of a sender.
func (a *actor) wantedIdentified(turn *actors.Turn, answer messages.Identified) {
	m := *a.wanted
	if a.compare(turn, m.Read, answer) {
		return
	}
	a.wanted = nil
	view := viewOf(answer.Conversation, m.Read.Bubbles)
	c := answer.Conversation
	last := a.before(turn, c)
	bubbles, _ := a.claimed(turn, m.Read, view)
	gap := len(a.linked(last, view, placed{c, bubbles, m.Read.Size}).Anchor) > 0
	if answer.Why != "" || answer.Unlisted || gap || !a.agrees(turn, m.Read, view) {
		c = ""
	}
	whose := messages.ConversationShown{Key: m.Key, Conversation: c}
	if gap {
		whose.MovedOn = answer.Conversation
	}
	if m.Scroll {
		turn.Send(messages.To(messages.ActorCatchUp, string(a.window)), whose)
		return
	}
	turn.Send(messages.To(messages.ActorOutbound, string(a.window)), whose)
}

// agrees reports whether the bubbles of a reading speak for the conversation of its
// title: where bubbles of it are known, the reading goes on from them, and no other
// conversation has shown more of them. An equal title is not enough to send: a
// stranger may have taken the name.
func (a *actor) agrees(turn *actors.Turn, m messages.FrameRead, view View) bool {
	if len(m.Bubbles) == 0 {
		return true
	}
	if bubbles, changed := a.claimed(turn, m, view); changed {
		view = viewOf(view.Conversation, bubbles)
	}
	pending, _ := pendings.Get(turn, "held")
	k := a.context(turn, known{current: a.latest(turn)}, view, pending)
	continues := k.own.continues(view)
	return !k.another(view, continues) && (len(k.own.Marks) == 0 || continues)
}
