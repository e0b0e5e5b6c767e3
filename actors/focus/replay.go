package focus

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Judged is what a replay says about one moment.
type Judged struct {
	Raw     messages.FocusState
	Steady  messages.Attention
	From    messages.Attention // the steadied state before
	Changed bool
}

// Replay judges recorded snapshots in the time of the record. Make it with
// [NewReplay].
type Replay struct {
	rules  Rules
	steady Steady
	plain  bool
	look   Look

	ask     func(prompt messages.Text) (messages.Text, error) // nil: nobody
	known   verdicts
	failed  int // answers in a row
	restEnd time.Time
}

// NewReplay begins a replay; false for an unknown profile.
func NewReplay(p Profile) (*Replay, bool) {
	rules, ok := RulesOf(p)
	return &Replay{rules: rules, plain: p == ProfileSeed}, ok
}

// Ask lets a language model decide where the rules do not, with [SystemPrompt]
// as its standing instruction. It is asked as in a running Kehai: once for each
// case, and after a failure not for a while. Without it the fallback decides.
func (r *Replay) Ask(model func(prompt messages.Text) (answer messages.Text, err error)) {
	r.ask = model
}

// Camera hands in what the camera saw at a moment, nil if it saw nothing from
// then on.
func (r *Replay) Camera(c *messages.CameraSnapshot, now time.Time) {
	if r.look.Camera = nil; c != nil {
		own := *c
		own.ObservedAt = now
		r.look.Camera = &own
	}
}

// Usage hands in how the computer was used, nil if that is not known from then
// on.
func (r *Replay) Usage(u *messages.UsageSnapshot, now time.Time) {
	if r.look.Usage = nil; u != nil {
		own := *u
		own.ObservedAt = now
		r.look.Usage = &own
	}
}

// Judge judges what was handed in and is still fresh.
func (r *Replay) Judge(now time.Time) Judged {
	look := r.rules.Fresh(r.look, now)
	if u := look.Usage; u != nil && u.SecondsSinceLastKeyboard.Known {
		own := *u
		own.SecondsSinceLastKeyboard.Value += now.Sub(u.ObservedAt).Seconds()
		look.Usage = &own
	}
	raw, clear := r.rules.Judge(look)
	if !clear {
		raw = r.unclear(look, now)
	}
	raw.At = now
	j := Judged{Raw: raw, From: r.steady.Reported()}
	if r.plain {
		if r.steady.State != raw.State {
			r.steady.become(raw.State, now)
		}
	} else {
		r.steady.Take(raw)
	}
	j.Steady = r.steady.Reported()
	j.Changed = j.Steady != j.From
	return j
}

// unclear judges what the rules do not decide.
func (r *Replay) unclear(look Look, now time.Time) messages.FocusState {
	look = r.rules.Uncover(look)
	if state, ok := r.known.get(look, now); ok {
		return state
	}
	if r.ask == nil || now.Before(r.restEnd) {
		return r.rules.Fallback(look)
	}
	answer, err := r.ask(Prompt(look))
	if err == nil {
		var state messages.FocusState
		if state, err = ParseAnswer(answer); err == nil {
			r.failed = 0
			r.known.put(look, state, now)
			return state
		}
	}
	r.restEnd = now.Add(rest(r.failed))
	r.failed++
	return r.rules.Fallback(look)
}
