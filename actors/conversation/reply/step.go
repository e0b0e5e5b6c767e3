package reply

import (
	"slices"

	"github.com/kehai-run/kehai/messages"
)

// Step returns the desk after an event, and what is to be done. ok is false for an event
// that is refused because it comes late or does not fit. It changes nothing that d refers
// to.
func (d Desk) Step(e Event) (next Desk, do []Effect, ok bool) {
	d = d.clone()
	if e.Kind == OnChanged && e.Unsent && slices.Contains(d.Waiting, e.Message) {
		d.Waiting = slices.DeleteFunc(d.Waiting, func(id messages.MessageID) bool { return id == e.Message })
		return d, nil, true
	}
	t, at := d.turn(e)
	if t == nil {
		return d, nil, false
	}
	r, found := find(t.State, t.name(e))
	if !found || e.Kind == OnDecided && t.ByHand {
		return d, nil, false
	}
	if (e.Kind == OnMessage || e.Kind == OnReminder) && r.to == Judging { // together with the messages that wait
		t.Messages, d.Waiting = append(t.Messages, d.Waiting...), nil
	}
	t.note(e, r)
	if e.Kind == OnPerson { // who has seen and answered what was written
		seen := max(0, len(d.Waiting)-e.Below)
		d.Waiting = append(slices.DeleteFunc(slices.Clone(d.Waiting[:seen]), func(id messages.MessageID) bool {
			_, ok := ReminderOf(id)
			return !ok
		}), d.Waiting[seen:]...)
	}
	if r.to != same {
		t.enter(r.to)
	}
	for _, kind := range r.do {
		switch kind {
		case wait:
			d.Waiting = append(d.Waiting, e.Message)
		case SendReply:
			do = append(do, Effect{Kind: kind, Turn: t.ID, Epoch: t.Epoch, Text: t.Text})
		default:
			do = append(do, Effect{Kind: kind, Turn: t.ID, Epoch: t.Epoch})
		}
	}
	if at < 0 {
		d.Last, d.Open = max(d.Last, t.ID), t
	} else if d.Unknown[at] = *t; t.State != Unknown {
		d.Unknown = slices.Delete(d.Unknown, at, at+1)
		if !t.State.Ends() { // a person sends it again
			d.putBack(t)
		}
	}
	more := d.goOn()
	return d, append(do, more...), true
}

// clone copies everything that a step changes.
func (d Desk) clone() Desk {
	if d.Open != nil {
		t := *d.Open
		t.Messages = slices.Clone(t.Messages)
		d.Open = &t
	}
	d.Unknown, d.Waiting = slices.Clone(d.Unknown), slices.Clone(d.Waiting)
	return d
}

// turn finds the turn that an event is about, and its place among the unknown ones,
// -1 for the open one. It is nil for an event that is refused.
func (d Desk) turn(e Event) (t *Turn, at int) {
	switch e.Kind {
	case OnMessage, OnReminder:
		if d.knows(e.Message) {
			return nil, -1
		}
		if d.Open == nil {
			return &Turn{ID: d.Last + 1, State: none}, -1
		}
		return d.Open, -1
	case OnChanged:
		if d.Open == nil || !slices.Contains(d.Open.Messages, e.Message) {
			return nil, -1
		}
		return d.Open, -1
	case OnPerson:
		return d.Open, -1
	}
	if t := d.Open; t != nil && t.ID == e.Turn {
		if e.late(t) {
			return nil, -1
		}
		return t, -1
	}
	i := slices.IndexFunc(d.Unknown, func(t Turn) bool { return t.ID == e.Turn })
	if i < 0 || e.late(&d.Unknown[i]) {
		return nil, -1
	}
	if e.Kind == OnApprove && d.Open != nil && d.Open.State != Judging && d.Open.State != Declined {
		return nil, -1 // one after the other
	}
	t = new(Turn)
	*t = d.Unknown[i]
	return t, i
}

// late reports whether an event is about an older epoch of a turn. A person's command
// need not name an epoch.
func (e Event) late(t *Turn) bool {
	switch e.Kind {
	case OnApprove, OnEdit, OnHold, OnReject, OnDecided, OnAgain:
		return e.Epoch != 0 && e.Epoch != t.Epoch
	}
	return e.Epoch != t.Epoch
}

// knows reports whether a message is in a turn or waits for one.
func (d Desk) knows(id messages.MessageID) bool {
	return slices.Contains(d.Waiting, id) || d.Open != nil && slices.Contains(d.Open.Messages, id) ||
		slices.ContainsFunc(d.Unknown, func(t Turn) bool { return slices.Contains(t.Messages, id) })
}

// name is the event's name in the table.
func (t *Turn) name(e Event) string {
	switch e.Kind {
	case OnVerdict:
		if e.Respond {
			return "yes"
		}
		return "no"
	case OnWrote, OnDecided:
		if e.Action == Nothing {
			return string(e.Kind) + "_draft" // a person may act on it, since it is written
		}
		return string(e.Kind) + "_" + string(e.Action)
	case OnChanged:
		if e.Unsent && len(t.Messages) == 1 {
			return "emptied"
		}
	case OnNotSent:
		switch {
		case t.Void:
			return "not_sent_void"
		case t.Stale:
			return "not_sent_stale"
		}
	}
	return string(e.Kind)
}

// note records what an event brings.
func (t *Turn) note(e Event, r row) {
	switch e.Kind {
	case OnMessage, OnReminder:
		if r.to == Judging {
			t.Messages = append(t.Messages, e.Message)
		}
	case OnChanged:
		t.Stale = t.Stale || t.State == Sending
		t.Void = t.Void || t.State == Sending && e.Unsent && len(t.Messages) == 1
		if e.Unsent && len(t.Messages) > 1 {
			t.Messages = slices.DeleteFunc(t.Messages, func(id messages.MessageID) bool { return id == e.Message })
		}
	case OnPerson:
		t.Void = t.Void || t.State == Sending
	case OnWrote:
		t.Text = e.Text
	case OnEdit: // whoever approved the earlier text has not read this one
		t.Text = e.Text
		t.Epoch++
	case OnHold:
		t.ByHand = true
	}
}

// enter moves to a state.
func (t *Turn) enter(to State) {
	switch to {
	case Judging: // results that are under way become invalid
		t.Epoch++
		t.Text, t.Stale, t.Void, t.ByHand = "", false, false, false
	case Sending:
		t.Epoch++
		t.Stale, t.Void, t.ByHand = false, false, false
	case Drafted:
		t.ByHand = false
	}
	t.State = to
}

// putBack makes an unknown turn the open one again. Messages that were being judged wait.
func (d *Desk) putBack(t *Turn) {
	if d.Open != nil {
		d.Waiting = append(slices.Clone(d.Open.Messages), d.Waiting...)
	}
	d.Open = t
}

// goOn closes the open turn if it is over, and opens the next one.
func (d *Desk) goOn() (do []Effect) {
	t := d.Open
	switch {
	case t == nil:
	case t.State == Unknown:
		d.Unknown, d.Open = append(d.Unknown, *t), nil
	case t.State.Ends():
		d.Open = nil
	}
	if d.Open != nil || len(d.Waiting) == 0 {
		return nil
	}
	d.Last++
	d.Open = &Turn{ID: d.Last, State: Judging, Epoch: 1, Messages: d.Waiting}
	d.Waiting = nil
	return []Effect{{Kind: Judge, Turn: d.Open.ID, Epoch: 1}}
}
