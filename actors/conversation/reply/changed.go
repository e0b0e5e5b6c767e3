package reply

import "slices"

// Turn returns the open turn or an unknown one, nil if the desk has none with this ID.
func (d Desk) Turn(id int64) *Turn {
	if d.Open != nil && d.Open.ID == id {
		return d.Open
	}
	if i := slices.IndexFunc(d.Unknown, func(t Turn) bool { return t.ID == id }); i >= 0 {
		return &d.Unknown[i]
	}
	return nil
}

// Has reports whether a turn is not over yet.
func (d Desk) Has(id int64) bool { return d.Turn(id) != nil }

// visible reports a state in which a turn has a reply that people can see.
func visible(s State) bool {
	switch s {
	case Held, Drafted, Sending, Unknown:
		return true
	}
	return false
}

// pending reports a state in which a reply may come soon, although there is none yet.
func pending(s State) bool { return s == Judging || s == Writing }

// Changed returns the turns, as they are now, that an event visibly changed. A turn that
// is over is in neither desk any more: its result follows from the event. Its end is told
// also where nobody has seen any of its reply, because somebody may wait for that; only
// one that was declined is waited for no more.
func Changed(before, after Desk, e Event) (list []Turn) {
	var was []Turn
	if before.Open != nil {
		was = append(was, *before.Open)
	}
	for _, old := range append(was, before.Unknown...) {
		now := after.Turn(old.ID)
		switch {
		case now == nil && !visible(old.State) && !pending(old.State):
		case now == nil:
			if old.State = ended(e); old.State != Sent {
				old.Text = "" // nobody was meant to read it
			}
			list = append(list, old)
		case !visible(now.State) && !visible(old.State):
		case now.State != old.State || now.Epoch != old.Epoch || now.Text != old.Text || now.ByHand != old.ByHand:
			list = append(list, *now)
		}
	}
	return list
}

// ended is the last state of a turn that an event ended.
func ended(e Event) State {
	switch e.Kind {
	case OnConfirmed:
		return Sent
	case OnReject:
		return Rejected
	}
	return Withdrawn
}
