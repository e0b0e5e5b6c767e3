package catchup

import (
	"time"

	"github.com/kehai-run/kehai/actors/backoff"
	"github.com/kehai-run/kehai/messages"
)

// Rules of scrolling back. Start with [DefaultRules].
type Rules struct {
	// How long nobody must have used the keyboard or the mouse before the wheel is
	// turned, 1s to 1h. Default 30s.
	Idle time.Duration `yaml:"idle" min:"1s" max:"1h"`

	// Screens that are read for one gap at most, 1 to 1000. Default 200.
	Screens int `yaml:"screens" min:"1" max:"1000"`

	// How long what came after a gap is held, so that all is passed on in order, 1s to
	// 1h. Default 3m.
	Hold time.Duration `yaml:"hold" min:"1s" max:"1h"`

	// How long it may take until nobody is there and the window shows the conversation,
	// 1s to 240h. Default 12h.
	Wait time.Duration `yaml:"wait" min:"1s" max:"240h"`
}

// DefaultRules returns the rules of both profiles.
func DefaultRules() Rules {
	return Rules{Idle: 30 * time.Second, Screens: 200, Hold: 3 * time.Minute, Wait: 12 * time.Hour}
}

const (
	firstSteps = 2  // of the wheel
	mostSteps  = 40 // at a time
	lowerSteps = 20 // at a time, on the way back
	maxLost    = 3  // views in a row with nothing known
	maxTops    = 3  // views in a row that did not move: applications load what is older once they are at its end
	maxTries   = 8  // attempts in a row that failed
	maxLowers  = 500
	lowerIdle  = 2 // times Rules.Idle before a window is lowered where somebody may still read
	retry      = 2 * time.Second
	watch      = 3 * time.Minute // how long to wait for an answer
)

// State is how far a job has come. The table in the package comment lists the
// transitions.
type State string

// States of a job.
const (
	Queued   State = "queued"
	Leasing  State = "leasing"
	Asking   State = "asking" // whether somebody is there
	Looking  State = "looking"
	Raising  State = "raising"
	Reading  State = "reading"
	Lowering State = "lowering"
	Settling State = "settling"
	Done     State = "done"
)

// Works reports whether a job in this state has the keyboard, or has asked for it.
func (s State) Works() bool { return s != Queued && s != Done && s != "" }

// turns reports whether a window may be scrolled back in this state.
func (s State) turns() bool {
	switch s {
	case Raising, Reading, Lowering, Settling:
		return true
	}
	return false
}

// Job is one gap that is being read.
type Job struct {
	messages.CatchUp
	State    State               `json:"state"`
	Scrolled bool                `json:"scrolled,omitempty"` // the window may be scrolled back
	Why      messages.CatchUpEnd `json:"why,omitempty"`      // how it ended; "" before that
	PutOff   messages.CatchUpEnd `json:"told,omitempty"`     // why it was put off last
	Screens  int                 `json:"screens,omitempty"`  // that were read
	Steps    int                 `json:"steps,omitempty"`    // of the wheel at a time
	Lost     int                 `json:"lost,omitempty"`
	Tops     int                 `json:"tops,omitempty"` // views in a row that did not move
	Lowers   int                 `json:"lowers,omitempty"`
	Tries    int                 `json:"tries,omitempty"` // attempts in a row that failed
	Due      time.Time           `json:"due"`
}

// EventKind is what happened to a job.
type EventKind string

// What happens to a job.
const (
	OnDue     EventKind = "due"
	OnGiven   EventKind = "given"
	OnShown   EventKind = "shown"
	OnTurned  EventKind = "turned"
	OnSeen    EventKind = "seen"
	OnStill   EventKind = "still"
	OnFailed  EventKind = "failed"
	OnRestart EventKind = "restart"
)

// Event is something that happened to a job.
type Event struct {
	Kind  EventKind
	Here  bool              // OnShown: its conversation
	Step  messages.BackStep // OnSeen
	Moved Moved             // OnSeen, OnStill
	Code  string            // OnFailed
}

// Moved is how far a view has moved, in pixels. Known is false if nothing of it is in the
// view before.
type Moved struct {
	By, Room int // Room is what the messages fill
	Known    bool
}

// EffectKind is what is to be done.
type EffectKind string

// What is done for a job.
const (
	AskKeyboard   EffectKind = "ask"
	LeaveKeyboard EffectKind = "leave"
	Look          EffectKind = "look" // and ask whose it is
	TurnWheel     EffectKind = "turn"
	Read          EffectKind = "read"   // once it has settled
	Settle        EffectKind = "settle" // and say whether it has moved
	Tell          EffectKind = "tell"   // the ledger
)

// Effect is something to be done.
type Effect struct {
	Kind  EffectKind
	Steps int                 // TurnWheel
	Why   messages.CatchUpEnd // Tell
	Later bool                // Tell
}

func do(kind EffectKind) []Effect { return []Effect{{Kind: kind}} }

// Step returns the job after an event, and what is to be done.
func (r Rules) Step(j Job, e Event, now time.Time) (Job, []Effect) {
	j.Due = now.Add(watch)
	switch {
	case e.Kind == OnRestart:
		j.Scrolled = j.Scrolled || j.State.turns()
		if j.State, j.Lost, j.Lowers, j.Due = Queued, 0, 0, now; j.Why != "" && !j.Scrolled {
			return r.end(j, j.Why)
		}
		return j, do(LeaveKeyboard)
	case j.State == Queued && e.Kind == OnDue:
		if now.Sub(j.At) > r.Wait {
			return r.end(j, messages.CatchUpLate)
		}
		j.State = Leasing
		return j, do(AskKeyboard)
	case j.State == Queued || j.State == Done:
		return j, nil
	case e.Kind == OnFailed || e.Kind == OnDue:
		return r.failed(j, e, now)
	}
	return r.works(j, e, now)
}

// works is Step of a job in progress to which nothing bad happened.
func (r Rules) works(j Job, e Event, now time.Time) (Job, []Effect) {
	switch {
	case j.State == Leasing && e.Kind == OnGiven && j.Scrolled:
		return j.lower(j.Why)
	case j.State == Leasing && e.Kind == OnGiven:
		j.State = Asking
		return j, []Effect{{Kind: TurnWheel}}
	case j.State == Asking && e.Kind == OnTurned && j.Lower:
		return j.lower(j.Why)
	case j.State == Asking && e.Kind == OnTurned:
		j.State = Looking
		return j, do(Look)
	case j.State == Looking && e.Kind == OnShown && !e.Here:
		return r.later(j, "", r.Idle, now)
	case j.State == Looking && e.Kind == OnShown:
		j.Steps, j.Lost, j.Tops, j.Lowers = firstSteps, 0, 0, 0
		return j.raise(j.Steps)
	case j.State == Raising && e.Kind == OnTurned:
		j.State, j.Tries = Reading, 0
		return j, do(Read)
	case j.State == Reading && e.Kind == OnSeen:
		return r.seen(j, e)
	case j.State == Lowering && e.Kind == OnTurned:
		j.State, j.Tries = Settling, 0
		return j, do(Settle)
	case j.State == Settling && e.Kind == OnStill && e.Moved.By != 0 && j.Lowers < maxLowers:
		return j.lower(j.Why)
	case j.State == Settling && e.Kind == OnStill && j.Lower:
		return r.end(j, messages.CatchUpReached)
	case j.State == Settling && e.Kind == OnStill:
		if j.Scrolled = false; j.Why != "" {
			return r.end(j, j.Why)
		}
		j.State, j.Due = Queued, now
		return j, do(LeaveKeyboard)
	}
	return j, nil
}

// idle is how long nobody must have been there before the wheel is turned for a job.
func (r Rules) idle(j Job) time.Duration {
	if j.Lower {
		return lowerIdle * r.Idle
	}
	return r.Idle
}

// seen goes on after a view that the ledger has taken in.
func (r Rules) seen(j Job, e Event) (Job, []Effect) {
	j.Screens++
	switch e.Step {
	case messages.BackReached, messages.BackClosed:
		return j.lower(messages.CatchUpReached)
	case messages.BackLost:
		if j.Lost++; j.Lost > maxLost {
			return j.lower(messages.CatchUpLost)
		}
		j.Steps = max(1, j.Steps/2)
		return j.raise(-j.Steps)
	}
	lost := j.Lost
	j.Lost = 0
	stays := e.Moved.Known && e.Moved.By == 0 && lost == 0
	if j.Tops++; !stays {
		j.Tops = 0
	}
	switch {
	case j.Tops >= maxTops:
		return j.lower(messages.CatchUpTop)
	case stays:
	case j.Screens >= r.Screens:
		return j.lower(messages.CatchUpLimit)
	case e.Step == messages.BackNear:
		j.Steps = max(1, j.Steps/2)
	case e.Moved.Known && lost == 0:
		j.Steps = fit(j.Steps, e.Moved)
	}
	return j.raise(j.Steps)
}

// fit is how far to turn the wheel so that half of a view is new. What one step moves
// differs between applications.
func fit(steps int, m Moved) int {
	if m.By <= 0 || m.Room <= 0 {
		return steps
	}
	want := steps * m.Room / (2 * m.By)
	return min(max(want, 1), 3*steps, mostSteps)
}

func (j Job) raise(steps int) (Job, []Effect) {
	j.State, j.Scrolled = Raising, true
	return j, []Effect{{Kind: TurnWheel, Steps: steps}}
}

func (j Job) lower(why messages.CatchUpEnd) (Job, []Effect) {
	j.State, j.Why = Lowering, why
	j.Lowers++
	return j, []Effect{{Kind: TurnWheel, Steps: -lowerSteps}}
}

// failed puts off what could not be done, or ends it.
func (r Rules) failed(j Job, e Event, now time.Time) (Job, []Effect) {
	switch {
	case e.Code == string(messages.SendBusy) && j.Why != "":
		j.Scrolled = false // the window is the person's now
		return r.end(j, j.Why)
	case e.Code == string(messages.SendBusy) && !j.Scrolled && now.Sub(j.At) < 2*r.Idle:
		return r.later(j, "", r.Idle/2, now) // who has just left is soon away for long enough
	case e.Code == string(messages.SendBusy):
		return r.later(j, messages.CatchUpPerson, r.Idle/2, now)
	case e.Code == messages.CodePaused, e.Code == messages.CodeNotActive, e.Code == messages.CodeMinimised,
		e.Kind == OnDue:
		return r.later(j, "", r.Idle, now)
	}
	if j.Tries++; j.Tries >= maxTries {
		why := j.Why
		if why == "" {
			why = messages.CatchUpFailed
		}
		return r.end(j, why)
	}
	return r.later(j, "", backoff.Delay(retry, r.Idle, j.Tries), now)
}

// later puts a job off.
func (r Rules) later(j Job, why messages.CatchUpEnd, d time.Duration, now time.Time) (Job, []Effect) {
	j.State, j.Due = Queued, now.Add(d)
	effects := do(LeaveKeyboard)
	if why != "" && j.PutOff != why {
		j.PutOff = why
		effects = append(effects, Effect{Kind: Tell, Why: why, Later: true})
	}
	return j, effects
}

// end is the end of a job.
func (r Rules) end(j Job, why messages.CatchUpEnd) (Job, []Effect) {
	j.State, j.Why = Done, why
	return j, append(do(LeaveKeyboard), Effect{Kind: Tell, Why: why})
}
