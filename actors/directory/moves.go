package directory

import (
	"maps"
	"slices"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// A ledger travels when two conversations become one, or one becomes two, and the
// directory knows the outcome before the ledgers do. Until it is there, the transcript
// to which a view would be compared and added is not whole: what is known would count as
// new, and what has not come yet as withdrawn. So nothing that a window shows is given to
// a conversation whose ledger is on its way.

// moving lists the conversations whose ledger is incomplete: the targets of merges, and both
// sides of divisions. Sorted.
func moving(known map[messages.ConversationID]Known) (list []messages.ConversationID) {
	add := func(id messages.ConversationID) {
		if id = Resolve(known, id); known[id].App != "" && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(known)) {
		k := known[id]
		if k.Moving && k.Into != "" {
			add(id)
		}
		if _, ok := known[k.From]; k.Coming && ok { // what was forgotten gives nothing any more
			add(id)
			add(k.From)
		}
	}
	slices.Sort(list)
	return list
}

// awaits reports whether a ledger was still to arrive.
func (k Known) awaits(split bool) bool { return !split && k.Moving || split && k.Coming }

// moved is a conversation after its ledger has arrived; split says that it was divided off.
func (k Known) moved(split bool) Known {
	if split {
		k.Coming = false
	} else {
		k.Moving = false
	}
	return k
}

// current is a question without what counts no longer because a ledger has begun or ended
// to move since: what the window has shown of a conversation then, and what was compared.
// asked counts these moves.
func current(q messages.Identify, known map[messages.ConversationID]Known) (now messages.Identify, asked int) {
	for _, k := range known {
		asked += k.Moves
	}
	if known[q.Shows].Moves != q.Moves {
		q.Shows, q.Still = "", false
	}
	if q.Compared && q.Asked != asked {
		q.Compared, q.Searched, q.Shared = false, false, nil
	}
	return q, asked
}

// rests lists whom a decision rests on or concerns.
func (d Decision) rests(q messages.Identify) []messages.ConversationID {
	list := slices.Concat(d.Compare, d.Of, whose(q.Shared))
	if d.Conversation != "" {
		list = append(list, d.Conversation)
	}
	return list
}

// settled is a decision, unless it rests on a ledger that is on its way: then nothing is
// decided.
func (d Decision) settled(q messages.Identify, known map[messages.ConversationID]Known,
	moving []messages.ConversationID) Decision {
	if len(moving) == 0 {
		return d
	}
	var of []messages.ConversationID
	for _, id := range d.rests(q) {
		if id = Resolve(known, id); slices.Contains(moving, id) && !slices.Contains(of, id) {
			of = append(of, id)
		}
	}
	if len(of) == 0 {
		return d
	}
	return Decision{Why: events.UnknownMoving, Of: of}
}
