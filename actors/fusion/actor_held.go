package fusion

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Held is a reading that is kept until its conversation is known: a later frame that
// continues it tells, or a person.
type Held struct {
	App       string                    `json:"app"`
	Detection messages.Detection        `json:"detection"`      // its title as it was read, "" if it was unreadable
	Name      messages.PixelKey         `json:"name,omitempty"` // the pixels of its title
	Why       events.UnknownReason      `json:"why"`
	Of        []messages.ConversationID `json:"of,omitempty"` // whose it may be
	// Not are the conversations in Of that the window has shown since, under their own header.
	Not []messages.ConversationID `json:"not,omitempty"`
	// Shown are those that have shown all of it since, under no other header: it may have been passed on as theirs.
	Shown []messages.ConversationID `json:"shown,omitempty"`
	// Idle: somebody else has shown all of it. It makes nobody doubtful any more.
	Idle bool `json:"idle,omitempty"`
}

// maxHeld readings are kept; the oldest goes.
const maxHeld = 64

// keep stores a reading that may be one of several people's, or of which the title cannot be
// read. A reading that continues the one before, and shows all of it, takes its place.
func (a *actor) keep(turn *actors.Turn, m messages.FrameRead, answer messages.Identified) {
	why := answer.Why
	if len(m.Bubbles) == 0 || answer.Unlisted || !a.o.Strategy.needsProof() || a.passing(turn, m, why) {
		return
	}
	title, view := m.Title.Text, viewOf("", m.Bubbles)
	if why == events.UnknownTitle {
		title = ""
	}
	held := Held{App: a.o.App, Detection: a.detection(m, title, view), Name: m.Name, Why: why, Of: answer.Of}
	held.Detection.Score = a.o.Rules.Score(TextChanged)
	rows := heldRows(turn)
	if slices.ContainsFunc(rows, func(r heldRow) bool { return r.Idle && r.shows(held) }) {
		return
	}
	next := uint64(1)
	if n := len(rows); n > 0 {
		last := rows[n-1]
		next = last.no + 1
		switch before := viewOf("", last.Detection.Bubbles); {
		case !last.page().titled(pageOf(title, m.Name, nil)):
		case before.same(view) && last.Why == why:
			return
		case before.leads(view) && before.shared(view) == len(before.Marks):
			next, held.Not = last.no, last.Not
		}
	}
	HeldReadings.Put(turn, actors.RowKey(next), held)
	for i := range len(rows) + 1 - maxHeld {
		a.dropHeld(turn, rows[i])
	}
}

// passing reports whether a frame may show a moment that is soon over: the window has yet to
// change or draw its title or its bubbles.
func (a *actor) passing(turn *actors.Turn, m messages.FrameRead, why events.UnknownReason) bool {
	latest, view := a.latest(turn), viewOf("", m.Bubbles)
	known := func(c common) bool { return c.bubbles == len(view.Marks) }
	if why == events.UnknownTitle && latest.agreed(view, Mark.looks, known) {
		return true // all of it is known; only its title is covered
	}
	before := 0 // frames under this title
	if a.unknown.titled(m) {
		before = a.unknown.readings
	}
	return why == events.UnknownTitle && before < 1 || latest.claims(view) && before < 2
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

// shows reports whether another reading has the same header and the same bubbles.
func (r heldRow) shows(o Held) bool {
	p := pageOf(o.Detection.Title, o.Name, o.Detection.Bubbles)
	return r.Why == o.Why && r.page().titled(p) && r.page().view.same(p.view)
}

// page is what a held reading shows.
func (r heldRow) page() page {
	p := pageOf(r.Detection.Title, r.Name, r.Detection.Bubbles)
	p.several = r.Why == events.UnknownNamesake || len(r.Of) > 1
	return p
}

// claim passes on the readings that were held and are certainly of the conversation that a
// page shows, which was captured at a time, before that page itself. The others stay held.
func (a *actor) claim(turn *actors.Turn, shows page, at time.Time, view View, name messages.Text) {
	rows := heldRows(turn)
	var mine []heldRow
	last, _ := lastViews.Get(turn, string(view.Conversation))
	parted := !last.continues(view)
	for _, row := range slices.Backward(rows) {
		before := row.Detection.SeenAt.Before(at)
		if p := a.pageFor(turn, row, shows, view.Conversation); p.isOf(shows) ||
			parted && before && a.flooded(row, shows, view.Conversation) {
			mine, shows = append(mine, row), p
		} else {
			a.outlast(turn, row, shows, view.Conversation, before)
		}
	}
	slices.Reverse(mine)
	a.attribute(turn, mine, view, name)
}

// pageFor is what a held reading shows, for comparing with a page of a conversation. Whoever it might have been does
// not have its header if the window shows that one under other headers, and this conversation under none of these.
// That counts where the page shows all of it, so that nothing comes along that is not there.
func (a *actor) pageFor(turn *actors.Turn, row heldRow, shows page, c messages.ConversationID) page {
	p := row.page()
	if !p.several || row.Why == events.UnknownNamesake || p.header(shows) != sameHeader || !p.shownBy(shows) {
		return p
	}
	own, _ := lastViews.Get(turn, string(c))
	p.several = slices.ContainsFunc(row.Of, func(id messages.ConversationID) bool {
		l, _ := lastViews.Get(turn, string(id))
		alike := slices.ContainsFunc(own.Looks, func(o Look) bool { return l.headed(o.Key, 1) })
		return id != c && (row.Name == 0 || alike || !l.headedOtherwise(row.Name, a.header.anew))
	})
	return p
}

// outlast notes what a page of a known conversation says of a reading that stays held: that it shows all
// of that, under its header or another one, and, if it is later, that the conversation has not come to be
// called as the reading is.
func (a *actor) outlast(turn *actors.Turn, row heldRow, shows page, c messages.ConversationID, later bool) {
	own, _ := lastViews.Get(turn, string(c))
	p := row.page()
	two := later && p.name != 0 && p.name != shows.name && own.headed(shows.name, 1) && !own.headed(p.name, 1)
	not := two && slices.Contains(row.Of, c) && !slices.Contains(row.Not, c)
	idle := !row.Idle && p.idle(shows)
	shown := !slices.Contains(row.Shown, c) && p.shownBy(shows)
	if not {
		row.Not = append(slices.Clone(row.Not), c)
	}
	if shown {
		row.Shown = append(slices.Clone(row.Shown), c)
	}
	if row.Idle = row.Idle || idle; not || idle || shown {
		HeldReadings.Put(turn, actors.RowKey(row.no), row.Held)
	}
}

// beside are those whom the window has shown under their own headers after a reading under this one.
func beside(rows []heldRow, name messages.PixelKey) (list []messages.ConversationID) {
	for _, row := range rows {
		if name != 0 && row.Name == name {
			list = append(list, row.Not...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// trail returns the held readings that may lead to a view, each to the one after it. One text that
// both show makes that possible, and proves nothing. A reading without a title leads nowhere, nor
// does an idle one.
func trail(rows []heldRow, view View) (mine []heldRow) {
	for _, row := range slices.Backward(rows) {
		before, idle := viewOf("", row.Detection.Bubbles), row.Idle || row.Why == events.UnknownTitle
		if !idle && before.leads(view) {
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
	a.remember(turn, view, rows[last].Detection.SeenAt, placed{})
	a.readAgain(turn)
}

// leadsTo reports whether another reading goes on from this one, under the same header.
func (r heldRow) leadsTo(o heldRow) bool {
	p, next := r.page(), o.page()
	enough := p.view.enough
	if p.several {
		enough = common.proves
	}
	return p.titled(next) && p.view.agreed(next.view, Mark.is, enough)
}
