package x11

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/jezek/xgb/xproto"

	"github.com/kehai-run/kehai/hardware"
)

// Options choose a display.
type Options struct {
	// Display is the display's name, such as ":0". Empty means $DISPLAY.
	Display string
	// Scale is captured pixels per logical pixel. Zero uses GDK_SCALE, then the
	// desktop's Xft.dpi (96 is 1), then 1.
	Scale float64
	// NoSHM captures through the connection instead of through shared memory.
	NoSHM bool
	// Titles lets Usage report window titles. Display always knows them.
	Titles bool
}

func (o Options) validate() error {
	if !(o.Scale >= 0 && o.Scale <= 16) {
		return fmt.Errorf("x11: scale %v: give a number between 0 (ask the desktop) and 16", o.Scale)
	}
	if o.Display != "" {
		if _, err := parseDisplay(o.Display); err != nil {
			return fmt.Errorf("x11: display %q: %w", o.Display, err)
		}
	}
	return nil
}

// maxIdle is how many connections are kept between calls.
const maxIdle = 4

// Display is an X display. All methods may be called concurrently. Each call has
// a connection of its own, so ending its context ends the call even if the server
// hangs.
type Display struct {
	opt Options

	mu     sync.Mutex
	idle   []*session
	closed bool

	keeper keeper
	clip   clipboard
}

// Open prepares a display and connects to nothing yet.
func Open(opt Options) (*Display, error) {
	if err := opt.validate(); err != nil {
		return nil, err
	}
	d := &Display{opt: opt}
	d.keeper.display = opt.Display
	d.clip = clipboard{display: opt.Display, asked: make(chan struct{}, 1),
		answer: make(chan xproto.SelectionNotifyEvent, 1)}
	return d, nil
}

// Close ends all connections. Running calls end with an error. The text that was
// last restored to the clipboard is lost.
func (d *Display) Close() error {
	d.mu.Lock()
	d.closed = true
	idle := d.idle
	d.idle = nil
	d.mu.Unlock()
	for _, s := range idle {
		s.close()
	}
	d.keeper.close()
	d.clip.close()
	return nil
}

// with runs f on a connection of its own.
func (d *Display) with(ctx context.Context, f func(*session) error) error {
	s, err := d.take(ctx)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = s.raw.Close() })
	err = f(s)
	if !stop() {
		s.close()
		if err != nil {
			return ctx.Err()
		}
		return nil
	}
	if errors.Is(err, io.EOF) || !s.alive() {
		s.close()
		if err != nil {
			return lost(err)
		}
		return nil
	}
	d.give(s)
	return err
}

func (d *Display) take(ctx context.Context) (*session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for {
		d.mu.Lock()
		if d.closed {
			d.mu.Unlock()
			return nil, fmt.Errorf("x11: the display is closed: %w", hardware.ErrUnavailable)
		}
		n := len(d.idle)
		if n == 0 {
			d.mu.Unlock()
			return connect(ctx, d.opt.Display, nil)
		}
		s := d.idle[n-1]
		d.idle = d.idle[:n-1]
		d.mu.Unlock()
		if s.alive() {
			return s, nil
		}
		s.close()
	}
}

func (d *Display) give(s *session) {
	d.mu.Lock()
	keep := !d.closed && len(d.idle) < maxIdle
	if keep {
		d.idle = append(d.idle, s)
	}
	d.mu.Unlock()
	if !keep {
		s.close()
	}
}

// scale is the captured pixels per logical pixel.
func (d *Display) scale(s *session) float64 {
	if d.opt.Scale > 0 {
		return d.opt.Scale
	}
	if v, err := strconv.ParseFloat(os.Getenv("GDK_SCALE"), 64); err == nil && v >= 1 && v <= 16 {
		return v
	}
	resources, err := s.property(s.root, "RESOURCE_MANAGER")
	if err != nil {
		return 1
	}
	return xftScale(string(resources))
}

// xftScale reads the Xft.dpi line of the display's resources; 96 is scale 1.
func xftScale(resources string) float64 {
	for line := range strings.Lines(resources) {
		key, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(key) != "Xft.dpi" {
			continue
		}
		if dpi, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && dpi >= 48 && dpi <= 96*16 {
			return dpi / 96
		}
	}
	return 1
}

// formatRef and parseRef turn X ids into refs and back.
func formatRef(w xproto.Window) string { return "0x" + strconv.FormatUint(uint64(w), 16) }

func parseRef(ref string) (xproto.Window, error) {
	id, err := strconv.ParseUint(ref, 0, 32)
	if err != nil || id == 0 {
		return 0, fmt.Errorf("x11: %q is no window id (they look like 0x1a00003): %w", ref, hardware.ErrWindowGone)
	}
	return xproto.Window(id), nil
}

func lost(err error) error {
	return fmt.Errorf("x11: the X server went away (the next call connects again): %w: %w", err, hardware.ErrNoDisplay)
}

func gone(w xproto.Window) error {
	return fmt.Errorf("x11: window %s: %w", formatRef(w), hardware.ErrWindowGone)
}

var _ hardware.Screen = (*Display)(nil)
