package stall_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/stall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

const hana, ken messages.ConversationID = "c-hana", "c-ken"

type watch struct {
	t *testing.T
	*actortest.Harness
}

func newWatch(t *testing.T, r stall.Rules) watch {
	t.Helper()
	return watch{t, actortest.Spawn(t, stall.New(r), actortest.Address("stall/mac"))}
}

func (w watch) done(c messages.ConversationID, trace string) {
	w.t.Helper()
	w.CrashBeforeCommit()
	w.Send(messages.TaskDone{Conversation: c, Trace: trace})
}

func (w watch) tried(c messages.ConversationID, trace string, why messages.SendReason) {
	w.t.Helper()
	w.CrashBeforeCommit()
	w.Send(messages.SendTried{Conversation: c, Trace: trace, Reason: why})
}

// told returns what was reported since the last look, as "trace reason", with "over"
// after it.
func (w watch) told() (list []string) {
	for _, m := range w.Published() {
		s := m.(messages.SendStalled)
		text := fmt.Sprintf("%s %s", s.Trace, s.Reason)
		if s.Over {
			text += " over"
		}
		if s.Final != (s.Reason == messages.StalledNoSend) {
			w.t.Errorf("%s: final %v", text, s.Final)
		}
		list = append(list, text)
	}
	return list
}

func (w watch) want(what string, want ...string) {
	w.t.Helper()
	if got := w.told(); fmt.Sprint(got) != fmt.Sprint(want) {
		w.t.Errorf("%s: told %q, want %q", what, got, want)
	}
}

// TestStalls: the two reasons of the seed, over crashes.
func TestStalls(t *testing.T) {
	w := newWatch(t, stall.DefaultRules())
	w.done(hana, "a")
	w.done(ken, "b")
	w.done(ken, "c")
	w.tried(ken, "b", messages.SendBusy)
	w.tried(ken, "c", "")
	w.Advance(119 * time.Second)
	w.Crash()
	w.Start()
	w.want("before the threshold")
	w.Advance(time.Second)
	w.want("at the threshold", "a stalled_no_send", "b stalled_typing_busy")
	w.Crash()
	w.Start()
	w.done(hana, "a")
	w.Advance(10 * time.Minute)
	w.want("a trace that is known, and one at which a person still types")
	w.tried(ken, "b", messages.SendElsewhere)
	w.Advance(2 * time.Minute)
	w.want("it fails otherwise", "b stalled_no_send")
	w.tried(hana, "a", "")
	w.tried(hana, "a", "")
	w.want("sent after all", "a stalled_no_send over")
	w.WantNoTimer("due")
}

func TestABusyStallEndsWell(t *testing.T) {
	w := newWatch(t, stall.DefaultRules())
	w.done(hana, "a")
	w.tried(hana, "a", messages.SendBusy)
	w.Advance(2 * time.Minute)
	w.want("a person types", "a stalled_typing_busy")
	w.tried(hana, "a", "")
	w.want("it was sent", "a stalled_typing_busy over")
	w.done(hana, "b")
	w.tried(hana, "b", messages.SendStopped)
	w.Advance(time.Hour)
	w.want("it was taken back")
}

// TestTheKeyOfAnother: tasks of hana are out of reach when they are due, also at a start. Those of ken are told of in
// time, hana's once, when the key is back.
func TestTheKeyOfAnother(t *testing.T) {
	for name, crash := range map[string]bool{"running": false, "started": true} {
		keys, r := actortest.NewKeys(), stall.DefaultRules()
		r.Traces = 2
		w := watch{t, actortest.Spawn(t, stall.New(r), actortest.Address("stall/mac"),
			actortest.SealedFor(keys, stall.SubjectOf))}
		w.done(hana, "old")
		w.Advance(2 * time.Minute)
		w.want(name+": hana", "old stalled_no_send")
		w.done(hana, "a")
		w.done(ken, "b")
		keys.TakeAway(string(hana))
		if crash {
			w.Crash()
			w.Start()
		}
		w.done(ken, "c")
		w.done(ken, "d")
		w.tried(ken, "c", "")
		w.Advance(2 * time.Minute)
		w.want(name+": ken", "b stalled_no_send", "d stalled_no_send")
		if crash {
			w.Crash()
		}
		w.Advance(time.Hour)
		w.done(ken, "b")
		w.done(ken, "d")
		w.Advance(time.Hour)
		w.want(name + ": away")
		keys.GiveBack()
		w.Advance(time.Minute)
		w.want(name+": hana's key is back", "a stalled_no_send")
		if n := len(actortest.Rows(w.Harness, stall.Known)); n != r.Traces {
			t.Errorf("%s: %d tasks are remembered, want %d", name, n, r.Traces)
		}
		w.tried(hana, "a", "")
		w.want(name+": sent after all", "a stalled_no_send over")
		w.Advance(time.Hour)
		w.want(name + ": nothing is told twice")
		w.WantNoTimer("due")
	}
}

// TestProximity: another text counts for five minutes, if no other task of the
// conversation is pending.
func TestProximity(t *testing.T) {
	w := newWatch(t, stall.DefaultRules())
	w.done(hana, "a")
	w.tried(ken, "x", "")
	w.Advance(2 * time.Minute)
	w.want("a text elsewhere", "a stalled_no_send")
	w.done(hana, "b")
	w.tried(hana, "x", "")
	w.Advance(2 * time.Minute)
	w.want("a text beside it")
	w.done(hana, "c")
	w.done(hana, "d")
	w.tried(hana, "x", "")
	w.Advance(2 * time.Minute)
	w.want("two that wait", "c stalled_no_send", "d stalled_no_send")
	w.done(hana, "e")
	w.tried(hana, "e", messages.SendBusy)
	w.Advance(5*time.Minute + time.Second)
	w.tried(hana, "x", "")
	w.want("too late for another text", "e stalled_typing_busy")
}

// TestKnownTraces: only the newest traces are remembered.
func TestKnownTraces(t *testing.T) {
	r := stall.DefaultRules()
	r.Traces = 2
	w := newWatch(t, r)
	for _, trace := range []string{"a", "b", "c"} {
		w.done(hana, trace)
		w.Advance(2 * time.Minute)
	}
	w.want("three tasks", "a stalled_no_send", "b stalled_no_send", "c stalled_no_send")
	for _, trace := range []string{"a", "b", "c"} {
		w.done(hana, trace)
	}
	w.Advance(2 * time.Minute)
	w.want("the same again", "a stalled_no_send")
}
