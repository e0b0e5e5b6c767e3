package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/capture"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Pauses are the windows, and the desk, that a person does not want to be watched
// for a while, and whether replies may be sent. They are a setting in the store, so
// that a restart changes nothing.
type Pauses struct {
	change sync.Mutex   // held while one is stored
	keys   sync.RWMutex // held for reading while a key is pressed that sends something

	mu     sync.Mutex
	now    pauseRecord
	ending bool // this process is about to end
}

// pauseSetting is the setting's name.
const pauseSetting = "pause"

// pauseRecord is its stored form.
type pauseRecord struct {
	All     *time.Time                      `json:"all,omitempty"` // since when
	Windows map[messages.WindowID]time.Time `json:"windows,omitempty"`
	Desk    *time.Time                      `json:"desk,omitempty"`
	Sending *time.Time                      `json:"sending,omitempty"`
}

// Load takes over what is stored.
func (p *Pauses) Load(e *engine.Engine) error {
	raw, ok, err := e.Setting(pauseSetting)
	var rec pauseRecord
	if err == nil && ok {
		if json.Unmarshal(raw, &rec) != nil {
			err = fmt.Errorf("admin: the setting %s is unreadable: resume everything with kehai resume", pauseSetting)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = rec
	return err
}

// List names what is paused: the window "" stands for all.
func (p *Pauses) List() (list []control.Paused) {
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

func (p *Pauses) of(w messages.WindowID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.now.Windows[w]
	return ok || p.now.All != nil
}

// Desk says since when the desk is not watched, nil if it is.
func (p *Pauses) Desk() *time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now.Desk
}

// DeskStamp is Desk as a status has it.
func (p *Pauses) DeskStamp() *control.Stamp {
	if since := p.Desk(); since != nil {
		return &control.Stamp{Time: *since}
	}
	return nil
}

// ErrPaused refuses to watch what is paused.
var ErrPaused = errors.New("watching is paused; kehai resume goes on")

// Guard has captures of paused windows refused.
func (p *Pauses) Guard(locate capture.Locate) capture.Locate {
	return func(ctx context.Context, w messages.WindowID) (capture.Source, error) {
		if p.of(w) {
			return capture.Source{}, actors.Refuse(messages.CodePaused, ErrPaused)
		}
		return locate(ctx, w)
	}
}

// Why a key is not pressed that would send something.
var (
	errNotSending = errors.New("sending is paused; kehai resume sending goes on")
	errEnding     = errors.New("this process is about to end; sending goes on at the next start")
)

// Key presses a key unless sending is paused or the process is about to end. A pause
// waits for one that is pressed.
func (p *Pauses) Key(press func() error) error {
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

// End refuses all further keys that would type or send something, and has what stands
// half typed in the windows taken out.
func (p *Pauses) End(ctx context.Context, e *engine.Engine, windows []messages.WindowID) (err error) {
	p.mu.Lock()
	p.ending = true
	p.mu.Unlock()
	for _, w := range windows {
		to := messages.To(messages.ActorOutbound, string(w))
		err = errors.Join(err, e.Inject(ctx, to, messages.EndSending{}, ""))
	}
	return err
}

// setSending stores whether replies may be sent.
func (p *Pauses) setSending(ctx context.Context, e *engine.Engine, paused bool) error {
	p.keys.Lock()
	defer p.keys.Unlock()
	return p.set(ctx, e, func(r *pauseRecord) error {
		switch {
		case !paused:
			r.Sending = nil
		case r.Sending == nil:
			now := time.Now().UTC().Round(0)
			r.Sending = &now
		}
		return nil
	})
}

// GuardUsage has readings of the computer's use refused while the desk is paused.
func (p *Pauses) GuardUsage(create func() (actors.Worker, error)) func() (actors.Worker, error) {
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
	pauses *Pauses
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

// set stores a change, and only then lets it count.
func (p *Pauses) set(ctx context.Context, e *engine.Engine, change func(*pauseRecord) error) error {
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
			return fmt.Errorf("admin: pause: %w", err)
		}
	}
	if err := e.SetSetting(ctx, pauseSetting, raw); err != nil {
		return fmt.Errorf("admin: pause: %w", err)
	}
	p.mu.Lock()
	p.now = next
	p.mu.Unlock()
	return nil
}

// Pause implements [control.Backend].
func (b Backend) Pause(ctx context.Context, window string) error {
	return b.change(ctx, window, true, func(r *pauseRecord, id messages.WindowID) error {
		now := time.Now().UTC().Round(0)
		switch _, already := r.Windows[id]; {
		case id == "" && r.All == nil:
			r.All = &now
		case id != "" && !already:
			if r.Windows == nil {
				r.Windows = map[messages.WindowID]time.Time{}
			}
			r.Windows[id] = now
		}
		return nil
	})
}

// Resume implements [control.Backend].
func (b Backend) Resume(ctx context.Context, window string) error {
	return b.change(ctx, window, false, func(r *pauseRecord, id messages.WindowID) error {
		if id == "" {
			*r = pauseRecord{Desk: r.Desk, Sending: r.Sending}
			return nil
		}
		if delete(r.Windows, id); r.All != nil {
			return errors.New("all windows are paused: kehai resume goes on with all, " +
				"kehai pause WINDOW then pauses one")
		}
		return nil
	})
}

// change pauses or resumes the desk or the sending, or changes the record for a window,
// "" for all.
func (b Backend) change(ctx context.Context, name string, pause bool,
	windows func(*pauseRecord, messages.WindowID) error) error {
	switch {
	case b.means(name, control.Attention):
		return b.pauseDesk(ctx, pause)
	case b.means(name, control.Sending):
		return b.pauseSending(ctx, pause)
	}
	id, err := FindWindow(b.Config, name)
	if err != nil {
		return err
	}
	e, err := b.Engine()
	if err != nil {
		return err
	}
	return b.Pauses.set(ctx, e, func(r *pauseRecord) error { return windows(r, id) })
}

// means tells what is no window from windows, which go first.
func (b Backend) means(name, what string) bool {
	return name == what && !slices.ContainsFunc(b.Config.Windows,
		func(w config.Window) bool { return w.Name == name })
}

// pauseDesk ends the collecting at once; the classifier follows with its mail.
func (b Backend) pauseDesk(ctx context.Context, paused bool) error {
	if !b.Config.Focus.Enabled {
		return control.ErrNoDesk
	}
	e, err := b.Engine()
	if err != nil {
		return err
	}
	err = b.Pauses.set(ctx, e, func(r *pauseRecord) error {
		switch {
		case !paused:
			r.Desk = nil
		case r.Desk == nil:
			now := time.Now().UTC().Round(0)
			r.Desk = &now
		}
		return nil
	})
	if err != nil {
		return err
	}
	var m messages.Message = messages.ResumeFocus{}
	if paused {
		m = messages.PauseFocus{}
	}
	return e.Inject(ctx, messages.To(attention.Kind, b.Config.Node), m, "")
}

// FindWindow finds a configured window by its name, with or without the node; "" is
// all of them.
func FindWindow(cfg config.Config, name string) (messages.WindowID, error) {
	if name == "" {
		return "", nil
	}
	var names []string
	for _, w := range cfg.Windows {
		if id := w.ID(cfg.Node); name == w.Name || name == string(id) {
			return id, nil
		}
		names = append(names, w.Name)
	}
	if len(names) == 0 {
		return "", fmt.Errorf("%w: %q: no window is configured", control.ErrNoWindow, name)
	}
	return "", fmt.Errorf("%w: %q: there are %s", control.ErrNoWindow, name, strings.Join(names, ", "))
}
