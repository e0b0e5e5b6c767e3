package camera

import (
	"fmt"
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
}

// DefaultOptions send a snapshot every 5 s.
func DefaultOptions() Options { return Options{Interval: 5 * time.Second} }

// Baselines holds one row, [RowKey].
var Baselines = actors.NewTable[landmarks.Baseline]("baseline")

// RowKey is the key of the only row in [Baselines].
const RowKey = "baseline"

const keepEvery = 5 * time.Minute // how much learning a crash can lose

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
	default:
		return fmt.Errorf("camera: unexpected %s", msg.MessageType())
	}
	return nil
}

func (a *actor) start(turn *actors.Turn) {
	a.window.Baseline, _ = Baselines.Get(turn, RowKey)
	a.window.Literal, a.stored = a.o.Literal, a.window.Baseline.Learnt
	turn.After("snapshot", a.o.Interval, messages.CameraDue{})
}

// frame takes the landmarks of one picture. A new session starts a new window at
// once, since the feed listens to one tracker at a time.
func (a *actor) frame(turn *actors.Turn, m messages.FaceFrame) {
	if !a.began || m.Session != a.session {
		a.window = landmarks.Window{Baseline: a.window.Baseline, Literal: a.o.Literal}
		a.session, a.began = m.Session, true
	} else if m.At < a.window.Last() {
		a.drop(turn, events.RuleTimeBack, "")
		return
	}
	a.framed = turn.Now()
	if len(m.Points) == 0 {
		a.window.Add(m.At, nil)
		return
	}
	face, err := landmarks.Measure(m.Points)
	if err != nil {
		a.drop(turn, events.RuleNoFace, err.Error())
		a.window.Add(m.At, nil)
		return
	}
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
	if learnt := a.window.Baseline.Learnt; learnt >= a.stored+keepEvery ||
		learnt >= time.Minute && a.stored < time.Minute {
		a.stored = learnt
		Baselines.Put(turn, RowKey, a.window.Baseline)
	}
}
