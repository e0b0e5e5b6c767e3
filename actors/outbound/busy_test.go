package outbound_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/outbound"
	"github.com/kehai-run/kehai/messages/events"
)

// told is what was published about a person who types, since the last time.
func (r *room) told() (list []string) {
	for _, m := range r.Published() {
		if s, ok := m.(events.TypingState); ok {
			list = append(list, fmt.Sprint(s.Busy, s.Streak))
		}
	}
	return list
}

// attempt is the next one at a reply that was put off. It says what was told by then.
func (r *room) attempt() []string {
	r.t.Helper()
	for range 40 {
		r.Advance(500 * time.Millisecond)
		if r.play(-1, false) > 0 {
			break
		}
	}
	return r.told()
}

func (r *room) wantTold(when string, got []string, want string) {
	r.t.Helper()
	if fmt.Sprint(got) != want {
		r.t.Errorf("%s %v was told, want %s", when, got, want)
	}
}

// TestAPersonIsToldThatRepliesWait at the third attempt in a row that meets unsent text, once,
// again by a start, and that it is over when the reply has gone out.
func TestAPersonIsToldThatRepliesWait(t *testing.T) {
	r := newRoom(t, "c-hana")
	r.field = "a person's words"
	r.Send(ask("c-hana", 1, meet))
	r.play(-1, false)
	r.wantTold("at the first attempt", r.told(), "[]")
	r.Crash()
	r.Start()
	r.wantTold("at the second", r.attempt(), "[]")
	r.CrashBeforeCommit()
	r.wantTold("at the third", r.attempt(), "[true 3]")
	r.wantTold("at the fourth", r.attempt(), "[]")
	r.Crash()
	r.Start()
	r.wantTold("after a crash", r.told(), "[true 4]")
	r.field = ""
	var told []string
	for range 3 {
		told = append(told, r.attempt()...)
	}
	if r.enter != 1 {
		t.Fatalf("Enter was pressed %d times once the field was empty, want once", r.enter)
	}
	r.confirm(meet)
	r.wantTold("once it is confirmed", append(told, r.told()...), "[false 0]")
	r.Crash()
	r.Start()
	r.wantTold("at the next start", r.told(), "[]")
}

// TestABusyMinute: it is reported too, however few attempts it took, and not again when the
// clock is set back. Any reason other than a typing person ends it.
func TestABusyMinute(t *testing.T) {
	rules := outbound.DefaultRules()
	rules.Streak, rules.Timeout = 100, 10*time.Hour
	r := newRoomBy(t, "c-hana", rules)
	r.field = "a person's words"
	r.Send(ask("c-hana", 1, meet))
	r.play(-1, false)
	began, told := r.Now(), []string(nil)
	for len(told) == 0 && r.Now().Sub(began) < 2*time.Minute {
		told = r.attempt()
	}
	if took := r.Now().Sub(began); took < rules.StreakTime || took > rules.StreakTime+rules.RetryCap {
		t.Errorf("%v was told after %s, want once a minute is over", told, took)
	}
	open := r.Calls()
	for range 20 { // to where an attempt looks at the window
		if len(open) == 0 {
			r.Advance(time.Second)
			open = r.Calls()
		}
	}
	r.SetClock(r.Now().Add(-time.Hour))
	for _, c := range open {
		r.AnswerCall(c.ID, r.work(c.Request))
	}
	r.play(-1, false)
	r.wantTold("after the clock was set back", r.told(), "[]")
	r.shown, told = "c-ken", nil
	for range 300 { // its next time is an hour away now
		told = append(told, r.attempt()...)
	}
	r.wantTold("when another conversation is shown", told, "[false 0]")
}
