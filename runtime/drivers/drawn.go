package drivers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"slices"
	"strings"
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

// NewDrawn returns a host of drawn windows. None is open yet.
func NewDrawn() *Drawn { return &Drawn{script: script.NewHost()} }

// Forget deletes what was said in conversations, which their applications call by such names,
// from the windows and from all their journals in the data directory. The application is "" for
// the journal of a window that is configured no more. It returns how many messages that were.
func (d *Drawn) Forget(cfg config.Config, is func(app, name string) bool) (count int, err error) {
	journals, err := filepath.Glob(filepath.Join(journalsOf(cfg), "*"+journalEnd))
	if err != nil {
		return 0, fmt.Errorf("drawn windows: %w", err)
	}
	apps, first := map[string]string{}, map[string]string{}
	for _, w := range cfg.Windows {
		if chat, err := script.Open(w.Script); err == nil && w.Drawn() {
			apps[w.Name], first[w.Name] = w.App, shownFirst(chat)
		}
	}
	for _, path := range journals {
		name := strings.TrimSuffix(filepath.Base(path), journalEnd)
		is := func(title string) bool { return is(apps[name], title) }
		var n int
		if at := slices.IndexFunc(d.windows, func(w *drawn.Window) bool { return w.Ref() == name }); at >= 0 {
			n, err = d.windows[at].Forget(is)
		} else {
			n, err = forgetIn(path, first[name], is)
		}
		if count += n; err != nil {
			return count, err
		}
	}
	return count, nil
}

func forgetIn(path, first string, is func(string) bool) (count int, err error) {
	lock, err := private.Lock(path)
	if err != nil {
		return 0, err
	}
	count, err = drawn.ForgetIn(path, first, is)
	return count, errors.Join(err, lock.Close())
}

const journalEnd = ".jsonl"

func journalsOf(cfg config.Config) string { return filepath.Join(cfg.Data, "windows") }

// shownFirst is the conversation that a window shows first; an empty script names none.
func shownFirst(chat script.Script) string {
	return cmp.Or(chat.Conversation(), drawn.DefaultOptions(nil).Conversation)
}

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
	dir := journalsOf(cfg)
	if err := private.Make(dir, private.Closed); err != nil {
		return nil, "", fmt.Errorf("make the window's journal: %w", err)
	}
	// Before anything is written: two Kehais would write over each other's journal.
	journal := filepath.Join(dir, w.Name+journalEnd)
	lock, err := private.Lock(journal)
	if err != nil {
		return nil, "", err
	}
	theme := drawn.Light
	if w.Theme == "dark" {
		theme = drawn.Dark
	}
	look := drawn.DefaultOptions(time.Now)
	look.Conversation = shownFirst(chat)
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
