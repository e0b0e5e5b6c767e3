package x11

import (
	"context"
	"fmt"
	"time"

	"github.com/jezek/xgb/screensaver"
	"github.com/jezek/xgb/xproto"

	"github.com/kehai-run/kehai/hardware"
)

// Usage is a hardware.Usage: it reports which application is active, for how long
// nobody has used the keyboard or the mouse, and how many input events people
// made. Programs that type through the extension XTEST, Kehai's own typist among
// them, are not counted and do not end the idle time. The same holds for a person
// who types remotely through such a program (x11vnc, Synergy). All methods may be
// called concurrently.
type Usage struct {
	display *Display
	titles  bool
	counter counter
	idler   idler
}

// OpenUsage prepares to observe a display and connects to nothing yet. Events
// are counted from the first call of Input on.
func OpenUsage(opt Options) (*Usage, error) {
	d, err := Open(opt)
	if err != nil {
		return nil, err
	}
	return &Usage{display: d, titles: opt.Titles, counter: counter{display: opt.Display},
		idler: idler{display: opt.Display}}, nil
}

// Close ends the counting.
func (u *Usage) Close() error {
	u.counter.close()
	u.idler.close()
	return u.display.Close()
}

// ActiveApp is the application whose window is active.
func (u *Usage) ActiveApp(ctx context.Context) (hardware.App, error) {
	w, err := u.display.Active(ctx)
	app := hardware.App{Name: w.App, PID: w.PID}
	if u.titles {
		app.Title = w.Title
	}
	return app, err
}

// Idle is the time since the last input by a person. If the server does not count
// it for each device, it is the time since any input.
func (u *Usage) Idle(ctx context.Context) (time.Duration, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	idle, ok, err := u.idler.since(ctx)
	if ok || err != nil {
		return idle, err
	}
	err = u.display.with(ctx, func(s *session) error {
		if !s.has["MIT-SCREEN-SAVER"] {
			return fmt.Errorf("x11: the X server has no screen saver extension, which knows the idle time (start "+
				"it with the extension): %w", hardware.ErrUnavailable)
		}
		info, err := screensaver.QueryInfo(s.x, xproto.Drawable(s.root)).Reply()
		if err != nil {
			return err
		}
		idle = time.Duration(info.MsSinceUserInput) * time.Millisecond
		return nil
	})
	return idle, err
}

// Input counts events since the first call. After the X server went away the
// counts continue from where they were.
func (u *Usage) Input(ctx context.Context) (hardware.Input, error) {
	if err := ctx.Err(); err != nil {
		return hardware.Input{}, err
	}
	if err := u.counter.start(ctx); err != nil {
		return hardware.Input{}, err
	}
	return u.counter.read(time.Now()), nil
}

var _ hardware.Usage = (*Usage)(nil)
