package camera

import (
	"fmt"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/attention/landmarks"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the camera's actor kind; the key is the desk.
const Kind = messages.ActorCamera

// Options of a camera. Start with [DefaultOptions].
type Options struct {
	Interval time.Duration // from one snapshot to the next
	Literal  bool          // use angles as measured, not relative to the neutral pose
	Rules    landmarks.Rules
	Person   string // whose eyes are learnt; "" if one person sits there, or nobody asks
}

// DefaultOptions send a snapshot every 5 s.
func DefaultOptions() Options {
	return Options{Interval: 5 * time.Second, Rules: landmarks.DefaultRules()}
}

// Baselines holds a row for each person, [RowKey].
var Baselines = actors.NewTable[landmarks.Baseline]("baseline")

// RowKey is the key of a person's row in [Baselines]; "" is the person without a name.
func RowKey(person string) string {
	if person == "" {
		return "baseline"
	}
	return personRow + person
}

const personRow = "person/"

// PersonOf is the person of a row.
func PersonOf(key string) string {
	person, _ := strings.CutPrefix(key, personRow)
	if person == key {
		return ""
	}
	return person
}

const keepEvery = time.Minute // how much learning a crash can lose

// New makes the constructor of cameras.
func New(o Options) func(messages.Address) actors.Actor {
	return func(self messages.Address) actors.Actor {
		return &actor{o: o, to: messages.To(messages.ActorFocus, self.Key())}
	}
}

type actor struct {
	o  Options
	to messages.Address

	window  landmarks.Window
	session string
	began   bool
	framed  time.Time // newest landmarks
	stored  time.Duration

	made   messages.CameraSnapshot // newest ready-made snapshot from a tracker
	madeAt time.Time
	sent   time.Time // time of the last snapshot that was sent

	dropped map[dropped]bool // reasons reported since the last snapshot
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
		a.start(turn)
	case messages.FaceFrame:
		a.frame(turn, m)
	case messages.CameraSnapshot:
		a.made, a.madeAt = m, turn.Now()
	case messages.CameraDue:
		a.due(turn)
	case messages.ForgetEyes:
		a.forget(turn, m.Person)
	default:
		return fmt.Errorf("camera: unexpected %s", msg.MessageType())
	}
	return nil
}

func (a *actor) start(turn *actors.Turn) {
	baseline, _ := Baselines.Get(turn, RowKey(a.o.Person))
	a.window, a.stored = a.empty(baseline), baseline.Learnt
	turn.After("snapshot", a.o.Interval, messages.CameraDue{})
}

// empty is a window in which nothing was seen.
func (a *actor) empty(b landmarks.Baseline) landmarks.Window {
	return landmarks.Window{Rules: a.o.Rules, Baseline: b, Literal: a.o.Literal}
}

// forget deletes what was learnt about a person. If that is the present one, the window starts over.
func (a *actor) forget(turn *actors.Turn, person string) {
	Baselines.Delete(turn, RowKey(person))
	if person == a.o.Person {
		a.window, a.began, a.stored = a.empty(landmarks.Baseline{}), false, 0
	}
}

// frame takes the landmarks of one picture. A new session starts a new window at
// once, since the feed listens to one tracker at a time.
func (a *actor) frame(turn *actors.Turn, m messages.FaceFrame) {
	if !a.began || m.Session != a.session {
		a.window = a.empty(a.window.Baseline)
		a.session, a.began = m.Session, true
	} else if m.At < a.window.Last() {
		a.drop(turn, events.RuleTimeBack, "")
		return
	}
	if len(m.Points) == 0 {
		a.framed = turn.Now()
		a.window.Add(m.At, nil)
		return
	}
	face, err := landmarks.Measure(m.Points)
	if err != nil { // a tracker that is wrong has not seen that nobody is there
		a.drop(turn, events.RuleNoFace, err.Error())
		return
	}
	a.framed = turn.Now()
	a.window.Add(m.At, &face)
}

// dropped is the reason why a picture was ignored.
type dropped struct {
	rule events.Rule
	note string
}

// drop reports each reason once between two snapshots, since thirty pictures
// arrive each second.
func (a *actor) drop(turn *actors.Turn, rule events.Rule, note string) {
	reason := dropped{rule, note}
	if a.dropped[reason] {
		return
	}
	if a.dropped == nil {
		a.dropped = map[dropped]bool{}
	}
	a.dropped[reason] = true
	turn.Drop(events.StageCamera, rule, events.Detail{Note: note})
}

// due sends what arrived since the last snapshot. If nothing did, it sends
// nothing, and the last snapshot becomes stale.
func (a *actor) due(turn *actors.Turn) {
	turn.After("snapshot", a.o.Interval, messages.CameraDue{})
	clear(a.dropped)
	snapshot, at := a.made, a.madeAt
	if a.framed.After(at) {
		snapshot, at = a.window.Snapshot(), a.framed
	}
	if at.After(a.sent) {
		snapshot.ObservedAt, a.sent = at, at
		turn.Send(a.to, snapshot)
	}
	if learnt := a.window.Baseline.Learnt; learnt >= a.stored+keepEvery {
		a.stored = learnt
		Baselines.Put(turn, RowKey(a.o.Person), a.window.Baseline)
	}
}
