package fusion

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

var readNow = actortest.To("poller/line@mac", messages.ReadNow{Window: "line@mac"})

func rows(h *actortest.Harness, n, delta int) {
	h.Send(messages.StructureSignal{Window: "line@mac", Rows: n, Delta: delta,
		Since: h.Now().Add(-time.Second), At: h.Now()})
}

// looked spawns a fusion that passed on a view of Hana's long ago.
func looked(t *testing.T) *actortest.Harness {
	t.Helper()
	h := spawn(t)
	send(h, read("Hana", "a b"))
	h.Advance(10 * time.Second)
	h.Sent()
	h.WantCommits(1)
	return h
}

func TestRowsWithoutText(t *testing.T) {
	h := looked(t)
	rows(h, 12, 2)
	h.WantTimer("signal", time.Second)
	h.Advance(time.Second - 1)
	h.WantSent()
	seenAt := h.Now().Add(1 - time.Second)
	h.Advance(1)
	h.WantSent(readNow)
	h.Advance(2*time.Second/3 + 1)
	h.WantSent(readNow)
	m := send(h, read("Hana", "a b")) // nothing new
	h.WantSent(readNow, settled(m))
	h.WantDropped(events.StageFusion, events.RuleUnchanged, events.Detail{Score: 35, Of: 60})
	h.Published()
	h.Advance(2 * time.Second)
	h.WantSent()
	h.WantPublished(events.MessageUnreadable{
		Window: "line@mac", Conversation: "line:Hana", Rows: 12, Delta: 2, Attempts: 3, SeenAt: seenAt,
	})
	h.WantDropped(events.StageFusion, events.RuleUnreadable)
	h.WantNoTimer("signal")
	h.WantCommits(1)
}

func TestRowsWithText(t *testing.T) {
	for name, c := range map[string]func(h *actortest.Harness) int{
		"rows first": func(h *actortest.Harness) int {
			rows(h, 12, 1)
			h.Advance(100 * time.Millisecond)
			m := read("Hana", "a b c")
			m.At = h.Now()
			h.Send(m)
			return score(h)
		},
		"text first": func(h *actortest.Harness) int {
			m := read("Hana", "a b c")
			m.At = h.Now()
			h.Send(m)
			h.Advance(900 * time.Millisecond)
			rows(h, 12, 1)
			return 100 - 38 + score(h) - 62
		},
		"text at the last attempt": func(h *actortest.Harness) int {
			rows(h, 12, 1)
			h.Advance(2900 * time.Millisecond)
			h.Sent()
			m := read("Hana", "a b c")
			m.At = h.Now()
			h.Send(m)
			return 100 - 38 + score(h) - 62
		},
	} {
		h := looked(t)
		got := c(h)
		if want := map[bool]int{true: 100, false: 62}[name == "rows first"]; got != want {
			t.Errorf("%s: score %d, want %d", name, got, want)
		}
		h.Advance(time.Minute)
		h.WantSent()
		h.WantPublished()
	}
}

// score takes what was sent and returns the score of the detection in it.
func score(h *actortest.Harness) int {
	for _, s := range h.Sent() {
		if d, ok := s.Message.(messages.Detection); ok {
			return d.Score
		}
	}
	return -1
}

// TestRowsAddUp: which frames a structure signal counts with.
func TestRowsAddUp(t *testing.T) {
	for _, c := range []struct {
		name  string
		delta int
		apart time.Duration
		title messages.Text
		want  int
	}{
		{"same poll, none came", 0, 500 * time.Millisecond, "Hana", 72},
		{"same poll, some went", -1, 500 * time.Millisecond, "Hana", 82},
		{"same poll, one came", 1, 500 * time.Millisecond, "Hana", 100},
		{"the next poll", 1, time.Second, "Hana", 62},
		{"another conversation", 1, 500 * time.Millisecond, "Ken", 62},
	} {
		h := looked(t)
		if c.title == "Ken" { // known, so that it passes at once
			send(h, read("Ken", "x y"))
			send(h, read("Ken", "x y"))
			send(h, read("Hana", "a b"))
			h.Sent()
			h.Advance(10 * time.Second)
		}
		rows(h, 12, c.delta)
		h.Advance(c.apart)
		m := read(c.title, map[messages.Text]string{"Hana": "a b c", "Ken": "x y z"}[c.title])
		m.At = h.Now()
		h.Send(m)
		if got := score(h); got != c.want {
			t.Errorf("%s: score %d, want %d", c.name, got, c.want)
		}
		if c.title == "Ken" {
			h.Advance(time.Minute)
			h.WantSent()
			for _, e := range h.Published() {
				if _, ok := e.(events.MessageUnreadable); ok {
					t.Errorf("published %+v, want nothing: the rows are another conversation's", e)
				}
			}
		}
	}
}

// TestRowsLiftNoEmptyFrame: 70 and 35 are enough, but there are no words.
func TestRowsLiftNoEmptyFrame(t *testing.T) {
	h := looked(t)
	rows(h, 12, 1)
	m := send(h, read("Hana", "a b"))
	h.WantSent(readNow, settled(m))
	h.WantDropped(events.StageFusion, events.RuleUnchanged, events.Detail{Score: 35, Of: 60})
	rows(h, 13, 1)
	m.At = h.Now()
	h.Send(m)
	h.WantDropped(events.StageFusion, events.RuleUnchanged, events.Detail{Score: 100})
}

// TestRowsAreForgotten in a crash, and before anything was passed on.
func TestRowsAreForgotten(t *testing.T) {
	h := spawn(t)
	rows(h, 12, 1)
	h.WantNoTimer("signal")
	h = looked(t)
	rows(h, 12, 1)
	rows(h, 11, -1)
	rows(h, 11, 0)
	h.WantTimer("signal", time.Second)
	h.Crash()
	h.Advance(time.Minute)
	h.WantSent()
	h.WantPublished()
	h.WantCommits(0)
}
