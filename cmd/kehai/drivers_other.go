//go:build !darwin

package main

import (
	"context"
	"errors"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/atspi"
	"github.com/kehai-run/kehai/hardware/freedesktop"
	"github.com/kehai-run/kehai/hardware/robot"
	"github.com/kehai-run/kehai/hardware/x11"
)

var native = desktopDriver{
	name:      "x11",
	open:      func() (hardware.Screen, error) { return x11.Open(x11.Options{}) },
	structure: "atspi",
	openTree: func(windows listWindows) (hardware.Structure, error) {
		o := atspi.DefaultOptions()
		o.Windows = windows
		return atspi.Open(o)
	},
	openNotifier: func() (hardware.Notifier, error) { return freedesktop.Notifier{}, nil },

	typist:     typistName(),
	openTypist: openX11Hands,
}

// typistName is what types into windows of X11.
func typistName() string {
	if robot.Built {
		return "robotgo"
	}
	return "xtest" // pure Go
}

// onX11 opens it. Robotgo acts on the display that $DISPLAY names, as d does.
func onX11(d *x11.Display, usage *x11.Usage) (handsOn, error) {
	if robot.Built {
		return robot.Open(robot.Options{Desktop: d, Clipboard: d})
	}
	return x11.NewTypist(d, usage), nil
}

// x11Hands have a display of their own, which they close. They know which window is
// active, and when somebody used the keyboard last.
type x11Hands struct {
	handsOn
	display *x11.Display
	usage   *x11.Usage
}

func openX11Hands() (handsOn, error) {
	d, err := x11.Open(x11.Options{})
	if err != nil {
		return nil, err
	}
	usage, err := x11.OpenUsage(x11.Options{})
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	hands, err := onX11(d, usage)
	if err != nil {
		return nil, errors.Join(err, usage.Close(), d.Close())
	}
	return x11Hands{hands, d, usage}, nil
}

// Active implements [hardware.Focus].
func (h x11Hands) Active(ctx context.Context) (string, error) {
	w, err := h.display.Active(ctx)
	return w.Ref, err
}

// Idle implements [hardware.Presence].
func (h x11Hands) Idle(ctx context.Context) (time.Duration, error) { return h.usage.Idle(ctx) }

// Close closes what they use.
func (h x11Hands) Close() error { return errors.Join(h.usage.Close(), h.display.Close()) }
