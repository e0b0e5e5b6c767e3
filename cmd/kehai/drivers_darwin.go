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

	typist:     "cgevent",
	openTypist: openCGEvent,
}

// systemDrivers adds Vision, the recognizer that comes with macOS.
func systemDrivers() []runtime.Option {
	open := func() (hardware.Recognizer, error) { return darwin.OpenRecognizer() }
	return []runtime.Option{runtime.WithRecognizer("vision", open)}
}

// openCGEvent opens a typist that knows when somebody used the keyboard.
func openCGEvent() (handsOn, error) {
	typist, err := darwin.OpenTypist()
	if err != nil {
		return nil, err
	}
	usage, err := darwin.OpenUsage(darwin.UsageOptions{})
	if err != nil {
		return nil, err
	}
	return cgEvent{typist, usage}, nil
}

type cgEvent struct {
	*darwin.Typist
	hardware.Usage
}
