package trace

import (
	"fmt"
	"slices"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/snapshot"
)

// heldText is a text of a reading that is held for want of a conversation. Its place has
// the title in place of one.
type heldText struct {
	mention
	id     string // of the reading
	window messages.WindowID
	title  string // as it was read, "" if it was unreadable
	why    events.UnknownReason
}

// addHeld reads what is held and may be of a conversation, of any if c is "".
func (ev *Evidence) addHeld(e *engine.Engine, c messages.ConversationID) error {
	return engine.SkimTable(e, fusion.Kind, fusion.HeldReadings, func(a messages.Address, key string, h fusion.Held) {
		no, err := actors.RowNumber(key)
		if err != nil || !ev.mayBe(h, c) {
			return
		}
		title, window := string(h.Detection.Title), messages.WindowID(a.Key())
		here := place{messages.ConversationID(h.App + ":" + title), 0}
		for _, b := range h.Detection.Bubbles {
			ev.held = append(ev.held, heldText{
				mention: mention{here, string(b.Text), h.Detection.SeenAt},
				id:      fmt.Sprintf("%s/%d", window, no), window: window, title: title, why: h.Why,
			})
		}
	})
}

// mayBe reports whether a held reading may be of a conversation. One without a title and
// without a guess may be of any of its application.
func (ev *Evidence) mayBe(h fusion.Held, c messages.ConversationID) bool {
	is := func(of messages.ConversationID) bool { return ev.left(of) == c }
	title := string(h.Detection.Title)
	return c == "" || slices.ContainsFunc(h.Of, is) || slices.ContainsFunc(h.Shown, is) ||
		title != "" && slices.Contains(directory.Called(ev.known, h.App, title), c) ||
		title == "" && len(h.Of) == 0 && ev.known[c].App == h.App
}

// holdsText reports whether something on the screen is held.
func (ev *Evidence) holdsText(t snapshot.Text) bool {
	return slices.ContainsFunc(ev.held, func(h heldText) bool {
		return h.text == t.Text && h.conversation == messages.ConversationID(t.App+":"+t.Title)
	})
}

// takeHeld keeps a held text that is like the one asked for, the newest reading of each.
func (s *search) takeHeld(h *heldText) {
	l := similarity(s.q.Text, h.text)
	if l < likely {
		return
	}
	key := fmt.Sprint("held\x00", h.window, "\x00", h.title, "\x00", h.text)
	if old, ok := s.best[key]; !ok || h.at.After(old.at) {
		s.best[key] = found{h.mention, l, false, nil, h}
	}
}

// path is that of a held text: it ends where it is held.
func (h *heldText) path() control.Path {
	title := "a title that cannot be read"
	if h.title != "" {
		title = fmt.Sprintf("the title %q", h.title)
	}
	since := control.Stamp{Time: h.at}
	return control.Path{
		Conversation: h.conversation, Text: h.text, Outcome: events.OutcomeWaiting,
		Why: fmt.Sprintf("it is held since %s, as nobody knows whose it is: window %s showed it under %s; "+
			"kehai conversations settle %s decides, kehai conversations held names the choices",
			since, h.window, title, h.id),
		Steps: []control.Step{{
			At: since, Stage: events.StageFusion, Actor: messages.To(fusion.Kind, string(h.window)),
			Outcome: events.OutcomeWaiting, What: fmt.Sprintf("held as %s: %s", h.id, describe.Unknown(h.why)),
		}},
	}
}
