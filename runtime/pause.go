package runtime

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
	"github.com/kehai-run/kehai/actors/capture"
	"github.com/kehai-run/kehai/actors/focus"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// pauses are the windows, and the desk, that a person does not want to be watched
// for a while. They are a setting in the store, so that a restart changes nothing.
type pauses struct {
	change sync.Mutex // held while one is stored

	mu  sync.Mutex
	now pauseRecord
}

// pauseSetting is the setting's name.
const pauseSetting = "pause"

// pauseRecord is its stored form.
type pauseRecord struct {
	All     *time.Time                      `json:"all,omitempty"` // since when
	Windows map[messages.WindowID]time.Time `json:"windows,omitempty"`
	Desk    *time.Time                      `json:"desk,omitempty"`
}

func (p *pauses) load(e *engine.Engine) error {
	raw, ok, err := e.Setting(pauseSetting)
	var rec pauseRecord
	if err == nil && ok {
		if json.Unmarshal(raw, &rec) != nil {
			err = fmt.Errorf("runtime: the setting %s is unreadable: resume everything with kehai resume", pauseSetting)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = rec
	return err
}

// list names what is paused: the window "" stands for all.
func (p *pauses) list() (list []control.Paused) {
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

func (p *pauses) of(w messages.WindowID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.now.Windows[w]
	return ok || p.now.All != nil
}

// desk says since when the desk is not watched, nil if it is.
func (p *pauses) desk() *time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now.Desk
}

func (p *pauses) deskStamp() *control.Stamp {
	if since := p.desk(); since != nil {
		return &control.Stamp{Time: *since}
	}
	return nil
}

var errPaused = errors.New("watching is paused; kehai resume goes on")

// guard has captures of paused windows refused.
func (p *pauses) guard(locate capture.Locate) capture.Locate {
	return func(ctx context.Context, w messages.WindowID) (capture.Source, error) {
		if p.of(w) {
			return capture.Source{}, actors.Refuse(messages.CodePaused, errPaused)
		}
		return locate(ctx, w)
	}
}

// guardUsage has readings of the computer's use refused while the desk is paused.
func (p *pauses) guardUsage(make func() (actors.Worker, error)) func() (actors.Worker, error) {
	return func() (actors.Worker, error) {
		w, err := make()
		if err != nil {
			return nil, err
		}
		guarded := actors.WorkerFunc(func(ctx context.Context, request messages.Message) (messages.Message, error) {
			if p.desk() != nil {
				return nil, actors.Refuse(messages.CodePaused, errPaused)
			}
			return w.Do(ctx, request)
		})
		if c, ok := w.(io.Closer); ok {
			return closing{guarded, c}, nil
		}
		return guarded, nil
	}
}

// set stores a change, and only then lets it count.
func (p *pauses) set(ctx context.Context, e *engine.Engine, change func(*pauseRecord) error) error {
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
	if next.All != nil || len(next.Windows) > 0 || next.Desk != nil {
		var err error
		if raw, err = json.Marshal(next); err != nil {
			return fmt.Errorf("runtime: pause: %w", err)
		}
	}
	if err := e.SetSetting(ctx, pauseSetting, raw); err != nil {
		return fmt.Errorf("runtime: pause: %w", err)
	}
	p.mu.Lock()
	p.now = next
	p.mu.Unlock()
	return nil
}

// Pause implements [control.Backend].
func (s stored) Pause(ctx context.Context, window string) error {
	if s.isDesk(window) {
		return s.pauseDesk(ctx, true)
	}
	id, err := s.window(window)
	if err != nil {
		return err
	}
	return s.pauses.set(ctx, s.engine, func(r *pauseRecord) error {
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
func (s stored) Resume(ctx context.Context, window string) error {
	if s.isDesk(window) {
		return s.pauseDesk(ctx, false)
	}
	id, err := s.window(window)
	if err != nil {
		return err
	}
	return s.pauses.set(ctx, s.engine, func(r *pauseRecord) error {
		if id == "" {
			*r = pauseRecord{Desk: r.Desk}
			return nil
		}
		if delete(r.Windows, id); r.All != nil {
			return errors.New("all windows are paused: kehai resume goes on with all, kehai pause WINDOW then pauses one")
		}
		return nil
	})
}

// isDesk tells the desk from windows, which go first.
func (s stored) isDesk(name string) bool {
	return name == control.Attention && !slices.ContainsFunc(s.cfg.Windows, func(w config.Window) bool { return w.Name == name })
}

// pauseDesk ends the collecting at once; the classifier follows with its mail.
func (s stored) pauseDesk(ctx context.Context, paused bool) error {
	if !s.cfg.Focus.Enabled {
		return control.ErrNoDesk
	}
	err := s.pauses.set(ctx, s.engine, func(r *pauseRecord) error {
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
	return s.engine.Inject(ctx, messages.To(focus.Kind, s.cfg.Node), m, "")
}

// window finds a configured window by its name, with or without the node; "" is
// all of them.
func (s stored) window(name string) (messages.WindowID, error) {
	if name == "" {
		return "", nil
	}
	var names []string
	for _, w := range s.cfg.Windows {
		id := w.Name + "@" + s.cfg.Node
		if name == w.Name || name == id {
			return messages.WindowID(id), nil
		}
		names = append(names, w.Name)
	}
	if len(names) == 0 {
		return "", fmt.Errorf("%w: %q: no window is configured", control.ErrNoWindow, name)
	}
	return "", fmt.Errorf("%w: %q: there are %s", control.ErrNoWindow, name, strings.Join(names, ", "))
}

// Pause stops watching a window, all windows if it is "", or the desk if it is
// control.Attention, until Resume. It is stored: a restart changes nothing. What
// is under way is finished.
func (r *Runtime) Pause(ctx context.Context, window string) error {
	if _, err := r.running(); err != nil {
		return err
	}
	return r.Backend().Pause(ctx, window)
}

// Resume ends what Pause began; for "" every pause of windows. What was said meanwhile and
// is still visible is read then.
func (r *Runtime) Resume(ctx context.Context, window string) error {
	if _, err := r.running(); err != nil {
		return err
	}
	return r.Backend().Resume(ctx, window)
}
