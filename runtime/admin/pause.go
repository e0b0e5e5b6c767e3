package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

// Pause implements [control.Backend].
func (b Backend) Pause(ctx context.Context, window string) error {
	return b.setPaused(ctx, window, true)
}

// Resume implements [control.Backend].
func (b Backend) Resume(ctx context.Context, window string) error {
	return b.setPaused(ctx, window, false)
}

// setPaused pauses or resumes the desk, the sending, or a window, "" for all.
func (b Backend) setPaused(ctx context.Context, name string, paused bool) error {
	switch {
	case b.means(name, control.Attention):
		return b.pauseDesk(ctx, paused)
	case b.means(name, control.Sending):
		return b.pauseSending(ctx, paused)
	}
	id, err := FindWindow(b.Config, name)
	if err != nil {
		return err
	}
	e, err := b.Engine()
	if err != nil {
		return err
	}
	return b.Pauses.SetWindow(ctx, e, id, paused)
}

// means reports whether a name stands for what, which can be paused as windows can. A window
// of the same name goes first.
func (b Backend) means(name, what string) bool {
	return name == what && !slices.ContainsFunc(b.Config.Windows,
		func(w config.Window) bool { return w.Name == name })
}

// pauseDesk stops collecting at once; the classifier follows with its mail.
func (b Backend) pauseDesk(ctx context.Context, paused bool) error {
	if !b.Config.Focus.Enabled {
		return control.ErrNoDesk
	}
	e, err := b.Engine()
	if err != nil {
		return err
	}
	if err := b.Pauses.SetDesk(ctx, e, paused); err != nil {
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
	are := "there is"
	if len(names) > 1 {
		are = "there are"
	}
	return "", fmt.Errorf("%w: %q: %s %s", control.ErrNoWindow, name, are, strings.Join(names, ", "))
}
