package attention

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

func lookOf(app messages.Text) Look { return Look{Usage: &messages.UsageSnapshot{ActiveApp: app}} }

// An answer holds for ten minutes and is not kept for longer. The newest answer to
// a case counts.
func TestAnswerCache(t *testing.T) {
	var c answerCache
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	get := func(app messages.Text, after time.Duration) messages.Attention {
		state, _ := c.get(lookOf(app), noon.Add(after))
		return state.State
	}
	for n := range 1000 {
		c.put(lookOf(messages.Text(rune('a'+n%26))), verdict(messages.FromLLM, messages.Idle, 1, ""),
			noon.Add(time.Duration(n-1000)*time.Minute))
		if len(c.answers) > 10 {
			t.Fatalf("%d answers are kept at one a minute, want 10", len(c.answers))
		}
	}
	c.put(lookOf("Code"), verdict(messages.FromLLM, messages.Idle, 1, ""), noon)
	c.put(lookOf("Code"), verdict(messages.FromLLM, messages.Focused, 1, ""), noon.Add(time.Minute))
	for _, tt := range []struct {
		app   messages.Text
		after time.Duration
		want  messages.Attention
	}{
		{"Code", time.Minute, messages.Focused},
		{"Code", 11*time.Minute - 1, messages.Focused},
		{"Code", 11 * time.Minute, ""},
		{"Code", 0, messages.Idle}, // a clock that was set back
		{"Zoom", time.Minute, ""},
	} {
		if got := get(tt.app, tt.after); got != tt.want {
			t.Errorf("get(%s, after %v) = %q, want %q", string(tt.app), tt.after, got, tt.want)
		}
	}
}

// Five questions come at once, then one every two and a half minutes; an hour
// has 29 at most.
func TestQuestionsAreLimited(t *testing.T) {
	var c answerCache
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	var asked []time.Duration
	for at := time.Duration(0); at < time.Hour; at += 10 * time.Second {
		if c.ask(noon.Add(at)) {
			asked = append(asked, at)
		}
	}
	if len(asked) != 28 || asked[4] != 40*time.Second || asked[5] != 150*time.Second || asked[6] != 300*time.Second {
		t.Errorf("asked %d times in an hour, at %v, want 28 times: 5 at once, then after 150 s, 300 s and so on",
			len(asked), asked)
	}
	later, n := noon.Add(2*time.Hour), 0
	for c.ask(later) {
		n++
	}
	if n != 5 {
		t.Errorf("after a calm hour there are %d questions at once, want 5", n)
	}
}
