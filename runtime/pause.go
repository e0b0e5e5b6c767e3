package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/capture"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// pauses are the windows that a person does not want to be watched for a while.
// They are a setting in the store, so that a restart changes nothing.
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
	if next.All != nil || len(next.Windows) > 0 {
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
	id, err := s.window(window)
	if err != nil {
		return err
	}
	return s.pauses.set(ctx, s.engine, func(r *pauseRecord) error {
		if id == "" {
			*r = pauseRecord{}
			return nil
		}
		if delete(r.Windows, id); r.All != nil {
			return errors.New("all windows are paused: kehai resume goes on with all, kehai pause WINDOW then pauses one")
		}
		return nil
	})
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

// Pause stops watching a window, or all if it is "", until Resume. It is stored:
// a restart changes nothing. What is under way is finished.
func (r *Runtime) Pause(ctx context.Context, window string) error {
	if _, err := r.running(); err != nil {
		return err
	}
	return r.Backend().Pause(ctx, window)
}

// Resume ends what Pause began; for "" every pause. What was said meanwhile and
// is still visible is read then.
func (r *Runtime) Resume(ctx context.Context, window string) error {
	if _, err := r.running(); err != nil {
		return err
	}
	return r.Backend().Resume(ctx, window)
}
