package main

import (
	"context"

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
			f.mend = p.How
		}
		list = append(list, f)
	}
	return list
}
