package dedup

import (
	"strings"
	"time"
	"unicode"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// reread looks at an aligned view for known messages that have changed. Of an
// incoming one it notes the change, to be passed on if it lasts; see
// [Ledger.Revise]. It comes before the entries learn from the view.
//
// Other pixels and another text are a change where the window is drawn as in its
// last view, as other letters show that have kept their pixels, and the bubble has
// another size or its neighbours are unchanged. Without that it takes a text that
// has hardly anything in common with the old one: a reader may misread letters
// when the same words are drawn anew.
func (l *Ledger) reread(sights []sight, a alignment, v View, mem Memory, f *Finding) {
	shown := func(e *Entry) bool {
		return mem.Width > 0 && mem.Width == v.Size.W && mem.Top <= e.Pos && e.Pos <= mem.Bottom
	}
	kept, redrawn := 0, 0
	for i, j := range a.at {
		s := &sights[i]
		switch {
		case j < 0 || !s.counts() || !shown(&l.entries[j]) || s.Key == 0 || !lettered(s.text()):
		case s.Key == l.entries[j].Key:
			kept++
		default:
			redrawn++
		}
	}
	for i, j := range a.at {
		if j < 0 {
			continue
		}
		s, e := &sights[i], &l.entries[j]
		switch {
		case s.Gone && !e.Gone:
			l.gone(e, s.Since, f)
		case s.clipped || s.Gone:
		case e.Gone: // it is back
			l.stays(e, e.Text)
		case !swapped(s, e) || s.text().norm == e.text().norm:
		case e.Low && e.Waiting, s.Low && kept <= redrawn: // doubtful readings prove nothing, pixels do
		case e.Change == messages.ChangeEdited && equal(s.text(), formOf(e.Told), true):
			l.stays(e, e.Told)
		case s.Key == e.Key && s.Key != 0:
		case (kept > 0 || redrawn == 1 && abs(s.text().runes-e.text().runes) > 1) && shown(e) && resized(s, e, v.Scale),
			shown(e) && l.steady(sights, a, i, mem.Top) && (kept > redrawn || kept > 0 && unlike(s.text(), e.text()) > 0.3),
			far(s.text(), e.text()) && !s.Low:
			f.note("a known bubble reads differently: edited, or misread")
			l.says(e, s)
		}
	}
	l.closedUp(sights, a, v, f)
}

// steady reports that nothing around a sight has changed: what stands above and
// below it has kept its place and its pixels, so that its own are not those of
// another tail or corner. top is the place of the entry that stood first before.
func (l *Ledger) steady(sights []sight, a alignment, i int, top int64) bool {
	same := func(k, by int) bool {
		j := a.at[k]
		if j < 0 || j != a.at[i]+by {
			return false
		}
		return sights[k].Gone && l.entries[j].taken() || sights[k].Key != 0 && sights[k].Key == l.entries[j].Key
	}
	above := i > 0 && same(i-1, -1) || i == 0 && l.entries[a.at[i]].Pos == top
	return above && (i+1 >= a.fresh || same(i+1, 1))
}

// resizedBy is a difference in size, in logical pixels, that no tail of a bubble
// makes.
const resizedBy = 8

// resized reports that a bubble has grown or shrunk.
func resized(s *sight, e *Entry, scale float64) bool {
	return e.W > 0 && float64(max(abs(s.W-e.W), abs(s.H-e.H))) > resizedBy*scale
}

// lettered reports that a text has letters: pictures look the same when letters
// are drawn anew.
func lettered(f *form) bool {
	return strings.ContainsFunc(f.norm, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// closedUp notes messages that have vanished without a notice: those around them
// are visible, and so close to each other that there is no room between.
func (l *Ledger) closedUp(sights []sight, a alignment, v View, f *Finding) {
	for i := 1; i < len(sights) && v.Scale > 0; i++ {
		from, to := a.at[i-1], a.at[i]
		if i == a.fresh {
			to = len(l.entries)
		} else if to >= 0 && !a.sure[i] {
			continue
		}
		if from < 0 || !a.sure[i-1] || sights[i].Above <= 0 || sights[i].clipped {
			continue
		}
		for j := from + 1; j < to; j++ {
			if e := &l.entries[j]; !e.Gone && float64(e.H) > float64(sights[i].Above)*v.Scale {
				l.gone(e, sights[i].Since, f)
			}
		}
	}
}

// gone notes that a message was taken back.
func (l *Ledger) gone(e *Entry, now time.Time, f *Finding) {
	f.note("a known bubble is gone: it was taken back")
	e.Gone = true
	if e.Change == "" {
		e.Told = e.Text
	}
	e.Change, e.Changed = messages.ChangeUnsent, now
	l.own(e)
}

// says notes that a message has another text.
func (l *Ledger) says(e *Entry, s *sight) {
	if e.Change == "" {
		e.Told = e.Text
	}
	e.Change, e.Changed = messages.ChangeEdited, s.Since
	e.Text, e.form = s.Text, s.form
	l.own(e)
}

// own forgets a change that is nobody's news: of an own message, or of one that
// has not been passed on yet. It stays what it is now.
func (l *Ledger) own(e *Entry) {
	l.dirty[e.Pos] = true
	if e.Side != messages.SideIncoming || e.Waiting && e.Change == messages.ChangeEdited {
		e.Told, e.Change, e.Changed = "", "", time.Time{}
	}
}

// stays takes a change back that was noted and not passed on.
func (l *Ledger) stays(e *Entry, text messages.Text) {
	e.Gone, e.Told, e.Change, e.Changed = false, "", "", time.Time{}
	e.Text, e.form = text, nil
	l.dirty[e.Pos] = true
}

// Revise returns the changes of messages that were passed on, in the order of
// the transcript. A change that was seen just now may be a picture in motion or
// something in front of the bubble: it has to last. Then wait is how long until
// the next has, else 0.
func (l *Ledger) Revise(now time.Time) (list []messages.Revised, wait time.Duration) {
	for i := range l.entries {
		e := &l.entries[i]
		if e.Change == "" || e.Waiting {
			continue
		}
		if left := e.Changed.Add(l.rules.Patience).Sub(now); left > 0 {
			if wait == 0 || left < wait {
				wait = left
			}
			continue
		}
		r := messages.Revised{Occurrence: e.Occurrence, Change: e.Change, Text: e.Text, Window: l.head.Window, SeenAt: e.Changed}
		if e.Change == messages.ChangeUnsent {
			r.Text = ""
		}
		list = append(list, r)
		e.Told, e.Change, e.Changed = "", "", time.Time{}
		l.dirty[e.Pos] = true
	}
	return list, wait
}

// farLeast is how many characters the longer one of two texts must have.
const farLeast = 6

// far reports that two texts have so little in common that neither is a misread
// form of the other.
func far(a, b *form) bool {
	return max(a.runes, b.runes) >= farLeast && min(a.runes, b.runes) > 0 && unlike(a, b) > 0.5
}

// unlike is the share of the letters of the longer text that differ, 0 to 1.
func unlike(a, b *form) float64 {
	return text.Difference([]rune(a.compact), []rune(b.compact))
}
