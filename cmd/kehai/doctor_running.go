package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

// checkRunning asks the running Kehai about each window, and what else is wrong.
func checkRunning(ctx context.Context, b control.Backend) []finding {
	s, err := b.Status(ctx)
	if err != nil {
		return []finding{{what: "running", text: err.Error()}}
	}
	// The page's key must not be in a report that a person may paste somewhere.
	list := []finding{fine("page", "%s", cmp.Or(withoutKey(s.Page), "off: this run has none"))}
	for _, c := range s.Captures {
		list = append(list, captureFinding(c))
	}
	for _, id := range s.Windows {
		if !slices.ContainsFunc(s.Captures, func(c control.Capture) bool { return c.Window == id }) {
			list = append(list, finding{
				what: "capture", text: fmt.Sprintf("%s: not captured so far", id),
				mend: "wait a moment; if it stays so, the log of that run says why",
			})
		}
	}
	for _, p := range s.Problems {
		if !slices.ContainsFunc(s.Captures, func(c control.Capture) bool {
			return strings.HasPrefix(p, fmt.Sprintf("window %s cannot be captured", c.Window)) // it stands above
		}) {
			list = append(list, finding{what: "running", text: p})
		}
	}
	if len(s.Problems) == 0 {
		list = append(list, fine("running", "since %s, and knows of nothing wrong", s.StartedAt))
	}
	return list
}

// watchedBy is a configuration with only those windows that the running Kehai watches
// too.
func watchedBy(ctx context.Context, b control.Backend, cfg config.Config) config.Config {
	if s, err := b.Status(ctx); err == nil {
		cfg.Windows = slices.DeleteFunc(slices.Clone(cfg.Windows), func(w config.Window) bool {
			return !slices.Contains(s.Windows, w.ID(s.Node))
		})
	}
	return cfg
}

// captureFinding says whether a window can be captured. The detail comes from the driver,
// and says what to do.
func captureFinding(c control.Capture) finding {
	f := finding{what: "capture", text: fmt.Sprintf("%s: ", c.Window)}
	switch c.Code {
	case "":
		f.ok = true
		f.text += fmt.Sprintf("captured since %s", c.Since)
	case messages.CodePaused:
		f.text += fmt.Sprintf("paused since %s", c.Since)
		f.mend = "kehai resume"
	default:
		f.text += fmt.Sprintf("%s since %s: %s", c.Code, c.Since, c.Detail)
	}
	return f
}
