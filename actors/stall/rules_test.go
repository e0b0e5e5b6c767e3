package stall

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func TestLook(t *testing.T) {
	r := DefaultRules()
	if r.Threshold != 120*time.Second || r.Proximity != 5*time.Minute || r.Traces != 512 {
		t.Errorf("DefaultRules() = %+v, want 120 s, 5 min, 512 traces", r)
	}
	for _, c := range []struct {
		name    string
		failure messages.SendReason
		told    messages.StallReason
		after   time.Duration
		want    messages.StallReason
	}{
		{"before its time", "", "", 2*time.Minute - 1, ""},
		{"nothing was sent", "", "", 2 * time.Minute, messages.StalledNoSend},
		{"a person typed", messages.SendBusy, "", 2 * time.Minute, messages.StalledTypingBusy},
		{"a person still types", messages.SendBusy, messages.StalledTypingBusy, 2 * time.Minute, ""},
		{"elsewhere at last", messages.SendElsewhere, messages.StalledTypingBusy, 2 * time.Minute,
			messages.StalledNoSend},
		{"unknown", messages.SendUnconfirmed, "", 2 * time.Minute, messages.StalledNoSend},
		{"paused", messages.CodePaused, "", 2 * time.Minute, ""},
	} {
		w := r.Begin("c-1", noon)
		w.Failure, w.Reported = c.failure, c.told
		next, say := r.Look(w, noon.Add(c.after))
		if say != c.want || say != "" && (next.Reported != say || !next.At.Equal(noon.Add(c.after))) {
			t.Errorf("%s: Look() = %+v, %q, want %q", c.name, next, say, c.want)
		}
		if c.after >= r.Threshold && !next.Due.Equal(noon.Add(c.after+r.Threshold)) {
			t.Errorf("%s: looked at next at %v, want a threshold later", c.name, next.Due)
		}
	}
}

func TestNear(t *testing.T) {
	r := DefaultRules()
	w := r.Begin("c-1", noon)
	for _, c := range []struct {
		pending int
		after   time.Duration
		want    bool
	}{
		{1, 0, true}, {1, 5 * time.Minute, true}, {1, 5*time.Minute + 1, false}, {2, time.Second, false}, {0, 0, false},
	} {
		if got := r.Near(w, c.pending, noon.Add(c.after)); got != c.want {
			t.Errorf("Near(%d pending, after %v) = %v, want %v", c.pending, c.after, got, c.want)
		}
	}
}
