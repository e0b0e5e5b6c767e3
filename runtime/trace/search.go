package trace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/snapshot"
)

// Delivered returns the path of a delivered message; false if there is none with that id.
func (ev *Evidence) Delivered(id messages.MessageID) (control.Path, bool) {
	for i := range ev.delivered {
		if ev.delivered[i].Message.ID == id {
			return ev.pathOf(&ev.delivered[i]), true
		}
	}
	return control.Path{}, false
}

// LastRead returns what was read last, by any run; false if nothing is known to have been
// read.
func (ev *Evidence) LastRead() (c messages.ConversationID, text string, at time.Time, ok bool) {
	var newest mention
	for _, m := range ev.everything() {
		if m.at.After(newest.at) {
			newest = m
		}
	}
	return newest.conversation, newest.text, newest.at, !newest.at.IsZero()
}

// OnChannels reports whether all that was found is of conversations on channels without a
// screen, or, where nothing was found, the one that was asked about is.
func (ev *Evidence) OnChannels(asked messages.ConversationID, paths []control.Path) bool {
	on := func(c messages.ConversationID) bool {
		return messages.WindowID(ev.known[ev.left(c)].App).Channel() != ""
	}
	if len(paths) == 0 {
		return on(asked)
	}
	return !slices.ContainsFunc(paths, func(p control.Path) bool { return !on(p.Conversation) })
}

// ByID finds a message, part of the mail, or a dead letter.
func (ev *Evidence) ByID(id string) (list []control.Path) {
	for i := range ev.delivered {
		if string(ev.delivered[i].Message.ID) == id {
			return []control.Path{ev.pathOf(&ev.delivered[i])}
		}
	}
	for _, r := range ev.replies {
		if r.named(id) {
			list = append(list, ev.replyPath(r))
		}
	}
	for _, env := range ev.mail {
		if m, ok := env.Message.(messages.InboundMessage); ok && string(m.ID) == id || env.ID == id {
			list = append(list, ev.pathsOf(env.Message)...)
		}
	}
	for _, d := range ev.dead {
		if m, ok := d.message.(messages.InboundMessage); d.ID == id || ok && string(m.ID) == id {
			if d.message == nil {
				list = append(list, control.Path{Outcome: events.OutcomeDeadLetter, Why: deadWhy(d),
					Steps: []control.Step{deadStep(d)}})
			}
			list = append(list, ev.pathsOf(d.message)...)
		}
	}
	return list
}

// pathsOf returns the paths of everything that a message holds.
func (ev *Evidence) pathsOf(m messages.Message) (list []control.Path) {
	_, in := mentionsIn(m)
	for _, s := range in {
		list = append(list, ev.path(s))
	}
	return list
}

// likely is the least similarity of a text that may be the one asked for.
const likely = 0.5

// found is something like what was asked for.
type found struct {
	mention
	similarity float64
	visible    bool
	reply      *replied  // that it is; nil for none
	held       *heldText // that it is; nil for none
}

// search keeps the best of what was found for a text.
type search struct {
	*Evidence
	q     control.WhyQuery
	best  map[string]found
	texts map[string]bool // that were found, by conversation
}

// take keeps a mention that is like the text, once for each thing it belongs to.
func (s *search) take(m mention, visible bool, r *replied) {
	l := similarity(s.q.Text, m.text)
	if l < likely || s.q.Conversation != "" && s.left(m.conversation) != s.q.Conversation {
		return
	}
	key := fmt.Sprint(m.conversation, "\x00", m.occurrence)
	if at, ok := s.of[m.place]; ok {
		key = string(s.delivered[at].Message.ID)
	}
	loose := string(m.conversation) + "\x00" + m.text
	if r == nil {
		r = s.ours[m.place]
	}
	switch {
	case r != nil:
		key = fmt.Sprint(r.conversation, "\x00", r.turn, "\x00", r.key)
	case m.occurrence == 0 && s.texts[loose]:
		return
	case m.occurrence == 0:
		key = loose
	}
	s.texts[loose] = true
	if old, ok := s.best[key]; !ok || l > old.similarity {
		s.best[key] = found{m, l, visible, r, nil}
	}
}

// ByText finds what is like a text, the most alike and newest first. shown is what is on
// the screen now, in conversations as far as they are known.
func (ev *Evidence) ByText(q control.WhyQuery, shown []snapshot.Text) []control.Path {
	s := search{ev, q, map[string]found{}, map[string]bool{}}
	for _, r := range ev.replies {
		s.take(mention{place{r.conversation, 0}, r.text(), r.at()}, false, r)
	}
	all := ev.everything()
	// Something with a place tells more than something without.
	slices.SortStableFunc(all, func(a, b mention) int { return cmp.Compare(b.occurrence, a.occurrence) })
	for _, m := range all {
		s.take(m, false, nil)
	}
	for i := range ev.held {
		s.takeHeld(&ev.held[i])
	}
	for _, m := range ev.visible(shown) {
		s.take(m, true, nil)
	}
	list := slices.SortedFunc(maps.Values(s.best), func(a, b found) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), b.at.Compare(a.at),
			cmp.Compare(b.occurrence, a.occurrence),
			strings.Compare(a.text, b.text))
	})
	var paths []control.Path
	for _, f := range list[:min(len(list), q.Limit)] {
		p := ev.pathOfFound(f)
		p.Similarity = f.similarity
		paths = append(paths, p)
	}
	return paths
}

func (ev *Evidence) pathOfFound(f found) control.Path {
	if f.held != nil {
		return f.held.path()
	}
	if f.reply != nil {
		return ev.replyPath(f.reply)
	}
	if p := ev.path(f.mention); !f.visible || len(p.Steps) > 0 {
		return p
	}
	return visiblePath(f.mention)
}

// visible finds the conversations of what is on the screen.
func (ev *Evidence) visible(shown []snapshot.Text) (list []mention) {
	for _, t := range shown {
		if ev.holdsText(t) {
			continue
		}
		c := messages.ConversationID(t.App + ":" + t.Title) // not assigned to a conversation yet
		if found := directory.Called(ev.known, t.App, t.Title); len(found) > 0 {
			c = found[0]
		}
		list = append(list, mention{place{c, 0}, t.Text, t.At})
	}
	return list
}
