package fusion

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// maxUnseen is how long nothing may be seen of a window that is watched without a
// break. Reading a frame takes seconds, and none is captured meanwhile.
const maxUnseen = 20 * time.Second

// titleStreak is the conversation that a window shows without a break: no other title, no
// empty window and no other conversation came in between, and no time without a window.
// It dies with the activation.
type titleStreak struct {
	conversation messages.ConversationID // "" for none
	title        string
	name         messages.PixelKey // its pixels
	since, at    time.Time         // capture of the first and the last frame
}

// note takes in the conversation of a frame. If it is unknown, the streak goes on: the title
// is the same, and its bubbles are not told yet.
func (s *titleStreak) note(m messages.FrameRead, answer messages.Identified) {
	title := titleOf(m)
	switch {
	case len(m.Bubbles) == 0 && len(m.Marks) == 0, answer.Unlisted,
		answer.Why != "" && (m.Away || !s.titled(m)):
		*s = titleStreak{}
	case answer.Why == "":
		since := m.At
		if s.until(m, answer.Conversation) {
			since = s.since
		}
		*s = titleStreak{conversation: answer.Conversation, title: title, name: m.Name, since: since, at: m.At}
	case s.conversation != "":
		s.at = m.At
	}
}

// until reports whether a window has shown a conversation up to a frame.
func (s *titleStreak) until(m messages.FrameRead, c messages.ConversationID) bool {
	seen := s.at
	if m.Watched.After(seen) {
		seen = m.Watched
	}
	return c != "" && !m.Away && s.conversation == c && s.titled(m) && m.At.Sub(seen) <= maxUnseen
}

// from reports whether a conversation has been watched since a time, up to the last frame.
func (s *titleStreak) from(c messages.ConversationID, at time.Time) bool {
	return c != "" && s.conversation == c && !s.since.After(at)
}

// blank is a pane with nothing in it, under a title. Bubbles that appear next under that
// title are not those that the window showed before. It dies with the activation.
type blank struct {
	title    string // "" for none
	at, till time.Time
	over     bool // something has been shown since
}

// blankLong is how long a pane must be empty to be that of a conversation in which nothing
// was said yet, and not one that is still being drawn.
const blankLong = time.Second

// note takes in a frame.
func (b *blank) note(m messages.FrameRead) {
	title, empty := titleOf(m), len(m.Bubbles) == 0 && len(m.Marks) == 0
	switch {
	case empty && b.title == title && !b.over:
		b.till = m.At
	case empty:
		*b = blank{title: title, at: m.At, till: m.At}
	case b.title != title:
		*b = blank{}
	case !b.over:
		if b.over = true; m.Watched.After(b.till) {
			b.till = m.Watched
		}
	}
}

// before reports whether the pane was blank before a frame, under the same title since.
func (b *blank) before(m messages.FrameRead) bool { return b.title != "" && b.title == titleOf(m) }

// long reports whether nothing was said yet in a frame's conversation.
func (b *blank) long(m messages.FrameRead) bool { return b.before(m) && b.till.Sub(b.at) >= blankLong }

// titled reports whether a frame has the same title: its pixels tell, or what was read where
// they are unknown.
func (s *titleStreak) titled(m messages.FrameRead) bool {
	if s.name != 0 && m.Name != 0 {
		return s.name == m.Name
	}
	return s.title == titleOf(m)
}
