//go:build !darwin

package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/atspi"
	"github.com/kehai-run/kehai/hardware/x11"
)

// systemFindings are about the X display and the accessibility bus.
func systemFindings(ctx context.Context, need wants) []finding {
	list := checkX11(ctx, need)
	return append(list, checkBus(ctx, need))
}

func checkX11(ctx context.Context, need wants) []finding {
	f := finding{what: "display", need: need.screen, mend: "run inside a desktop session on X11; drawn windows need none"}
	display, err := x11.Open(x11.Options{})
	if err != nil {
		f.text = err.Error()
		return []finding{f}
	}
	defer display.Close()
	windows, err := display.Windows(ctx)
	if err != nil {
		f.text = err.Error()
		if errors.Is(err, hardware.ErrPermission) {
			f.mend = "export XAUTHORITY to the authority file of the session"
		}
		return []finding{f}
	}
	f.ok, f.text = true, fmt.Sprintf("X11 at %s, %d windows", os.Getenv("DISPLAY"), len(windows))
	list := []finding{f}
	if os.Getenv("WAYLAND_DISPLAY") != "" {
		list = append(list, finding{what: "display", text: "this is a Wayland session: windows of X applications alone can be watched", mend: "log in to an X11 (Xorg) session"})
	}
	return append(list, checkManager(ctx, display, need))
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
		f.ok, f.text = true, "windows are managed by "+clean(name)
	}
	return f
}

func checkBus(ctx context.Context, need wants) finding {
	f := finding{what: "rows", need: need.tree}
	tree, err := atspi.Open(atspi.Options{})
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
