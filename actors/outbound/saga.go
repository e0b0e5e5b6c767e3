package outbound

import (
	"errors"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors/backoff"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// Rules of sending. Start with [DefaultRules].
type Rules struct {
	// How long nobody must have used the keyboard or the mouse before a key is
	// pressed, 1s to 10m. Default 3s.
	Idle time.Duration `yaml:"idle" min:"1s" max:"10m"`

	// How long the bubble of a sent text may take to be seen, 1s to 10m; after that
	// nobody knows whether it was sent. Default 30s.
	Confirm time.Duration `yaml:"confirm" min:"1s" max:"10m"`

	// How long a reply waits for a window in which it can be typed, 1s to 24h. Default
	// 10m.
	Timeout time.Duration `yaml:"timeout" min:"1s" max:"24h"`

	// Pause after an attempt that could not be made, 100ms to 10s; it doubles with
	// each one. Default 2s.
	Retry time.Duration `yaml:"retry" min:"100ms" max:"10s" atmost:"retry_cap"`

	// Longest such pause, 100ms to 1h, at least retry. Default 15s.
	RetryCap time.Duration `yaml:"retry_cap" min:"100ms" max:"1h"`

	// Pause between two looks while the window may still be drawing, 10ms to 5s.
	// Default 400ms.
	Redraw time.Duration `yaml:"redraw" min:"10ms" max:"5s"`

	// Looks, or attempts, after which a step of the hands has failed, 1 to 20. Default 3.
	Looks int `yaml:"looks" min:"1" max:"20"`

	// Attempts in a row that met a typing person after which the person is told, 1 to
	// 1000. Default 3.
	Streak int `yaml:"streak" min:"1" max:"1000"`

	// Time since the first of them after which the person is told too, 1s to 24h.
	// Default 1m.
	StreakTime time.Duration `yaml:"streak_time" min:"1s" max:"24h"`
}

// DefaultRules returns the rules of both profiles.
func DefaultRules() Rules {
	return Rules{
		Idle: 3 * time.Second, Confirm: 30 * time.Second, Timeout: 10 * time.Minute,
		Retry: 2 * time.Second, RetryCap: 15 * time.Second, Redraw: 400 * time.Millisecond, Looks: 3,
		Streak: 3, StreakTime: time.Minute,
	}
}

// State is how far a reply has come. The table in the package comment lists the
// transitions.
type State string

// States of a reply.
const (
	Queued     State = "queued"     // waits for its turn, or for the next attempt
	Leasing    State = "leasing"    // waits for the desk's keyboard
	Verifying  State = "verifying"  // the window is read: nothing is typed yet
	Typing     State = "typing"     // announced to the readers; keys are being pressed
	Checking   State = "checking"   // the window is read: does it hold the text?
	Entering   State = "entering"   // Enter is pressed
	Confirming State = "confirming" // waiting for its bubble
	Clearing   State = "clearing"   // what was typed is being cleared
	Settling   State = "settling"   // the window is read: what happened to the text?
	Done       State = "done"
)

// Holds reports whether a reply in this state has the keyboard.
func (s State) Holds() bool {
	switch s {
	case Verifying, Typing, Checking, Entering, Clearing, Settling:
		return true
	}
	return false
}

// Works reports whether a reply in this state has the keyboard or asks for it.
func (s State) Works() bool { return s == Leasing || s.Holds() }

// Reply is a text on its way into a window.
type Reply struct {
	messages.SendReply
	Trace string `json:"trace"`
	State State  `json:"state"`

	Due      time.Time           `json:"due,omitzero"`   // when it continues by itself
	Began    time.Time           `json:"began,omitzero"` // of the first attempt
	Tries    int                 `json:"tries,omitempty"`
	Reason   messages.SendReason `json:"reason,omitempty"`   // why the last attempt was not made
	Busy     int                 `json:"busy,omitempty"`     // attempts in a row that met a typing person
	BusyFrom time.Time           `json:"busy_from,omitzero"` // the first of them
	Notified bool                `json:"told,omitempty"`     // the person was told of it

	Typed   bool `json:"typed,omitempty"`   // our text may stand in the field
	Entered bool `json:"entered,omitempty"` // Enter may have been pressed on it
	// Pressed means that some of its keys were pressed and not cleared again. A field
	// that reads as empty then says nothing about where the text went.
	Pressed bool `json:"pressed,omitempty"`
	Stop    bool `json:"stop,omitempty"`
	Looks   int  `json:"looks,omitempty"` // in this state
	// Before is the end of the transcript before anything was typed; nil until it is
	// read.
	Before []Mark `json:"before,omitempty"`
	Read   bool   `json:"read,omitempty"` // Before was read, and may be empty
	// Adrift is when its conversation was first shown without that tail. Without it,
	// nothing tells what happened to a text that was typed.
	Adrift time.Time `json:"adrift,omitzero"`

	Seen messages.Occurrence `json:"seen,omitempty"` // of its bubble
}

// sending is the token of the reply.
func (s Reply) sending() messages.Sending {
	return messages.Sending{Conversation: s.Conversation, Turn: s.Turn, Epoch: s.Epoch, Key: s.Key}
}

// task names what the reply is about, for the stall watch: the host's key, or the reply's
// own trace.
func (s Reply) task() string {
	if s.Key != "" {
		return s.Key
	}
	return s.Trace
}

// Event is what happened to a reply.
type Event struct {
	Kind EventKind
	Code string // of OnFailed: the worker's, "" if it broke
	View View   // of OnSeen
	Tail []Mark // of OnSeen: the transcript's, as far as it is in view
	// Hold, for OnSeen, says why nothing may be sent now, such as [messages.CodePaused], or
	// "" if it may. Text that was typed is cleared all the same.
	Hold messages.SendReason
}

// EventKind says what happened.
type EventKind string

// Kinds of events.
const (
	OnDue     EventKind = "due"     // the next attempt, another look, or the end of waiting
	OnGiven   EventKind = "given"   // the keyboard
	OnSeen    EventKind = "seen"    // the window was read
	OnUnseen  EventKind = "unseen"  // it could not be
	OnTyped   EventKind = "typed"   // all keys of the text were pressed
	OnEntered EventKind = "entered" // Enter was pressed
	OnCleared EventKind = "cleared"
	OnFailed  EventKind = "failed"  // a step of the hands was refused, or broke
	OnOwn     EventKind = "own"     // its bubble was seen
	OnStop    EventKind = "stop"    // it is no longer wanted
	OnRestart EventKind = "restart" // the process or the actor restarted
)

// EffectKind says what is to be done.
type EffectKind string

// Kinds of effects.
const (
	AskKeyboard   EffectKind = "ask"
	LeaveKeyboard EffectKind = "leave"
	LookAtWindow  EffectKind = "look"
	Announce      EffectKind = "announce" // tell all readers, before the first key
	TypeText      EffectKind = "type"
	PressEnter    EffectKind = "enter"
	ClearField    EffectKind = "clear"
	Wait          EffectKind = "wait"   // for OnDue
	Finish        EffectKind = "finish" // report how it ended
)

// Effect is something to do for a reply.
type Effect struct {
	Kind    EffectKind
	For     time.Duration        // of Wait
	Outcome messages.SendOutcome // of Finish
	Reason  messages.SendReason  // of Finish
}

func do(kinds ...EffectKind) (list []Effect) {
	for _, k := range kinds {
		list = append(list, Effect{Kind: k})
	}
	return list
}

// Step moves a reply by one event and says what is to be done. An event that does
// not fit the state changes nothing. It is long because it is the table of the
// package comment.
func (r Rules) Step(s Reply, e Event, now time.Time) (Reply, []Effect) {
	switch e.Kind {
	case OnOwn:
		return r.finish(s, messages.SendConfirmed, "")
	case OnStop:
		return r.stop(s)
	case OnRestart:
		return r.restart(s)
	case OnUnseen:
		return r.unseen(s, e.Code, now)
	case OnFailed:
		return r.failed(s, e.Code, now)
	}
	switch s.State {
	case Queued:
		if e.Kind == OnDue {
			if s.Began.IsZero() {
				s.Began = now
			}
			return s.to(Leasing), do(AskKeyboard)
		}
	case Leasing:
		switch e.Kind {
		case OnDue: // it should have been given by now
			return s, do(AskKeyboard)
		case OnGiven:
			return s.to(Verifying), do(LookAtWindow)
		}
	case Verifying:
		switch e.Kind {
		case OnGiven, OnDue:
			return s, do(LookAtWindow)
		case OnSeen:
			return r.verify(s, e, now)
		}
	case Typing:
		switch e.Kind {
		case OnDue: // the answer was lost
			return r.failed(s, "", now)
		case OnTyped:
			s.Pressed = true
			return s.to(Checking), do(LookAtWindow)
		}
	case Checking:
		switch e.Kind {
		case OnDue:
			return s, do(LookAtWindow)
		case OnSeen:
			return r.check(s, e, now)
		}
	case Entering:
		switch e.Kind {
		case OnDue:
			return r.failed(s, "", now)
		case OnEntered:
			return r.confirm(s)
		}
	case Clearing:
		switch e.Kind {
		case OnDue:
			return r.failed(s, "", now)
		case OnCleared: // the field held all of it until then, so Enter had no effect
			s.Entered, s.Pressed = false, false
			return s.to(Settling), do(LookAtWindow)
		}
	case Settling:
		switch e.Kind {
		case OnGiven, OnDue:
			return s, do(LookAtWindow)
		case OnSeen:
			return r.settle(s, e, now)
		}
	case Confirming:
		if e.Kind == OnDue {
			return r.finish(s, messages.SendUnknown, messages.SendUnconfirmed)
		}
	}
	return s, nil
}

func (s Reply) to(state State) Reply {
	s.State, s.Looks = state, 0
	return s
}

// verify decides before the first key.
func (r Rules) verify(s Reply, e Event, now time.Time) (Reply, []Effect) {
	if follows(s, e.Tail) {
		s.Adrift = time.Time{}
	}
	switch {
	case s.Stop:
		return r.finish(s, messages.SendNot, messages.SendStopped)
	case s.Read && appeared(s, e.Tail): // somebody sent what an earlier attempt had typed
		return r.confirm(s)
	case s.Typed && (e.View.Field == FieldOurs || e.View.Field == FieldPart): // of an attempt that could not be cleared
		return s.to(Clearing), do(ClearField)
	case s.Typed && s.Pressed && e.View.Field == FieldEmpty:
		return r.finish(s, messages.SendUnknown, messages.SendUnconfirmed)
	case e.Hold != "":
		return r.putOff(s, e.Hold, now)
	case e.View.MovedOn:
		return r.putOff(s, messages.SendMovedOn, now)
	case !e.View.Here:
		return r.putOff(s, messages.SendElsewhere, now)
	case !follows(s, e.Tail):
		return r.adrift(s, now)
	case e.View.Field == FieldMissing:
		return r.putOff(s, messages.SendNoField, now)
	case e.View.Field != FieldEmpty:
		return r.putOff(s, messages.SendBusy, now)
	}
	s.Before, s.Read = tailOf(e.Tail), true
	s.Typed, s.Entered, s.Pressed = true, false, !hasWords(string(s.Text)) // which no reader shows
	return s.to(Typing), do(Announce, TypeText)
}

// adrift is for a conversation that no longer shows where it ended when the text was
// typed: it is scrolled back, or too much has come since. Wait for that place as long as
// for a bubble.
func (r Rules) adrift(s Reply, now time.Time) (Reply, []Effect) {
	switch {
	case s.Adrift.IsZero():
		s.Adrift = now
	case now.Sub(s.Adrift) >= r.Confirm:
		return r.finish(s, messages.SendUnknown, messages.SendUnconfirmed)
	}
	return r.putOff(s, messages.SendElsewhere, now)
}

// check decides whether Enter is pressed: only over the whole text, in its
// conversation.
func (r Rules) check(s Reply, e Event, now time.Time) (Reply, []Effect) {
	switch {
	case appeared(s, e.Tail): // a person pressed Enter
		return r.confirm(s)
	case e.View.Field == FieldOurs && e.Hold != "":
		s.Reason = e.Hold
		return s.to(Clearing), do(ClearField)
	case e.View.Field == FieldOurs && (s.Stop || !e.View.Here):
		s.Reason = messages.SendElsewhere
		return s.to(Clearing), do(ClearField)
	case e.View.Field == FieldOurs:
		s.Entered = true
		return s.to(Entering), do(PressEnter)
	case s.Looks+1 < r.Looks: // it may still be drawn
		s.Looks++
		return s, []Effect{{Kind: Wait, For: r.Redraw}}
	}
	return r.settle(s, e, now)
}

// settle decides what happened to a text whose typing, sending or clearing is in doubt.
// Once its keys were pressed, it is typed again only after it was seen in the field and
// cleared. If the answer was lost before that was known, it is typed again if it is
// neither in the field nor in the transcript.
func (r Rules) settle(s Reply, e Event, now time.Time) (Reply, []Effect) {
	switch {
	case appeared(s, e.Tail):
		return r.confirm(s)
	case e.View.Field == FieldOurs || e.View.Field == FieldPart:
		return s.to(Clearing), do(ClearField)
	case s.Entered && e.View.Field == FieldEmpty, s.Entered && s.Looks+1 >= r.Looks:
		return r.confirm(s)
	case s.State == Settling && s.Looks+1 < r.Looks:
		s.Looks++
		return s, []Effect{{Kind: Wait, For: r.Redraw}}
	case e.View.Field == FieldEmpty && s.Pressed:
		return r.finish(s, messages.SendUnknown, messages.SendUnconfirmed)
	case e.View.Field == FieldEmpty && s.Reason != "":
		s.Typed = !follows(s, e.Tail)
		return r.putOff(s, s.Reason, now)
	case e.View.Field == FieldEmpty:
		s.Typed = !follows(s, e.Tail)
		return r.putOff(s, messages.SendNoField, now)
	case e.View.Field == FieldMissing:
		return r.putOff(s, messages.SendNoField, now)
	}
	return r.putOff(s, messages.SendBusy, now)
}

// confirm waits for the bubble and lets other replies type in the meantime.
func (r Rules) confirm(s Reply) (Reply, []Effect) {
	s.Reason = ""
	return s.to(Confirming), append(do(LeaveKeyboard), Effect{Kind: Wait, For: r.Confirm})
}

// unseen handles a window that could not be read.
func (r Rules) unseen(s Reply, code string, now time.Time) (Reply, []Effect) {
	reason := reasonOf(code)
	switch s.State {
	case Verifying:
		return r.putOff(s, reason, now)
	case Checking, Settling:
		if s.Looks+1 < r.Looks {
			s.Looks++
			return s, []Effect{{Kind: Wait, For: r.Retry}}
		}
		if s.Entered {
			return r.confirm(s)
		}
		return r.putOff(s, reason, now)
	}
	return s, nil
}

// failed handles a step that the hands did not complete. A refusal means that no key was
// pressed.
func (r Rules) failed(s Reply, code string, now time.Time) (Reply, []Effect) {
	refused := untouched(code)
	reason := reasonOf(code)
	switch s.State {
	case Typing:
		if refused {
			s.Typed, s.Before, s.Read = false, nil, false
			return r.putOff(s, reason, now)
		}
		s.Reason, s.Pressed = reason, s.Pressed || errors.Is(hardware.ErrorOf(code), hardware.ErrPartlyTyped)
		return s.to(Settling), do(LookAtWindow)
	case Entering:
		if refused {
			s.Entered = false
		}
		s.Reason = reason
		return s.to(Settling), do(LookAtWindow)
	case Clearing:
		s.Reason = reason
		if s.Looks = s.Looks + 1; s.Looks >= r.Looks {
			return r.putOff(s, reason, now)
		}
		s.State = Settling
		return s, []Effect{{Kind: Wait, For: r.Retry}}
	}
	return s, nil
}

// refusals are the codes with which the hands refuse a step before its first key.
var refusals = []string{string(messages.SendBusy), string(messages.SendChanged), string(messages.SendBlind),
	string(messages.SendEnding), string(messages.SendNoLease), messages.CodePaused}

// untouched reports a code after which no key was pressed.
func untouched(code string) bool { return slices.Contains(refusals, code) || hardware.Untouched(code) }

func reasonOf(code string) messages.SendReason {
	switch {
	case errors.Is(hardware.ErrorOf(code), hardware.ErrUnavailable):
		return messages.SendNoTypist
	case untouched(code):
		return messages.SendReason(code)
	}
	return messages.SendFailed
}

// putOff ends an attempt. The next one comes later, unless the reply was withdrawn or has
// waited long enough.
func (r Rules) putOff(s Reply, why messages.SendReason, now time.Time) (Reply, []Effect) {
	s.Reason = why
	if why == messages.SendBusy {
		if s.Busy++; s.Busy == 1 {
			s.BusyFrom = now
		}
		s.Notified = s.Notified || s.Busy >= r.Streak || now.Sub(s.BusyFrom) >= r.StreakTime
	} else {
		s.Busy, s.BusyFrom, s.Notified = 0, time.Time{}, false
	}
	switch {
	case s.Stop:
		return r.finish(s, messages.SendNot, messages.SendStopped)
	case why == messages.SendNoTypist, why == messages.SendBlind,
		why == messages.SendFailed && !s.Typed && s.Tries >= r.Looks,
		now.Sub(s.Began) >= r.Timeout:
		return r.finish(s, messages.SendNot, why)
	}
	s.Tries++
	wait := backoff.Delay(r.Retry, r.RetryCap, s.Tries)
	return s.to(Queued), append(do(LeaveKeyboard), Effect{Kind: Wait, For: wait})
}

func (r Rules) stop(s Reply) (Reply, []Effect) {
	s.Stop = true
	switch s.State {
	case Queued, Leasing:
		return r.finish(s, messages.SendNot, messages.SendStopped)
	}
	return s, nil
}

// restart continues after the process or the actor restarted. Calls in progress are lost,
// so the window is read before anything else.
func (r Rules) restart(s Reply) (Reply, []Effect) {
	switch s.State {
	case Verifying:
		return s.to(Verifying), do(AskKeyboard)
	case Typing, Checking, Entering, Clearing, Settling:
		return s.to(Settling), do(AskKeyboard)
	case Leasing:
		return s, do(AskKeyboard)
	case Confirming: // the window must be seen again first
		return s, []Effect{{Kind: Wait, For: r.Confirm}}
	}
	return s, nil
}

// finish ends a reply. If its text may have been sent, or may still be in the field, it
// never ends as not sent.
func (r Rules) finish(s Reply, outcome messages.SendOutcome, why messages.SendReason) (Reply, []Effect) {
	if outcome == messages.SendNot && (s.Entered || s.Typed) {
		outcome, why = messages.SendUnknown, messages.SendUnconfirmed
	}
	return s.to(Done), append(do(LeaveKeyboard), Effect{Kind: Finish, Outcome: outcome, Reason: why})
}
