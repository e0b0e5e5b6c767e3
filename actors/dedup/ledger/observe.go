package ledger

import (
	"math"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// View is everything visible of the conversation in one frame, top to bottom.
type View struct {
	Bubbles []messages.Bubble
	Marks   []messages.Mark
	Rows    bool          // they stand in no bubbles: one without a name goes on from the one above
	Size    messages.Rect // of the frame, pixels
	Scale   float64       // pixels per logical pixel
	Title   messages.Text
	Window  messages.WindowID
	SeenAt  time.Time
	// CatchUp: a gap before it will be read by scrolling back. Until then, but no longer
	// than this, what came after the gap is held.
	CatchUp time.Duration
	// Anew: the transcript begins with it, without what it has shown before.
	Anew bool
}

// maxBubbles bounds the work for one view; no window shows so many.
const maxBubbles = 250

// observation is a bubble of a view, or a notice in its place, in the form of an entry.
type observation struct {
	Entry
	clipped bool // its text is not whole and will not do as a new message
	bubble  int  // its index in the view, -1 for a notice
	y       int  // of its upper edge
}

// whole reports whether an observation is a whole message.
func (o *observation) whole() bool { return !o.clipped && !o.Gone }

// observe turns the bubbles of a view, and the notices of messages taken back, into
// observations, top to bottom. A last bubble that the lower edge cuts is left out, to be
// read later; cut reports that there was one.
func observe(v View, now time.Time) (list []observation, cut bool) {
	notices := v.Marks
	addNotices := func(before int) {
		for len(notices) > 0 && notices[0].Box.Y < before {
			if notices[0].Kind == messages.MarkUnsent {
				list = append(list, observeNotice(notices[0], v.SeenAt, now))
			}
			notices = notices[1:]
		}
	}
	for i, b := range v.Bubbles {
		addNotices(b.Box.Y)
		o := observeBubble(v, i, now)
		if b.Clipped && !o.Partial && cutBelow(v, i) {
			return list, true
		}
		list = append(list, o)
	}
	addNotices(math.MaxInt)
	return list, false
}

func observeNotice(m messages.Mark, seenAt, now time.Time) observation {
	return observation{bubble: -1, y: m.Box.Y, Entry: Entry{
		Side: messages.SideNeither, Kind: messages.KindText, Gone: true,
		W: m.Box.W, H: m.Box.H, SeenAt: seenAt, Since: now,
	}}
}

func observeBubble(v View, i int, now time.Time) observation {
	b := v.Bubbles[i]
	o := observation{clipped: b.Clipped, bubble: i, y: b.Box.Y, Entry: Entry{
		Side: b.Side, Kind: b.Kind, Text: b.Text, Low: b.Low, Key: b.Key,
		Sender: b.Sender, Named: b.Named, Stamp: b.Stamp,
		W: b.Box.W, H: b.Box.H, Above: roomAbove(v, i), SeenAt: v.SeenAt, Since: now, Seen: 1,
	}}
	if o.Kind == messages.KindText && o.text().norm == "" {
		o.Kind = messages.KindUnreadable
	}
	if b.Clipped && i == 0 && v.Size.H > 0 && 2*b.Box.H >= v.Size.H { // higher than the window
		o.Partial, o.clipped = true, false
	}
	return o
}

// cutBelow reports whether the lower edge cuts a clipped bubble.
func cutBelow(v View, i int) bool {
	b := v.Bubbles[i].Box
	return i == len(v.Bubbles)-1 && (i > 0 || 2*b.Y+b.H > v.Size.H)
}

// roomAbove is the room above a bubble in logical pixels: to the bubble before it, or, as
// a negative number, to the window's edge if nothing can stand above it; 0 if unknown. An edit
// does not change it. If the message before was taken back, it is the room to the notice.
func roomAbove(v View, i int) int {
	b := v.Bubbles[i].Box
	switch {
	case v.Scale <= 0:
		return 0
	case i > 0:
		before := v.Bubbles[i-1].Box
		return int(float64(b.Y-before.Y-before.H) / v.Scale)
	case len(v.Bubbles) == 1, complete(bottomGap(v, false), v):
		return -int(float64(b.Y) / v.Scale)
	}
	return 0
}
