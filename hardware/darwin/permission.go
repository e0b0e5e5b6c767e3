package darwin

import (
	"fmt"
	"os"
	"slices"

	"github.com/kehai-run/kehai/hardware"
)

// Permission is something the person has to allow in the system's settings.
type Permission struct {
	Name    string // as in the settings
	Granted bool
	How     string // how to grant it
	Pane    string // URL that opens the settings there
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

// settingsPane opens a pane of the settings.
const settingsPane = "x-apple.systempreferences:com.apple.preference.security?Privacy_"

func (a *api) permissions() (list []Permission) {
	a.pool(func() {
		list = []Permission{
			{ScreenRecording, a.mayRecord(), howTo(ScreenRecording), settingsPane + "ScreenCapture"},
			{Accessibility, a.ax.trusted(), howTo(Accessibility), settingsPane + "Accessibility"},
		}
	})
	return list
}

// mayRecord reports whether windows of other programs may be captured. The system's answer stays no
// for some programs that have the permission: after a sleep, or where they are not signed. Then
// the titles decide, which those of other programs have only with the permission.
func (a *api) mayRecord() bool {
	if a.window.allowed() || a.recording.Load() {
		return true
	}
	list, err := a.windows()
	titled := err == nil && slices.ContainsFunc(list, func(w windowInfo) bool { return w.foreign() && w.title != "" })
	a.recording.Store(titled)
	return titled
}

// foreign reports whether w is a normal window of another program.
func (w windowInfo) foreign() bool { return w.layer == 0 && w.pid != os.Getpid() }

// Ask makes macOS ask the person for what is not granted, which also adds the program to the lists
// in the settings, and returns what is granted then. Call it only when a person wants that: a
// program that macOS knows by no bundle makes it ask each time.
func Ask() ([]Permission, error) {
	a, err := load()
	if err != nil {
		return nil, err
	}
	return a.askAll(), nil
}

func (a *api) askAll() []Permission {
	a.pool(func() {
		if !a.mayRecord() && !a.window.ask() {
			a.recording.Store(a.showsForeign())
		}
		if !a.ax.trusted() {
			// + (instancetype)dictionaryWithObject:(id)object forKey:(id<NSCopying>)key
			a.ax.ask(a.send(a.class("NSDictionary"), "dictionaryWithObject:forKey:", a.boolean(true),
				a.string("AXTrustedCheckOptionPrompt")))
		}
	})
	return a.permissions()
}

// showsForeign captures a window of another program, which can make macOS ask as well.
func (a *api) showsForeign() bool {
	list, err := a.windows()
	i := slices.IndexFunc(list, func(w windowInfo) bool { return w.foreign() && w.ordinary() })
	if err != nil || i < 0 {
		return false
	}
	_, err = a.oldPicture(list[i].id)
	return err == nil
}
