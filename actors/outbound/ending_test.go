package outbound_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// TestEnding: a sender that hears of the shutdown before any of its calls types nothing
// more, clears what it has typed, and leaves no timer that the shutdown would wait for.
// If it crashes on the way, or the process ends first, the next start clears the field
// before anything else. Then the text is sent once.
func TestEnding(t *testing.T) {
	for at := range 6 {
		for _, crash := range []bool{false, true} {
			t.Run(fmt.Sprint(at, crash), func(t *testing.T) { ended(t, at, crash) })
		}
	}
}

func ended(t *testing.T, at int, crash bool) {
	r := newRoom(t, "c-hana")
	r.Send(ask("c-hana", 1, meet))
	r.Send(ask("c-hana", 2, photo))
	open := r.Calls()
	for range at {
		r.AnswerCall(open[0].ID, r.work(open[0].Request))
		open = r.Calls()
	}
	r.Send(messages.EndSending{})
	sent := r.enter
	if len(open) > 0 && isEnter(open[0].Request) { // it is under way
		sent++
	}
	if crash && len(open) > 0 {
		r.work(open[0].Request) // its answer is lost
	}
	for try := 0; !crash && (len(open) > 0 || try < 6); try++ {
		for _, c := range open {
			r.AnswerCall(c.ID, r.work(c.Request))
		}
		r.Advance(500 * time.Millisecond) // as far as the end waits for its timers
		open = r.Calls()
	}
	if !crash && r.field != "" || r.enter != sent {
		t.Errorf("told of the end: %d characters are left, Enter was pressed %d times", len([]rune(r.field)), r.enter)
	}
	if !crash {
		r.WantNoTimer("due")
	}
	r.Crash()
	r.Start()
	if r.field != "" {
		r.play(-1, false)
	}
	for range 60 {
		r.Advance(time.Second)
		r.play(-1, false)
		for _, b := range r.chats["c-hana"] {
			if b.Side == messages.SideOwn {
				r.confirm(b.Text)
			}
		}
	}
	if got := r.done(); r.enter != 2 || got[1] != messages.SendConfirmed || got[2] != messages.SendConfirmed {
		t.Errorf("after the next start Enter was pressed %d times, they ended as %v, want both sent once", r.enter, got)
	}
}

func isEnter(request messages.Message) bool {
	_, ok := request.(messages.PressEnter)
	return ok
}
