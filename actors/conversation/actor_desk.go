package conversation

import (
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/interview"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Tables of replies. Each has one row, [DeskKey], except bases, whose rows are turns.
// Readers of the store decode them with these.
var (
	Desks     = actors.NewTable[reply.Desk]("desk")
	Bases     = actors.NewTable[Basis]("basis")
	usages    = actors.NewTable[reply.Usage]("usage")
	owners    = actors.NewTable[messages.OwnerState]("owner")
	follows   = actors.NewTable[messages.Address]("follows")
	revisions = actors.NewTable[int]("revisions") // how often a message was changed, by id
)

// DeskKey is the key of the only row in [Desks].
const DeskKey = onlyRow

const onlyRow = "only"

// Unfinished is the row that is there while something is to be decided. Whoever has it must be started where it comes
// to: a model was asked at the node before, and its answer is lost.
var Unfinished = follows.Row(onlyRow)

// Basis is what a turn's reply rests on, and the rule that put it where it is.
type Basis struct {
	messages.ReplyBasis
	Rule   reply.Rule          `json:"rule,omitempty"`
	Window messages.WindowID   `json:"window,omitempty"` // where it goes
	Reason messages.SendReason `json:"not_sent,omitempty"`
	Disk   string              `json:"disk,omitempty"` // of the machine that was told to send it; see [Options.Disk]
}

// delivered opens a turn for a delivered message, if it wants an answer. Memory is asked
// what helps to answer before it learns of the message, and searches while it stores the
// message. An interview asks no memory, and may answer at once: memory hears of the
// answer last.
func (a *actor) delivered(turn *actors.Turn, d messages.MessageDelivered) {
	v, led := a.leads(turn)
	l, left := lineOf(d)
	switch {
	case left && led:
		a.remember(turn, l, d.Window)
	case left:
		defer a.remember(turn, l, d.Window)
	}
	if !a.set(turn, d.Window).Answers() || a.answeredSince(turn, d) {
		return
	}
	if !led {
		a.asksToRemind(turn, d)
	} else if desk, _ := Desks.Get(turn, onlyRow); desk.Open == nil && v.State.Phase == interview.Done {
		return // it is over, and has said so
	}
	a.settleLost(turn)
	a.step(turn, reply.Event{Kind: reply.OnMessage, Message: d.ID})
}

// changed reconsiders the answer to a message that was edited or taken back.
func (a *actor) changed(turn *actors.Turn, d messages.MessageDelivered) {
	n, _ := revisions.Get(turn, string(d.ID))
	revisions.Put(turn, string(d.ID), n+1)
	l, left := lineOf(d)
	a.takenBack(turn, d.ID)
	if left {
		a.remember(turn, l, d.Window)
	} else {
		a.unremember(turn, d.ID)
	}
	if _, led := a.leads(turn); left && !led && a.set(turn, d.Window).Answers() {
		a.asksToRemind(turn, d)
	}
	if a.step(turn, reply.Event{Kind: reply.OnChanged, Message: d.ID, Unsent: !left}) && !left {
		a.tellJudge(turn, messages.FateForget)
	}
	a.analyse(turn)
}

// step moves the desk and carries out the effects.
func (a *actor) step(turn *actors.Turn, e reply.Event) bool {
	before, _ := Desks.Get(turn, onlyRow)
	after, effects, ok := before.Step(e)
	if !ok {
		return false
	}
	Desks.Put(turn, onlyRow, after)
	a.tell(turn, before, after, e)
	a.follow(turn, before, after) // an effect may cause the next step
	for _, effect := range effects {
		a.do(turn, after, effect)
	}
	return true
}

// do carries out an effect.
func (a *actor) do(turn *actors.Turn, desk reply.Desk, e reply.Effect) {
	switch e.Kind {
	case reply.Judge:
		a.askJudge(turn, desk.Open)
	case reply.Write:
		a.write(turn, desk.Open)
	case reply.StopWriting:
		a.stopWriting(turn, e.Turn, e.Epoch)
	case reply.SendReply:
		window := a.window(turn, e.Turn)
		if window.Channel() != "" {
			a.handOut(turn, e)
			return
		}
		turn.Send(messages.To(messages.ActorOutbound, string(window)), messages.SendReply{Conversation: a.id,
			Window: window, Turn: e.Turn, Epoch: e.Epoch, Text: e.Text, At: turn.Now()})
		if d := a.o.Overdue(); d > 0 {
			basis, _ := Bases.Get(turn, RowKey(e.Turn))
			if disk := a.o.Disk(window); disk != basis.Disk {
				basis.Disk = disk
				Bases.Put(turn, RowKey(e.Turn), basis)
			}
			a.awaitSent(turn, a.silent(e.Turn, e.Epoch, turn.Now().Add(d)))
		}
	case reply.StopSending:
		a.stopSending(turn, e.Turn, e.Epoch)
	case reply.NotifyOwner: // the event says so
	}
}

// overdue is the timer of a reply that a window was given.
const overdue = "overdue"

// silent says that nobody has said what became of a reply.
func (a *actor) silent(of int64, epoch int, at time.Time) messages.SendDone {
	return messages.SendDone{Conversation: a.id, Turn: of, Epoch: epoch, Outcome: messages.SendUnknown,
		Reason: messages.SendSilent, At: at}
}

// lookEvery is how often it is looked whether the machine that sends a reply was replaced.
const lookEvery = time.Minute

// awaitSent has silence count at its time, or soon after the machine that sends was replaced.
func (a *actor) awaitSent(turn *actors.Turn, silent messages.SendDone) {
	d := silent.At.Sub(turn.Now())
	if basis, _ := Bases.Get(turn, RowKey(silent.Turn)); basis.Disk != "" {
		d = min(d, lookEvery)
	}
	turn.After(overdue, d, silent)
}

// stillAwaited reports whether a reply may yet be reported on, and goes on waiting for that.
func (a *actor) stillAwaited(turn *actors.Turn, m messages.SendDone) bool {
	desk, _ := Desks.Get(turn, onlyRow)
	of := messages.Sending{Conversation: a.id, Turn: m.Turn, Epoch: m.Epoch}
	if m.Reason != messages.SendSilent || !turn.Now().Before(m.At) || !desk.StillSends(of) || a.lost(turn, m.Turn) {
		return false
	}
	a.awaitSent(turn, m)
	return true
}

// lost reports whether the machine that was told to send a reply was replaced since: what it knew is gone.
func (a *actor) lost(turn *actors.Turn, of int64) bool {
	basis, _ := Bases.Get(turn, RowKey(of))
	return basis.Disk != "" && basis.Disk != a.o.Disk(basis.Window)
}

// settleLost has a reply step aside of which nobody will say any more what became of it.
func (a *actor) settleLost(turn *actors.Turn) {
	desk, _ := Desks.Get(turn, onlyRow)
	if t := desk.Open; t != nil && t.State == reply.Sending && a.lost(turn, t.ID) {
		a.sent(turn, a.silent(t.ID, t.Epoch, turn.Now()))
	}
}

func (a *actor) stopSending(turn *actors.Turn, of int64, epoch int) {
	window := a.window(turn, of)
	turn.Send(messages.To(messages.ActorOutbound, string(window)), messages.StopSending{Conversation: a.id,
		Window: window, Turn: of, Epoch: epoch})
}

func (a *actor) window(turn *actors.Turn, of int64) messages.WindowID {
	basis, _ := Bases.Get(turn, RowKey(of))
	return basis.Window
}

// tell publishes the changes of replies that a person can see.
func (a *actor) tell(turn *actors.Turn, before, after reply.Desk, e reply.Event) {
	for _, t := range reply.Changed(before, after, e) {
		basis, _ := Bases.Get(turn, RowKey(t.ID))
		turn.Publish(messages.ReplyChanged{
			Conversation: a.id, Turn: t.ID, Epoch: t.Epoch, State: t.State, Text: t.Text,
			Rule: basis.Rule, Answers: t.Messages, Notify: e.Action == reply.Notify, Reason: basis.Reason,
			Basis: basis.ReplyBasis, Window: basis.Window, Occurrence: a.handedOut(turn, t), At: turn.Now(),
		})
		if t.State.Ends() {
			Bases.Delete(turn, RowKey(t.ID))
		}
	}
	if before.Open != nil && !after.Has(before.Open.ID) {
		a.over(turn, before.Open)
		Bases.Delete(turn, RowKey(before.Open.ID))
		turn.Cancel("decide")
	}
}

// follow asks owner to report what the person does and allows while something is to be
// decided, and to wake this actor after a restart.
func (a *actor) follow(turn *actors.Turn, before, after reply.Desk) {
	switch {
	case a.o.Owner == "" || following(before) == following(after):
	case following(after):
		a.followOwner(turn)
	default:
		a.unfollow(turn)
	}
}

func (a *actor) followOwner(turn *actors.Turn) {
	follows.Put(turn, onlyRow, a.o.Owner)
	turn.Send(a.o.Owner, messages.FollowOwner{Conversation: a.id, On: true})
}

func (a *actor) unfollow(turn *actors.Turn) {
	of, known := follows.Get(turn, onlyRow)
	if !known { // an older version asked
		of = a.o.Owner
	}
	turn.Send(of, messages.FollowOwner{Conversation: a.id})
	follows.Delete(turn, onlyRow)
	owners.Delete(turn, onlyRow)
}

// followHere asks the owner of this node. The conversation may come from another one, which may be gone with what it
// was asked.
func (a *actor) followHere(turn *actors.Turn, desk reply.Desk) {
	of, known := follows.Get(turn, onlyRow)
	_, told := owners.Get(turn, onlyRow)
	if a.o.Owner == "" || !following(desk) || of == a.o.Owner && told {
		return
	}
	if known && of != a.o.Owner {
		a.unfollow(turn)
	}
	a.followOwner(turn)
}

func following(d reply.Desk) bool {
	if d.Open == nil {
		return false
	}
	switch d.Open.State {
	case reply.Judging, reply.Writing, reply.Held:
		return true
	}
	return false
}

// resume asks again for what may have been lost with the process.
func (a *actor) resume(turn *actors.Turn) {
	a.rememberAll(turn)
	desk, _ := Desks.Get(turn, onlyRow)
	if desk.Open == nil {
		return
	}
	a.followHere(turn, desk)
	switch desk.Open.State {
	case reply.Judging:
		a.askJudge(turn, desk.Open)
	case reply.Writing:
		a.write(turn, desk.Open)
	}
}

// trimDraft gives up a draft that was written before a time.
func (a *actor) trimDraft(turn *actors.Turn, before time.Time) {
	desk, _ := Desks.Get(turn, onlyRow)
	if t := desk.Open; t != nil {
		basis, _ := Bases.Get(turn, RowKey(t.ID))
		if !basis.WrittenAt.IsZero() && basis.WrittenAt.Before(before) {
			a.step(turn, reply.Event{Kind: reply.OnReject, Turn: t.ID})
		}
	}
}

// late records an answer that is no longer expected.
func (a *actor) late(turn *actors.Turn) {
	turn.Drop(events.StageConversation, events.RuleLate, events.Detail{Conversation: a.id})
}
