package fusion

import (
	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// reopened is what is known of a window that could not be captured for a while: its application may have been
// started anew, and some start without what was said before. Pauses do not count: in one, a person may have gone to
// another chat. It dies with the activation.
type reopened struct {
	conversation messages.ConversationID // that it showed before, "" for none
	anew         bool                    // it shows that one again, whose transcript begins anew
}

// note takes in a frame that is read.
func (r *reopened) note(m messages.FrameRead, latest View) {
	if m.Lost {
		*r = reopened{conversation: latest.Conversation}
	}
}

// identified takes in whose the window is.
func (r *reopened) identified(c messages.ConversationID) {
	if c != "" && !r.begins(c) {
		*r = reopened{}
	}
}

// begins reports whether a conversation's transcript begins anew.
func (r *reopened) begins(c messages.ConversationID) bool {
	return c != "" && r.anew && r.conversation == c
}

// emptied reports whether a reading shows a conversation without what was said before: its window was away since
// it showed that conversation, and has its header again, pixel by pixel, over a whole transcript.
func (a *actor) emptied(turn *actors.Turn, m messages.FrameRead, c messages.ConversationID) bool {
	return c == a.reopened.conversation && whole(m) && a.look(turn, m) == c
}
