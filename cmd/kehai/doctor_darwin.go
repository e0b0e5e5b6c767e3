package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/hardware/darwin"
)

// systemFindings are the permissions that macOS gives to the signed program, or
// to the terminal that starts it.
func systemFindings(_ context.Context, need wants) []finding {
	granted, err := darwin.Permissions()
	if err != nil {
		return []finding{{what: "macOS", need: need.screen || need.tree, text: err.Error()}}
	}
	var list []finding
	for _, p := range granted {
		f := finding{what: "allowed", ok: p.Granted, text: p.Name}
		switch p.Name {
		case darwin.ScreenRecording:
			f.need = need.screen
		case darwin.Accessibility:
			f.need = need.tree
		}
		if !p.Granted {
			f.what, f.text = "denied", p.Name+": windows of other applications cannot be watched without it"
			if p.Name == darwin.Accessibility {
				f.text = p.Name + ": needed by windows with structure: darwin alone"
			}
			f.mend = "kehai doctor --ask, then " + p.How
		}
		list = append(list, f)
	}
	return list
}

func systemVersion(ctx context.Context) string {
	out, err := tool(ctx, "/usr/bin/sw_vers", "-productVersion")
	if err != nil {
		return err.Error()
	}
	return "macOS " + strings.TrimSpace(out)
}

// askSystem makes macOS ask for what is missing, and opens the settings there.
func askSystem(ctx context.Context, out terminal) error {
	list, err := darwin.Ask()
	for _, p := range list {
		if p.Granted {
			continue
		}
		if _, open := tool(ctx, "/usr/bin/open", p.Pane); err == nil && open != nil {
			err = fmt.Errorf("open the settings of %s: %w", p.Name, open)
		}
		out.lines(p.Name+": ", "  ", p.How)
	}
	return err
}

// checkUsage asks the counters of the system, which need no permission: neither
// Input Monitoring nor Accessibility.
func checkUsage(ctx context.Context) []finding {
	usage, err := darwin.OpenUsage(darwin.UsageOptions{})
	if err != nil {
		return []finding{{what: "usage", text: err.Error()}}
	}
	const login = "log in to a desktop session"
	list := probeUsage(ctx, usage, usageMends{app: login, idle: login, input: login})
	if len(list) == 1 && list[0].ok {
		list[0].text += "; macOS wants no permission for them"
	}
	return list
}

// checkNotices cannot ask whether notices are allowed, and shows none to find
// out.
func checkNotices(context.Context) finding {
	f := finding{what: "notices", text: "shown through osascript, as those of Script Editor"}
	if _, err := darwin.OpenNotifier(); err != nil {
		f.text = err.Error()
		return f
	}
	f.ok = true
	f.text += "; if none appear, " + darwin.AllowNotices
	return f
}
