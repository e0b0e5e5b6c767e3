package runtime

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/private"
)

// WithLives lets the scripts of drawn windows end this runtime: restart asks for
// an ordered stop, crash for an end at once, and both for a new runtime after it.
// fn is called from within a capture and must return soon; what it asks for, the
// host does by ending the contexts of [Runtime.RunUntil]. Without it a script
// that holds restart or crash is an error in New, [script.ErrHost]. The other verbs
// of a host, send and reset_baseline, need nothing.
func WithLives(fn func(crash bool)) Option { return func(s *settings) { s.drawn.host.Lives = fn } }

// drawnWindows are the windows that one runtime draws, and what their scripts ask
// of it.
type drawnWindows struct {
	runtime *Runtime
	windows []*drawn.Window
	host    *script.Host
}

func (d *drawnWindows) open(cfg Config, w config.Window) (hardware.Screen, string, error) {
	chat, err := script.Open(w.Script)
	if err != nil {
		return nil, "", err
	}
	if err := d.host.Check(chat); err != nil {
		return nil, "", fmt.Errorf("script %s: %w", w.Script, err)
	}
	dir := filepath.Join(cfg.Data, "windows")
	if err := private.Make(dir, private.Closed); err != nil {
		return nil, "", fmt.Errorf("make the window's journal: %w", err)
	}
	// Before anything is written: two Kehais would write over each other's journal.
	journal := filepath.Join(dir, w.Name+".jsonl")
	lock, err := private.Lock(journal)
	if err != nil {
		return nil, "", err
	}
	theme := drawn.Light
	if w.Theme == "dark" {
		theme = drawn.Dark
	}
	win, err := drawn.New(drawn.Options{
		Ref: w.Name, Conversation: chat.Conversation(), Size: image.Pt(w.Size[0], w.Size[1]), Scale: w.Scale,
		Theme: theme, Now: time.Now, Journal: journal,
	})
	if err != nil {
		return nil, "", errors.Join(err, lock.Close())
	}
	host := d.host.For(func(ctx context.Context, e script.Event) {
		if err := d.do(ctx, w, win, chat, e); err != nil && ctx.Err() == nil {
			d.runtime.log.Error().Err(err).Int("line", e.Line).Str("verb", string(e.Do)).Msg("script_failed")
		}
	})
	if _, err := script.Play(win, chat, script.Options{Speed: w.Speed, Host: host}); err != nil {
		return nil, "", errors.Join(err, win.Close(), lock.Close())
	}
	screen, err := drawn.NewScreen(win)
	if err != nil {
		return nil, "", errors.Join(err, win.Close(), lock.Close())
	}
	d.windows = append(d.windows, win)
	return drawnScreen{screen, win, lock}, w.Name, nil
}

// do does what the script of a window asks of its host.
func (d *drawnWindows) do(ctx context.Context, w config.Window, win *drawn.Window, chat script.Script,
	e script.Event) error {
	switch e.Do {
	case script.ResetBaseline:
		id := messages.WindowID(w.Name + "@" + d.runtime.cfg.Node)
		return d.runtime.Inject(ctx, messages.To(messages.ActorPoller, string(id)),
			messages.ResetBaseline{Window: id}, "")
	case script.Send:
		trace := fmt.Sprintf("script-%s-%d", chat.ID(), e.Line)
		id, err := d.runtime.Conversation(ctx, w.App, win.Title())
		if err == nil {
			err = d.runtime.Sending(ctx, id, e.Text, trace)
		}
		if err != nil {
			return err
		}
		return win.Send(e.Text)
	}
	return fmt.Errorf("runtime: no host knows %q", e.Do)
}

// drawnScreen closes its window's journal with it, and gives it free.
type drawnScreen struct {
	hardware.Screen
	window *drawn.Window
	lock   io.Closer
}

func (s drawnScreen) Close() error { return errors.Join(s.window.Close(), s.lock.Close()) }
