package main

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

func TestWhatIsWatched(t *testing.T) {
	paused := func(names ...string) (s control.Status) {
		s.Node = "a"
		for _, n := range names {
			if n != "" {
				n += "@a"
			}
			s.Paused = append(s.Paused, control.Paused{Window: messages.WindowID(n)})
		}
		return s
	}
	both := []config.Window{{Name: "line"}, {Name: "team"}}
	for _, c := range []struct {
		windows []config.Window
		status  control.Status
		want    string
	}{
		{nil, paused(), "no window: none is configured"},
		{both, paused(), "line, team"},
		{both, paused("team"), "line; team is paused, kehai resume goes on"},
		{both, paused("team", "line"), "no window: line, team are paused, kehai resume goes on"},
		{both, paused(""), "no window: line, team are paused, kehai resume goes on"},
	} {
		if got := watchedNow(config.Config{Windows: c.windows}, c.status); got != c.want {
			t.Errorf("watchedNow(%v) = %q, want %q", c.status.Paused, got, c.want)
		}
	}
}
