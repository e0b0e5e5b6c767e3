package main

import (
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/darwin"
	"github.com/kehai-run/kehai/runtime"
)

var native = desktopDriver{
	name:      "darwin",
	open:      func() (hardware.Screen, error) { return darwin.OpenScreen() },
	structure: "darwin",
	openTree:  func(listWindows) (hardware.Structure, error) { return darwin.OpenStructure() },

	openNotifier: func() (hardware.Notifier, error) { return darwin.OpenNotifier() },
}

// systemDrivers adds Vision, the recognizer that comes with macOS.
func systemDrivers() []runtime.Option {
	open := func() (hardware.Recognizer, error) { return darwin.OpenRecognizer() }
	return []runtime.Option{runtime.WithRecognizer("vision", open)}
}
