package config

import (
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config/settings"
)

// Window is one chat window.
type Window struct {
	// Name of the window, unlike all others: a to z, 0 to 9 and -. It is part of
	// what is stored, so keep it. It must be given. Default line.
	Name string `yaml:"name" form:"name"`

	// What the window's conversations are called after: conversation Hana of app
	// line is line:Hana. Characters a to z, 0 to 9 and -. Default line.
	App string `yaml:"app" form:"name"`

	// How the window looks: auto (whatever it shows is found by itself), line, generic,
	// or a file with a layout, whose name ends in .yaml. Empty: line for a drawn window,
	// auto for others. Default empty.
	Layout string `yaml:"layout" path:"true" form:"layout?"`

	// Who captures the window: drawn, a window that Kehai draws itself; in the
	// command kehai also x11 (Linux) or darwin (macOS), a window of the desktop;
	// or a driver that the host adds. Default drawn.
	Driver string `yaml:"driver" form:"name" driver:"screen"`

	// The driver's own name of the window, unlike that of its other windows; for
	// a window of the desktop a ref from kehai windows, title:TEXT, app:TEXT, or
	// text that stands in either. Empty: the window's name. Default empty.
	Ref string `yaml:"ref"`

	// Who counts the rows of the window's message list, so that a message is
	// noticed that cannot be read: a driver that the host adds. Empty: nobody.
	// Default empty.
	Structure string `yaml:"structure" form:"name?" driver:"structure"`

	// Scenario file that plays on a drawn window. Empty: the chat that is built
	// in. Default empty.
	Script string `yaml:"script" path:"true"`

	// What the waits of the scenario are divided by, 0.001 to 1000. Default 1.
	Speed float64 `yaml:"speed" min:"0.001" max:"1000"`

	// Captured pixels per logical pixel of a drawn window, 1 or 2. Default 1.
	Scale int `yaml:"scale" oneof:"1|2"`

	// Colours of a drawn window, light or dark. Default light.
	Theme string `yaml:"theme" oneof:"light|dark"`

	// Width and height of a drawn window in logical pixels, 200 to 4096 each.
	// Default [480, 720].
	Size [2]int `yaml:"size" min:"200" max:"4096"`

	// Time between two looks at the window, 50ms to 1m. Default 1s.
	Poll time.Duration `yaml:"poll" min:"50ms" max:"1m"`

	// What is done in this window when messages went by unseen: off, scroll, or read (as
	// read.catch_up says). Default read.
	CatchUp string `yaml:"catch_up" oneof:"read|off|scroll"`
}

// DefaultWindow returns a window in which nothing is set but its name.
func DefaultWindow(name string) Window {
	return Window{
		Name: name, App: "line", Driver: "drawn",
		Speed: 1, Scale: 1, Theme: "light", Size: [2]int{480, 720}, Poll: time.Second,
		CatchUp: "read",
	}
}

// Drawn says that Kehai draws the window itself.
func (w Window) Drawn() bool { return w.Driver == "drawn" }

// looks is the layout's name. A drawn window looks like LINE's, so all of its layout is
// known; nothing is known of other windows.
func (w Window) looks() string {
	switch {
	case w.Layout != "":
		return w.Layout
	case w.Drawn():
		return "line"
	}
	return layout.FindAuto
}

// Capture is the driver's own name of the window: Ref, or else Name.
func (w Window) Capture() string {
	if w.Ref != "" {
		return w.Ref
	}
	return w.Name
}

// ID is the name of the window among those of all nodes: line@mac-a.
func (w Window) ID(node string) messages.WindowID {
	return messages.WindowID(w.Name + "@" + node)
}

// Apps are those whose windows are watched.
func (c Config) Apps() (list []string) {
	for _, w := range c.Windows {
		list = append(list, w.App)
	}
	return list
}

// checkWindows checks what a window shares with others.
func (c *Config) checkWindows(p *settings.Problems) {
	names, refs := map[string]int{}, map[string]int{}
	for i, w := range c.Windows {
		key := fmt.Sprintf("windows.%d.", i)
		if w.Script != "" && !w.Drawn() {
			p.Add(key+"script", "only a drawn window can play one: leave it out or set driver: drawn")
		}
		if first, ok := names[w.Name]; ok {
			p.Add(key+"name", fmt.Sprintf("%s: windows.%d has that name: give each window its own",
				text.Quote(w.Name), first))
			continue
		}
		names[w.Name] = i
		ref := w.Driver + "\x00" + w.Capture()
		if first, ok := refs[ref]; ok {
			p.Add(key+"ref", fmt.Sprintf("%s: windows.%d shows the same window: give each its own ref",
				text.Quote(w.Capture()), first))
			continue
		}
		refs[ref] = i
	}
}

// Layouts reads the layout of each window and returns how to find one; windows
// that a host feeds without configuring them look like LINE's. Errors wrap
// [ErrConfig] and say where in the layout's file what is wrong.
func (c *Config) Layouts() (func(messages.WindowID) *layout.Layout, error) {
	all, p := map[messages.WindowID]*layout.Layout{}, c.tree().Problems()
	for i, w := range c.Windows {
		l, err := layout.Open(w.looks(), readFile)
		if err != nil {
			p.Add(fmt.Sprintf("windows.%d.layout", i), err.Error())
			continue
		}
		all[w.ID(c.Node)] = &l
	}
	line := layout.Line()
	return func(w messages.WindowID) *layout.Layout {
		if l, ok := all[w]; ok {
			return l
		}
		return &line
	}, p.Err()
}
