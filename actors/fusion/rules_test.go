package fusion

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages/events"
)

var standard = DefaultRules()

func TestDefaultRules(t *testing.T) {
	want := Rules{
		Threshold: 60, Changed: 62, Unchanged: 35, Grew: 70, Shrank: 20, Same: 10, High: 80, Medium: 50,
		EchoWindow: 120 * time.Second, CursorLines: 4, Attempts: 3, AttemptsWithin: 2 * time.Second,
		Unknown: 5 * time.Second,
		Echo: text.EchoRules{MinEqual: 2, MinPart: 6, Contains: 70, Contained: 85, MinLine: 6, MinLines: 2,
			LinesMatch: 60, Lines: text.LineRules{Min: 8, Cover: 84, Similar: 0.88}},
		Lines: text.LineRules{Min: 8, Cover: 84, Similar: 0.88},
	}
	if got := DefaultRules(); got != want {
		t.Errorf("DefaultRules() = %+v, want %+v", got, want)
	}
}

// The rules in the options decide, not the defaults.
func TestRulesOfTheOptions(t *testing.T) {
	own := DefaultRules()
	own.Threshold, own.Attempts, own.AttemptsWithin = 63, 1, 5*time.Second
	h := spawnWith(t, with(func(o *Options) { o.Rules = own }))
	send(h, read("Hana", "a b"))
	h.WantDropped(events.StageFusion, events.RuleUnchanged, events.Detail{Score: 62, Of: 63})

	own.Threshold = 60
	h = spawnWith(t, with(func(o *Options) { o.Rules = own }))
	send(h, read("Hana", "a b"))
	h.Sent()
	h.Advance(10 * time.Second)
	rows(h, 12, 2)
	h.Advance(time.Second)
	h.WantSent(readNow)
	h.WantTimer("signal", 5*time.Second)
	h.Advance(5 * time.Second)
	h.WantSent()
	h.WantDropped(events.StageFusion, events.RuleUnreadable)
	h.WantNoTimer("signal")

	own.CursorLines = 2
	if got := plainLines(own.CursorOf("c", []string{"a", "b", "c"}).Lines); len(got) != 2 || got[0] != "b" {
		t.Errorf("CursorOf(a b c) with 2 lines = %q, want b c", got)
	}
	if got := own.Label(80); got != High {
		t.Errorf("Label(80) = %s, want %s", got, High)
	}
	own.High, own.Medium = 90, 85
	if got, want := own.Label(89), Medium; got != want {
		t.Errorf("Label(89) from 90 = %s, want %s", got, want)
	}
	if got, want := own.Label(84), Low; got != want {
		t.Errorf("Label(84) from 85 = %s, want %s", got, want)
	}
}
