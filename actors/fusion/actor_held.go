package fusion

import (
	"slices"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Held is a reading that is kept until its conversation is known: a later frame that
// continues it tells, or a person.
type Held struct {
	App       string                    `json:"app"`
	Detection messages.Detection        `json:"detection"` // its title is as it was read
	Why       events.UnknownReason      `json:"why"`
	Of        []messages.ConversationID `json:"of,omitempty"` // whose it may be
}

// maxHeld readings are kept; the oldest goes.
const maxHeld = 64

// keep stores a reading that may be one of several people's. A reading that continues the one
// before, and shows all of it, takes its place.
func (a *actor) keep(turn *actors.Turn, m messages.FrameRead, answer messages.Identified) {
	why := answer.Why
	if len(m.Bubbles) == 0 || why == events.UnknownTitle || answer.Unlisted || !a.o.Strategy.needsProof() {
		return
	}
	view := viewOf("", m.Bubbles)
	if a.latest(turn).claims(view) && (!a.unknown.titled(m) || a.unknown.readings < 2) {
		return // the title is still to change, or the bubbles are
	}
	held := Held{App: a.o.App, Detection: a.detection(m, m.Title.Text, view), Why: why, Of: answer.Of}
	held.Detection.Score = a.o.Rules.Score(TextChanged)
	rows := heldRows(turn)
	next := uint64(1)
	if n := len(rows); n > 0 {
		last := rows[n-1]
		next = last.no + 1
		switch before := viewOf("", last.Detection.Bubbles); {
		case last.Detection.Title != m.Title.Text:
		case before.same(view) && last.Why == why:
			return
		case before.leads(view) && before.shared(view) == len(before.Marks):
			next = last.no
		}
	}
	HeldReadings.Put(turn, actors.RowKey(next), held)
	for i := range len(rows) + 1 - maxHeld {
		a.dropHeld(turn, rows[i])
	}
}

func (a *actor) dropHeld(turn *actors.Turn, row heldRow) {
	HeldReadings.Delete(turn, actors.RowKey(row.no))
	turn.Drop(events.StageFusion, events.RuleHeldTooMany, events.Detail{Window: a.window,
		Count: len(row.Detection.Bubbles)})
}

// heldRow is a row of [HeldReadings].
type heldRow struct {
	no uint64
	Held
}

// heldRows are those in the order in which they came.
func heldRows(turn *actors.Turn) (rows []heldRow) {
	for key, h := range HeldReadings.All(turn) {
		if no, err := actors.RowNumber(key); err == nil {
			rows = append(rows, heldRow{no, h})
		}
	}
	return rows
}

// claim passes on the readings that were held and go on to a view of a conversation,
// before that view itself.
func (a *actor) claim(turn *actors.Turn, view View, name messages.Text) {
	a.attribute(turn, trail(heldRows(turn), view), view, name)
}

// trail are the held readings that go on to a view, each to the one after it.
func trail(rows []heldRow, view View) (mine []heldRow) {
	for _, row := range slices.Backward(rows) {
		before := viewOf("", row.Detection.Bubbles)
		if before.run(view) >= runProof || before.leads(view) {
			mine, view = append(mine, row), before
		}
	}
	slices.Reverse(mine)
	return mine
}

// attribute passes held readings on as a conversation's.
func (a *actor) attribute(turn *actors.Turn, rows []heldRow, whose View, name messages.Text) {
	for _, row := range rows {
		d, c := row.Detection, whose.Conversation
		d.Conversation, d.Title, d.Moves = c, name, whose.Moves
		turn.Send(messages.To(messages.ActorDedup, string(c)), d)
		turn.Pass(events.StageFusion, events.RuleHeldKnown, events.Detail{Window: a.window, Conversation: c,
			Count: len(d.Bubbles)})
		HeldReadings.Delete(turn, actors.RowKey(row.no))
	}
}

// heldSettled takes what a person said: whose a held reading is, and with it those of
// the same title that it goes on from or to.
func (a *actor) heldSettled(turn *actors.Turn, m messages.HeldSettled) {
	rows := heldRows(turn)
	at := slices.IndexFunc(rows, func(r heldRow) bool { return r.no == m.Held })
	if at < 0 {
		turn.Drop(events.StageFusion, events.RuleNobody, events.Detail{Window: a.window, Conversation: m.Conversation})
		return
	}
	first, last := at, at
	for first > 0 && rows[first-1].leadsTo(rows[first]) {
		first--
	}
	for last < len(rows)-1 && rows[last].leadsTo(rows[last+1]) {
		last++
	}
	view := viewOf(m.Conversation, rows[last].Detection.Bubbles)
	view.Moves = m.Moves
	a.attribute(turn, rows[first:last+1], view, m.Name)
	a.remember(turn, view, rows[last].Detection.SeenAt)
	a.readAgain(turn)
}

// leadsTo reports whether another reading goes on from this one.
func (r heldRow) leadsTo(o heldRow) bool {
	return r.Detection.Title == o.Detection.Title &&
		viewOf("", r.Detection.Bubbles).leads(viewOf("", o.Detection.Bubbles))
}
