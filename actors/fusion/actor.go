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

// Options of a fusion.
type Options struct {
	App  string // prefix of conversation ids, "line"; "" means the window's name before "@"
	Only Only   // conversations that are read; of others nothing is kept

	Strategy Strategy      // how it finds out what is new; nil means [ByViews]
	Clean    Sanitizer     // takes out what the application itself writes
	Interval time.Duration // of polls: signals less apart are of one; 0 means 1 s
	HashKey  []byte        // makes the hashes of texts in the log; none without it
	Rules    Rules         // the zero value means [DefaultRules]
	Keep     int           // conversations whose last view is known; 0 means 512
}

// New makes the constructor of fusions.
func New(o Options) func(messages.Address) actors.Actor {
	if o.Rules == (Rules{}) {
		o.Rules = DefaultRules()
	}
	if o.Interval <= 0 {
		o.Interval = time.Second
	}
	if o.Strategy == nil {
		o.Strategy = ByViews{}
	}
	if o.Keep <= 0 {
		o.Keep = 512
	}
	return func(self messages.Address) actors.Actor {
		a := &actor{o: o, window: messages.WindowID(self.Key())}
		if a.o.App == "" {
			a.o.App, _, _ = strings.Cut(self.Key(), "@")
		}
		return a
	}
}

// Held is a view that the next reading decides on.
type Held struct {
	View      Last               `json:"view"`
	Detection messages.Detection `json:"detection"`
	Contested bool               `json:"contested,omitempty"` // its bubbles came under another title since
}

var (
	lasts   = actors.NewTable[Last]("last")
	current = actors.NewTable[string]("current")
	helds   = actors.NewTable[Held]("held")
	cursors = actors.NewTable[Cursor]("cursor")
	told    = actors.NewTable[time.Time]("unknown")
	echoes  = actors.NewTable[Echoes]("echoes")
)

type actor struct {
	o      Options
	window messages.WindowID

	torn    int       // torn frames in a row, all with one title
	tornAs  string    // that title
	tornAt  time.Time // when the last of them was captured
	unknown unknown
	lacking lacking
	// bareShare is the share of bare blocks in the last frame that was believed.
	bareShare float64
	sideless  bool // no bubble of the last frame told whose it is
	shut      Last // what was seen last, if it is on no list: here only, never stored

	seen      seen
	structure *Evidence          // that no frame has used yet
	signals   []events.Signalled // of the frame that was scored last
	news      Evidence           // of the last frame that said something new
	grown     *grown             // rows that wait for their text
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
	case messages.FrameRead:
		a.read(turn, m)
	case messages.StructureSignal:
		a.rows(turn, m)
	case messages.SignalDue:
		a.waited(turn)
	case messages.BareDue:
		a.tellBare(turn)
	case messages.TextSent:
		a.sending(turn, m)
	case messages.ResetBaseline:
		a.seen = seen{}
	default:
		return fmt.Errorf("fusion: unexpected %s", msg.MessageType())
	}
	return nil
}

// read decides about a frame: whether it can be believed, whose it is, and what
// of it is new.
func (a *actor) read(turn *actors.Turn, m messages.FrameRead) {
	if a.o.Strategy.needsProof() && a.withhold(turn, m) {
		return
	}
	k := known{current: a.latest(turn)}
	view := viewOf("", m.Bubbles)
	var why events.UnknownReason
	if view.Name, why = a.identify(turn, m, k.current, view); why != "" {
		a.hold(turn, m, why)
		return
	}
	a.identified(turn)
	a.o.Strategy.take(a, turn, m, view, k)
}

// latest is the view that was seen last: of a conversation that is on no list,
// or the one that was passed on.
func (a *actor) latest(turn *actors.Turn) Last {
	if a.shut.Name != "" {
		return a.shut
	}
	name, _ := current.Get(turn, "current")
	last, _ := lasts.Get(turn, name)
	return last
}

// views decides about a frame by its bubbles: whether they belong under its
// title, and what becomes of the view that waited for this one.
func (a *actor) views(turn *actors.Turn, m messages.FrameRead, view Last, k known) {
	if len(m.Bubbles) == 0 {
		a.settle(turn, m)
		return
	}
	if bubbles, changed := a.claimed(turn, m, view); changed {
		m.Bubbles, view = bubbles, viewOf(view.Name, bubbles)
	}
	held, waits := helds.Get(turn, "held")
	if waits && held.Detection.SeenAt.Equal(m.At) || a.torn > 0 && a.tornAt.Equal(m.At) {
		a.again(turn) // the same frame decides nothing
		return
	}
	if a.tornAs != view.Name {
		a.torn = 0
	}
	ofHeld, ofView := steady(a.around(turn, k, view, held), view)
	if waits && ofHeld != Wait {
		a.release(turn, m, held, ofHeld, view)
	}
	if !a.o.Only.Allows(a.o.App, view.Name) {
		a.unlisted(turn, m, view)
		return
	}
	a.sides(turn, m.Bubbles)
	if waits && ofHeld == Wait {
		a.contest(turn, held, view)
	}
	a.conclude(turn, m, view, ofView)
}

// claimed corrects the sides of bubbles that were taken for own ones before.
func (a *actor) claimed(turn *actors.Turn, m messages.FrameRead, view Last) (bubbles []messages.Bubble, changed bool) {
	conversation := Conversation(a.o.App, view.Name)
	sent, _ := echoes.Get(turn, string(conversation))
	return sent.Claimed(conversation, m.Bubbles)
}

// around adds to k what is known about a view.
func (a *actor) around(turn *actors.Turn, k known, view Last, held Held) known {
	k.own, _ = lasts.Get(turn, view.Name)
	k.held, k.torn, k.contested = held.View, a.torn, held.Contested
	k.others = func(yield func(Last) bool) {
		for _, l := range lasts.All(turn) {
			if !yield(l) {
				return
			}
		}
	}
	return k
}

// release ends the waiting of a view: it was torn, or goes on if it is not the
// same as the next.
func (a *actor) release(turn *actors.Turn, m messages.FrameRead, held Held, fate Fate, next Last) {
	switch {
	case fate == Discard:
		turn.Drop(events.StageFusion, events.RuleTornHeld, events.Detail{Window: a.window, Frame: m.Hash})
	case !held.View.same(next):
		a.pass(turn, held.Detection, held.View)
	}
	helds.Delete(turn, "held")
}

// contest notes that the bubbles of a view that waits have come under another
// title.
func (a *actor) contest(turn *actors.Turn, held Held, view Last) {
	if !held.Contested && held.View.Name != view.Name && held.View.claims(view) {
		held.Contested = true
		helds.Put(turn, "held", held)
	}
}

// conclude does what was decided about a view.
func (a *actor) conclude(turn *actors.Turn, m messages.FrameRead, view Last, fate Fate) {
	switch fate {
	case Torn:
		a.torn, a.tornAs, a.tornAt = a.torn+1, view.Name, m.At
		turn.Drop(events.StageFusion, events.RuleTorn, events.Detail{Window: a.window, Frame: m.Hash})
		a.again(turn)
	case Wait:
		helds.Put(turn, "held", Held{View: view, Detection: a.detection(m, view.Name)})
		a.again(turn)
	default:
		a.torn, a.shut = 0, Last{}
		a.pass(turn, a.detection(m, view.Name), view)
		a.settle(turn, m)
	}
}

// unlisted lets a view go that is on no list.
func (a *actor) unlisted(turn *actors.Turn, m messages.FrameRead, view Last) {
	if a.shut.Name != view.Name {
		turn.Drop(events.StageFusion, events.RuleUnlisted, events.Detail{Window: a.window, Frame: m.Hash})
	}
	a.shut = view
	a.settle(turn, m)
}

func (a *actor) detection(m messages.FrameRead, name string) messages.Detection {
	return messages.Detection{
		Window: a.window, Conversation: Conversation(a.o.App, name), Title: messages.Text(name), Bubbles: m.Bubbles, Marks: m.Marks,
		Size: m.Size, Scale: m.Scale, SeenAt: m.At,
	}
}

// sending remembers what is about to be sent.
func (a *actor) sending(turn *actors.Turn, m messages.TextSent) {
	known, _ := echoes.Get(turn, string(m.Conversation))
	known.Sending(a.o.Rules, Send{Conversation: m.Conversation, Text: m.Text, Trace: m.Trace, At: turn.Now().UTC().Round(0)})
	echoes.Put(turn, string(m.Conversation), known)
}

// pass sends a view on if it says anything new.
func (a *actor) pass(turn *actors.Turn, d messages.Detection, view Last) {
	if placeless(d.Bubbles) {
		a.emit(turn, d, view)
		return
	}
	name, _ := current.Get(turn, "current")
	last, _ := lasts.Get(turn, view.Name)
	known, _ := echoes.Get(turn, string(d.Conversation))
	bubbles, sided, found, learnt := known.Sides(a.o.Rules, d.Conversation, d.SeenAt, last, d.Bubbles)
	if learnt {
		echoes.Put(turn, string(d.Conversation), known)
	}
	for _, e := range found {
		a.echoed(turn, d, e)
	}
	if sided {
		d.Bubbles, view = bubbles, viewOf(view.Name, bubbles)
	}
	signal := TextChanged
	if name == view.Name && view.same(last) {
		signal = TextUnchanged
		a.unchanged(turn, d.Conversation, last.text(), view.text())
	}
	if d.Score = a.score(signal, d); signal == TextUnchanged || d.Score < a.o.Rules.Threshold {
		a.belowThreshold(turn, d, signal)
		return
	}
	a.send(turn, d, view)
}

// belowThreshold reports that a frame goes no further. Rows that came may lift
// the score, but not put words into a frame that has none.
func (a *actor) belowThreshold(turn *actors.Turn, d messages.Detection, pixel Signal) {
	detail := a.detail(d, pixel)
	detail.Of = a.o.Rules.Threshold
	turn.Drop(events.StageFusion, events.RuleUnchanged, detail)
}

func (a *actor) detail(d messages.Detection, pixel Signal) events.Detail {
	detail := events.Detail{Window: a.window, Conversation: d.Conversation, Score: d.Score, Signals: a.signals, Changed: "0", Confidence: string(a.o.Rules.Label(d.Score))}
	if pixel == TextChanged {
		detail.Changed = "1"
	}
	return detail
}

// send passes a detection on.
func (a *actor) send(turn *actors.Turn, d messages.Detection, view Last) {
	turn.Pass(events.StageFusion, events.RuleChanged, a.detail(d, TextChanged))
	turn.Send(messages.To(messages.ActorDedup, string(d.Conversation)), d)
	a.remember(turn, view, d.SeenAt)
	if name, _ := current.Get(turn, "current"); name != view.Name {
		current.Put(turn, "current", view.Name)
	}
}

// remember keeps a view as the last one of its conversation. A new conversation
// may push out the one that was passed on the longest ago: each misread title is
// one, and would stay for ever.
func (a *actor) remember(turn *actors.Turn, view Last, at time.Time) {
	if _, known := lasts.Get(turn, view.Name); !known {
		var oldest Last
		n := 1
		for _, l := range lasts.All(turn) {
			if n++; oldest.Name == "" || l.At.Before(oldest.At) {
				oldest = l
			}
		}
		if n > a.o.Keep {
			lasts.Delete(turn, oldest.Name)
			a.forgetEchoes(turn, Conversation(a.o.App, oldest.Name), at)
		}
	}
	view.At = at
	lasts.Put(turn, view.Name, view)
}

// forgetEchoes drops what was sent into a conversation, unless it may still
// appear.
func (a *actor) forgetEchoes(turn *actors.Turn, c messages.ConversationID, at time.Time) {
	known, ok := echoes.Get(turn, string(c))
	open := slices.ContainsFunc(known.Sends, func(s Send) bool { return at.Sub(s.At) < a.o.Rules.EchoWindow })
	if ok && !open {
		echoes.Delete(turn, string(c))
	}
}

func (a *actor) settle(turn *actors.Turn, m messages.FrameRead) {
	turn.Send(messages.To(messages.ActorPoller, string(a.window)), messages.FrameSettled{Window: a.window, Hash: m.Hash})
}

// again has the window captured and read again.
func (a *actor) again(turn *actors.Turn) {
	turn.Send(messages.To(messages.ActorPoller, string(a.window)), messages.ReadAgain{Window: a.window})
}
