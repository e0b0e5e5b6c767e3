package pause

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/capture"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// State is the windows, and the desk, that a person does not want watched for a while,
// and whether replies may be sent. It is a setting in the store, so a restart changes
// nothing.
type State struct {
	change sync.Mutex   // held while one is stored
	keys   sync.RWMutex // held for reading while a key is pressed that sends something

	mu     sync.Mutex
	now    record
	ending bool // this process is about to end
}

// setting is the setting's name.
const setting = "pause"

// record is its stored form.
type record struct {
	All     *time.Time                      `json:"all,omitempty"` // since when
	Windows map[messages.WindowID]time.Time `json:"windows,omitempty"`
	Desk    *time.Time                      `json:"desk,omitempty"`
	Sending *time.Time                      `json:"sending,omitempty"`
}

// Load takes over what is stored.
func (p *State) Load(e *engine.Engine) error {
	raw, ok, err := e.Setting(setting)
	var rec record
	if err == nil && ok {
		if json.Unmarshal(raw, &rec) != nil {
			err = fmt.Errorf("pause: the setting %s is unreadable: resume everything with kehai resume", setting)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = rec
	return err
}

// List names what is paused; the window "" means all.
func (p *State) List() (list []control.Paused) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.All != nil {
		list = append(list, control.Paused{Since: control.Stamp{Time: *p.now.All}})
	}
	for _, w := range slices.Sorted(maps.Keys(p.now.Windows)) {
		list = append(list, control.Paused{Window: w, Since: control.Stamp{Time: p.now.Windows[w]}})
	}
	return list
}

func (p *State) of(w messages.WindowID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.now.Windows[w]
	return ok || p.now.All != nil
}

// Desk returns since when the desk is paused, nil if it is not.
func (p *State) Desk() *time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now.Desk
}

// DeskStamp returns Desk in the form of a status.
func (p *State) DeskStamp() *control.Stamp {
	if since := p.Desk(); since != nil {
		return &control.Stamp{Time: *since}
	}
	return nil
}

// SendingStamp returns since when no reply is sent, nil if replies are.
func (p *State) SendingStamp() *control.Stamp {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.Sending == nil {
		return nil
	}
	return &control.Stamp{Time: *p.now.Sending}
}

// ErrPaused refuses to watch what is paused.
var ErrPaused = errors.New("watching is paused; kehai resume goes on")

// Guard refuses captures of paused windows.
func (p *State) Guard(locate capture.Locate) capture.Locate {
	return func(ctx context.Context, w messages.WindowID) (capture.Source, error) {
		if p.of(w) {
			return capture.Source{}, actors.Refuse(messages.CodePaused, ErrPaused)
		}
		return locate(ctx, w)
	}
}

// Why a key that would send something is not pressed.
var (
	errNotSending = errors.New("sending is paused; kehai resume sending goes on")
	errEnding     = errors.New("this process is about to end; sending goes on at the next start")
)

// Key presses a key unless sending is paused or the process is about to end. A pause
// waits for a key being pressed.
func (p *State) Key(press func() error) error {
	p.keys.RLock()
	defer p.keys.RUnlock()
	p.mu.Lock()
	paused, ending := p.now.Sending != nil, p.ending
	p.mu.Unlock()
	switch {
	case ending:
		return actors.Refuse(string(messages.SendEnding), errEnding)
	case paused:
		return actors.Refuse(messages.CodePaused, errNotSending)
	}
	return press()
}

// End refuses all further keys that would type or send something, and clears half-typed
// texts from the windows.
func (p *State) End(ctx context.Context, e *engine.Engine, windows []messages.WindowID) (err error) {
	p.mu.Lock()
	p.ending = true
	p.mu.Unlock()
	for _, w := range windows {
		to := messages.To(messages.ActorOutbound, string(w))
		err = errors.Join(err, e.Inject(ctx, to, messages.EndSending{}, ""))
	}
	return err
}

// GuardUsage refuses readings of the computer's use while the desk is paused.
func (p *State) GuardUsage(create func() (actors.Worker, error)) func() (actors.Worker, error) {
	return func() (actors.Worker, error) {
		w, err := create()
		if err != nil {
			return nil, err
		}
		return guarded{w, p}, nil
	}
}

// guarded is a worker that refuses while the desk is paused.
type guarded struct {
	actors.Worker
	pauses *State
}

// Do implements [actors.Worker].
func (g guarded) Do(ctx context.Context, request messages.Message) (messages.Message, error) {
	if g.pauses.Desk() != nil {
		return nil, actors.Refuse(messages.CodePaused, ErrPaused)
	}
	return g.Worker.Do(ctx, request)
}

// Close closes the worker if it can be.
func (g guarded) Close() error {
	if c, ok := g.Worker.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// set stores a change, and only then puts it into effect.
func (p *State) set(ctx context.Context, e *engine.Engine, change func(*record) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("pause: %w (nothing is changed)", err)
	}
	p.change.Lock()
	defer p.change.Unlock()
	p.mu.Lock()
	next := p.now
	next.Windows = maps.Clone(next.Windows)
	p.mu.Unlock()
	if err := change(&next); err != nil {
		return err
	}
	var raw []byte
	if next.All != nil || len(next.Windows) > 0 || next.Desk != nil || next.Sending != nil {
		var err error
		if raw, err = json.Marshal(next); err != nil {
			return fmt.Errorf("pause: %w", err)
		}
	}
	if err := e.SetSetting(ctx, setting, raw); err != nil {
		return fmt.Errorf("pause: %w", err)
	}
	p.mu.Lock()
	p.now = next
	p.mu.Unlock()
	return nil
}

// SetWindow pauses or resumes a window; "" is all of them.
func (p *State) SetWindow(ctx context.Context, e *engine.Engine, id messages.WindowID, paused bool) error {
	return p.set(ctx, e, func(r *record) error {
		if !paused {
			return r.resume(id)
		}
		switch _, already := r.Windows[id]; {
		case id == "":
			r.All = since(r.All, paused)
		case !already:
			if r.Windows == nil {
				r.Windows = map[messages.WindowID]time.Time{}
			}
			r.Windows[id] = *since(nil, paused)
		}
		return nil
	})
}

func (r *record) resume(id messages.WindowID) error {
	if id == "" {
		*r = record{Desk: r.Desk, Sending: r.Sending}
		return nil
	}
	if delete(r.Windows, id); r.All != nil {
		return errors.New("all windows are paused: kehai resume goes on with all, " +
			"kehai pause WINDOW then pauses one")
	}
	return nil
}

// SetDesk pauses or resumes the desk.
func (p *State) SetDesk(ctx context.Context, e *engine.Engine, paused bool) error {
	return p.set(ctx, e, func(r *record) error {
		r.Desk = since(r.Desk, paused)
		return nil
	})
}

// SetSending pauses or resumes the sending of replies. Once it returns, no key is
// pressed that sends one.
func (p *State) SetSending(ctx context.Context, e *engine.Engine, paused bool) error {
	p.keys.Lock()
	defer p.keys.Unlock()
	return p.set(ctx, e, func(r *record) error {
		r.Sending = since(r.Sending, paused)
		return nil
	})
}

// since returns the start of a pause: now, unless it has already begun; nil when it is
// over.
func since(began *time.Time, paused bool) *time.Time {
	switch {
	case !paused:
		return nil
	case began != nil:
		return began
	}
	now := time.Now().UTC().Round(0)
	return &now
}
