package main

import (
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/darwin"
	"github.com/kehai-run/kehai/hardware/robot"
)

var native = desktopDriver{
	name:      "darwin",
	open:      func() (hardware.Screen, error) { return darwin.OpenScreen() },
	structure: "darwin",
	openTree:  func(listWindows) (hardware.Structure, error) { return darwin.OpenStructure() },

	openNotifier: func() (hardware.Notifier, error) { return darwin.OpenNotifier() },

	typist:     typistName(),
	openTypist: openHands,
}

// typistName is what types: keys go through the accessibility tree and key events in any
// case, clicks through robotgo where it is built in.
func typistName() string {
	if robot.Built {
		return "cgevent, robotgo"
	}
	return "cgevent"
}

// openHands opens a typist that knows when somebody used the keyboard.
func openHands() (handsOn, error) {
	o := darwin.TypistOptions{}
	if robot.Built {
		o.Click = robot.ClickAt
	}
	typist, err := darwin.OpenTypist(o)
	if err != nil {
		return nil, err
	}
	usage, err := darwin.OpenUsage(darwin.UsageOptions{})
	if err != nil {
		return nil, err
	}
	return hands{typist, usage}, nil
}

type hands struct {
	*darwin.Typist
	hardware.Usage
}
