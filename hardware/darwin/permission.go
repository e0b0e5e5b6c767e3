package darwin

import (
	"fmt"

	"github.com/kehai-run/kehai/hardware"
)

// Permission is something the person has to allow in the system's settings.
type Permission struct {
	Name    string // as the settings call it
	Granted bool
	How     string // how to grant it
}

// Names of the permissions.
const (
	ScreenRecording = "Screen Recording"
	Accessibility   = "Accessibility"
)

// howTo says where a permission is granted and to whom it belongs.
func howTo(name string) string {
	pane := name
	if name == ScreenRecording {
		pane = "Screen & System Audio Recording (before macOS 15: Screen Recording)"
	}
	return "open System Settings → Privacy & Security → " + pane +
		", switch on the program that starts this one (the terminal, or this binary where it is started by " +
		"itself), and start it again. " +
		"The permission sticks to that program's signature: an unsigned binary loses it with every build, " +
		"so run it from the terminal or sign it, and if it is already switched on, remove it from the list and " +
		"add it once more"
}

func denied(name string) error {
	return fmt.Errorf("darwin: macOS does not allow %s: %s: %w", name, howTo(name), hardware.ErrPermission)
}

// Permissions lists what the drivers need and whether it is granted now. It
// asks the person nothing. macOS may report a change of Screen Recording only
// after the program was started again.
func Permissions() ([]Permission, error) {
	a, err := load()
	if err != nil {
		return nil, err
	}
	return a.permissions(), nil
}

func (a *api) permissions() []Permission {
	return []Permission{
		{Name: ScreenRecording, Granted: a.window.allowed(), How: howTo(ScreenRecording)},
		{Name: Accessibility, Granted: a.ax.trusted(), How: howTo(Accessibility)},
	}
}

// AskScreenRecording lets macOS ask the person for Screen Recording, which
// also puts the program on the list in the settings, and tells whether it is
// granted already. macOS asks once; afterwards only the settings help.
func AskScreenRecording() (bool, error) {
	a, err := load()
	if err != nil {
		return false, err
	}
	return a.window.ask(), nil
}
