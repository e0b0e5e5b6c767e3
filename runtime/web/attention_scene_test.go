//go:build browser || look

package web

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// aDay is a made-up day at a desk: the state from a minute of the day on.
var aDay = []struct {
	minute int
	state  messages.Attention
}{
	{0, messages.Unknown}, {8*60 + 40, messages.Focused}, {9*60 + 25, messages.Distracted},
	{9*60 + 32, messages.Focused},
	{10*60 + 50, messages.Away}, {11*60 + 5, messages.Focused}, {12*60 + 10, messages.Away}, {13 * 60, messages.Idle},
	{13*60 + 15, messages.Drowsy}, {13*60 + 50, messages.Focused}, {15*60 + 20, "paused"},
	{16*60 + 5, messages.Unknown},
	{16*60 + 6, messages.Focused}, {17*60 + 40, messages.Distracted}, {18*60 + 30, messages.Away},
	{19 * 60, messages.Unknown},
}

// week is a history of the days before a moment and of its own day until then.
func week(now time.Time) (list []AttentionChange) {
	r := rand.New(rand.NewPCG(7, 7))
	for back := 7; back >= 0; back-- {
		y, m, d := now.AddDate(0, 0, -back).Date()
		start := time.Date(y, m, d, 0, 0, 0, 0, now.Location())
		if wd := start.Weekday(); (wd == time.Saturday || wd == time.Sunday) && back > 0 {
			continue
		}
		shift := 0
		for i, c := range aDay {
			if back > 0 && i > 0 {
				shift += r.IntN(17) - 8
			}
			at := start.Add(time.Duration(c.minute+max(0, shift)) * time.Minute)
			if at.After(now) {
				break
			}
			if n := len(list); n > 0 && !at.After(list[n-1].At) {
				continue
			}
			change := AttentionChange{At: at, State: c.state, Confidence: 0.6 + float64(r.IntN(40))/100,
				Source: sourceNames[r.IntN(3)]}
			if c.state == "paused" {
				change.State, change.Paused, change.Confidence = messages.Unknown, true, 0
			}
			list = append(list, change)
		}
	}
	return list
}

// attend gives a host a desk with a history, at a moment that stands still.
func (h *host) attend(now time.Time, list []AttentionChange) {
	h.now, h.changes = now, list
	h.attention = &Attention{Desk: "mac-a"}
	if n := len(list); n > 0 {
		c := list[n-1]
		a := h.attention
		a.State, a.Since, a.Confidence, a.Source, a.SeenAt = c.State, c.At, c.Confidence, c.Source,
			now.Add(-20*time.Second)
		if h.attention.Reasoning = "facing the screen with open eyes, and the computer is in use"; c.Paused {
			h.attention.Paused = &c.At
		}
	}
	h.act = func(context.Context, Act) error { return nil }
}
