package conversation

import (
	"cmp"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/messages"
)

// Own is a message of our side.
type Own struct {
	Occurrence messages.Occurrence `json:"occurrence"`
	Text       messages.Text       `json:"text"`           // as it was sent, or as it was read if a person wrote it
	Turn       int64               `json:"turn,omitempty"` // that wrote it; 0: a person or a host did
	At         time.Time           `json:"at"`
	// Answered is the newest message of its turn.
	Answered messages.MessageID `json:"answered,omitempty"`
}

// answered is the newest message that a turn answers, "" if it answers none.
func answered(t *reply.Turn) messages.MessageID {
	if t == nil {
		return ""
	}
	for _, id := range slices.Backward(t.Messages) {
		if _, reminds := reply.ReminderOf(id); !reminds && id != reply.Opening {
			return id
		}
	}
	return ""
}

// OwnMessages are the newest messages of our side by number; placesOfOwn holds those numbers by
// place in the transcript.
var (
	OwnMessages = actors.NewTable[Own]("own")
	placesOfOwn = actors.NewTable[int64]("own_places")
)

// own records a message of our side that was seen in the window. One written by a person
// or the host answers what came before it. A reply of ours answers the messages of its turn
// alone, and its fate comes with SendDone.
func (a *actor) own(turn *actors.Turn, m messages.OwnMessage) {
	if _, known := placesOfOwn.Get(turn, placeKey(m.Occurrence)); known {
		return
	}
	if v, led := a.leads(turn); led {
		m.Text, _ = private(m.Text, known(v, a.sender(turn)))
	}
	desk, _ := Desks.Get(turn, onlyRow)
	a.keepOwn(turn, Own{Occurrence: m.Occurrence, Text: m.Text, Turn: m.Turn, At: m.SeenAt,
		Answered: answered(desk.Turn(m.Turn))})
	if m.Turn != 0 {
		return
	}
	if m.Trace == "" {
		usage, _ := usages.Get(turn, onlyRow)
		usages.Put(turn, onlyRow, usage.Person())
	}
	if m.Occurrence <= a.newestOfTurn(turn) {
		return // it stands before the messages that wait for an answer
	}
	if a.step(turn, reply.Event{Kind: reply.OnPerson, Below: a.waitingBelow(turn, m.Occurrence)}) {
		a.tellJudge(turn, messages.FateForget)
	}
}

// sender is who wrote last, "" if nobody did.
func (a *actor) sender(turn *actors.Turn) messages.Text {
	head, _ := Heads.Get(turn, "head")
	d, _ := Messages.Get(turn, RowKey(head.Count))
	return d.Sender
}

// keepOwn stores a message of our side, once for each place. It prefers the text that was
// sent to the one that was read.
func (a *actor) keepOwn(turn *actors.Turn, o Own) {
	if n, known := placesOfOwn.Get(turn, placeKey(o.Occurrence)); known && o.Occurrence != 0 {
		if o.Turn != 0 {
			before, _ := OwnMessages.Get(turn, RowKey(n))
			o.Answered = cmp.Or(o.Answered, before.Answered)
			OwnMessages.Put(turn, RowKey(n), o)
			a.remember(turn, lineOfOwn(o), "")
		}
		return
	}
	head, _ := Heads.Get(turn, "head")
	head.Own++
	Heads.Put(turn, "head", head)
	OwnMessages.Put(turn, RowKey(head.Own), o)
	a.remember(turn, lineOfOwn(o), "")
	if o.Occurrence != 0 {
		placesOfOwn.Put(turn, placeKey(o.Occurrence), head.Own)
	}
	for n := head.Own - int64(a.o.Keep); n > max(0, head.Own-int64(a.o.Keep)-8); n-- {
		old, ok := OwnMessages.Get(turn, RowKey(n))
		if !ok {
			return
		}
		dropOwn(turn, n, old)
	}
}

func dropOwn(turn *actors.Turn, n int64, o Own) {
	OwnMessages.Delete(turn, RowKey(n))
	placesOfOwn.Delete(turn, placeKey(o.Occurrence))
}

func placeKey(o messages.Occurrence) string { return RowKey(int64(o)) }

// answeredSince reports whether a person or a host wrote behind a message that is delivered now. A
// reply of ours that stands there was written before it was read; but what was read by scrolling back
// waits for no answer any more.
func (a *actor) answeredSince(turn *actors.Turn, d messages.MessageDelivered) bool {
	place, late := messages.Occurrence(0), len(d.Parts) > 0
	for _, p := range d.Parts {
		place, late = max(place, p.Occurrence), late && p.Late
	}
	head, _ := Heads.Get(turn, "head")
	for n := head.Own; n > max(0, head.Own-8); n-- {
		if o, ok := OwnMessages.Get(turn, RowKey(n)); ok && (late || o.Turn == 0) && o.Occurrence > place {
			return true
		}
	}
	return false
}

// newestOfTurn is the place of the newest message that the open turn answers, 0 for
// none.
func (a *actor) newestOfTurn(turn *actors.Turn) (place messages.Occurrence) {
	desk, _ := Desks.Get(turn, onlyRow)
	if desk.Open == nil {
		return 0
	}
	for _, id := range desk.Open.Messages {
		if d, ok := message(turn, id); ok {
			for _, p := range d.Parts {
				place = max(place, p.Occurrence)
			}
		}
	}
	return place
}

// waitingBelow is how many of the newest messages that wait for the next turn stand behind a place.
func (a *actor) waitingBelow(turn *actors.Turn, place messages.Occurrence) (n int) {
	desk, _ := Desks.Get(turn, onlyRow)
	for _, id := range slices.Backward(desk.Waiting) {
		d, ok := message(turn, id)
		if l, _ := lineOf(d); !ok || l.place <= place {
			break
		}
		n++
	}
	return n
}

// message returns a delivered message while it is kept.
func message(turn *actors.Turn, id messages.MessageID) (messages.MessageDelivered, bool) {
	n, ok := ids.Get(turn, string(id))
	if !ok {
		return messages.MessageDelivered{}, false
	}
	return Messages.Get(turn, RowKey(n))
}

// said returns the newest messages of both sides, in the order of the transcript.
func (a *actor) said(turn *actors.Turn, n int) (list []messages.Said) {
	for _, l := range a.lines(turn, n) {
		list = append(list, l.Said)
	}
	return list
}

// lines returns the same with their places.
func (a *actor) lines(turn *actors.Turn, n int) []line {
	head, _ := Heads.Get(turn, "head")
	var lines []line
	for i := head.Count; i > max(0, head.Count-int64(n)); i-- {
		d, ok := Messages.Get(turn, RowKey(i))
		if !ok { // too old
			continue
		}
		if l, ok := lineOf(d); ok {
			lines = append(lines, l)
		}
	}
	for i := head.Own; i > max(0, head.Own-int64(n)); i-- {
		o, ok := OwnMessages.Get(turn, RowKey(i))
		if !ok { // too old
			continue
		}
		lines = append(lines, lineOfOwn(o))
	}
	return newest(lines, n)
}
