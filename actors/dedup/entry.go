package dedup

import (
	"math"
	"time"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Entry is one message of the transcript.
type Entry struct {
	// Pos orders the transcript. It has no other meaning: what is found between
	// or before known messages gets a place there, and the next occurrence.
	Pos        int64               `json:"pos"`
	Occurrence messages.Occurrence `json:"occurrence"`
	Side       messages.Side       `json:"side"`
	Kind       messages.Kind       `json:"kind"`
	Text       messages.Text       `json:"text,omitempty"`
	Key        messages.PixelKey   `json:"key"`
	Sender     messages.Text       `json:"sender,omitempty"` // as shown, "" if no name was
	Named      bool                `json:"named,omitempty"`  // a name is shown: the one above is not its sender's
	Stamp      string              `json:"stamp,omitempty"`
	W          int                 `json:"w,omitempty"`
	H          int                 `json:"h,omitempty"`
	Above      int                 `json:"above,omitempty"`   // logical pixels to the bubble above, see [above]; 0: unknown
	SeenAt     time.Time           `json:"seen_at"`           // first capture
	Since      time.Time           `json:"since"`             // when it entered the ledger
	Seen       int                 `json:"seen,omitempty"`    // views that showed it while it waited
	Waiting    bool                `json:"waiting,omitempty"` // to be passed on
	Low        bool                `json:"low,omitempty"`     // the text is doubtful
	Fresh      bool                `json:"fresh,omitempty"`   // its place proves it new
	Partial    bool                `json:"partial,omitempty"` // higher than the window: the text is a part
	Gone       bool                `json:"gone,omitempty"`    // taken back
	Told       messages.Text       `json:"told,omitempty"`    // what was passed on, while Text is a change that is not passed on yet
	Change     messages.ChangeKind `json:"change,omitempty"`  // that is to be passed on if it lasts, see [Ledger.Revise]
	Changed    time.Time           `json:"changed,omitzero"`  // when it was first seen
	Gap        bool                `json:"gap,omitempty"`     // messages may be missing before it

	form *form
}

// unsure reports that waiting may tell more.
func (e *Entry) unsure() bool {
	return e.Kind == messages.KindUnreadable || e.Side == messages.SideNeither || e.Low
}

// taken reports that nothing but a notice can stand in the entry's place.
func (e *Entry) taken() bool { return e.Gone && e.Change == "" }

// form holds what comparing a text needs, made once.
type form struct {
	norm, compact string
	runes         int // of compact
	letters       uint64
	grams         text.Grams
}

// longest is how many characters of a text are compared: of a longer one its
// beginning and its end.
const longest = 512

func formOf(t messages.Text) *form {
	if len(t) > longest {
		if r := []rune(t); len(r) > longest {
			t = messages.Text(string(r[:longest*3/4]) + string(r[len(r)-longest/4:]))
		}
	}
	f := &form{norm: text.Normalize(string(t)), compact: text.Compact(string(t))}
	for _, r := range f.compact {
		f.runes++
		f.letters |= 1 << (uint32(r) * 0x9E3779B1 >> 26)
	}
	f.grams = text.GramsOf(f.compact)
	return f
}

func (e *Entry) text() *form {
	if e.form == nil {
		e.form = formOf(e.Text)
	}
	return e.form
}

// sight is a bubble of a view, or the notice in place of one, on its way into
// the ledger.
type sight struct {
	Entry
	clipped bool // its text is not whole and will not do as a new message
	bubble  int  // its index in the view, -1 for a notice
	y       int  // of its upper edge
}

// counts reports that a sight is a whole message.
func (s *sight) counts() bool { return !s.clipped && !s.Gone }

// look turns the bubbles of a view, and the notices that one was taken back, into
// sights. A last bubble cut by the lower edge is left out: it is waited for. cut
// reports that there was one.
func look(v View, now time.Time) (sights []sight, cut bool) {
	n, notices := len(v.Bubbles), v.Marks
	notice := func(before int) {
		for len(notices) > 0 && notices[0].Box.Y < before {
			m := notices[0]
			if notices = notices[1:]; m.Kind == messages.MarkUnsent {
				sights = append(sights, sight{bubble: -1, y: m.Box.Y, Entry: Entry{
					Side: messages.SideNeither, Kind: messages.KindText, Gone: true, W: m.Box.W, H: m.Box.H, SeenAt: v.SeenAt, Since: now,
				}})
			}
		}
	}
	for i, b := range v.Bubbles {
		notice(b.Box.Y)
		s := sight{clipped: b.Clipped, bubble: i, y: b.Box.Y, Entry: Entry{
			Side: b.Side, Kind: b.Kind, Text: b.Text, Low: b.Low, Key: b.Key, Sender: b.Sender, Named: b.Named, Stamp: b.Stamp,
			W: b.Box.W, H: b.Box.H, Above: above(v, i), SeenAt: v.SeenAt, Since: now, Seen: 1,
		}}
		if s.Kind == messages.KindText && s.text().norm == "" {
			s.Kind = messages.KindUnreadable
		}
		if b.Clipped {
			low := i == n-1 && (n > 1 && i > 0 || 2*b.Box.Y+b.Box.H > v.Size.H)
			high := 2*b.Box.H >= v.Size.H && v.Size.H > 0
			switch {
			case high && (n == 1 || i == 0):
				s.Partial, s.clipped = true, false
			case low:
				return sights, true
			}
		}
		sights = append(sights, s)
	}
	notice(math.MaxInt)
	return sights, false
}

// above is the room above a bubble in logical pixels: to the bubble before it,
// or, negative, to the window's edge if it is the only one. It stays the same
// when a bubble is edited; a bubble that came after one that was taken back has
// the notice above it.
func above(v View, i int) int {
	b := v.Bubbles[i].Box
	switch {
	case v.Scale <= 0:
		return 0
	case i > 0:
		before := v.Bubbles[i-1].Box
		return int(float64(b.Y-before.Y-before.H) / v.Scale)
	case len(v.Bubbles) == 1:
		return -int(float64(b.Y) / v.Scale)
	}
	return 0
}
