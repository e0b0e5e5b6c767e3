package main

import (
	"context"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/attention"
	"github.com/kehai-run/kehai/runtime/control"
)

// noonDesk is a backend with one desk, which became focused at noon.
type noonDesk struct {
	control.FocusBackend
	seen time.Time
}

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func (d noonDesk) FocusDesks(context.Context) ([]control.FocusDesk, error) {
	return []control.FocusDesk{{Desk: "mac", SeenAt: control.Stamp{Time: d.seen}}}, nil
}

func (d noonDesk) FocusChanges(_ context.Context, yield func(control.FocusChange) error) error {
	return yield(control.FocusChange{
		Desk: "mac", At: noon, State: messages.Focused, Confidence: 0.9, Source: messages.FromRule,
	})
}

// Time in which no Kehai ran is no time of focus.
func TestTimeThatNobodyWatched(t *testing.T) {
	for _, c := range []struct {
		now  time.Time
		seen time.Duration // after noon
		want time.Duration
	}{
		{noon.Add(time.Hour), time.Hour - time.Minute, time.Hour}, // it runs
		{noon.Add(7 * 24 * time.Hour), time.Hour, time.Hour},
	} {
		changes, err := focusChanges(t.Context(), noonDesk{seen: noon.Add(c.seen)}, c.now)
		if err != nil {
			t.Fatalf("focusChanges() = %v", err)
		}
		var got time.Duration
		for _, s := range attention.Spans(changes, time.Time{}, c.now) {
			if s.State == messages.Focused {
				got += s.End.Sub(s.Start.Time)
			}
		}
		if got != c.want {
			t.Errorf("focus from noon until %v, seen until %v after it = %v, want %v", c.now, c.seen, got, c.want)
		}
	}
}
