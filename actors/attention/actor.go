package attention

import (
	"fmt"
	"strconv"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the classifier's actor kind; the key is the desk.
const Kind = messages.ActorFocus

// Options of a classifier. Start with [DefaultOptions].
type Options struct {
	Tick    time.Duration // from one judgement to the next
	Rules   Rules
	Literal bool // report each judgement as it is, without the debouncer
	LLM     bool // ask a language model where the rules do not decide
	// Deadline of the language model. An answer that arrives after
	// the next judgement is dropped.
	Deadline time.Duration
	// Tell lists the actor kinds that receive each change; the key is the desk.
	Tell []string
}

// DefaultOptions judge every 10 s by the rules of the default profile, and ask no language
// model.
func DefaultOptions() Options {
	return Options{Tick: 10 * time.Second, Deadline: 8 * time.Second, Rules: DefaultRules()}
}

// Row is a classifier's stored state.
type Row struct {
	Debouncer Debouncer           `json:"steady"`
	Last      messages.FocusState `json:"last"` // newest judgement for the reported state
	Seen      time.Time           `json:"seen"` // when it was stored, at most confirmEvery ago
	Paused    bool                `json:"paused,omitempty"`
}

// Rows holds one row, [RowKey].
var Rows = actors.NewTable[Row]("steady")

// RowKey is the key of the only row in [Rows].
const RowKey = "steady"

const (
	confirmEvery = time.Minute // how old Row.Seen can be in a running system
	lostAfter    = time.Minute // when a call without an answer is given up
)

// New makes the constructor of classifiers.
func New(o Options) func(messages.Address) actors.Actor {
	return func(self messages.Address) actors.Actor {
		return &actor{o: o, desk: messages.DeskID(self.Key())}
	}
}

type actor struct {
	o    Options
	desk messages.DeskID

	row   Row
	awake time.Time // wall-clock time of the newest message; zero before the first
	look  Look
	key   time.Time // last key press; zero if unknown
	ticks uint64
	quiet bool // "unknown" was published and still holds

	asked   *question // the pending call; nil for none
	cache   answerCache
	failed  int // consecutive failed calls
	restEnd time.Time
}

// question is a pending call to the language model.
type question struct {
	call string
	tick uint64
	at   time.Time
	look Look
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	a.wake(turn)
	switch m := msg.(type) {
	case messages.Started:
		a.start(turn)
	case messages.FocusDue:
		a.tick(turn)
	case messages.CameraSnapshot:
		if !a.row.Paused {
			a.look.Camera = &m
		}
	case messages.UsageSnapshot:
		if !a.row.Paused {
			a.use(m)
		}
	case messages.KeyRecency:
		if !a.row.Paused {
			a.key = Later(a.key, m.LastKey)
		}
	case messages.AskFocus:
		a.answer(turn, m)
	case messages.PauseFocus:
		a.pause(turn, true, ReasonPaused)
	case messages.ResumeFocus:
		a.pause(turn, false, "nothing was judged since the pause")
	case messages.LLMAnswer:
		a.answered(turn, m)
	case messages.CallFailed:
		a.callFailed(turn, m)
	default:
		return fmt.Errorf("focus: unexpected %s", msg.MessageType())
	}
	return nil
}

// longestNap is the longest silence that still counts as watching. A classifier
// has a timer of its own, so a longer silence means that it did not run.
const longestNap = 2 * confirmEvery

// start resumes the state that was reported when the process ended.
func (a *actor) start(turn *actors.Turn) {
	turn.After("tick", a.o.Tick, messages.FocusDue{})
	a.row, _ = Rows.Get(turn, RowKey)
	if turn.Now().Sub(a.row.Seen) > longestNap {
		a.unwatched(turn, a.row.Seen)
	}
}

// wake notices that the machine slept, or that its clock was set far ahead.
// Everything seen or asked before that is discarded.
func (a *actor) wake(turn *actors.Turn) {
	now := turn.Now().Round(0) // drop the monotonic reading, which stops during sleep
	slept := a.awake
	a.awake = now
	if slept.IsZero() || now.Sub(slept) <= longestNap {
		return
	}
	a.look, a.key, a.asked, a.cache = Look{}, time.Time{}, nil, answerCache{}
	a.unwatched(turn, slept)
}

// unwatched ends the reported state at the time when watching stopped.
func (a *actor) unwatched(turn *actors.Turn, at time.Time) {
	s := &a.row.Debouncer
	if s.State == "" || s.State == messages.Unknown {
		return
	}
	from := s.State
	*s = Debouncer{State: messages.Unknown, Since: at}
	a.row.Last = verdict(messages.FromRule, messages.Unknown, 0, "nobody watched")
	a.row.Last.At = at
	a.tell(turn, from)
}

// ReasonPaused is the reasoning of the state "unknown" while a person has paused
// judgement.
const ReasonPaused = "paused"

// pause begins or ends a pause. Both are sent as changes, even from "unknown",
// so that the history can tell a pause from a time without data. Everything seen
// before a pause is discarded.
func (a *actor) pause(turn *actors.Turn, paused bool, reason messages.Text) {
	if a.row.Paused == paused {
		return
	}
	from := a.row.Debouncer.Reported()
	a.row.Paused, a.row.Debouncer = paused, Debouncer{State: messages.Unknown, Since: turn.Now()}
	a.row.Last = verdict(messages.FromRule, messages.Unknown, 0, reason)
	a.row.Last.At = turn.Now()
	a.look, a.key, a.asked, a.quiet = Look{}, time.Time{}, nil, true
	a.tell(turn, from)
	turn.Publish(messages.FocusJudged{Desk: a.desk, Raw: a.row.Last, Steady: a.row.Last})
}

// answer sends the reported state to the actor that asked.
func (a *actor) answer(turn *actors.Turn, m messages.AskFocus) {
	from := turn.Cause().From
	if from == "" {
		turn.Drop(events.StageFocus, events.RuleNoAsker, events.Detail{})
		return
	}
	turn.Send(from, messages.FocusAnswer{Key: m.Key, Desk: a.desk, Steady: a.reported(), Since: a.row.Debouncer.Since,
		Paused: a.row.Paused})
}

// reported is the newest judgement for the reported state.
func (a *actor) reported() messages.FocusState {
	if a.row.Last.State == "" {
		return verdict(messages.FromRule, messages.Unknown, 0, "nothing was judged for long enough")
	}
	return a.row.Last
}

func (a *actor) use(m messages.UsageSnapshot) {
	if s := m.SecondsSinceLastKeyboard; s.Known {
		a.key = Later(a.key, m.ObservedAt.Add(-seconds(s.Value)))
	}
	a.look.Usage = &m
}

// maxSeconds keeps a measurement within what a duration can hold.
const maxSeconds = 1e9

func seconds(s float64) time.Duration {
	if !(s >= 0) {
		return 0
	}
	return time.Duration(min(s, maxSeconds) * float64(time.Second))
}

// Later is the later one of two times.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// now returns what can be judged at this moment: the halves that are still
// fresh, with the time since the last key press measured from now.
func (a *actor) now(turn *actors.Turn) Look {
	look := a.o.Rules.Fresh(a.look, turn.Now())
	if look.Usage != nil && !a.key.IsZero() {
		u := *look.Usage
		u.SecondsSinceLastKeyboard = messages.Just(max(0, turn.Now().Sub(a.key).Seconds()))
		look.Usage = &u
	}
	return look
}

// tick judges. It never waits: a judgement by the language model is published
// when the answer arrives, and the next tick does not wait for it.
func (a *actor) tick(turn *actors.Turn) {
	turn.After("tick", a.o.Tick, messages.FocusDue{})
	a.ticks++
	if a.row.Paused {
		return
	}
	look := a.now(turn)
	if state, clear := a.o.Rules.Judge(look); clear {
		a.publish(turn, state, "")
		return
	}
	look = a.o.Rules.Uncover(look)
	if state, ok := a.cache.get(look, turn.Now()); ok {
		a.publish(turn, state, "")
		return
	}
	if a.asked != nil && turn.Now().Sub(a.asked.at) >= lostAfter {
		a.asked = nil
	}
	if !a.o.LLM || a.asked != nil || turn.Now().Before(a.restEnd) || !a.cache.ask(turn.Now()) {
		a.publish(turn, a.o.Rules.Fallback(look), "")
		return
	}
	key := strconv.FormatUint(a.ticks, 10)
	call := turn.Call(messages.WorkerLLM, messages.AskLLM{
		Purpose: "focus", System: SystemPrompt, Prompt: Prompt(look), JSON: true, Key: key,
	}, actors.CallOptions{Deadline: a.o.Deadline, Tag: key})
	a.asked = &question{call: call, tick: a.ticks, at: turn.Now(), look: look}
}

// take ends the pending call if this message answers it in time.
func (a *actor) take(turn *actors.Turn) (*question, bool) {
	q := a.asked
	if q == nil || turn.Cause().Call != q.call {
		turn.Drop(events.StageFocus, events.RuleNotAsked, events.Detail{})
		return nil, false
	}
	a.asked = nil
	if q.tick != a.ticks {
		turn.Drop(events.StageFocus, events.RuleNextJudgement, events.Detail{})
		return nil, false
	}
	return q, true
}

func (a *actor) answered(turn *actors.Turn, m messages.LLMAnswer) {
	q, ok := a.take(turn)
	if !ok {
		return
	}
	state, err := ParseAnswer(m.Text)
	if err != nil {
		turn.Drop(events.StageFocus, events.RuleBadAnswer, events.Detail{Note: err.Error()})
		a.rest(turn)
		a.publish(turn, a.o.Rules.Fallback(q.look), m.Text)
		return
	}
	a.failed = 0
	a.cache.put(q.look, state, turn.Now())
	a.publish(turn, state, m.Text)
}

func (a *actor) callFailed(turn *actors.Turn, m messages.CallFailed) {
	if m.Worker != messages.WorkerLLM {
		turn.Drop(events.StageFocus, events.RuleNotCalled, events.Detail{})
		return
	}
	if q := a.asked; q != nil && turn.Cause().Call == q.call {
		a.rest(turn)
	}
	if q, ok := a.take(turn); ok {
		a.publish(turn, a.o.Rules.Fallback(q.look), "")
	}
}

// rest stops a failing language model from being asked at every tick.
func (a *actor) rest(turn *actors.Turn) {
	a.restEnd = turn.Now().Add(rest(a.failed))
	a.failed++
}

// publish publishes one judgement, and the state that is reported after it.
func (a *actor) publish(turn *actors.Turn, raw messages.FocusState, answer messages.Text) {
	raw.At = turn.Now()
	if raw.State == messages.Unknown && a.quiet {
		return
	}
	s, from := &a.row.Debouncer, a.row.Debouncer.Reported()
	if a.o.Literal {
		if raw.State != s.State {
			s.become(raw.State, raw.At)
		}
	} else {
		s.Take(raw)
	}
	a.quiet = raw.State == messages.Unknown && s.State == messages.Unknown
	if raw.State == s.Reported() {
		a.row.Last = raw
	}
	steady := a.row.Last
	if steady.State == "" {
		steady = verdict(raw.Source, messages.Unknown, 0, "one judgement is not enough")
	}
	steady.At = raw.At
	turn.Publish(messages.FocusJudged{Desk: a.desk, Raw: raw, Steady: steady, Answer: answer})
	switch {
	case s.Reported() != from:
		a.tell(turn, from)
	case s.State != "" && s.State != messages.Unknown && raw.At.Sub(a.row.Seen) >= confirmEvery:
		a.keep(turn, raw.At)
	}
}

// tell stores a change and sends it on, both in this turn.
func (a *actor) tell(turn *actors.Turn, from messages.Attention) {
	changed := messages.FocusChanged{Desk: a.desk, From: from, To: a.row.Last}
	a.keep(turn, a.row.Last.At)
	for _, kind := range a.o.Tell {
		turn.Send(messages.To(kind, string(a.desk)), changed)
	}
}

func (a *actor) keep(turn *actors.Turn, seen time.Time) {
	a.row.Seen = seen
	Rows.Put(turn, RowKey, a.row)
}
