//go:build !darwin

package main

import (
	"errors"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/atspi"
	"github.com/kehai-run/kehai/hardware/freedesktop"
	"github.com/kehai-run/kehai/hardware/x11"
	"github.com/kehai-run/kehai/runtime"
)

var native = desktopDriver{
	name:      "x11",
	open:      func() (hardware.Screen, error) { return x11.Open(x11.Options{}) },
	structure: "atspi",
	openTree: func(windows listWindows) (hardware.Structure, error) {
		return atspi.Open(atspi.Options{Windows: windows})
	},
	openNotifier: func() (hardware.Notifier, error) { return freedesktop.Notifier{}, nil },

	typist:     "xtest",
	openTypist: openXTest,
}

// openXTest opens a typist with a display of its own.
func openXTest() (handsOn, error) {
	d, err := x11.Open(x11.Options{})
	if err != nil {
		return nil, err
	}
	usage, err := x11.OpenUsage(x11.Options{})
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return xtest{x11.NewTypist(d, usage), d, usage}, nil
}

// xtest closes what its typist uses.
type xtest struct {
	*x11.Typist
	display *x11.Display
	usage   *x11.Usage
}

func (x xtest) Close() error { return errors.Join(x.usage.Close(), x.display.Close()) }

func systemDrivers() []runtime.Option { return nil }
