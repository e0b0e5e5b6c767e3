package ledger

import (
	"slices"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// nameSenders gives each bubble the name beside the first of its group of incoming
// bubbles.
func (l *Ledger) nameSenders(list []observation) {
	for i := range list {
		o := &list[i]
		switch {
		case o.Side != messages.SideIncoming:
			o.Sender = ""
		case o.Sender != "" || o.Named: // a name that could not be read belongs to nobody else
			l.head.Group = true
		case i > 0 && list[i-1].Side == messages.SideIncoming:
			o.Sender = list[i-1].Sender
		}
	}
}

// appendAll adds the whole bubbles of a view, and notices, at the tail's end. From an
// index on, incoming ones and those of unknown side wait; held counts those before.
func (l *Ledger) appendAll(list []observation, from int, fresh bool, f *Finding) (held int) {
	for i, o := range list {
		if o.clipped {
			continue
		}
		if o.Side == messages.SideOwn {
			o.Own = i >= from && f.Rule != events.RuleFirstSight && f.Rule != events.RuleForgotten
		} else if !o.Gone {
			if i >= from {
				o.Waiting, o.Fresh = true, fresh || o.Fresh || hasTwin(list[from:i], o)
				f.Passed++
			} else {
				held++
				f.Held = append(f.Held, l.head.Next)
			}
		}
		l.insert(len(l.entries), o.Entry)
	}
	return held
}

// hasTwin reports whether one of these bubbles, which stand above o in the same view, has
// the same text or nearly: then o is not a second reading of that.
func hasTwin(above []observation, o observation) bool {
	return slices.ContainsFunc(above, func(t observation) bool {
		return t.whole() && t.Side != messages.SideOwn && t.Kind == o.Kind &&
			(equal(t.text(), o.text(), true) || similar(t.text(), o.text()))
	})
}

// merge joins an aligned view with the tail. Known entries are updated, unknown bubbles
// before and between them are inserted, and those after the tail's end are new.
func (l *Ledger) merge(list []observation, a alignment, f *Finding) {
	for i, j := range a.at {
		if j >= 0 {
			l.update(&l.entries[j], &list[i], a.sure[i], f)
		}
	}
	inserted := 0
	for i := range a.fresh {
		if a.at[i] < 0 && !list[i].clipped && l.mergeUnknown(i, list, a, inserted, f) {
			inserted++
		}
	}
	l.appendAll(list[a.fresh:], 0, true, f)
}

// mergeUnknown inserts an unknown observation before or between known ones, after some
// others of the view, and reports whether it did.
func (l *Ledger) mergeUnknown(i int, list []observation, a alignment, inserted int, f *Finding) bool {
	o := &list[i]
	above, below := a.around(i)
	if below < 0 {
		if !o.Gone {
			f.note(events.Detail{Rule: events.RuleAfterKnown})
		}
		return false
	}
	at := a.at[below] + inserted
	if g := l.held(); g >= 0 && at >= g && !o.Gone {
		o.Back = true
		o.Gap, l.entries[at].Gap = l.entries[at].Gap, false
		l.dirty[l.entries[at].Pos] = true
		f.note(events.Detail{Rule: events.RuleOlder})
	} else if !o.Gone {
		flanked := above >= 0 && a.sure[above] && a.sure[below]
		switch {
		case above < 0 && at == 0 && len(l.entries) >= l.rules.History:
			f.note(events.Detail{Rule: events.RuleBeyondReach})
			return false
		case above < 0:
			f.note(events.Detail{Rule: events.RuleOlder})
			l.head.Whole = false
			o.Gap, l.entries[at].Gap = l.entries[at].Gap, false
			l.dirty[l.entries[at].Pos] = true
		case flanked && o.Side == messages.SideIncoming && o.Kind == messages.KindText:
			o.Waiting, o.Fresh = true, true
			f.Passed++
		case flanked && o.Side == messages.SideOwn:
			o.Own = true
			f.note(events.Detail{Rule: events.RuleBetween})
		default:
			f.note(events.Detail{Rule: events.RuleBetween})
		}
	}
	if !l.insert(at, o.Entry) {
		l.entries[at].Gap = l.entries[at].Gap || o.Gap
		f.note(events.Detail{Rule: events.RuleNoPlace})
		return false
	}
	if o.Side == messages.SideIncoming && !o.Waiting && !o.Back {
		f.Held = append(f.Held, l.head.Next-1)
	}
	return true
}

// update brings an entry up to date with its observation.
func (l *Ledger) update(e *Entry, o *observation, sure bool, f *Finding) {
	was := *e
	if e.Waiting || e.Own {
		e.Seen++
	}
	if o.whole() && sidesAgree(o.Side, e.Side) {
		updateText(e, o, sure, f)
		if o.Partial == e.Partial {
			e.adoptLook(o)
		}
	}
	e.adoptLabels(o)
	was.form = e.form
	if was != *e {
		l.dirty[e.Pos] = true
	}
}

// updateText takes over a better reading of the text.
func updateText(e *Entry, o *observation, sure bool, f *Finding) {
	readable := o.Kind != messages.KindUnreadable
	if readable && (e.Kind == messages.KindUnreadable || e.Partial && !o.Partial) {
		e.complete(o)
		return
	}
	if e.Partial && o.Partial && o.Kind == messages.KindText && e.Kind == messages.KindText {
		e.joinPart(o)
		return
	}
	if !readable || o.Partial || o.Low || o.Kind != messages.KindText || e.Kind != messages.KindText {
		return
	}
	switch {
	case e.Low && e.Change == "":
		e.adoptText(o)
		e.Low = false
	case !sure && !equal(o.text(), e.text(), true):
		f.note(events.Detail{Rule: events.RuleReadsDifferent})
		if !e.Waiting {
			e.adoptReading(o)
		}
	}
}

// spacing is the distance between neighbouring positions.
const spacing = 1 << 32

// gapSpacing is the distance over a gap that will be read.
const gapSpacing = 1 << 44

// insert gives e the next occurrence and a position before the entry with an index. It
// returns false if the neighbours leave no position.
func (l *Ledger) insert(at int, e Entry) bool {
	switch n := len(l.entries); {
	case n == 0:
		e.Pos = 0
	case at == n:
		e.Pos = l.entries[n-1].Pos + max(spacing, l.room)
		l.room = 0
	case at == 0:
		e.Pos = l.entries[0].Pos - spacing
	default:
		lo, hi := l.entries[at-1].Pos, l.entries[at].Pos
		if hi-lo < 2 {
			return false
		}
		e.Pos = lo + (hi-lo)/2
		if e.Back && e.Gap { // more of the gap goes before it, and the view's others after it
			e.Pos = max(e.Pos, hi-spacing)
		} else if e.Back {
			e.Pos = min(e.Pos, lo+room)
		}
	}
	if e.Sender == "" && !e.Named && e.Side == messages.SideIncoming && at > 0 && at == len(l.entries) &&
		l.entries[at-1].Side == messages.SideIncoming {
		e.Sender = l.entries[at-1].Sender
	}
	e.Occurrence = l.head.Next
	l.head.Next++
	l.entries = slices.Insert(l.entries, at, e)
	l.dirty[e.Pos] = true
	return true
}
