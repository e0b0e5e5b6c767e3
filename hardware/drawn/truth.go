package drawn

import (
	"cmp"
	"image"
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Seen is a message of the friend that was wholly visible in a capture, or the end of
// one that is higher than the window.
type Seen struct {
	Conversation string
	Index        int // in the conversation's transcript
	Kind         messages.Kind
	Text         messages.Text // when it was first seen
	At           time.Time     // of the first capture that had all of it
	// Partial: it is higher than the window, and captures have not shown all of it, not
	// even one after the other.
	Partial bool
	// Alike: that capture showed nothing but this text, again and again. Nobody can tell how
	// many of them are new.
	Alike bool
	// Later is, for a message of the first capture of its conversation, how many of the
	// friend's stood whole below it, or -1 if an own one did; otherwise [NotFirst]. In a capture
	// that shows nothing of what others have shown, it is -1 too if an own one or a date stood below.
	Later int
	order int
}

// NotFirst is for messages that were not in the first capture of their conversation.
const NotFirst = -2

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
	first := !slices.ContainsFunc(bubbles, func(p placed) bool { return p.captured })
	went := first && slices.ContainsFunc(w.s.conversation("").bubbles, func(b *bubble) bool { return b.captured })
	for i, p := range bubbles {
		p.captured = p.captured || done(p, view)
		p.shown.add(p, view)
		if p.seen != nil && p.shown.all() {
			p.seen.Partial = false
		}
		if p.who != Friend || !done(p, view) || !across(p, view) {
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
			At: now, Partial: !p.shown.all(), Alike: alike(bubbles, view), Later: NotFirst, order: w.seen,
		}
		if below := bubbles[i+1:]; first && (!went || later(below, view) < 0 || dated(below)) {
			p.seen.Later = later(below, view)
			if went {
				p.seen.Later = -1
			}
		}
	}
}

// alike reports whether a view shows one text of one side at least three times, and nothing
// else.
func alike(bubbles []placed, view image.Rectangle) bool {
	var shown []placed
	for _, p := range bubbles {
		if p.box.Overlaps(view) {
			shown = append(shown, p)
		}
	}
	return len(shown) >= 3 && !slices.ContainsFunc(shown, func(p placed) bool {
		return p.unsent || p.who != shown[0].who || p.kind != shown[0].kind || p.text != shown[0].text
	})
}

// later counts the friend's bubbles that are whole, or is -1 if there is an own one.
func later(below []placed, view image.Rectangle) (n int) {
	for _, p := range below {
		switch {
		case p.box.Min.Y >= view.Max.Y || p.unsent:
		case p.who == Me:
			return -1
		case whole(p, view):
			n++
		}
	}
	return n
}

// dated reports whether a date stands above one of some bubbles.
func dated(below []placed) bool {
	return slices.ContainsFunc(below, func(p placed) bool { return p.date != "" })
}

// rows are the parts of a bubble that captures have shown, from its upper edge, in pixels.
type rows struct {
	height int
	parts  [][2]int
}

// add adds what a view shows of a bubble. A bubble of another height is laid out anew.
func (r *rows) add(p placed, view image.Rectangle) {
	if h := p.box.Dy(); r.height != h {
		*r = rows{height: h}
	}
	in := p.box.Intersect(view)
	if in.Empty() || r.all() {
		return
	}
	r.parts = append(r.parts, [2]int{in.Min.Y - p.box.Min.Y, in.Max.Y - p.box.Min.Y})
	slices.SortFunc(r.parts, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	joined := r.parts[:1]
	for _, part := range r.parts[1:] {
		if last := &joined[len(joined)-1]; part[0] <= last[1] {
			last[1] = max(last[1], part[1])
		} else {
			joined = append(joined, part)
		}
	}
	r.parts = joined
}

func (r *rows) all() bool { return len(r.parts) == 1 && r.parts[0] == [2]int{0, r.height} }

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
