package dedup

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/dedup/recent"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the actor's kind; the key is the conversation.
const Kind = messages.ActorDedup

// Options of a ledger. Start with [DefaultOptions].
type Options struct {
	ledger.Rules
	Recent  recent.Rules // of texts whose place tells nothing
	HashKey []byte       // key of the text hashes in the log; without it there are none
	// CatchUp returns how long what came after a gap is held while a window is scrolled
	// back to read it; 0: that window is not scrolled. Nil: none is.
	CatchUp func(messages.WindowID) time.Duration
}

// DefaultOptions returns the options of profile default.
func DefaultOptions() Options {
	return Options{Rules: ledger.DefaultRules(), Recent: recent.DefaultRules()}
}

// New makes the constructor of ledgers.
func New(o Options) func(messages.Address) actors.Actor {
	if o.CatchUp == nil {
		o.CatchUp = func(messages.WindowID) time.Duration { return 0 }
	}
	return func(self messages.Address) actors.Actor {
		return &actor{
			rules: o.Rules, conversation: messages.ConversationID(self.Key()), recentRules: o.Recent, key: o.HashKey,
			catchUp: o.CatchUp,
		}
	}
}

// Tables of a ledger. Readers of the store decode rows with them. Heads has the one row
// [HeadRow].
var (
	Tail  = actors.NewTable[ledger.Entry]("tail")
	Heads = actors.NewTable[ledger.Head]("head")
	Views = actors.NewTable[ledger.Memory]("views")
)

// HeadRow is the key of the only row in [Heads].
const HeadRow = "head"

// Kept is what stays of the row in [Heads] when its conversation is forgotten: the number of the next message, and
// that what is visible next is history.
func Kept() map[string]func(row []byte) []byte {
	return map[string]func([]byte) []byte{Heads.Name(): forgotten}
}

func forgotten(row []byte) []byte {
	head, err := Heads.Decode(row)
	if err != nil {
		head = ledger.Head{} // unreadable: it is deleted like the rest
	}
	mark, err := Heads.Encode(head.Forget())
	if err != nil {
		panic(err) // plain data: cannot happen
	}
	return mark
}

type actor struct {
	rules        ledger.Rules
	conversation messages.ConversationID
	ledger       *ledger.Ledger // as stored; nil before it is needed
	recentRules  recent.Rules
	recent       *recent.Texts // as stored; nil before it is needed
	key          []byte
	catchUp      func(messages.WindowID) time.Duration
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	if a.forward(turn, msg) {
		return nil
	}
	switch m := msg.(type) {
	case messages.Started:
	case messages.JoinLedger:
		return a.join(turn, m)
	case messages.LedgerJoined:
		return a.joined(turn, m)
	case messages.SplitLedger:
		return a.split(turn, m)
	case messages.LedgerSplit:
		return a.takeIn(turn, m)
	case messages.Detection:
		if a.stale(turn, m) {
			return nil
		}
		if m.Text != "" {
			return a.texts(turn, m)
		}
		return a.detection(turn, m)
	case messages.AskOverlap:
		a.overlap(turn, m)
	case messages.ViewBack:
		return a.viewBack(turn, m)
	case messages.CaughtUp:
		return a.caughtUp(turn, m)
	case messages.LedgerDue:
		a.load(turn)
		if err := a.finish(turn, a.ledger.Head()); err != nil {
			return err
		}
		a.lookAgain(turn)
	default:
		return fmt.Errorf("dedup: unexpected %s", msg.MessageType())
	}
	return nil
}

func (a *actor) load(turn *actors.Turn) {
	if a.ledger != nil {
		return
	}
	head, _ := Heads.Get(turn, HeadRow)
	var entries []ledger.Entry
	for _, e := range Tail.All(turn) {
		entries = append(entries, e)
	}
	a.ledger = ledger.New(a.rules, head, entries)
}

func (a *actor) detection(turn *actors.Turn, m messages.Detection) error {
	a.load(turn)
	mem, _ := Views.Get(turn, string(m.Window))
	digest := digestOf(m)
	if digest == mem.Digest && a.ledger.Head().Next == mem.Next && !a.ledger.Waits() {
		turn.Drop(events.StageDedup, events.RuleSameView, events.Detail{Window: m.Window, Conversation: a.conversation})
		return nil
	}
	head := a.ledger.Head()
	f := a.ledger.Observe(ledger.View{
		Bubbles: m.Bubbles, Marks: m.Marks, Rows: m.Rows, Size: m.Size, Scale: m.Scale, Title: m.Title,
		Window: m.Window, SeenAt: m.SeenAt, CatchUp: a.catchUp(m.Window), Anew: m.Anew,
	}, mem, turn.Now())
	detail := events.Detail{Window: m.Window, Conversation: a.conversation, Occurrences: f.Held, Known: f.Known}
	for _, n := range f.Notes {
		d := detail
		d.Count, d.Of, d.Match = n.Count, n.Of, n.Match
		turn.Drop(events.StageDedup, n.Rule, d)
	}
	detail.Occurrences = entered(head.Next, a.ledger.Head().Next, f.Held)
	turn.Pass(events.StageDedup, f.Rule, detail)
	if f.Gap {
		a.gap(turn, m, f, head.Next-1)
	}
	a.behind(turn, m, f)
	f.Memory.Digest = digest
	if f.Memory != mem {
		Views.Put(turn, string(m.Window), f.Memory)
	}
	if a.ledger.Relaid() {
		a.moveViews(turn, m.Window)
	}
	return a.finish(turn, head)
}

// moveViews keeps what the other windows have shown true after entries were given other places.
func (a *actor) moveViews(turn *actors.Turn, but messages.WindowID) {
	for w, was := range Views.All(turn) {
		if mem := a.ledger.Moved(was); w != string(but) && mem != was {
			Views.Put(turn, w, mem)
		}
	}
}

// overlap answers how much of a frame this conversation has shown.
func (a *actor) overlap(turn *actors.Turn, m messages.AskOverlap) {
	a.load(turn)
	mem, _ := Views.Get(turn, string(m.Window))
	turn.Send(messages.To(messages.ActorFusion, string(m.Window)), messages.OverlapAnswer{
		Frame: m.Frame, At: m.At, Conversation: a.conversation, Overlap: a.ledger.Overlap(ledger.View{
			Bubbles: m.Bubbles, Marks: m.Marks, Size: m.Size, Scale: m.Scale, Window: m.Window, SeenAt: m.At,
		}, mem, ledger.Watch{Recent: m.Watched, Unbroken: m.Unbroken}, turn.Now()),
	})
}

// finish passes on what is ready, and writes what has changed since head.
func (a *actor) finish(turn *actors.Turn, head ledger.Head) error {
	a.expire(turn)
	sideless := a.ledger.Sideless()
	ready, wait, unsure := a.ledger.Release(turn.Now())
	released := events.Detail{Conversation: a.conversation}
	for _, h := range ready {
		h.Conversation = a.conversation
		if ok, err := a.evidence(turn, h); err != nil {
			return err
		} else if !ok {
			continue
		}
		released.Window, released.Occurrences = h.Window, append(released.Occurrences, h.Occurrence)
		turn.Send(messages.To(messages.ActorIngress, string(a.conversation)), h)
	}
	if len(released.Occurrences) > 0 {
		turn.Pass(events.StageDedup, events.RuleReleased, released)
	}
	for range unsure {
		turn.Drop(events.StageDedup, events.RuleSide,
			events.Detail{Conversation: a.conversation, Occurrences: sideless})
	}
	own, unread := a.ledger.Own(turn.Now())
	a.tellOwn(turn, own)
	if unread > 0 && (wait == 0 || unread < wait) {
		wait = unread
	}
	held := a.ledger.Held(turn.Now())
	if wait > 0 && held == 0 { // look at the window again meanwhile
		wait = min(wait, (a.rules.Timeout-1)/time.Duration(a.rules.Tries)+1)
	}
	revised, next := a.ledger.Revise(turn.Now())
	for _, r := range revised {
		r.Conversation = a.conversation
		turn.Send(messages.To(messages.ActorIngress, string(a.conversation)), r)
		turn.Pass(events.StageDedup, events.Rule(r.Change), events.Detail{
			Window: r.Window, Conversation: a.conversation, Occurrences: []messages.Occurrence{r.Occurrence},
		})
	}
	if wait == 0 || next > 0 && next < wait {
		wait = next
	}
	if held > 0 && (wait == 0 || held < wait) {
		wait = held
	}
	if wait > 0 {
		turn.After("release", wait, messages.LedgerDue{})
	}
	put, gone := a.ledger.Changes()
	for _, e := range put {
		Tail.Put(turn, actors.PlaceKey(e.Pos), e)
	}
	for _, pos := range gone {
		Tail.Delete(turn, actors.PlaceKey(pos))
	}
	if now := a.ledger.Head(); now != head {
		Heads.Put(turn, HeadRow, now)
	}
	return nil
}

// tellOwn passes on the new messages of our side.
func (a *actor) tellOwn(turn *actors.Turn, own []messages.OwnMessage) {
	detail := events.Detail{Conversation: a.conversation}
	for _, m := range own {
		m.Conversation = a.conversation
		detail.Window, detail.Occurrences = m.Window, append(detail.Occurrences, m.Occurrence)
		turn.Send(messages.To(messages.ActorIngress, string(a.conversation)), m)
	}
	if len(own) > 0 {
		turn.Pass(events.StageDedup, events.RuleOwn, detail)
	}
}

// lookAgain asks for another reading of the window while something waits to be read
// better. The window has not changed, so nobody else would ask.
func (a *actor) lookAgain(turn *actors.Turn) {
	if window := a.ledger.Head().Window; window != "" && a.ledger.Waits() && a.ledger.Held(turn.Now()) == 0 {
		turn.Send(messages.To(messages.ActorPoller, string(window)), messages.ReadNow{Window: window})
	}
}

// entered lists the occurrences assigned between two heads, without those held back.
func entered(from, to messages.Occurrence, held []messages.Occurrence) (list []messages.Occurrence) {
	for o := max(from, 1); o < to; o++ {
		if !slices.Contains(held, o) {
			list = append(list, o)
		}
	}
	return list
}

// digestOf identifies a view by its content.
func digestOf(m messages.Detection) uint64 {
	h := fnv.New64a()
	var b [8]byte
	number := func(n uint64) { binary.LittleEndian.PutUint64(b[:], n); h.Write(b[:]) }
	word := func(s string) { number(uint64(len(s))); h.Write([]byte(s)) }
	word(string(m.Title))
	number(uint64(m.Size.H))
	for _, v := range m.Marks {
		word(string(v.Kind))
		number(uint64(v.Box.Y))
	}
	for _, v := range m.Bubbles {
		word(string(v.Side))
		word(string(v.Kind))
		word(string(v.Text))
		word(string(v.Sender))
		word(v.Stamp)
		number(uint64(v.Key))
		number(uint64(v.Box.Y))
		if v.Clipped {
			number(1)
		}
		if v.Low {
			number(2)
		}
	}
	return h.Sum64()
}
