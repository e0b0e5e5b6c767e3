package fusion

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// parting is a page that goes on from nothing that its conversation has shown, or may do so. It dies with the
// activation.
type parting struct {
	conversation messages.ConversationID
	at           time.Time // of its capture
	weak         bool      // texts in the places of the last page may be those, misread
}

// note takes in what a conversation has shown of a page that was captured at a time.
func (p *parting) note(s messages.Shared, at time.Time) {
	switch {
	case s.Overlap == messages.OverlapGap, s.Overlap == messages.OverlapWeak:
		*p = parting{s.Conversation, at, s.Overlap == messages.OverlapWeak}
	case slices.Contains(shows, s.Overlap) && p.conversation == s.Conversation:
		*p = parting{}
	}
}

// follows reports whether the page is a conversation's, later than a reading that was captured at a time.
func (p *parting) follows(c messages.ConversationID, at time.Time) bool {
	return p.conversation == c && at.Before(p.at) && (!p.weak || p.at.Sub(at) <= maxUnseen)
}

// steady is the header that a window shows without a break, whoever it may be of.
type steady struct {
	name      messages.PixelKey // 0 for none
	since, at time.Time         // capture of the first and the last frame
	begun     bool              // in this activation
}

// note takes in a frame. before says since when the window has had its header, if it is the first one.
func (s *steady) note(m messages.FrameRead, unlisted bool, before func() time.Time) {
	seen := s.at
	if m.Watched.After(seen) {
		seen = m.Watched
	}
	switch {
	case m.Name == 0 || unlisted || len(m.Bubbles) == 0 && len(m.Marks) == 0:
		*s = steady{begun: true}
	case s.name == m.Name && !m.Away && m.At.Sub(seen) <= maxUnseen:
		s.at = m.At
	default:
		since := m.At
		if !s.begun && !m.Away {
			since = before()
		}
		*s = steady{name: m.Name, since: since, at: m.At, begun: true}
	}
}

// from reports whether a window has had a header since a time, up to the last frame.
func (s *steady) from(name messages.PixelKey, at time.Time) bool {
	return name != 0 && s.name == name && !s.since.After(at)
}

// steadySince is since when a window has had the header of the first frame of an activation: readings that were held
// before may have it, of the one whom the window has shown last.
func (a *actor) steadySince(turn *actors.Turn, m messages.FrameRead) time.Time {
	since, latest := m.At, a.latest(turn).Conversation
	for _, row := range slices.Backward(heldRows(turn)) {
		at := row.Detection.SeenAt
		if row.Name != m.Name || len(row.Of) != 1 || row.Of[0] != latest || since.Sub(at) > maxUnseen {
			break
		}
		since = at
	}
	return since
}

// flooded reports whether a held reading is of a flood that went on until a later page: neither it nor that page
// goes on from anything that its conversation has shown, the window showed no other header and nobody else
// in between, and nobody else has that name. Whoever switched to a namesake and back would see what is known.
func (a *actor) flooded(row heldRow, shows page, c messages.ConversationID) bool {
	p, at := row.page(), row.Detection.SeenAt
	return row.Why == events.UnknownNamesake && !row.Idle && len(row.Of) == 1 && row.Of[0] == c &&
		p.name != 0 && p.name == shows.name && a.parted.follows(c, at) &&
		(a.streak.from(c, at) || a.steady.from(p.name, at))
}
