package fusion

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the actor's kind; the key is the window.
const Kind = messages.ActorFusion

// Options of a fusion. Start with [DefaultOptions].
type Options struct {
	App string // whose directory knows the window's conversations; "" means the window's name before "@"

	Strategy Strategy      // finds what is new; nil means [ByViews]
	Clean    Sanitizer     // removes what the application itself writes
	Interval time.Duration // of polls: signals closer together belong to one
	HashKey  []byte        // key of text hashes in the log; without it there are none
	Rules    Rules
	Keep     int // conversations whose last view is kept
}

// DefaultOptions returns the options of profile default.
func DefaultOptions() Options {
	return Options{Interval: time.Second, Rules: DefaultRules(), Keep: 512}
}

// New makes the constructor of fusions.
func New(o Options) func(messages.Address) actors.Actor {
	if o.Strategy == nil {
		o.Strategy = ByViews{}
	}
	return func(self messages.Address) actors.Actor {
		a := &actor{o: o, window: messages.WindowID(self.Key())}
		if a.o.App == "" {
			a.o.App, _, _ = strings.Cut(self.Key(), "@")
		}
		return a
	}
}

// Pending is a view that the next reading decides on.
type Pending struct {
	View      View               `json:"view"`
	Detection messages.Detection `json:"detection"`
	Title     messages.Text      `json:"title,omitempty"`     // as it was read
	Name      messages.PixelKey  `json:"name,omitempty"`      // its pixels
	Contested bool               `json:"contested,omitempty"` // its bubbles have since appeared under another title
	Refuted   bool               `json:"refuted,omitempty"`   // more than once
}

// page is what a pending view shows.
func (p Pending) page() page { return pageOf(p.Title, p.Name, p.Detection.Bubbles) }

var (
	lastViews = actors.NewTable[View]("views")
	current   = actors.NewTable[messages.ConversationID]("showing")
	pendings  = actors.NewTable[Pending]("held").WithVersion(2, upcastPending)
	cursors   = actors.NewTable[Cursor]("cursor")
	reported  = actors.NewTable[time.Time]("unknown")
	echoes    = actors.NewTable[Echoes]("echoes")
)

// HeldReadings are readings whose conversation is unknown, by their number in 16 digits.
var HeldReadings = actors.NewTable[Held]("nameless")

type actor struct {
	o      Options
	window messages.WindowID

	wanted            *messages.AskConversation // a sender's reading that waits for its conversation, nil for none
	asked             *messages.FrameRead       // whose conversation it shows is not known yet
	comparing         []*comparison             // of these two
	inconsistent      int                       // such frames in a row, all with one title
	inconsistentTitle messages.ConversationID   // whose it was
	inconsistentAt    time.Time                 // capture of the last of them
	watched           time.Time                 // when the window last showed what was read before the last frame
	streak            titleStreak
	steady            steady
	parted            parting // the newest
	blank             blank
	header            header
	unknown           unknown
	placed            placed
	unproven          unproven
	namers            []namer // of the window's accessibility tree
	bareShare         float64 // of the last frame that proved enough
	reopened          reopened
	sized             sized
	sideless          bool // no bubble of the last frame showed who wrote it
	ignored           View // the last view, if its conversation is not listed; never stored

	seen      seen
	structure *Evidence          // that no frame has used yet
	signals   []events.Signalled // of the frame that was scored last
	news      Evidence           // of the last frame that said something new
	awaited   *awaited           // rows that wait for their text
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
		a.adopt(turn)
	case messages.FrameRead:
		a.read(turn, m)
	case messages.Identified:
		a.identified(turn, m)
	case messages.OverlapAnswer:
		a.overlapAnswered(turn, m)
	case messages.HeldSettled:
		a.heldSettled(turn, m)
	case messages.ForgetView:
		a.forgetView(turn, m.Conversation)
	case messages.StructureSignal:
		a.rows(turn, m)
	case messages.SignalDue:
		a.retryAwaited(turn)
	case messages.BareDue:
		a.reportBare(turn)
	case messages.TextSent:
		a.sending(turn, m)
	case messages.AskConversation:
		a.askConversation(turn, m)
	case messages.ResetBaseline:
		a.seen = seen{}
	default:
		return fmt.Errorf("fusion: unexpected %s", msg.MessageType())
	}
	return nil
}

// read decides whether a frame can be trusted, and asks whose conversation it
// shows.
func (a *actor) read(turn *actors.Turn, m messages.FrameRead) {
	a.reopened.note(m, a.latest(turn))
	if a.o.Strategy.needsProof() && a.sized.note(m) {
		turn.Drop(events.StageFusion, events.RuleResized, events.Detail{Window: a.window, Frame: m.Hash})
		a.deferFrame(turn, m)
		return
	}
	m.Bubbles = a.sided(turn, m)
	if a.o.Strategy.needsProof() && a.withhold(turn, m) {
		return
	}
	a.blank.note(m)
	a.ask(turn, m)
}

// latest returns the view seen last: the ignored one if there is one, else the
// one passed on.
func (a *actor) latest(turn *actors.Turn) View {
	if a.ignored.Conversation != "" {
		return a.ignored
	}
	now, _ := current.Get(turn, "current")
	last, _ := lastViews.Get(turn, string(now))
	return last
}

// views decides about a frame by its bubbles: whether they belong to its title,
// and what happens to the pending view.
func (a *actor) views(turn *actors.Turn, m messages.FrameRead, view View, k known) {
	if len(m.Bubbles) == 0 {
		if p, ok := pendings.Get(turn, "held"); ok && p.takenBack(view, m.Marks) {
			pendings.Delete(turn, "held")
			a.pass(turn, p.Detection, p.View)
		}
		if a.allTakenBack(turn, m, view) {
			d := a.detection(m, k.title, view)
			d.Score = a.score(TextChanged, d)
			a.send(turn, d, view)
		}
		a.settle(turn, m)
		return
	}
	if bubbles, changed := a.claimed(turn, m, view); changed {
		m.Bubbles, view = bubbles, view.showing(bubbles)
	}
	pending, waits := pendings.Get(turn, "held")
	if waits && pending.Detection.SeenAt.Equal(m.At) || a.inconsistent > 0 && a.inconsistentAt.Equal(m.At) {
		a.readAgain(turn) // the same frame decides nothing
		return
	}
	if a.inconsistentTitle != view.Conversation {
		a.inconsistent = 0
	}
	k = a.context(turn, k, view, pending)
	k.drawn, k.certain = a.blank.before(m), m.Title.Confidence == 0
	fateOfPending, fateOfView := consistency(k, view)
	if waits && fateOfPending == Discard && pending.takenBack(view, m.Marks) {
		fateOfPending = Pass
	}
	if waits && fateOfPending != Wait && !a.release(turn, m, pending, fateOfPending, view) {
		a.deferFrame(turn, m)
		return
	}
	if k.unlisted {
		a.unlisted(turn, m, view)
		return
	}
	a.sides(turn, m.Bubbles)
	if waits && fateOfPending == Wait {
		a.contest(turn, pending, view)
	}
	a.conclude(turn, m, k.title, view, fateOfView)
}

// allTakenBack reports whether only notices are left of what the window showed of a
// conversation until now.
func (a *actor) allTakenBack(turn *actors.Turn, m messages.FrameRead, view View) bool {
	last := a.latest(turn)
	return slices.ContainsFunc(m.Marks, func(k messages.Mark) bool { return k.Kind == messages.MarkUnsent }) &&
		last.Conversation == view.Conversation && len(last.Marks) > 0 && a.streak.from(view.Conversation, last.At)
}

// claimed corrects the sides of bubbles that were recognised as own ones before.
func (a *actor) claimed(turn *actors.Turn, m messages.FrameRead, view View) (bubbles []messages.Bubble, changed bool) {
	sent, _ := echoes.Get(turn, string(view.Conversation))
	return sent.Claimed(view.Conversation, m.Bubbles)
}

// context adds to k what is known about a view.
func (a *actor) context(turn *actors.Turn, k known, view View, pending Pending) known {
	k.own, _ = lastViews.Get(turn, string(view.Conversation))
	k.pending, k.inconsistent, k.contested = pending.View, a.inconsistent, pending.Contested
	k.refuted = pending.Refuted
	k.others = func(yield func(View) bool) {
		for _, l := range lastViews.All(turn) {
			if !yield(l) {
				return
			}
		}
	}
	return k
}

// release drops the pending view if it was inconsistent. Otherwise it passes the
// view on, unless the next one is the same. It reports whether the view is done with.
func (a *actor) release(turn *actors.Turn, m messages.FrameRead, pending Pending, fate Fate, next View) bool {
	switch here := pending.View.Conversation == next.Conversation; {
	case fate == Discard:
		turn.Drop(events.StageFusion, events.RuleTornHeld, events.Detail{Window: a.window, Frame: m.Hash})
	case !pending.View.same(next):
		if here {
			a.saw(turn, m, pending.View)
		}
		// What is older goes first.
		a.claim(turn, pending.page(), pending.Detection.SeenAt, pending.View, pending.Detection.Title)
		if !a.pass(turn, pending.Detection, pending.View) && here {
			return false
		}
	}
	pendings.Delete(turn, "held")
	return true
}

// saw records which of our sends a frame shows and the previous view did not. A later
// bubble with the same text is the friend's.
func (a *actor) saw(turn *actors.Turn, m messages.FrameRead, before View) {
	known, _ := echoes.Get(turn, string(before.Conversation))
	if known.Saw(a.o.Rules, before.Conversation, m.At, before, m.Bubbles) {
		echoes.Put(turn, string(before.Conversation), known)
	}
}

// takenBack reports whether all that a pending view shows was taken back: the notices stand
// in its place.
func (p Pending) takenBack(v View, marks []messages.Mark) bool {
	marks = slices.DeleteFunc(slices.Clone(marks), func(k messages.Mark) bool { return k.Kind != messages.MarkUnsent })
	list := p.Detection.Bubbles
	if p.View.Conversation != v.Conversation || len(list) == 0 || len(marks) < len(list) {
		return false
	}
	at, first := marks[len(marks)-len(list)].Box, list[0].Box
	return at.Y >= first.Y && at.Y < first.Y+first.H
}

// contest notes that the bubbles of the pending view have appeared under another
// title.
func (a *actor) contest(turn *actors.Turn, pending Pending, view View) {
	if !pending.Refuted && pending.View.Conversation != view.Conversation && pending.View.claims(view) {
		pending.Contested, pending.Refuted = true, pending.Contested
		pendings.Put(turn, "held", pending)
	}
}

// conclude carries out what was decided about a view.
func (a *actor) conclude(turn *actors.Turn, m messages.FrameRead, title messages.Text, view View, fate Fate) {
	switch fate {
	case Inconsistent:
		a.inconsistent, a.inconsistentTitle, a.inconsistentAt = a.inconsistent+1, view.Conversation, m.At
		turn.Drop(events.StageFusion, events.RuleTorn, events.Detail{Window: a.window, Frame: m.Hash})
		a.readAgain(turn)
	case Wait:
		a.header.note(view.Conversation, m)
		pendings.Put(turn, "held", Pending{View: view, Detection: a.detection(m, title, view),
			Title: m.Title.Text, Name: m.Name})
		a.readAgain(turn)
	default:
		a.inconsistent, a.ignored = 0, View{}
		a.claim(turn, pageOf(m.Title.Text, m.Name, m.Bubbles), m.At, view, title)
		if d := a.detection(m, title, view); a.pass(turn, d, view) {
			a.settle(turn, m)
		} else { // passed on before what the next frame adds
			pendings.Put(turn, "held", Pending{View: view, Detection: d, Title: m.Title.Text, Name: m.Name})
			a.deferFrame(turn, m)
		}
		a.headedBy(turn, m, view.Conversation)
	}
}

// unlisted ignores a view whose conversation is not to be read.
func (a *actor) unlisted(turn *actors.Turn, m messages.FrameRead, view View) {
	if a.ignored.Conversation != view.Conversation {
		turn.Drop(events.StageFusion, events.RuleUnlisted, events.Detail{Window: a.window, Frame: m.Hash})
	}
	a.ignored = view
	a.settle(turn, m)
}

func (a *actor) detection(m messages.FrameRead, title messages.Text, v View) messages.Detection {
	return messages.Detection{
		Window: a.window, Conversation: v.Conversation, Title: title,
		Bubbles: m.Bubbles, Marks: m.Marks, Rows: m.Rows, Size: m.Size, Scale: m.Scale, SeenAt: m.At,
		Watched: m.Watched, Moves: v.Moves, Anew: a.reopened.begins(v.Conversation),
	}
}

// sending remembers what is about to be sent.
func (a *actor) sending(turn *actors.Turn, m messages.TextSent) {
	known, _ := echoes.Get(turn, string(m.Conversation))
	known.Sending(a.o.Rules, Send{Conversation: m.Conversation, Text: m.Text, Trace: m.Trace,
		At: turn.Now().UTC().Round(0), Entered: m.Entered || m.Window == ""}) // of a host's text nobody knows
	echoes.Put(turn, string(m.Conversation), known)
}

// pass sends a view on if it says anything new. It reports whether the view is done with:
// one that may show a friend's words or our own waits for the next frame.
func (a *actor) pass(turn *actors.Turn, d messages.Detection, view View) bool {
	if placeless(d.Bubbles) {
		a.emit(turn, d, view)
		return true
	}
	now, _ := current.Get(turn, "current")
	last, _ := lastViews.Get(turn, string(view.Conversation))
	known, _ := echoes.Get(turn, string(d.Conversation))
	bubbles, sided, found, learnt, doubt := known.Sides(a.o.Rules, d.Conversation, d.SeenAt, last, d.Bubbles)
	if learnt {
		echoes.Put(turn, string(d.Conversation), known)
	}
	for _, e := range found {
		a.echoed(turn, d, e)
	}
	if doubt {
		return false
	}
	if sided {
		d.Bubbles, view = bubbles, view.showing(bubbles)
	}
	signal := TextChanged
	if now == view.Conversation && view.same(last) {
		signal = TextUnchanged
		a.unchanged(turn, d.Conversation, last.text(), view.text())
	}
	if d.Score = a.score(signal, d); signal == TextUnchanged || d.Score < a.o.Rules.Threshold {
		a.belowThreshold(turn, d, signal)
		return true
	}
	a.send(turn, d, view)
	return true
}

// belowThreshold reports that a frame goes no further. New rows may raise the
// score, but they add no words to a frame that has none.
func (a *actor) belowThreshold(turn *actors.Turn, d messages.Detection, pixel Signal) {
	detail := a.detail(d, pixel)
	detail.Of = a.o.Rules.Threshold
	turn.Drop(events.StageFusion, events.RuleUnchanged, detail)
}

func (a *actor) detail(d messages.Detection, pixel Signal) events.Detail {
	detail := events.Detail{Window: a.window, Conversation: d.Conversation, Score: d.Score, Signals: a.signals,
		Changed: "0", Confidence: string(a.o.Rules.Label(d.Score))}
	if pixel == TextChanged {
		detail.Changed = "1"
	}
	return detail
}

// send passes a detection on.
func (a *actor) send(turn *actors.Turn, d messages.Detection, view View) {
	turn.Pass(events.StageFusion, events.RuleChanged, a.detail(d, TextChanged))
	turn.Send(messages.To(messages.ActorDedup, string(d.Conversation)), d)
	a.reopened = reopened{}
	a.remember(turn, view, d.SeenAt, placedBy(d))
	now, _ := current.Get(turn, "current")
	if now == view.Conversation {
		return
	}
	if last, ok := lastViews.Get(turn, string(now)); ok && !a.watched.IsZero() {
		last.Left = a.watched
		lastViews.Put(turn, string(now), last)
	}
	current.Put(turn, "current", view.Conversation)
}

// remember keeps a view as the last one of its conversation. A new conversation
// may push out the least recent one. Without that bound every misread title would
// stay for ever.
func (a *actor) remember(turn *actors.Turn, view View, at time.Time, shown placed) {
	if _, known := lastViews.Get(turn, string(view.Conversation)); !known {
		var oldest View
		n := 1
		for _, l := range lastViews.All(turn) {
			if n++; oldest.Conversation == "" || l.At.Before(oldest.At) {
				oldest = l
			}
		}
		if n > a.o.Keep {
			lastViews.Delete(turn, string(oldest.Conversation))
			a.forgetEchoes(turn, oldest.Conversation, at)
		}
	}
	last := a.before(turn, view.Conversation)
	view = a.linked(last, view, shown)
	a.placed = shown
	view.At, view.Looks = at, last.Looks
	lastViews.Put(turn, string(view.Conversation), view)
}

// linked is a view with the anchor that it has after the last one of its conversation.
func (a *actor) linked(last, view View, shown placed) View {
	unbroken := a.streak.from(view.Conversation, last.At)
	return last.linked(view, unbroken, unbroken && a.placed.edited(shown))
}

// before is the view of a conversation that was passed on last. If the window has shown
// another conversation since, its Steps are 0.
func (a *actor) before(turn *actors.Turn, c messages.ConversationID) View {
	last, _ := lastViews.Get(turn, string(c))
	if a.latest(turn).Conversation != c {
		last.Steps = 0
	}
	return last
}

// forgetEchoes drops what was sent to a conversation, unless it may still appear
// in the window.
func (a *actor) forgetEchoes(turn *actors.Turn, c messages.ConversationID, at time.Time) {
	known, ok := echoes.Get(turn, string(c))
	open := slices.ContainsFunc(known.Sends, func(s Send) bool { return at.Sub(s.At) < a.o.Rules.EchoWindow })
	if ok && !open {
		echoes.Delete(turn, string(c))
	}
}

func (a *actor) settle(turn *actors.Turn, m messages.FrameRead) {
	turn.Send(messages.To(messages.ActorPoller, string(a.window)),
		messages.FrameSettled{Window: a.window, Hash: m.Hash})
}

// readAgain has the window captured and read again.
func (a *actor) readAgain(turn *actors.Turn) {
	turn.Send(messages.To(messages.ActorPoller, string(a.window)), messages.ReadAgain{Window: a.window})
}
