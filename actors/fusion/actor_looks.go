package fusion

import (
	"slices"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// headedBy remembers the header of a frame whose conversation is known. If others were seen
// with it a few times, the header was drawn before the bubbles: they lose it.
func (a *actor) headedBy(turn *actors.Turn, m messages.FrameRead, c messages.ConversationID) {
	if !a.header.note(c, m) {
		return
	}
	own, ok := lastViews.Get(turn, string(c))
	looks, changed := voted(own.Looks, m.Name, m.At, a.header.anew)
	if !ok || !changed {
		return
	}
	if own.headedOtherwise(m.Name, a.header.anew) {
		a.header.anew = m.At
	}
	own.Looks = looks
	lastViews.Put(turn, string(c), own)
	for _, l := range lastViews.All(turn) {
		if l.Conversation != c && l.headed(m.Name, 1) && !l.headed(m.Name, looksSure) {
			l.Looks = without(l.Looks, m.Name)
			lastViews.Put(turn, string(l.Conversation), l)
		}
	}
}

// look is the conversation that a frame's header belongs to, "" for none.
func (a *actor) look(turn *actors.Turn, m messages.FrameRead) (c messages.ConversationID) {
	if m.Name == 0 {
		return ""
	}
	for _, l := range lastViews.All(turn) {
		if l.headed(m.Name, looksSure) {
			return l.Conversation
		}
	}
	return ""
}

// alone reports whether a conversation is the only one that the window has shown under a
// frame's header. If the header of another candidate is unknown, it may be the same.
func (a *actor) alone(turn *actors.Turn, m messages.FrameRead, c messages.ConversationID,
	compared []messages.Shared) bool {
	if own, _ := lastViews.Get(turn, string(c)); m.Name == 0 || !own.headed(m.Name, 1) {
		return false
	}
	for _, l := range lastViews.All(turn) {
		if l.Conversation != c && l.headed(m.Name, 1) {
			return false
		}
	}
	return !slices.ContainsFunc(compared, func(s messages.Shared) bool {
		other, _ := lastViews.Get(turn, string(s.Conversation))
		return s.Conversation != c && len(other.Looks) == 0
	})
}

// otherHeaders returns the conversations of a list that a window has shown under other headers only.
func (a *actor) otherHeaders(turn *actors.Turn, m messages.FrameRead, shared []messages.Shared) (
	out []messages.ConversationID) {
	for _, s := range shared {
		own, _ := lastViews.Get(turn, string(s.Conversation))
		if m.Name != 0 && own.headedOtherwise(m.Name, a.header.anew) {
			out = append(out, s.Conversation)
		}
	}
	return out
}
