package outbound

import (
	"fmt"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the actor's kind; the key is the window.
const Kind = messages.ActorOutbound

// Options of a sender.
type Options struct {
	Rules   Rules
	Desk    string              // key of the keyboard
	Windows []messages.WindowID // all watched windows: each is told of a text before it is typed
	Read    time.Duration       // deadline of a reading
}

// Replies holds the replies in progress, by number; the lowest goes first.
var Replies = actors.NewTable[Reply]("replies")

// Lost holds replies that ended as unknown, by trace and without their texts: their
// bubbles may still turn up. The newest maxLost are kept.
var Lost = actors.NewTable[Reply]("lost")

const maxLost = 64

// owners has one row, "now": what the owner allows. Without it, everything is allowed.
var owners = actors.NewTable[messages.OwnerState]("owner")

// counts has one row, "next": the number of the next reply.
var counts = actors.NewTable[uint64]("count")

// About reports whether a row of a sender is about a conversation.
func About(c messages.ConversationID, row string, value []byte) bool {
	switch table, _ := actors.SplitRow(row); table {
	case Replies.Name(), Lost.Name(), stops.Name():
		s, err := Replies.Decode(value)
		return err != nil || s.Conversation == c
	}
	return false
}

// SubjectOf returns the conversation that a row of a sender is about, "" for the window.
func SubjectOf(row string, value []byte) messages.ConversationID {
	if table, _ := actors.SplitRow(row); table != Replies.Name() && table != Lost.Name() {
		return ""
	}
	s, err := Replies.Decode(value)
	if err != nil {
		return ""
	}
	return s.Conversation
}

// New returns a constructor of senders.
func New(o Options) func(messages.Address) actors.Actor {
	return func(self messages.Address) actors.Actor {
		return &actor{o: o, window: messages.WindowID(self.Key())}
	}
}

type actor struct {
	o      Options
	window messages.WindowID

	look  *look     // in progress; nil for none
	last  look      // the latest one judged: the hands act on it
	step  string    // ID of the hands' call in progress
	alarm time.Time // when the timer fires; zero if it may not be set

	ending bool     // the program is about to end
	unread []string // rows of replies that are out of reach
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	if !a.reach(turn) {
		return nil
	}
	switch m := msg.(type) {
	case messages.Started:
		a.started(turn)
	case messages.SendReply:
		a.take(turn, m)
	case messages.StopSending:
		a.stop(turn, m)
	case messages.EndSending:
		a.ending = true
	case messages.KeyboardGiven:
		a.given(turn)
	case messages.SendDue:
		a.due(turn)
	case messages.FrameCaptured:
		a.captured(turn, m.Frame)
	case messages.FrameRead:
		a.read(turn, m)
	case messages.ConversationShown:
		a.whose(turn, m)
	case messages.HandsDone:
		a.handsDone(turn)
	case messages.CallFailed:
		a.callFailed(turn, m)
	case messages.OwnMessage:
		a.own(turn, m)
	case messages.OwnerState:
		owners.Put(turn, "now", m)
	default:
		return fmt.Errorf("outbound: unexpected %s", msg.MessageType())
	}
	a.goOn(turn)
	return nil
}

// started continues what an earlier activation left behind.
func (a *actor) started(turn *actors.Turn) {
	for row, s := range a.replies(turn) {
		a.takeUp(turn, row, s)
	}
	if _, known := working.Get(turn, "now"); !known { // and all are in reach
		row, s, _ := a.active(turn)
		works(turn, row, s)
	}
	if len(a.unread) == 0 {
		stops.Clear(turn)
	}
}

// take queues a reply.
func (a *actor) take(turn *actors.Turn, m messages.SendReply) {
	n, _ := counts.Get(turn, "next")
	n++
	counts.Put(turn, "next", n)
	s := Reply{SendReply: m, Trace: turn.NewID(), State: Queued}
	if len(a.unread) > 0 { // an older one of its conversation may be among them
		s.Due = turn.Now().UTC().Round(0).Add(readAgain)
	}
	Replies.Put(turn, actors.RowKey(n), s)
	turn.Send(a.stall(), messages.TaskDone{Conversation: m.Conversation, Trace: s.task()})
	turn.Pass(events.StageOutbound, events.RuleQueued,
		events.Detail{Window: a.window, Conversation: m.Conversation})
}

// happened applies an event to a reply.
func (a *actor) happened(turn *actors.Turn, row string, e Event) {
	s, ok := Replies.Get(turn, row)
	if !ok {
		return
	}
	now := turn.Now().UTC().Round(0)
	next, effects := a.o.Rules.Step(s, e, now)
	if len(effects) > 0 { // wait for an answer, unless an effect says how long
		next.Due = now.Add(watch)
	}
	for _, do := range effects {
		if do.Kind == Wait {
			next.Due = now.Add(do.For)
		}
	}
	a.store(turn, row, s, next)
	for _, do := range effects {
		if do.Kind == LeaveKeyboard && !s.State.Works() { // another reply may have the keyboard
			continue
		}
		a.perform(turn, row, next, do)
	}
}

// watch is how long to wait for an answer before it counts as lost.
const watch = 3 * time.Minute

// store saves a reply and reports what a person should know.
func (a *actor) store(turn *actors.Turn, row string, was, now Reply) {
	Replies.Put(turn, row, now)
	if was.State.Works() != now.State.Works() {
		works(turn, row, now)
	}
	if was.Entered && !now.Entered && now.State == Settling { // Enter was refused
		a.tellWindows(turn, a.sent(turn, now))
	}
	if was.Notified != now.Notified {
		a.tell(turn, now.Notified, now.Busy)
	}
	if now.State == Confirming && was.State != Confirming {
		turn.Publish(events.ReplyTyped{Window: a.window, Conversation: now.Conversation, At: turn.Now()})
	}
	if now.State == Queued && now.Reason != "" && was.State != Queued {
		turn.Send(a.stall(),
			messages.SendTried{Conversation: now.Conversation, Trace: now.task(), Reason: now.Reason})
		turn.Drop(events.StageOutbound, events.RulePutOff, events.Detail{Window: a.window,
			Conversation: now.Conversation, Code: string(now.Reason), Count: now.Tries})
	}
}

func (a *actor) tell(turn *actors.Turn, busy bool, streak int) {
	turn.Publish(events.TypingState{Window: a.window, Busy: busy, Streak: streak, At: turn.Now()})
}

// perform carries out one effect.
func (a *actor) perform(turn *actors.Turn, row string, s Reply, do Effect) {
	desk := messages.To(messages.ActorKeyboard, a.o.Desk)
	switch do.Kind {
	case AskKeyboard:
		turn.Send(desk, messages.AskKeyboard{Window: a.window, For: Kind})
	case LeaveKeyboard:
		a.look, a.step = nil, ""
		turn.Send(desk, messages.LeaveKeyboard{Window: a.window, For: Kind})
		a.typing(turn, 0)
	case LookAtWindow:
		a.beginLook(turn)
	case Announce:
		a.announce(turn, s)
	case TypeText:
		a.typing(turn, messages.MaxTyping)
		a.step = turn.Call(messages.WorkerHands, messages.TypeText{Look: a.last.seen(), Text: s.Text,
			Idle: a.o.Rules.Idle, Of: s.sending()}, typeTime)
	case PressEnter:
		sent := a.sent(turn, s)
		sent.Entered = true
		turn.Send(messages.To(messages.ActorIngress, string(s.Conversation)), sent)
		a.tellWindows(turn, sent)
		a.step = turn.Call(messages.WorkerHands, messages.PressEnter{Look: a.last.seen(), Of: s.sending()}, keyTime)
	case ClearField:
		a.step = turn.Call(messages.WorkerHands, messages.ClearField{Look: a.last.seen()}, keyTime)
	case Wait: // until it is due
	case Finish:
		a.finish(turn, row, s, do)
	}
}

// Each step of the hands is tried only once: if it fails, the window shows how far it
// got.
var (
	typeTime = actors.CallOptions{Deadline: 30 * time.Second}
	keyTime  = actors.CallOptions{Deadline: 10 * time.Second}
)

// typing pauses captures of the window for d, or resumes them.
func (a *actor) typing(turn *actors.Turn, d time.Duration) {
	turn.Send(messages.To(messages.ActorPoller, string(a.window)),
		messages.Typing{Window: a.window, Until: turn.Now().Add(d)})
}

// announce tells all readers what will appear. It is committed together with the call
// that types.
func (a *actor) announce(turn *actors.Turn, s Reply) {
	sent := a.sent(turn, s)
	turn.Send(messages.To(messages.ActorIngress, string(s.Conversation)), sent)
	a.tellWindows(turn, sent)
}

// tellWindows tells those who tell sides what may appear there, and whether Enter may have been pressed.
func (a *actor) tellWindows(turn *actors.Turn, sent messages.TextSent) {
	for _, w := range a.o.Windows {
		turn.Send(messages.To(messages.ActorFusion, string(w)), sent)
	}
}

func (a *actor) sent(turn *actors.Turn, s Reply) messages.TextSent {
	return messages.TextSent{Conversation: s.Conversation, Text: s.Text, Trace: s.Trace, At: turn.Now(),
		Turn: s.Turn, Window: a.window, Stands: slices.ContainsFunc(s.Before, func(m Mark) bool { return m.shows(s) })}
}

// lose remembers a reply that ended as unknown.
func (a *actor) lose(turn *actors.Turn, s Reply) {
	s.Text, s.Before = "", nil
	oldest, n := "", 1+len(Lost.Away(turn))
	for trace, l := range Lost.AllInReach(turn) {
		if o, _ := Lost.Get(turn, oldest); oldest == "" || l.Began.Before(o.Began) {
			oldest = trace
		}
		n++
	}
	if n > maxLost && oldest != "" {
		Lost.Delete(turn, oldest)
	}
	Lost.Put(turn, s.Trace, s)
}

// stall is the actor that checks that replies go out.
func (a *actor) stall() messages.Address { return messages.To(messages.ActorStall, a.o.Desk) }

// report says what became of a reply.
func (a *actor) report(turn *actors.Turn, s Reply, do Effect) {
	turn.Send(a.stall(), messages.SendTried{Conversation: s.Conversation, Trace: s.task(), Reason: do.Reason})
	done := messages.SendDone{
		Conversation: s.Conversation, Turn: s.Turn, Epoch: s.Epoch, Key: s.Key,
		Outcome: do.Outcome, Reason: do.Reason, Occurrence: s.Seen, At: turn.Now(),
	}
	if s.Key != "" {
		done.Text = s.Text
	}
	detail := events.Detail{Window: a.window, Conversation: s.Conversation, Code: string(do.Reason), Count: s.Tries}
	if do.Outcome == messages.SendConfirmed {
		detail.Occurrences = []messages.Occurrence{s.Seen}
		turn.Pass(events.StageOutbound, events.RuleConfirmed, detail)
	} else {
		detail.Match = events.Match(do.Outcome)
		turn.Drop(events.StageOutbound, events.RuleNotConfirmed, detail)
	}
	if s.Key == "" {
		turn.Send(messages.To(messages.ActorConversation, string(s.Conversation)), done)
	}
	turn.Publish(done)
}

// finish ends a reply.
func (a *actor) finish(turn *actors.Turn, row string, s Reply, do Effect) {
	a.report(turn, s, do)
	if s.Notified {
		a.tell(turn, false, 0)
	}
	if do.Outcome == messages.SendUnknown {
		a.lose(turn, s)
	}
	Replies.Delete(turn, row)
}

// stop withdraws a reply. One that is no longer here has already been answered for.
func (a *actor) stop(turn *actors.Turn, m messages.StopSending) {
	for row, s := range Replies.AllInReach(turn) {
		if s.meant(m) {
			a.happened(turn, row, Event{Kind: OnStop})
			return
		}
	}
	if len(a.unread) > 0 {
		stops.Put(turn, turn.NewID(), m)
	}
}

// given takes the keyboard, or gives it back if no reply is waiting for it.
func (a *actor) given(turn *actors.Turn) {
	row, _, ok := a.active(turn)
	if !ok {
		turn.Send(messages.To(messages.ActorKeyboard, a.o.Desk), messages.LeaveKeyboard{Window: a.window, For: Kind})
		return
	}
	a.happened(turn, row, Event{Kind: OnGiven})
}

// own takes a bubble that shows a reply as its confirmation, whatever the reply's state.
func (a *actor) own(turn *actors.Turn, m messages.OwnMessage) {
	for row, s := range Replies.AllInReach(turn) {
		if s.Trace == m.Trace {
			s.Seen = m.Occurrence
			Replies.Put(turn, row, s)
			a.happened(turn, row, Event{Kind: OnOwn})
			return
		}
	}
	if s, ok := Lost.Get(turn, m.Trace); ok {
		Lost.Delete(turn, m.Trace)
		s.Seen = m.Occurrence
		a.report(turn, s, Effect{Kind: Finish, Outcome: messages.SendConfirmed})
		return
	}
	if len(a.unread) > 0 {
		turn.After("own/"+m.Trace, ownAgain, m)
		return
	}
	turn.Drop(events.StageOutbound, events.RuleLateConfirmed, events.Detail{Window: a.window,
		Conversation: m.Conversation, Occurrences: []messages.Occurrence{m.Occurrence}})
}
