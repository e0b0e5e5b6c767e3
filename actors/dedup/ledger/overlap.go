package ledger

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Weights of what a view and the tail have in common. A text counts by its characters.
const (
	proves       = 8 // of a conversation
	sameEnough   = 4 // bubbles, if none of them is our side's
	ownEnough    = 3 // bubbles, if one of them is: one greets many people with the same words
	longestProof = 8 // the most that one text counts
	pictureProof = 3 // anybody may send the same sticker
	absentProof  = 3 // subtracted for a bubble that should be there and is not
)

// Watch says what happened in a window since it showed this conversation last.
type Watch struct {
	// Recent: so little time has passed that only a few bubbles may differ, by edits and
	// misreadings.
	Recent bool
	// Unbroken: the window showed nothing else, under the same title. So what is in the
	// place of a message may be that message, edited.
	Unbroken bool
}

// Overlap says how much of a view the tail has shown, to tell conversations with almost
// the same name apart. The view is laid along the tail as well as possible. Before the
// tail's beginning and after its end it may show anything, but a view of the whole
// transcript, or of its beginning, must show the tail's beginning too. The result is [messages.OverlapGap] if
// nothing matches and the window is not scrolled back. It changes nothing.
func (l *Ledger) Overlap(v View, mem Memory, w Watch, now time.Time) messages.Overlap {
	best := len(likeliest) - 1
	for _, c := range l.chats() {
		best = min(best, slices.Index(likeliest, l.only(c).overlap(v, mem, w, now)))
	}
	return likeliest[best]
}

func (l *Ledger) overlap(v View, mem Memory, w Watch, now time.Time) messages.Overlap {
	if extra := len(v.Bubbles) - maxBubbles; extra > 0 {
		v.Bubbles = v.Bubbles[extra:]
	}
	list, cut := observe(v, now)
	switch {
	case len(list) == 0 || !slices.ContainsFunc(l.entries, func(e Entry) bool { return !e.vacant() }):
		return messages.OverlapNone
	case !slices.ContainsFunc(list, func(o observation) bool { return o.whole() }):
		return messages.OverlapBack
	}
	gap := bottomGap(v, cut)
	all := complete(gap, v)
	begins := all || v.begins()
	c := common(list, l.entries, begins, w.Recent)
	misses := c.misses + c.misread
	switch {
	case c.proven() && (misses == 0 || c.weight >= 2*proves && c.same >= 2*misses):
		return messages.OverlapSame
	case c.below == 0 && (misses == 0 && c.same+c.open > 0 || w.Recent && c.same > c.misses),
		w.Unbroken && l.inPlace(list, mem, v.Size.W, begins):
		return messages.OverlapWeak
	case c.same > 0 && (!all || misses == 0):
		return messages.OverlapApart
	case all:
		return messages.OverlapOther
	case endBelow(v, gap, cut, mem):
		return messages.OverlapBack
	}
	return messages.OverlapGap
}

// endBelow reports whether the end of the transcript may lie below the view.
func endBelow(v View, gap float64, cut bool, mem Memory) bool {
	open := cut || mem.Behind || gap > 0 && mem.BottomGap > 0 && !roomy(mem.BottomGap, v)
	return open && !sameGap(gap, mem.BottomGap) && !sameGap(gap, mem.LostGap)
}

// roomy reports whether the room below is empty, so the view shows all there is.
func roomy(gap float64, v View) bool { return 4*gap*v.Scale > float64(v.Size.H) }

// commons is what a view and a tail have in common.
type commons struct {
	score   int
	weight  int // of the matching bubbles
	same    int // such bubbles
	own     int // of these, our side's
	misses  int // bubbles of one that should be in the other, and are not
	misread int // bubbles of one size whose texts may be readings of one
	open    int // notices in place of a bubble
	below   int // bubbles of the tail that a view of the whole transcript should show at its end, and does not
}

// proven reports whether no other conversation has shown this: two people may receive the
// same few messages, and the same greeting or acknowledgement, but not more with the same
// answers.
func (c commons) proven() bool {
	return c.weight >= proves && (c.same >= sameEnough || c.own > 0 && c.same >= ownEnough)
}

func (c commons) better(o commons) bool {
	return c.score > o.score || c.score == o.score && c.open > o.open
}

func (c commons) missed() commons {
	c.score, c.misses = c.score-absentProof, c.misses+1
	return c
}

// common finds the alignment with the most in common. Messages outside the other view
// do not count. But nothing can come before a view of the whole transcript. In a
// recent one, a text of the same size that shares most letters may be a misreading.
func common(list []observation, tail []Entry, complete, recent bool) (best commons) {
	row := make([]commons, len(tail)+1) // of the observation before
	for j := range tail {
		if complete {
			row[j+1] = skipped(row[j], tail[j].vacant())
		}
	}
	for i := range list {
		next := make([]commons, len(tail)+1)
		for j := range tail {
			c := row[j].pair(&list[i], &tail[j], recent)
			for _, o := range []commons{skipped(row[j+1], list[i].Gone), skipped(next[j], tail[j].vacant())} {
				if o.better(c) {
					c = o
				}
			}
			next[j+1] = c
		}
		if end := next[len(tail)]; end.better(best) {
			best = end
		}
		row = next
	}
	for j, c := range row {
		if complete {
			c.below = seen(tail[j:])
		}
		if c.better(best) {
			best = c
		}
	}
	return best
}

// seen counts the messages among entries.
func seen(tail []Entry) (n int) {
	for _, e := range tail {
		if !e.vacant() {
			n++
		}
	}
	return n
}

func skipped(c commons, free bool) commons {
	if free {
		return c
	}
	return c.missed()
}

// pair adds an observation that lies on an entry.
func (c commons) pair(o *observation, e *Entry, recent bool) commons {
	switch w := sameMessage(o, e); {
	case w > 0:
		c.score, c.weight, c.same = c.score+w, c.weight+w, c.same+1
		if e.Side == messages.SideOwn {
			c.own++
		}
	case o.Gone:
		c.open++
	case e.Gone || o.clipped || o.Kind == messages.KindUnreadable || e.Kind == messages.KindUnreadable:
	case recent && misread(o, e):
		c.misread++
	default:
		return c.missed()
	}
	return c
}

// misread reports whether two texts may be readings of one: a reader errs in some letters
// when a window is drawn anew, but a bubble keeps its size.
func misread(o *observation, e *Entry) bool {
	return replaces(o, e) && sameSize(o, e) && difference(o.text(), e.text()) < farDifference
}

// sameMessage is the weight of an observation that shows an entry, 0 if it shows another
// message.
func sameMessage(o *observation, e *Entry) int {
	if o.Gone || e.vacant() || !sidesAgree(o.Side, e.Side) {
		return 0
	}
	text := o.Kind == messages.KindText && e.Kind == messages.KindText
	switch {
	case o.Key == e.Key && o.Key != 0,
		text && o.text().norm != "" && (equal(o.text(), e.text(), true) || clockOnly(o, e)):
	case !text && o.Kind == e.Kind && sameSize(o, e) && o.Kind != messages.KindUnreadable:
		return 1 // animations look different each time
	default:
		return 0
	}
	if !text {
		return pictureProof
	}
	w := min(longestProof, max(1, o.text().runes))
	if w < longestProof && o.Stamp != "" && e.Stamp != "" && o.Stamp != e.Stamp {
		return 0 // the same short word at another time
	}
	return w
}
