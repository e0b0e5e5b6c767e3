package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/messages"
)

// WithLives lets the scripts of drawn windows end this runtime: restart asks for
// an ordered stop, crash for an end at once, and both for a new runtime after it.
// fn is called from within a capture and must return soon; what it asks for, the
// host does by ending the contexts of [Runtime.RunUntil]. Without it a script
// that holds restart or crash is an error in New. The other verbs of a host, send
// and reset_baseline, need nothing.
func WithLives(fn func(crash bool)) Option { return func(s *settings) { s.scripts.lives = fn } }

// scripts do what the scripts of drawn windows want of their host.
type scripts struct {
	lives func(crash bool) // nil: nobody starts a runtime again
	wake  chan struct{}

	mu      sync.Mutex
	waiting []errand
}

// errand is an event for the host, and where it happens.
type errand struct {
	window messages.WindowID
	app    string
	screen *drawn.Window
	script string
	event  script.Event
}

func newScripts() *scripts { return &scripts{wake: make(chan struct{}, 1)} }

// ErrScript marks a script that cannot be played here.
var ErrScript = errors.New("runtime: bad script for this host")

// check refuses what nobody could do.
func (s *scripts) check(chat script.Script) error {
	for _, e := range chat.Events {
		if (e.Do == script.Restart || e.Do == script.Crash) && s.lives == nil {
			return fmt.Errorf("%w: line %d: nobody here starts a runtime again after %q: play it with kehai run or kehai replay, give New the option WithLives, or take the line out",
				ErrScript, e.Line, e.Do)
		}
	}
	return nil
}

// take is called by the player, from within a capture.
func (s *scripts) take(e errand) {
	switch e.event.Do {
	case script.Restart, script.Crash:
		s.lives(e.event.Do == script.Crash)
		return
	}
	s.mu.Lock()
	s.waiting = append(s.waiting, e)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *scripts) next() (e errand, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		return e, false
	}
	e, s.waiting = s.waiting[0], s.waiting[1:]
	return e, true
}

// playHost does what scripts ask for until ctx ends.
func (r *Runtime) playHost(ctx context.Context) error {
	for {
		for e, ok := r.set.scripts.next(); ok && ctx.Err() == nil; e, ok = r.set.scripts.next() {
			if err := r.do(ctx, e); err != nil && ctx.Err() == nil {
				r.log.Error().Err(err).Int("line", e.event.Line).Str("verb", string(e.event.Do)).Msg("script_failed")
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-r.set.scripts.wake:
		}
	}
}

func (r *Runtime) do(ctx context.Context, e errand) error {
	switch e.event.Do {
	case script.ResetBaseline:
		return r.Inject(ctx, messages.To("poller", string(e.window)), messages.ResetBaseline{Window: e.window}, "")
	case script.Send:
		to := fusion.Conversation(e.app, e.screen.Title())
		trace := fmt.Sprintf("script-%s-%d", e.script, e.event.Line)
		if err := r.Sending(ctx, to, e.event.Text, trace); err != nil {
			return err
		}
		return e.screen.Send(e.event.Text)
	}
	return fmt.Errorf("runtime: no host knows %q", e.event.Do)
}
