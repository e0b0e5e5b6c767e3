package recording

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Taps stand between the drivers and those who use them, and give what passes to the recorder that is
// there at the time. The zero value has none. Its methods may be called concurrently.
type Taps struct {
	rec atomic.Pointer[Recorder]

	mu   sync.Mutex
	host *Host // nil: nothing can begin yet
	own  bool  // the recorder was made by Start
}

// Use has a recorder of a host get what passes, which the host closes.
func (t *Taps) Use(rec *Recorder) { t.rec.Store(rec) }

// Begin begins the recording of [Taps.Use], if there is one, and allows others.
func (t *Taps) Begin(h Host) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.host = &h
	if r := t.Now(); r != nil {
		return r.Begin(h)
	}
	return nil
}

// Start begins a recording in the middle of a run. It starts with what the windows show then. A replay
// lacks the state from before.
func (t *Taps) Start(o Options) (State, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch r := t.Now(); {
	case r != nil && !(t.own && r.State().Full):
		return State{}, control.ErrRecording
	case t.host == nil:
		return State{}, errors.New("recording: Kehai is not running yet: try again in a moment")
	case r != nil:
		if s, err := t.end(r); err != nil {
			return s, err
		}
	}
	r, err := New(o)
	if err != nil {
		return State{}, err
	}
	if err := r.Begin(*t.host); err != nil {
		return State{}, errors.Join(err, r.Close(), os.Remove(o.Path))
	}
	t.own = true
	t.rec.Store(r)
	return r.State(), nil
}

// Close ends the recording of [Taps.Start], if there is one.
func (t *Taps) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.host = nil
	if r := t.Now(); r != nil && t.own {
		_, err := t.end(r)
		return err
	}
	return nil
}

// Stop ends the recording of [Taps.Start], and tells what it had become.
func (t *Taps) Stop() (State, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.Now()
	switch {
	case r == nil:
		return State{}, control.ErrNotRecording
	case !t.own:
		return State{}, errors.New("recording: it ends with the program that watches and records: stop that")
	}
	return t.end(r)
}

// end is Stop under the lock.
func (t *Taps) end(r *Recorder) (State, error) {
	t.rec.Store(nil)
	t.own = false
	s := r.State()
	return s, r.Close()
}

// Now is the recorder that is there, nil for none.
func (t *Taps) Now() *Recorder { return t.rec.Load() }

// Listen tells the recorder of an event of the runtime.
func (t *Taps) Listen(ev engine.Published) {
	if r := t.Now(); r != nil {
		r.Listen(ev)
	}
}

// now is the time since the recording began; 0 before that.
func (r *Recorder) now() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out == nil {
		return 0
	}
	return r.since()
}
