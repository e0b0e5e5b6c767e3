package drivers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/private"
)

// nameDrawn is the driver of the windows that Kehai draws.
const nameDrawn = "drawn"

// Host is what the scripts of drawn windows ask of the runtime that draws them.
type Host interface {
	Inject(ctx context.Context, to messages.Address, m messages.Message, key string) error
	Conversation(ctx context.Context, app, name string) (messages.ConversationID, error)
	Sending(ctx context.Context, c messages.ConversationID, text messages.Text, trace string) error
}

// Drawn holds the windows that a runtime draws, and what their scripts ask of it.
type Drawn struct {
	host    Host
	log     zerolog.Logger
	windows []*drawn.Window
	script  *script.Host
}

func newDrawn() *Drawn { return &Drawn{script: script.NewHost()} }

// Attach sets the host of these windows, before one is opened.
func (d *Drawn) Attach(host Host, log zerolog.Logger) { d.host, d.log = host, log }

// Lives lets scripts end the runtime; see runtime.WithLives.
func (d *Drawn) Lives(fn func(crash bool)) { d.script.Lives = fn }

// Serve does what scripts ask for until ctx ends.
func (d *Drawn) Serve(ctx context.Context) { d.script.Serve(ctx) }

func (d *Drawn) open(cfg config.Config, w config.Window) (hardware.Screen, string, error) {
	chat, err := script.Open(w.Script)
	if err != nil {
		return nil, "", err
	}
	if err := d.script.Check(chat); err != nil {
		return nil, "", fmt.Errorf("script %s: %w", w.Script, err)
	}
	if err := private.Make(cfg.Data, private.Unwritable); err != nil { // before anything is made in it
		return nil, "", fmt.Errorf("data directory: %w", err)
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
	look := drawn.DefaultOptions(time.Now)
	look.Conversation = cmp.Or(chat.Conversation(), look.Conversation) // an empty script names none
	look.Ref, look.Size, look.Scale = w.Name, image.Pt(w.Size[0], w.Size[1]), w.Scale
	look.Theme, look.Journal = theme, journal
	win, err := drawn.New(look)
	if err != nil {
		return nil, "", errors.Join(err, lock.Close())
	}
	host := d.script.For(func(ctx context.Context, e script.Event) {
		if err := d.do(ctx, cfg, w, win, chat, e); err != nil && ctx.Err() == nil {
			d.log.Error().Err(err).Int("line", e.Line).Str("verb", string(e.Do)).Msg("script_failed")
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

// do carries out what a window's script asks of its host.
func (d *Drawn) do(ctx context.Context, cfg config.Config, w config.Window, win *drawn.Window, chat script.Script,
	e script.Event) error {
	switch e.Do {
	case script.ResetBaseline:
		id := w.ID(cfg.Node)
		return d.host.Inject(ctx, messages.To(messages.ActorPoller, string(id)),
			messages.ResetBaseline{Window: id}, "")
	case script.Send:
		trace := fmt.Sprintf("script-%s-%d", chat.ID(), e.Line)
		id, err := d.host.Conversation(ctx, w.App, win.Title())
		if err == nil {
			err = d.host.Sending(ctx, id, e.Text, trace)
		}
		if err != nil {
			return err
		}
		return win.Send(e.Text)
	}
	return fmt.Errorf("runtime: no host knows %q", e.Do)
}

// drawnScreen closes its window's journal and releases it.
type drawnScreen struct {
	hardware.Screen
	window *drawn.Window
	lock   io.Closer
}

func (s drawnScreen) Close() error { return errors.Join(s.window.Close(), s.lock.Close()) }
