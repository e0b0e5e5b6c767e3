package ledger

import (
	"math"
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Open is a gap that is being read by scrolling back. The messages read there are kept apart
// from history until the end of the known transcript is found: only then are they proved new.
type Open struct {
	After messages.Occurrence `json:"after,omitempty"` // the newest message before it; 0: none is open
	// Until is how long what came after the gap is held, so that all is passed on in
	// order; zero: it is held no longer.
	Until  time.Time              `json:"until,omitzero"`
	Notice messages.TranscriptGap `json:"notice,omitzero"` // to be published if it is not closed by then
	// More counts the gaps after this one that came before it was read. Whoever scrolls back
	// meets the newest first.
	More int `json:"more,omitempty"`
}

// open records that a gap will be read by scrolling back. The part of its view that counts as
// history does so only for the time being. If one is open already, both are read.
func (l *Ledger) open(first int, held []messages.Occurrence, until time.Time) {
	if l.Opened() {
		l.head.Open.More++
	} else {
		l.head.Open = Open{After: l.entries[first].Occurrence - 1, Until: until}
	}
	for i := first; i < len(l.entries); i++ {
		e := &l.entries[i]
		own := e.Side == messages.SideOwn && !e.Own && !e.Gone
		if e.Back = own || slices.Contains(held, e.Occurrence); e.Back {
			l.dirty[e.Pos] = true
		}
	}
}

// gap is the index of the first entry after the newest open gap, which is read first; -1 if there is none.
func (l *Ledger) gap() int { return l.openGap(0) }

// held is the index from which entries are held: that of the first one after the oldest open gap.
func (l *Ledger) held() int { return l.openGap(l.head.Open.More) }

// openGap is the index of the first entry after an open gap that so many have followed.
func (l *Ledger) openGap(newer int) int {
	if l.head.Open.After == 0 {
		return -1
	}
	for i := len(l.entries) - 1; i >= 0; i-- {
		if !l.entries[i].Gap {
			continue
		}
		if newer == 0 {
			return i
		}
		newer--
	}
	return -1
}

// holds reports whether an entry is held until the gap before it is read.
func (l *Ledger) holds(i int, now time.Time) bool {
	g := l.held()
	return g >= 0 && i >= g && now.Before(l.head.Open.Until)
}

// Held is how long what came after an open gap is still held, 0 if it is not.
func (l *Ledger) Held(now time.Time) time.Duration {
	return max(0, l.head.Open.Until.Sub(now))
}

// Back takes in a view of a window that is being scrolled back from after the open gap
// towards it. Unknown messages above the known part are kept apart. Those that may be
// the end of the transcript before the gap are not: a view further up decides about
// them. Once it is certain, the gap is closed; fresh is then what is passed on now, unless
// an older gap is open.
func (l *Ledger) Back(v View, now time.Time) (step messages.BackStep, fresh []messages.Occurrence) {
	g := l.gap()
	if g < 0 {
		return messages.BackClosed, nil
	}
	list, _ := observe(v, now)
	a := align(list, l.entries[g:], stance{scale: v.Scale})
	first := slices.IndexFunc(a.at, func(j int) bool { return j >= 0 })
	if first < 0 || !a.anchored() || !l.goesOn(list, a, first, g) {
		return messages.BackLost, nil
	}
	l.nameSenders(list)
	for i := range a.at {
		if a.at[i] >= 0 {
			a.at[i] += g
		}
	}
	known, certain := border(list[:first], l.entries[:g], v.Scale)
	list, a.at, a.sure, a.fresh = list[known:], a.at[known:], a.sure[known:], a.fresh-known
	l.mergeBack(list, a)
	switch {
	case !certain && known > 0:
		return messages.BackNear, nil
	case !certain:
		return messages.BackMore, nil
	}
	if v.Rows {
		l.sideRows(g)
	}
	if fresh = l.closeGap(); l.Opened() {
		return messages.BackMore, nil
	}
	return messages.BackReached, fresh
}

// goesOn reports whether a view that was laid along what is known after the gap, from an
// observation on, goes on from its beginning: what is unknown stands right above that, and
// more than a short word says so.
func (l *Ledger) goesOn(list []observation, a alignment, first, gap int) bool {
	if !slices.ContainsFunc(list[:first], func(o observation) bool { return o.whole() }) {
		return true
	}
	same, weight := 0, 0
	for i, j := range a.at {
		if j >= 0 && a.sure[i] {
			same, weight = same+1, weight+sameMessage(&list[i], &l.entries[gap+j])
		}
	}
	return a.at[first] <= 1 && (weight >= proves || same > 2)
}

// mergeBack joins a view with what is known after the gap. Messages below that are not taken
// in: the window shows them again at its newest position.
func (l *Ledger) mergeBack(list []observation, a alignment) {
	var f Finding
	for i, j := range a.at {
		if j >= 0 {
			l.update(&l.entries[j], &list[i], a.sure[i], &f)
		}
	}
	inserted := 0
	for i := range a.fresh {
		if a.at[i] < 0 && !list[i].clipped && l.mergeUnknown(i, list, a, inserted, &f) {
			inserted++
		}
	}
}

// border returns how many of the first observations may be the end of what was known
// before the gap, and whether that is certain. People repeat
// themselves, so a few short messages prove nothing, unless they are all that was known.
func border(above []observation, before []Entry, scale float64) (n int, certain bool) {
	if len(above) == 0 || len(before) == 0 {
		return 0, false
	}
	a := align(above, before, stance{scale: scale})
	if !a.anchored() || !a.reaches {
		return 0, false
	}
	same, weight, misses, older := 0, 0, 0, 0
	for i := range a.fresh {
		o := &above[i]
		j := a.at[i]
		if j == 0 && same == 0 { // what stands above is older than all that is known
			older, misses = misses, 0
		}
		switch {
		case j >= 0 && a.sure[i] && sameMessage(o, &before[j]) > 0:
			same, weight = same+1, weight+sameMessage(o, &before[j])
		case o.whole() && o.Kind != messages.KindUnreadable:
			misses++
		}
	}
	all := 0
	for i := range before {
		if !before[i].vacant() {
			all++
		}
	}
	switch {
	case same == 0 || misses > 0 && same < 2*misses || misses+older > 0 && weight < 2*proves:
		return 0, false
	case weight >= 2*proves, same > 3, same == all:
		return a.fresh, true
	}
	return a.fresh, false
}

// sideRows gives the rows that nobody is known to have said the side of the row above: no name stands between them.
// A view shows the name of a long run of rows only where that begins. read is the gap that was read, -1 for none.
func (l *Ledger) sideRows(read int) {
	for i := 1; i < len(l.entries); i++ {
		e, above := &l.entries[i], &l.entries[i-1]
		if e.Side != messages.SideNeither || e.Named || e.Sender != "" || e.Gap && i != read {
			continue
		}
		if e.Side = above.Side; e.Side != messages.SideNeither {
			e.Sender = above.Sender
			l.dirty[e.Pos] = true
		}
	}
}

// closeGap makes new messages of what was read after the newest gap, and numbers all from there on that
// was not passed on yet, so that it is passed on in its order.
func (l *Ledger) closeGap() (fresh []messages.Occurrence) {
	g := l.gap()
	l.entries[g].Gap = false
	l.dirty[l.entries[g].Pos] = true
	for i := g; i < len(l.entries); i++ {
		e := &l.entries[i]
		if e.Back {
			e.Back, e.Late = false, true
			e.clearChange()
			if e.Side == messages.SideOwn {
				e.Own = !e.Gone
			} else {
				e.Waiting = !e.Gone
			}
			l.dirty[e.Pos] = true
		}
		if e.Waiting || e.Own {
			e.Fresh = true
			e.Occurrence = l.head.Next
			fresh = append(fresh, e.Occurrence)
			l.head.Next++
			l.dirty[e.Pos] = true
		}
	}
	if l.head.Open.More == 0 {
		l.head.Open = Open{}
		return fresh
	}
	l.head.Open.More--
	n := &l.head.Open.Notice
	n.Screens = max(n.Screens-1, min(n.Screens, 1))
	return fresh
}

// GiveUp ends the reading of the open gap: what was read is history. Later says that it is
// tried again; then it stays apart, and only what came after it is held no longer. The
// notice is to be published, once; ok is false if it was already, or if there is no gap.
func (l *Ledger) GiveUp(why messages.CatchUpEnd, later bool) (notice messages.TranscriptGap, ok bool) {
	o := &l.head.Open
	if o.After == 0 {
		return notice, false
	}
	notice, ok = o.Notice, o.Notice.Conversation != ""
	notice.Why = why
	o.Until, o.Notice = time.Time{}, messages.TranscriptGap{}
	if later {
		return notice, ok
	}
	l.head.Open = Open{}
	for i := range l.entries {
		if e := &l.entries[i]; e.Back {
			e.Back = false
			l.dirty[e.Pos] = true
		}
	}
	return notice, ok
}

// Notify keeps the notice of the open gap until it is known whether it can be read. That of a later one
// is taken into it.
func (l *Ledger) Notify(n messages.TranscriptGap) {
	if was := l.head.Open.Notice; l.head.Open.More > 0 && was.Conversation != "" {
		was.Screens, was.Passed, was.Visible = min(was.Screens+n.Screens, maxScreens), was.Passed+n.Passed, n.Visible
		n = was
	}
	l.head.Open.Notice = n
}

// After is the newest message before the open gap, the oldest of several.
func (l *Ledger) After() messages.Occurrence { return l.head.Open.After }

// Opened reports whether a gap is being read.
func (l *Ledger) Opened() bool { return l.head.Open.After != 0 }

// maxScreens bounds what a gap says of itself.
const maxScreens = 99

// Screens is how many screenfuls may have gone by unseen since a time: by the pace of what
// is known, at least one.
func (l *Ledger) Screens(visible int, since, now time.Time) int {
	g := len(l.entries)
	for g > 0 && !l.entries[g-1].Gap {
		g--
	}
	known := l.entries[:max(g-1, 0)]
	if len(known) < 2 || visible == 0 {
		return 1
	}
	last := known[len(known)-1].SeenAt
	if since.IsZero() { // after a restart nobody knows when it was seen last
		since = last
	}
	span := last.Sub(known[0].SeenAt)
	unseen := now.Sub(since)
	if span <= 0 || unseen <= 0 {
		return 1
	}
	said := float64(len(known)) * float64(unseen) / float64(span)
	return int(min(max(math.Ceil(said/float64(visible)), 1), maxScreens))
}
