package drawn

import (
	"cmp"
	"image"
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Seen is a message of the friend that stood wholly in at least one capture.
type Seen struct {
	Conversation string
	Index        int // in the conversation's transcript
	Kind         messages.Kind
	Text         messages.Text // when it was first seen
	At           time.Time     // of the first capture that had all of it
	order        int
}

// witness notes what the picture just drawn shows.
func (w *Window) witness(bubbles []placed, now time.Time) {
	view := w.frame(w.s).view()
	for _, p := range bubbles {
		p.captured = p.captured || done(p, view)
		if p.seen != nil || p.who != Friend || p.unsent || !whole(p, view) || !across(p, view) {
			continue
		}
		w.seen++
		p.seen = &Seen{
			Conversation: w.s.shown, Index: p.index, Kind: p.kind, Text: messages.Text(p.text),
			At: now, order: w.seen,
		}
	}
}

func across(p placed, view image.Rectangle) bool {
	return p.box.Min.X >= view.Min.X && p.box.Max.X <= view.Max.X
}

// Truth lists what there was to be read, in the order in which captures first
// showed it. It starts anew with the process: for all that ever happened, read
// the journal with ReadJournal.
func (w *Window) Truth() []Seen {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []Seen
	for _, conv := range w.s.convs {
		for _, b := range conv.bubbles {
			if b.seen != nil {
				all = append(all, *b.seen)
			}
		}
	}
	slices.SortFunc(all, func(a, b Seen) int { return cmp.Compare(a.order, b.order) })
	return all
}
