package dedup

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// FirstSight says what is passed on of a conversation that was never seen.
type FirstSight string

// Policies of the first sight.
const (
	Unanswered FirstSight = "unanswered" // incoming ones after the last own one
	All        FirstSight = "all"        // all incoming ones
	None       FirstSight = "none"       // nothing: it is history
)

// Rules of a ledger. [Options] say what the numbers mean.
type Rules struct {
	FirstSight  FirstSight
	FirstAtMost int
	Keep        int
	History     int
	Patience    time.Duration
	Tries       int
}

// Ledger is the known tail of a transcript. It is not safe for concurrent use.
type Ledger struct {
	rules   Rules
	entries []Entry
	head    Head
	dirty   map[int64]bool // places whose rows changed; gone ones are in none of entries
}

// Head is what a ledger knows besides its entries.
type Head struct {
	Next   messages.Occurrence `json:"next"`            // to be given out, from 1
	Title  messages.Text       `json:"title,omitempty"` // of the conversation
	Group  bool                `json:"group,omitempty"` // names were shown beside bubbles
	Window messages.WindowID   `json:"window,omitempty"`
	// Forgotten marks a conversation whose transcript a person had deleted: what
	// is visible of it next is history, whatever FirstSight says.
	Forgotten bool `json:"forgotten,omitempty"`
}

// Forget is what stays of a head once a person had the transcript deleted.
func (h Head) Forget() Head { return Head{Next: max(h.Next, 1), Forgotten: true} }

// NewLedger makes a ledger of what is stored; entries are in order.
func NewLedger(rules Rules, head Head, entries []Entry) *Ledger {
	head.Next = max(head.Next, 1)
	return &Ledger{rules: rules, entries: entries, head: head, dirty: map[int64]bool{}}
}

// View is everything visible of the conversation in one frame, top to bottom.
type View struct {
	Bubbles []messages.Bubble
	Marks   []messages.Mark
	Size    messages.Rect // of the frame, pixels
	Scale   float64       // pixels per logical pixel
	Title   messages.Text
	Window  messages.WindowID
	SeenAt  time.Time
}

// Finding is what a view has told. Notes say what goes no further and why.
type Finding struct {
	Memory Memory
	Gap    bool
	Whole  int // bubbles that are wholly visible
	Passed int // of these, new and to be passed on
	Notes  []string
	Rule   string                // that the view was judged by
	Known  []messages.Occurrence // what each bubble was taken for, 0 for none; nil unless the view was aligned
	Held   []messages.Occurrence // incoming ones that entered as history
}

// Rules that a view is judged by.
const (
	RuleFirstSight = "first_sight" // nothing was known
	RuleForgotten  = "forgotten"   // a person had the transcript deleted
	RuleAligned    = "aligned"     // it was laid along what is known
	RuleGap        = "gap"         // nothing visible is known: it follows, after a gap
	RuleScrolled   = "scrolled"    // nothing visible is known: it stands somewhere before
	RuleNothing    = "nothing"     // no bubble is wholly visible
)

// See takes in what a view shows, given the memory of the last view of the same
// window. New messages wait in the ledger for [Ledger.Release].
//
// A view of which nothing is known shows either what came after a gap, or a part
// of the transcript from before the ledger began, to which somebody scrolled. A
// window at its newest position tells them apart: its last bubble stands where
// it always stands there, or the lower half of the window is empty. Where that
// is may change; two such views in a row with their last bubbles in one place
// are taken for it.
func (l *Ledger) See(v View, mem Memory, now time.Time) Finding {
	f := Finding{Memory: mem}
	if extra := len(v.Bubbles) - maxBubbles; extra > 0 {
		f.note("%d bubbles in one view: the upper %d are left out", len(v.Bubbles), extra)
		v.Bubbles = v.Bubbles[extra:]
	}
	sights, cut := look(v, now)
	for i := range sights {
		if sights[i].counts() {
			f.Whole++
		}
	}
	l.head.Title, l.head.Window = v.Title, v.Window
	l.nameSenders(sights)
	foot := footOf(v, cut)
	last := l.lastPos()
	f.Memory.Top, f.Memory.Bottom = 0, -1 // none, but for what follows
	switch {
	case f.Whole == 0:
		f.Rule = RuleNothing
	case len(l.entries) == 0:
		l.firstSight(sights, &f)
		f.Memory.Top, f.Memory.Bottom = l.entries[0].Pos, l.lastPos()
	default:
		pinned := level(foot, mem.Foot)
		a := align(sights, l.entries, stand{pinned: pinned, ended: !mem.Behind, whole: blank(foot, v) && !v.Bubbles[0].Clipped, scale: v.Scale})
		switch {
		case a.anchored():
			f.Rule, f.Known = RuleAligned, known(sights, a, l.entries)
			l.reread(sights, a, v, mem, &f)
			f.Memory.Top, f.Memory.Bottom = l.shown(sights, a)
			l.weave(sights, a, &f)
			if f.Memory.Behind = !a.end; a.end {
				f.Memory.Bottom = l.lastPos()
			}
		case !pinned && !level(foot, mem.Lost) && !blank(foot, v) && (cut || mem.Behind || foot > 0 && mem.Foot > 0):
			f.note("scrolled to an unknown part of the transcript")
			f.Memory.Lost, f.Rule = foot, RuleScrolled
			return f
		default:
			f.Rule = RuleGap
			first := len(l.entries)
			l.gap(sights, v.Marks, &f)
			f.Memory.Top, f.Memory.Bottom = l.entries[first].Pos, l.lastPos()
			f.Memory.Behind = false
		}
	}
	if l.lastPos() != last {
		// A window shows what is new at its newest position, but for once somebody
		// may have scrolled a little.
		if mem.Foot == 0 || level(foot, mem.Newest) {
			f.Memory.Foot = foot
		}
		f.Memory.Newest = foot
	}
	f.Memory.Next, f.Memory.Lost = l.head.Next, 0
	f.Memory.Width = v.Size.W
	l.trim(2 * len(sights))
	return f
}

// lastPos is the place of the newest entry.
func (l *Ledger) lastPos() int64 {
	if len(l.entries) == 0 {
		return math.MinInt64
	}
	return l.entries[len(l.entries)-1].Pos
}

// shown returns the places of the first and the last known message that an
// aligned view shows whole; none if the last is below the first.
func (l *Ledger) shown(sights []sight, a alignment) (top, bottom int64) {
	top, bottom = math.MaxInt64, math.MinInt64
	for i, j := range a.at {
		if j >= 0 && !sights[i].clipped {
			top, bottom = min(top, l.entries[j].Pos), max(bottom, l.entries[j].Pos)
		}
	}
	return top, bottom
}

// known says what each bubble of a view was taken for. A bubble that is waited
// for is none of the sights.
func known(sights []sight, a alignment, tail []Entry) []messages.Occurrence {
	var out []messages.Occurrence
	for i, j := range a.at {
		switch {
		case sights[i].bubble < 0:
		case j < 0:
			out = append(out, 0)
		default:
			out = append(out, tail[j].Occurrence)
		}
	}
	return out
}

func (f *Finding) note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}

// maxBubbles bounds the work of one view; no window shows so many.
const maxBubbles = 250

// nameSenders gives a bubble the name that stands beside the first of its
// group of incoming bubbles.
func (l *Ledger) nameSenders(sights []sight) {
	for i := range sights {
		s := &sights[i]
		switch {
		case s.Side != messages.SideIncoming:
			s.Sender = ""
		case s.Sender != "" || s.Named: // a name that could not be read is nobody else's
			l.head.Group = true
		case i > 0 && sights[i-1].Side == messages.SideIncoming:
			s.Sender = sights[i-1].Sender
		}
	}
}

// firstSight takes a view as the transcript so far.
func (l *Ledger) firstSight(sights []sight, f *Finding) {
	from := len(sights)
	policy := l.rules.FirstSight
	if f.Rule = RuleFirstSight; l.head.Forgotten {
		f.Rule, policy, l.head.Forgotten = RuleForgotten, None, false
	}
	switch policy {
	case All:
		from = 0
	case Unanswered:
		left := l.rules.FirstAtMost
		for from > 0 && sights[from-1].Side != messages.SideOwn && left > 0 {
			from--
			if sights[from].counts() {
				left--
			}
		}
	}
	held := l.appendAll(sights, from, false, f)
	if held > 0 {
		f.note("first sight: %d incoming bubbles are history", held)
	}
}

// gap takes a view of which nothing is known as what followed, somewhere, on
// what is known. What stands above the newest date or unread mark is history;
// without a mark, what stands above the last own bubble.
func (l *Ledger) gap(sights []sight, marks []messages.Mark, f *Finding) {
	from, border := 0, "the last own one"
	for i, s := range sights {
		if s.Side == messages.SideOwn && !s.clipped {
			from = i + 1
		}
	}
	for _, m := range marks {
		if m.Kind == messages.MarkDate || m.Kind == messages.MarkUnread {
			border = "the newest " + string(m.Kind) + " mark"
			from = 0
			for from < len(sights) && sights[from].y < m.Box.Y {
				from++
			}
		}
	}
	first := len(l.entries)
	held := l.appendAll(sights, from, false, f)
	if held > 0 {
		f.note("gap: %d incoming bubbles stand before %s", held, border)
	}
	l.entries[first].Gap = true
	f.Gap = true
}

// appendAll puts the whole bubbles of a view at the tail's end. Those from an
// index on wait to be passed on; held counts the incoming ones before.
func (l *Ledger) appendAll(sights []sight, from int, fresh bool, f *Finding) (held int) {
	for i, s := range sights {
		switch {
		case s.clipped:
			continue
		case s.Side == messages.SideOwn, s.Gone:
		case i >= from:
			s.Waiting, s.Fresh = true, fresh || hasTwin(sights[from:i], s)
			f.Passed++
		default:
			held++
			f.Held = append(f.Held, l.head.Next)
		}
		l.insert(len(l.entries), s.Entry)
	}
	return held
}

// hasTwin reports that one of these bubbles, which stand above s in the same
// view, says the same: then s is not a second reading of that.
func hasTwin(above []sight, s sight) bool {
	return slices.ContainsFunc(above, func(o sight) bool {
		return o.counts() && o.Side != messages.SideOwn && o.Kind == s.Kind && equal(o.text(), s.text(), true)
	})
}

// weave joins an aligned view with the tail: known entries learn what is read
// better now, bubbles before and between them enter where they stand, and those
// after the tail's end are new.
func (l *Ledger) weave(sights []sight, a alignment, f *Finding) {
	for i, j := range a.at {
		if j >= 0 {
			l.learn(j, &sights[i], a.sure[i], f)
		}
	}
	first, shift := a.first(), 0
	for i := 0; i < a.fresh; i++ {
		s := &sights[i]
		if a.at[i] >= 0 || s.clipped {
			continue
		}
		next, flanked := len(l.entries), false
		if above, below := a.around(i); below >= 0 {
			next = a.at[below] + shift
			flanked = above >= 0 && a.sure[above] && a.sure[below]
		}
		switch {
		case s.Gone && next == len(l.entries):
			continue
		case s.Gone:
		case next == len(l.entries):
			f.note("an unknown bubble stands after known ones while scrolled back")
			continue
		case i < first && next == 0 && len(l.entries) >= l.rules.History:
			f.note("scrolled back further than the ledger reaches")
			continue
		case i < first:
			f.note("scrolled back: an older bubble is history")
			s.Gap, l.entries[next].Gap = l.entries[next].Gap, false
			l.dirty[l.entries[next].Pos] = true
		case s.Side == messages.SideIncoming && s.Kind == messages.KindText && flanked:
			s.Waiting, s.Fresh = true, true
			f.Passed++
		default:
			f.note("an unknown bubble stands between known ones")
		}
		if l.insert(next, s.Entry) {
			shift++
			if s.Side == messages.SideIncoming && !s.Waiting {
				f.Held = append(f.Held, l.head.Next-1)
			}
		} else {
			f.note("no place left between known bubbles")
		}
	}
	l.appendAll(sights[a.fresh:], 0, true, f)
}

// learn brings an entry up to date with a bubble that was laid on it.
func (l *Ledger) learn(j int, s *sight, sure bool, f *Finding) {
	e := &l.entries[j]
	was := *e
	if e.Waiting {
		e.Seen++
	}
	switch {
	case s.Gone || s.clipped || !sidesAgree(s.Side, e.Side):
	case e.Kind == messages.KindUnreadable && s.Kind != messages.KindUnreadable,
		e.Partial && !s.Partial && s.Kind != messages.KindUnreadable:
		if !e.Waiting && e.Side == messages.SideIncoming && s.Kind == messages.KindText {
			e.Change, e.Changed = messages.ChangeCompleted, s.Since
			if !e.Partial && !sameSize(s, e) {
				e.Change = messages.ChangeEdited
			}
		}
		e.Kind, e.Text, e.form, e.Partial, e.Low = s.Kind, s.Text, s.form, s.Partial, s.Low
	case s.Kind == messages.KindUnreadable || s.Partial:
	case s.Low:
	case e.Low && s.Kind == messages.KindText && e.Kind == messages.KindText && e.Change == "":
		e.Text, e.form, e.Low = s.Text, s.form, false
	case !sure && s.Kind == messages.KindText && e.Kind == messages.KindText && !equal(s.text(), e.text(), true):
		f.note("a known bubble reads differently: edited, or misread")
		if !e.Waiting {
			e.Text, e.form = s.Text, s.form
		}
	}
	if !s.Gone && !s.clipped && s.Partial == e.Partial && sidesAgree(s.Side, e.Side) {
		e.Key, e.W, e.H = s.Key, s.W, s.H
		if s.Above != 0 {
			e.Above = s.Above
		}
		if e.Side == messages.SideNeither {
			e.Side = s.Side
		}
	}
	if e.Stamp == "" {
		e.Stamp = s.Stamp
	}
	if e.Sender == "" && !s.clipped && e.Side == messages.SideIncoming && (s.Named || !e.Named) {
		e.Sender, e.Named = s.Sender, s.Named
	}
	was.form = e.form
	if was != *e {
		l.dirty[e.Pos] = true
	}
}

// room is the distance of neighbours in the order.
const room = 1 << 32

// insert gives e the next occurrence and a place before the entry with an index.
// It reports false if neighbours leave no place.
func (l *Ledger) insert(at int, e Entry) bool {
	switch n := len(l.entries); {
	case n == 0:
		e.Pos = 0
	case at == n:
		e.Pos = l.entries[n-1].Pos + room
	case at == 0:
		e.Pos = l.entries[0].Pos - room
	default:
		lo, hi := l.entries[at-1].Pos, l.entries[at].Pos
		if hi-lo < 2 {
			return false
		}
		e.Pos = lo + (hi-lo)/2
	}
	if e.Sender == "" && !e.Named && e.Side == messages.SideIncoming && at > 0 && at == len(l.entries) && l.entries[at-1].Side == messages.SideIncoming {
		e.Sender = l.entries[at-1].Sender
	}
	e.Occurrence = l.head.Next
	l.head.Next++
	l.entries = slices.Insert(l.entries, at, e)
	l.dirty[e.Pos] = true
	return true
}

// trim forgets the oldest entries once new ones have come: scrolling back may
// make the tail longer for a while. At least so many are kept as a view needs.
func (l *Ledger) trim(need int) {
	n, keep := len(l.entries), max(l.rules.Keep, need)
	if n <= keep || !l.dirty[l.entries[n-1].Pos] {
		return
	}
	drop := 0
	for drop < n-keep && !l.entries[drop].Waiting && l.entries[drop].Change == "" {
		l.dirty[l.entries[drop].Pos] = true
		drop++
	}
	l.entries = slices.Delete(l.entries, 0, drop)
}

// Changes returns the entries and the places that a store must write and
// delete, in order, and forgets that they changed.
func (l *Ledger) Changes() (put []Entry, gone []int64) {
	for _, e := range l.entries {
		if l.dirty[e.Pos] {
			put = append(put, e)
			delete(l.dirty, e.Pos)
		}
	}
	for pos := range l.dirty {
		gone = append(gone, pos)
	}
	slices.Sort(gone)
	clear(l.dirty)
	return put, gone
}
