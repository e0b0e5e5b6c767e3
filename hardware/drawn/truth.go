package drawn

import (
	"cmp"
	"image"
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Seen is a message of the friend that was wholly visible in a capture.
type Seen struct {
	Conversation string
	Index        int // in the conversation's transcript
	Kind         messages.Kind
	Text         messages.Text // when it was first seen
	At           time.Time     // of the first capture that had all of it
	order        int
}

// Changed is a message of the friend that was wholly visible in a capture and,
// after it was edited or taken back, in another one.
type Changed struct {
	Conversation string
	Index        int           // in the conversation's transcript
	Text         messages.Text // its present text; "" means taken back
	At           time.Time     // of the first capture with that text
}

// Changes lists the visible changes, in order. Like [Window.Truth] it starts afresh
// with the process.
func (w *Window) Changes() []Changed {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.changed)
}

// change records it if a message seen before has another text now.
func (w *Window) change(p placed, now time.Time) {
	text := p.text
	if p.unsent {
		text = ""
	}
	if p.lastText != text {
		w.changed = append(w.changed, Changed{Conversation: w.s.shown, Index: p.index,
			Text: messages.Text(text), At: now})
	}
	p.lastText = text
}

// recordSeen records what the picture just drawn shows.
func (w *Window) recordSeen(bubbles []placed, now time.Time) {
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
		p.lastText = p.text
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

// Truth lists the messages that could be read, in the order in which captures
// first showed them. It starts afresh with the process. The journal has everything
// that ever happened.
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
