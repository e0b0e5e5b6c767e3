package darwin

import (
	"fmt"

	"github.com/kehai-run/kehai/hardware"
)

// Permission is something the person has to allow in the system's settings.
type Permission struct {
	Name    string // as in the settings
	Granted bool
	How     string // how to grant it
}

// Names of the permissions.
const (
	ScreenRecording = "Screen Recording"
	Accessibility   = "Accessibility"
)

// howTo says where a permission is granted and which program it belongs to.
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

// Permissions lists the permissions that the drivers need and whether they are
// granted now. It never prompts the person. macOS may report a change of Screen
// Recording only after the program was restarted.
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

// AskScreenRecording makes macOS ask the person for Screen Recording, which also
// adds the program to the list in the settings. It reports whether the permission
// is already granted. macOS asks once; afterwards only the settings help.
func AskScreenRecording() (bool, error) {
	a, err := load()
	if err != nil {
		return false, err
	}
	return a.window.ask(), nil
}
