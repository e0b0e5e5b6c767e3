package ledger

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// change is what an observation proves about its entry.
type change uint8

const (
	unchanged   change = iota
	takenBack          // a notice is in its place
	back               // it was taken back before, and is shown again
	oldTextBack        // it was edited before, and has the published text again
	edited             // it has another text
)

// detectChanges looks for known messages that have changed in an aligned view. It notes
// the change of an incoming one, to be passed on if it lasts; see [Ledger.Revise]. It
// must run before the entries are updated from the view.
func (l *Ledger) detectChanges(list []observation, a alignment, v View, mem Memory, f *Finding) {
	d := l.newDetector(list, a, v, mem)
	gap := bottomGap(v, false)
	settled := a.reaches && (mem.BottomGap == 0 || sameGap(gap, mem.BottomGap) || complete(gap, v)) // nothing scrolls
	for i, j := range a.at {
		if j < 0 {
			continue
		}
		o, e := &list[i], &l.entries[j]
		switch d.changeOf(i) {
		case takenBack:
			l.noteUnsent(e, o.Since, f)
		case back:
			e.restore(e.Text)
			l.dirty[e.Pos] = true
		case oldTextBack:
			e.restore(e.Published)
			l.dirty[e.Pos] = true
		case edited:
			f.note(events.Detail{Rule: events.RuleReadsDifferent})
			if !settled && (lacks(o.text(), e.text()) || lacks(e.text(), o.text())) {
				// an edge may cut it, a bar that fades cover it, or what comes be drawn over it
				o.Low = true
				continue
			}
			e.noteEdit(o)
			l.dirty[e.Pos] = true
		}
	}
	l.detectVanished(list, a, v, f)
}

func (l *Ledger) noteUnsent(e *Entry, at time.Time, f *Finding) {
	f.note(events.Detail{Rule: events.RuleTakenBack})
	e.noteUnsent(at)
	l.dirty[e.Pos] = true
}

// detector compares a view with the last one of its window, to tell an edited
// text from a misread one.
//
// A bubble was edited if its pixels and text differ, other bubbles show that the window
// was not redrawn as a whole, and its size changed or its neighbours did not. Without
// such proof the new text must have hardly anything in common with the old one: a reader
// may misread letters when the same words are redrawn.
type detector struct {
	list    []observation
	at      alignment
	entries []Entry
	view    View
	last    Memory

	kept, redrawn int // texts of the last view with the same pixels, and with other pixels
	anew          int // of redrawn, those that say the same: the window was drawn anew
	theirs        int // of kept, incoming ones: each side may be drawn anew by itself
}

func (l *Ledger) newDetector(list []observation, a alignment, v View, mem Memory) *detector {
	d := &detector{list: list, at: a, entries: l.entries, view: v, last: mem}
	for i, j := range a.at {
		o := &list[i]
		if j < 0 || !o.whole() || !d.shown(&l.entries[j]) || o.Key == 0 || !hasLetters(o.text()) {
			continue
		}
		if o.Key == l.entries[j].Key {
			d.kept++
			if o.Side == messages.SideIncoming {
				d.theirs++
			}
		} else {
			d.redrawn++
			if o.text().norm == l.entries[j].text().norm {
				d.anew++
			}
		}
	}
	return d
}

// shown reports whether the window's last view showed an entry.
func (d *detector) shown(e *Entry) bool { return d.last.shows(e, d.view.Size.W) }

// drawnAsBefore reports whether the window is not being drawn anew: most texts have kept their pixels,
// and each other one says something else. One alone may keep them by chance.
func (d *detector) drawnAsBefore() bool { return d.theirs > 1 && d.theirs >= d.redrawn && d.anew == 0 }

func (d *detector) changeOf(i int) change {
	o, e := &d.list[i], &d.entries[d.at.at[i]]
	switch {
	case o.Gone && !e.Gone:
		return takenBack
	case o.Gone || o.clipped:
		return unchanged
	case e.Gone:
		return back
	case !replaces(o, e) || o.Text == e.Text:
		return unchanged
	case spaceless(o.text().norm) == spaceless(e.text().norm): // readers see spaces between letters that have none
		if d.recased(i) {
			return edited
		}
		return unchanged
	case e.Low && e.Waiting, o.Low && d.kept <= d.redrawn: // doubtful readings prove nothing, pixels do
		return unchanged
	}
	same, proven := o.Key == e.Key && o.Key != 0, d.resized(i) || d.only(i) || d.redrawnInPlace(i)
	switch {
	case e.Change == messages.ChangeEdited && equal(o.text(), formOf(e.Published), same || !proven):
		return oldTextBack
	case same, clockOnly(o, e), appearing(o, e):
		return unchanged
	case proven, !o.Low && dissimilar(o.text(), e.text()):
		return edited
	}
	return unchanged
}

// appears is how long an application may take to draw a message that comes, as where it fades in.
const appears = 2 * time.Second

// appearing reports whether a bubble is drawn to its end rather than edited: soon after it was first seen it has
// the same size, and nearly the same text.
func appearing(o *observation, e *Entry) bool {
	return o.SeenAt.Sub(e.SeenAt) < appears && sameSize(o, e) && equal(o.text(), e.text(), true)
}

func spaceless(s string) string { return strings.ReplaceAll(s, " ", "") }

// recased reports whether only capitals differ, for which the width of the bubble speaks too: a
// reader takes some for small letters.
func (d *detector) recased(i int) bool {
	o, e := &d.list[i], &d.entries[d.at.at[i]]
	return strings.EqualFold(string(o.Text), string(e.Text)) && o.Key != e.Key && abs(o.W-e.W) > sizeSlack && !o.Low &&
		(d.only(i) || d.drawnAsBefore() && d.redrawnInPlace(i))
}

// resized reports whether a bubble with another text has grown or shrunk, in a window
// otherwise drawn as before, or as the only bubble that was drawn again.
func (d *detector) resized(i int) bool {
	o, e := &d.list[i], &d.entries[d.at.at[i]]
	alone := d.redrawn == 1 && abs(o.text().runes-e.text().runes) > 1
	by := max(abs(o.W-e.W), abs(o.H-e.H))
	return (d.kept > 0 || alone) && d.shown(e) && e.W > 0 && float64(by) > resizedBy*d.view.Scale
}

// only reports whether the only bubble of the last view, beside notices, has kept its height and
// place, but not its width, and nothing but what is new stands below: nothing could have changed
// its form.
func (d *detector) only(i int) bool {
	o, e := &d.list[i], &d.entries[d.at.at[i]]
	if !d.shown(e) || e.W == 0 || o.H != e.H || o.Above == 0 || abs(o.Above-e.Above) > 1 || abs(o.W-e.W) <= sizeSlack {
		return false
	}
	for k := range d.list[:d.at.fresh] {
		if k != i && !d.list[k].Gone {
			return false
		}
	}
	return !slices.ContainsFunc(d.entries, func(o Entry) bool { return d.shown(&o) && !o.vacant() && o.Pos != e.Pos })
}

// redrawnInPlace reports whether a bubble was drawn again among unchanged ones.
func (d *detector) redrawnInPlace(i int) bool {
	o, e := &d.list[i], &d.entries[d.at.at[i]]
	return d.shown(e) && d.keptAround(i) && (d.kept > d.redrawn ||
		d.kept > 0 && (d.drawnAsBefore() || difference(o.text(), e.text()) > otherDifference))
}

// keptAround reports whether the neighbours above and below an observation have kept
// their places. Then its own other pixels are not just another tail or corner.
func (d *detector) keptAround(i int) bool {
	at := d.at.at
	kept := func(k, by int) bool {
		j := at[k]
		if j < 0 || j != at[i]+by {
			return false
		}
		o, e := &d.list[k], &d.entries[j]
		switch {
		case o.Gone || e.vacant():
			return o.Gone && e.vacant()
		case o.Key != 0 && o.Key == e.Key, o.clipped && k == 0 && sidesAgree(o.Side, e.Side):
			return true
		}
		return d.drawnAsBefore() && d.shown(e) && replaces(o, e) // edited too
	}
	above := i > 0 && kept(i-1, -1) || i == 0 && d.entries[at[i]].Pos == d.last.Top
	return above && (i+1 >= d.at.fresh || kept(i+1, 1))
}

// detectVanished notes messages that have vanished without a notice: their neighbours are
// visible, and so close together that there is no room between them. Where a window leaves
// notices, nothing vanishes.
func (l *Ledger) detectVanished(list []observation, a alignment, v View, f *Finding) {
	for i := 1; i < len(list) && v.Scale > 0 && !l.head.Notices; i++ {
		from, to := a.at[i-1], a.at[i]
		if i == a.fresh {
			to = len(l.entries)
		} else if to >= 0 && !a.sure[i] {
			continue
		}
		if from < 0 || !a.sure[i-1] || list[i].Above <= 0 || list[i].clipped {
			continue
		}
		for j := from + 1; j < to; j++ {
			if e := &l.entries[j]; !e.Gone && float64(e.H) > float64(list[i].Above)*v.Scale {
				l.noteUnsent(e, list[i].Since, f)
			}
		}
	}
}

// Revise returns the changes of messages that were passed on, in the order of the
// transcript. A change seen just now may be a moving picture or something in front of the
// bubble, so it has to last. wait is how long until the next one has lasted, or 0.
func (l *Ledger) Revise(now time.Time) (list []messages.Revised, wait time.Duration) {
	for i := range l.entries {
		e := &l.entries[i]
		if e.Change == "" || e.Waiting {
			continue
		}
		if left := e.Changed.Add(l.rules.Timeout).Sub(now); left > 0 {
			if wait == 0 || left < wait {
				wait = left
			}
			continue
		}
		r := messages.Revised{
			Occurrence: e.Occurrence, Change: e.Change, Text: e.Text, Window: l.head.Window, SeenAt: e.Changed,
		}
		before := len(list)
		for _, t := range e.Between {
			if t != "" {
				then := r
				then.Change, then.Text = messages.ChangeEdited, t
				list = append(list, then)
			}
		}
		if e.Change == messages.ChangeUnsent {
			r.Text = ""
		}
		if len(list) > before || e.Change != messages.ChangeEdited || e.Text != e.Published {
			list = append(list, r)
		}
		e.clearChange()
		e.Passed = ""
		l.dirty[e.Pos] = true
	}
	return list, wait
}

// hasLetters reports whether a text has letters. Pictures look the same when text is
// drawn again.
func hasLetters(f *form) bool {
	return strings.ContainsFunc(f.norm, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// lacks reports whether a text is another one without a part in one place.
func lacks(a, b *form) bool {
	short, long := []rune(a.compact), []rune(b.compact)
	n := len(short)
	if n >= len(long)-1 {
		return false
	}
	begins := 0
	for begins < n && short[begins] == long[begins] {
		begins++
	}
	ends := 0
	for ends < n && short[n-1-ends] == long[len(long)-1-ends] {
		ends++
	}
	return begins+ends >= n
}

// dissimilar reports whether two texts have so little in common that neither is a
// misreading of the other.
func dissimilar(a, b *form) bool {
	return max(a.runes, b.runes) >= minFar && min(a.runes, b.runes) > 0 && difference(a, b) > farDifference
}

// difference is the share of the letters of the longer text that differ, 0 to 1.
func difference(a, b *form) float64 { return text.Difference([]rune(a.compact), []rune(b.compact)) }
