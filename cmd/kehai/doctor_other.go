//go:build !darwin

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/atspi"
	"github.com/kehai-run/kehai/hardware/freedesktop"
	"github.com/kehai-run/kehai/hardware/x11"
)

// systemFindings are about the X display and the accessibility bus.
func systemFindings(ctx context.Context, need wants) []finding {
	list := checkX11(ctx, need)
	return append(list, checkBus(ctx, need))
}

func checkX11(ctx context.Context, need wants) []finding {
	f := finding{what: "display", need: need.screen}
	f.mend = "drawn windows need none"
	display, err := x11.Open(x11.Options{})
	if err != nil {
		f.text = onceSaid(err)
		return []finding{f}
	}
	defer display.Close()
	windows, err := display.Windows(ctx)
	if err != nil {
		f.text = onceSaid(err)
		if errors.Is(err, hardware.ErrPermission) {
			f.mend = "export XAUTHORITY to the authority file of the session"
		}
		return []finding{f}
	}
	f.ok, f.text = true, fmt.Sprintf("X11 at %s, %d windows", os.Getenv("DISPLAY"), len(windows))
	list := []finding{f}
	if os.Getenv("WAYLAND_DISPLAY") != "" {
		list = append(list, finding{
			what: "display", text: "this is a Wayland session: windows of X applications alone can be watched",
			mend: "log in to an X11 (Xorg) session",
		})
	}
	return append(list, checkManager(ctx, display, need))
}

// onceSaid is what a driver says is wrong, without the kind of error, which says it once more.
func onceSaid(err error) string {
	text := strings.TrimPrefix(err.Error(), "x11: ")
	return strings.TrimSuffix(text, ": "+hardware.ErrNoDisplay.Error())
}

func checkManager(ctx context.Context, display *x11.Display, need wants) finding {
	f := finding{what: "manager", need: need.screen, mend: "start a window manager that speaks EWMH, such as openbox"}
	name, err := display.Manager(ctx)
	switch {
	case err != nil:
		f.text = err.Error()
	case name == "":
		f.text = "there is no window manager: hidden windows are not listed"
	default:
		f.ok, f.text = true, "windows are managed by "+name
	}
	return f
}

func checkBus(ctx context.Context, need wants) finding {
	f := finding{what: "rows", need: need.tree}
	tree, err := atspi.Open(atspi.DefaultOptions())
	if err == nil {
		defer tree.Close()
		err = tree.Check(ctx)
	}
	if err == nil {
		f.ok, f.text = true, "the accessibility bus answers"
		return f
	}
	f.text = err.Error()
	f.mend = "needed by windows with structure: atspi alone: sudo apt-get install at-spi2-core, and log in anew"
	return f
}

func systemVersion(context.Context) string {
	raw, _ := os.ReadFile("/etc/os-release")
	for line := range strings.Lines(string(raw)) {
		if name, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
			return strings.Trim(strings.TrimSpace(name), `"`)
		}
	}
	return "a system without a name"
}

// askSystem has nothing to ask for.
func askSystem(_ context.Context, out terminal) error {
	return out.printf("this system asks for no permission: who may use the display may watch it\n")
}

// checkUsage asks the X server.
func checkUsage(ctx context.Context) []finding {
	usage, err := x11.OpenUsage(x11.Options{})
	if err != nil {
		return []finding{{what: "usage", text: err.Error()}}
	}
	defer usage.Close()
	list := probeUsage(ctx, usage, usageMends{
		app:   "log in to an X11 (Xorg) session with a window manager",
		idle:  "start the X server with its screen saver extension",
		input: "start the X server with XInput 2",
	})
	if os.Getenv("WAYLAND_DISPLAY") != "" && list[0].ok {
		list[0].ok = false
		list[0].text = "this is a Wayland session: the use of X applications alone is seen"
		list[0].mend = "log in to an X11 (Xorg) session, or set focus.usage to none"
	}
	return list
}

// checkNotices asks the notification service for its name and shows nothing.
func checkNotices(ctx context.Context) finding {
	f := finding{what: "notices"}
	name, err := freedesktop.Notifier{}.Check(ctx)
	if err != nil {
		f.text, f.mend = err.Error(), "notices are on the live page all the same; on Debian: sudo apt-get install dunst"
		return f
	}
	f.ok, f.text = true, "shown by "+name
	return f
}
