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

// Changed is a message of the friend that stood wholly in a capture and then,
// edited or taken back, in another one.
type Changed struct {
	Conversation string
	Index        int           // in the conversation's transcript
	Text         messages.Text // that it says now, "" if it was taken back
	At           time.Time     // of the capture that first had it so
}

// Changes lists what there was to be read of changes, in order. Like [Truth] it
// starts anew with the process.
func (w *Window) Changes() []Changed {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.changed)
}

// change notes that a message that was seen before says something else now.
func (w *Window) change(p placed, now time.Time) {
	text := p.text
	if p.unsent {
		text = ""
	}
	if p.told != text {
		w.changed = append(w.changed, Changed{Conversation: w.s.shown, Index: p.index,
			Text: messages.Text(text), At: now})
	}
	p.told = text
}

// witness notes what the picture just drawn shows.
func (w *Window) witness(bubbles []placed, now time.Time) {
	view := w.frame(w.s).view()
	for _, p := range bubbles {
		p.captured = p.captured || done(p, view)
		if p.who != Friend || !whole(p, view) || !across(p, view) {
			continue
		}
		if p.seen != nil {
			w.change(p, now)
		}
		if p.seen != nil || p.unsent {
			continue
		}
		p.told = p.text
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
