package catchup

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the actor's kind; the key is the window.
const Kind = messages.ActorCatchUp

// Options of a catch-up.
type Options struct {
	Rules Rules
	Desk  string        // key of the keyboard
	Read  time.Duration // deadline of a reading
}

// Jobs holds what is being read, by conversation.
var Jobs = actors.NewTable[Job]("jobs")

// working has one row, "now": whose job has the keyboard or asks for it, "" for none. An actor of an older version has
// none.
var working = actors.NewTable[messages.ConversationID]("working")

// About reports whether a row is about a conversation.
func About(c messages.ConversationID, row string, value []byte) bool {
	table, key := actors.SplitRow(row)
	if table == working.Name() {
		now, err := working.Decode(value)
		return err != nil || now == c
	}
	return key == string(c)
}

// SubjectOf returns the conversation that a row is about, "" for the window.
func SubjectOf(row string, _ []byte) messages.ConversationID {
	table, key := actors.SplitRow(row)
	if table == working.Name() {
		return ""
	}
	return messages.ConversationID(key)
}

// New returns a constructor of catch-ups.
func New(o Options) func(messages.Address) actors.Actor {
	return func(self messages.Address) actors.Actor {
		return &actor{o: o, window: messages.WindowID(self.Key())}
	}
}

type actor struct {
	o      Options
	window messages.WindowID

	call   string             // under way, or what was asked
	before messages.Frame     // when the wheel was turned last
	frame  messages.Frame     // the latest
	looks  int                // captures since, until it is still
	read   messages.FrameRead // the view before
	now    messages.FrameRead // the view that is being judged
	title  string             // of the conversation
	timer  bool               // a look is due, not the job
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	if !reach(turn) {
		return nil
	}
	switch m := msg.(type) {
	case messages.Started:
		if _, known := working.Get(turn, "now"); !known { // and all are in reach
			j, _ := a.active(turn)
			working.Put(turn, "now", j.Conversation)
		}
		for _, j := range a.jobs(turn) {
			a.happened(turn, j, Event{Kind: OnRestart})
		}
	case messages.CatchUp:
		j := Job{CatchUp: m, State: Queued, Due: turn.Now().UTC().Round(0)}
		was, ok := Jobs.Get(turn, string(m.Conversation))
		switch {
		case ok && m.Lower: // as every job does in the end
			j = was
		case ok && was.State.Works():
			j = was // a later gap: the same scrolling reads it, or it is read once the window is lowered
			j.CatchUp = m
		}
		Jobs.Put(turn, string(m.Conversation), j)
	case messages.KeyboardGiven:
		a.given(turn)
	case messages.CatchUpDue:
		a.due(turn)
	case messages.HandsDone:
		a.answered(turn, func() { a.tellActive(turn, Event{Kind: OnTurned}) })
	case messages.FrameCaptured:
		a.answered(turn, func() { a.captured(turn, m.Frame) })
	case messages.FrameRead:
		a.answered(turn, func() { a.gotRead(turn, m) })
	case messages.CallFailed:
		a.answered(turn, func() { a.tellActive(turn, Event{Kind: OnFailed, Code: m.Code}) })
	case messages.ConversationShown:
		a.shown(turn, m)
	case messages.ViewBackSeen:
		a.seen(turn, m)
	default:
		return fmt.Errorf("catchup: unexpected %s", msg.MessageType())
	}
	a.goOn(turn)
	return nil
}

// answered goes on if a message answers the call that is under way.
func (a *actor) answered(turn *actors.Turn, goOn func()) {
	if a.call != "" && turn.Cause().Call == a.call {
		a.call = ""
		goOn()
	}
}

// reach reports whether something can be done without the jobs that are out of reach. It cannot if one of them may have
// the keyboard: the window may be scrolled back, and another one would go on from there. Then it fails the turn, whose
// message waits.
func reach(turn *actors.Turn) bool {
	away := Jobs.Away(turn)
	for _, c := range slices.Sorted(maps.Keys(away)) {
		if now, known := working.Get(turn, "now"); !known || string(now) == c {
			turn.Fail(fmt.Errorf("catchup: a job that may have the keyboard: %w", away[c]))
			return false
		}
	}
	return true
}

// readAgain is how long after a look the jobs are looked at again that could not be read.
const readAgain = 10 * time.Second

// jobs are those in reach.
func (a *actor) jobs(turn *actors.Turn) (list []Job) {
	for _, j := range Jobs.AllInReach(turn) {
		list = append(list, j)
	}
	return list
}

// active is the job that has the keyboard, or has asked for it. There is at most one, and it is in reach.
func (a *actor) active(turn *actors.Turn) (Job, bool) {
	for _, j := range a.jobs(turn) {
		if j.State.Works() {
			return j, true
		}
	}
	return Job{}, false
}

func (a *actor) tellActive(turn *actors.Turn, e Event) {
	if j, ok := a.active(turn); ok {
		a.happened(turn, j, e)
	}
}

// given takes the keyboard, or gives it back if nothing waits for it.
func (a *actor) given(turn *actors.Turn) {
	j, ok := a.active(turn)
	switch {
	case !ok:
		a.leaveKeyboard(turn)
	case j.State == Leasing:
		a.before, a.frame, a.read = messages.Frame{}, messages.Frame{}, messages.FrameRead{}
		a.happened(turn, j, Event{Kind: OnGiven})
	}
}

// happened applies an event to a job.
func (a *actor) happened(turn *actors.Turn, j Job, e Event) {
	next, effects := a.o.Rules.Step(j, e, turn.Now().UTC().Round(0))
	if next.State == Done {
		Jobs.Delete(turn, string(j.Conversation))
	} else {
		Jobs.Put(turn, string(j.Conversation), next)
	}
	if now := next.Conversation; j.State.Works() != next.State.Works() {
		if !next.State.Works() {
			now = ""
		}
		working.Put(turn, "now", now)
	}
	for _, do := range effects {
		a.perform(turn, next, do)
	}
}

// perform carries out one effect.
func (a *actor) perform(turn *actors.Turn, j Job, do Effect) {
	switch do.Kind {
	case AskKeyboard:
		a.askKeyboard(turn)
	case LeaveKeyboard:
		a.call, a.looks, a.timer = "", 0, false
		a.leaveKeyboard(turn)
		if a.frame.Image == nil {
			return
		}
		a.frame.Image, a.before.Image = nil, nil
		a.unwatch(turn, 0)
		turn.Send(messages.To(messages.ActorPoller, string(a.window)), messages.ReadNow{Window: a.window})
	case Look:
		a.capture(turn)
	case TurnWheel:
		a.askKeyboard(turn) // for a new period
		a.turnWheel(turn, j, do.Steps)
	case Read, Settle:
		a.looks = 0
		a.capture(turn)
	case Tell:
		a.tell(turn, j, do)
	}
}

func (a *actor) askKeyboard(turn *actors.Turn) {
	turn.Send(messages.To(messages.ActorKeyboard, a.o.Desk), messages.AskKeyboard{Window: a.window, For: Kind})
}

func (a *actor) leaveKeyboard(turn *actors.Turn) {
	turn.Send(messages.To(messages.ActorKeyboard, a.o.Desk), messages.LeaveKeyboard{Window: a.window, For: Kind})
}

// turnWheel turns it over the middle of the messages.
func (a *actor) turnWheel(turn *actors.Turn, j Job, steps int) {
	a.before = a.frame
	x, y := middle(a.read)
	a.call = turn.Call(messages.WorkerHands, messages.TurnWheel{Window: a.window, X: x, Y: y, Steps: steps,
		Idle: a.o.Rules.idle(j)}, actors.CallOptions{Deadline: 20 * time.Second})
}

func (a *actor) tell(turn *actors.Turn, j Job, do Effect) {
	if j.Lower && do.Why == messages.CatchUpReached {
		turn.Pass(events.StageCatchUp, events.RuleLowered,
			events.Detail{Window: a.window, Conversation: j.Conversation})
		return
	}
	rule := events.RuleStopped
	if do.Later {
		rule = events.RulePaused
	}
	turn.Drop(events.StageCatchUp, rule, events.Detail{Window: a.window, Conversation: j.Conversation,
		Code: string(do.Why), Count: j.Screens})
	if j.Lower {
		return
	}
	turn.Send(messages.To(messages.ActorDedup, string(j.Conversation)), messages.CaughtUp{
		Conversation: j.Conversation, Window: a.window, After: j.After, Why: do.Why, Later: do.Later,
	})
}

// unwatch keeps the poller from looking at the window for d: what it shows has been seen
// before, or is read here.
func (a *actor) unwatch(turn *actors.Turn, d time.Duration) {
	turn.Send(messages.To(messages.ActorPoller, string(a.window)),
		messages.Typing{Window: a.window, Until: turn.Now().Add(d)})
}

func (a *actor) capture(turn *actors.Turn) {
	a.unwatch(turn, messages.MaxTyping)
	a.call = turn.Call(messages.WorkerCapture, messages.CaptureWindow{Window: a.window},
		actors.CallOptions{Deadline: 15 * time.Second})
}

// The window is still drawing until two captures in a row are the same.
const (
	redraw    = 200 * time.Millisecond
	mostLooks = 15
)

// captured waits until the window is still, and reads it. One that is scrolled back and shows the same may have to
// load what is older first.
func (a *actor) captured(turn *actors.Turn, frame messages.Frame) {
	still := same(a.frame, frame) && a.looks > 0
	a.frame = frame
	a.looks++
	j, _ := a.active(turn)
	switch {
	case a.looks < mostLooks && (j.State != Looking && !still || j.State == Reading && same(a.before, frame)):
		a.timer = true
		turn.After("due", redraw, messages.CatchUpDue{})
	case j.State == Settling:
		moved := Moved{Known: true}
		if !same(a.before, frame) {
			moved.By = 1
		}
		a.happened(turn, j, Event{Kind: OnStill, Moved: moved})
	default:
		a.unwatch(turn, messages.MaxTyping)
		a.call = turn.Call(messages.WorkerOCR, messages.ReadFrame{Frame: frame},
			actors.CallOptions{Deadline: a.o.Read, Retries: 1})
	}
}

// gotRead asks whose the first view is, and shows the others to the ledger.
func (a *actor) gotRead(turn *actors.Turn, m messages.FrameRead) {
	j, ok := a.active(turn)
	if !ok {
		return
	}
	a.now, a.call = m, turn.NewID()
	if j.State == Looking {
		turn.Send(messages.To(messages.ActorFusion, string(a.window)),
			messages.AskConversation{Key: a.call, Read: m, Scroll: true})
		return
	}
	if titleOf(m) != a.title {
		a.call = ""
		a.happened(turn, j, Event{Kind: OnSeen, Step: messages.BackLost})
		return
	}
	turn.Send(messages.To(messages.ActorDedup, string(j.Conversation)), messages.ViewBack{Key: a.call,
		View: messages.Detection{Window: a.window, Conversation: j.Conversation, Title: m.Title.Text,
			Bubbles: m.Bubbles, Marks: m.Marks, Rows: m.Rows, Size: m.Size, Scale: m.Scale, SeenAt: m.At}})
}

// shown goes on if the window shows the conversation.
func (a *actor) shown(turn *actors.Turn, m messages.ConversationShown) {
	if a.call == "" || m.Key != a.call {
		return
	}
	a.call, a.read, a.title = "", a.now, titleOf(a.now)
	j, _ := a.active(turn)
	a.tellActive(turn, Event{Kind: OnShown, Here: m.Conversation == j.Conversation || m.MovedOn == j.Conversation})
}

// seen goes on after a view that the ledger has taken in.
func (a *actor) seen(turn *actors.Turn, m messages.ViewBackSeen) {
	if a.call == "" || m.Key != a.call {
		return
	}
	moved := movedBy(a.read.Bubbles, a.now.Bubbles)
	a.call, a.read = "", a.now
	a.tellActive(turn, Event{Kind: OnSeen, Step: m.Step, Moved: moved})
}

// due looks again at a window that is drawing, or wakes the jobs whose time has come.
func (a *actor) due(turn *actors.Turn) {
	if a.timer {
		a.timer = false
		a.capture(turn)
		return
	}
	if j, ok := a.active(turn); ok {
		if !j.Due.After(turn.Now()) {
			a.happened(turn, j, Event{Kind: OnDue})
		}
		return
	}
	for _, j := range a.jobs(turn) {
		if !j.Due.After(turn.Now()) {
			a.happened(turn, j, Event{Kind: OnDue})
			if _, works := a.active(turn); works {
				return
			}
		}
	}
}

// goOn sets the timer for what comes next.
func (a *actor) goOn(turn *actors.Turn) {
	if a.timer {
		return
	}
	jobs := a.jobs(turn)
	if j, ok := a.active(turn); ok {
		jobs = []Job{j}
	}
	var at time.Time
	if len(Jobs.Away(turn)) > 0 {
		at = turn.Now().Add(readAgain)
	}
	for _, j := range jobs {
		if at.IsZero() || j.Due.Before(at) {
			at = j.Due
		}
	}
	if at.IsZero() {
		turn.Cancel("due")
		return
	}
	turn.After("due", max(0, at.Sub(turn.Now())), messages.CatchUpDue{})
}

// same reports whether two captures show the same pixels.
func same(x, y messages.Frame) bool {
	return x.Image != nil && y.Image != nil && x.Image.Rect == y.Image.Rect && bytes.Equal(x.Image.Pix, y.Image.Pix)
}

func titleOf(m messages.FrameRead) string {
	return text.Normalize(strings.TrimSpace(string(m.Title.Text)))
}
