//go:build !darwin

package main

import (
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
}

func systemDrivers() []runtime.Option { return nil }
