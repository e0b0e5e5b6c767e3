package main

import (
	"context"
	"slices"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/datadir"
)

// checkFocus checks what attention uses. It works with whatever is available, so nothing
// here fails the checks.
func checkFocus(ctx context.Context, cfg config.Config) []finding {
	if !cfg.Focus.Enabled {
		return []finding{fine("focus", "off: attention is judged once focus.enabled is true")}
	}
	ctx, cancel := context.WithTimeout(ctx, desktopTimeout)
	defer cancel()
	list := []finding{checkTracker(cfg)}
	if cfg.Focus.Usage == config.UsageSystem {
		list = append(list, checkUsage(ctx)...)
	} else {
		list = append(list, fine("usage", "focus.usage is %s: the driver of this system is not asked", cfg.Focus.Usage))
	}
	if cfg.Focus.Notify == config.NotifyNone {
		return append(list, fine("notices", "on the live page only: focus.notify is none"))
	}
	return append(list, checkNotices(ctx))
}

func checkTracker(cfg config.Config) finding {
	f := finding{what: "camera", ok: true}
	socket, err := datadir.FeedSocket(cfg.Data)
	if err != nil {
		f.ok, f.text = false, err.Error()
		return f
	}
	f.text = "no camera is opened: a face tracker connects to " + socket
	if cfg.Focus.FeedAddr != "" {
		f.text += ", or posts to http://" + cfg.Focus.FeedAddr + "/v1/focus"
	}
	return f
}

// usageMends says what helps if a part of the use cannot be seen.
type usageMends struct{ app, idle, input string }

// probeUsage asks a driver for everything that attention uses.
func probeUsage(ctx context.Context, u hardware.Usage, mends usageMends) []finding {
	_, app := u.ActiveApp(ctx)
	_, idle := u.Idle(ctx)
	_, input := u.Input(ctx)
	var list []finding
	for _, part := range []struct {
		name, mend string
		err        error
	}{
		{"the active application", mends.app, app},
		{"the idle time", mends.idle, idle},
		{"counts of input", mends.input, input},
	} {
		// One cause, such as no display, is one finding.
		if part.err != nil && !slices.ContainsFunc(list, func(f finding) bool { return f.text == part.err.Error() }) {
			list = append(list, finding{
				what: "usage", text: part.err.Error(),
				mend: "without " + part.name + " attention is judged from what is left; " + part.mend,
			})
		}
	}
	if len(list) == 0 {
		list = append(list, fine("usage",
			"the active application, idle time and counts of input; no keys, and no titles of windows"))
	}
	return list
}
