package actortest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// fake is a test that may fail.
type fake struct {
	errors  []string
	cleanup []func()
}

type fatal struct{}

func (f *fake) Helper()                   {}
func (f *fake) Cleanup(fn func())         { f.cleanup = append(f.cleanup, fn) }
func (f *fake) Errorf(s string, a ...any) { f.errors = append(f.errors, fmt.Sprintf(s, a...)) }
func (f *fake) Fatalf(s string, a ...any) { f.Errorf(s, a...); panic(fatal{}) }

// run plays a test with a counter that has the sum 2, ends it, and returns its
// failures.
func run(test func(h *actortest.Harness)) (failures string) {
	f := &fake{}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(fatal{}) {
				panic(r)
			}
		}()
		h := actortest.Spawn(f, newCounter, actortest.WithMessages(types))
		h.Send(add{2})
		test(h)
	}()
	for _, fn := range f.cleanup {
		fn()
	}
	return strings.Join(f.errors, "\n")
}

func spawn(t *testing.T, opts ...actortest.Option) *actortest.Harness {
	t.Helper()
	return actortest.Spawn(t, newCounter, append(opts, actortest.WithMessages(types))...)
}

func TestExpectationsFail(t *testing.T) {
	type H = *actortest.Harness
	for _, c := range []struct {
		name string
		test func(h H)
		want string // part of the failure
	}{
		{"nothing sent", func(h H) { h.WantSent() },
			"sent 1, want 0:\n\tgot  listener/a ← test_sum {\"Sum\":2}\n\twant no more"},
		{"more wanted", func(h H) {
			h.WantSent(actortest.To("listener/a", sum{2}),
				actortest.To("listener/a", sum{3}))
		}, "got  no more"},
		{"wrong value", func(h H) { h.WantSent(actortest.To("listener/a", sum{3})) }, "at   .Sum: 2, want 3"},
		{"wrong address", func(h H) { h.WantSent(actortest.To("listener/b", sum{2})) },
			"at   to listener/a, want listener/b"},
		{"wrong type", func(h H) { h.WantSent(actortest.To("listener/a", add{2})) },
			"at   the value: actortest_test.sum, want actortest_test.add"},
		{"sent twice asked", func(h H) { h.Sent(); h.WantSent(actortest.To("listener/a", sum{2})) }, "sent 0, want 1"},
		{"no call", func(h H) { h.WantCalls(actortest.Ask("printer", page{2})) }, "called 0, want 1"},
		{"wrong worker", func(h H) { h.Send(print{}); h.WantCalls(actortest.Ask("scribe", page{2})) },
			"at   worker printer, want scribe"},
		{"wrong request", func(h H) { h.Send(print{}); h.WantCalls(actortest.Ask("printer", page{3})) },
			"at   .Sum: 2, want 3"},
		{"wrong options", func(h H) {
			h.Send(print{})
			h.WantCalls(actortest.Ask("printer", page{2},
				actors.CallOptions{Deadline: actors.DefaultDeadline, Retries: 3, Tag: "p"}))
		}, "at   options {Deadline:30s Retries:2 Tag:p}"},
		{"unwanted call", func(h H) { h.Send(print{}); h.WantCalls() }, "called 1, want 0"},
		{"answer without call", func(h H) { h.Answer(printed{1}) }, "no call is open"},
		{"failure without call", func(h H) { h.FailCall("error", "", "x") }, "no call is open"},
		{"unknown call", func(h H) { h.AnswerCall("x", printed{1}) }, `no call "x" is open`},
		{"fleeting answer", func(h H) { h.Send(print{}); h.Answer(print{}) }, "its answer must be so too"},
		{"answer of unknown type", func(h H) { h.Send(print{}); h.Answer(stranger{}) }, "add it to a table"},
		{"message of unknown type", func(h H) { h.Send(stranger{}) }, "add it to a table"},
		{"nothing published", func(h H) { h.WantPublished(printed{1}) }, "published 0, want 1"},
		{"something published", func(h H) { h.Send(printed{4}); h.WantPublished() }, "published 1, want 0"},
		{"nothing dropped", func(h H) { h.WantDropped("print", "") }, `nothing was dropped, want "print"`},
		{"wrong stage", func(h H) { h.Advance(time.Hour); h.Send(print{}); h.WantDropped("x", "") },
			`dropped "print: empty", want "x"`},
		{"wrong rule", func(h H) { h.Advance(time.Hour); h.Send(print{}); h.WantDropped("print", "x") },
			`want "print: x"`},
		{"wrong detail", func(h H) {
			h.Advance(time.Hour)
			h.Send(print{})
			h.WantDropped("print", "empty", events.Detail{Count: 1})
		}, `dropped "print: empty": Count`},
		{"something dropped", func(h H) { h.Advance(time.Hour); h.Send(print{}); h.WantNothingDropped() },
			"want nothing dropped"},
		{"no timer", func(h H) { h.WantTimer("x", time.Minute) },
			`timer "x" is not set, want it in 1m0s; set are: "quiet" in 1m0s`},
		{"no timer at all", func(h H) { h.Advance(time.Hour); h.WantTimer("x", time.Minute) }, "set are: none"},
		{"wrong time", func(h H) { h.WantTimer("quiet", time.Second) }, `timer "quiet" fires in 1m0s, want in 1s`},
		{"timer set", func(h H) { h.WantNoTimer("quiet") }, `timer "quiet" fires in 1m0s, want it not set`},
		{"commits", func(h H) { h.WantCommits(0) }, "the actor cost 1 commits, want 0"},
		{"dead letters", func(h H) { h.WantDeadLetters(1) }, "0 dead letters, want 1"},
		{"overflow", func(h H) { h.WantOverflowed(1) }, "the mailbox lost 0 messages, want 1"},
		{"wrong row", func(h H) { actortest.WantStored(h, sums, "all", 3) }, "at   the value: 2, want 3"},
		{"no row", func(h H) { actortest.WantStored(h, sums, "x", 3) }, `row "x" is not stored, want 3`},
		{"rows", func(h H) { actortest.WantRows(h, sums, map[string]int{}) }, `stored row "all": got 2, want none`},
		{"missing row", func(h H) { actortest.WantRows(h, sums, map[string]int{"all": 2, "x": 1}) },
			`row "x" is not stored`},
		{"turn fails", func(h H) { h.Send(add{0}) },
			`the turn of test_add {"N":0} failed: zero is no number to add (announce it`},
		{"turn fails otherwise", func(h H) { h.WantFailure("x"); h.Send(add{0}) }, `want a failure with "x"`},
		{"no turn fails", func(h H) { h.WantFailure("zero") }, `WantFailure("zero"): no turn failed`},
		{"no commit fails", func(h H) { h.FailNextCommit() }, "FailNextCommit: no turn needed a commit"},
		{"no crash", func(h H) { h.CrashBeforeCommit() }, "CrashBeforeCommit: no turn ran"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := run(c.test); !strings.Contains(got, c.want) {
				t.Errorf("failures = %q, want one with %q", got, c.want)
			}
		})
	}
	if got := run(func(H) {}); got != "" {
		t.Errorf("failures of a good test = %q, want none", got)
	}
}

type stranger struct{}

func (stranger) MessageType() messages.Type { return messages.Type{Name: "test_stranger", Version: 1} }

func TestSpawnRefuses(t *testing.T) {
	for name, opt := range map[string]actortest.Option{
		"bad address": actortest.Address("Counter"),
		"table":       actortest.WithMessages(events.Core()),
	} {
		f := &fake{}
		func() {
			defer func() {
				if r := recover(); r != any(fatal{}) {
					t.Errorf("Spawn with %s: recovered %v, want a failed test", name, r)
				}
			}()
			actortest.Spawn(f, newCounter, opt)
		}()
		if len(f.errors) != 1 {
			t.Errorf("Spawn with %s: failures %q, want one", name, f.errors)
		}
	}
}

func TestCrashForgetsWhatIsFleeting(t *testing.T) {
	var asked []int
	h := actortest.Spawn(t, func(messages.Address) actors.Actor {
		c := &counter{}
		return actors.Func(func(turn *actors.Turn, m messages.Message) error {
			err := c.Receive(turn, m)
			asked = append(asked, c.asked)
			if _, ok := m.(print); ok {
				turn.After("fleeting", time.Second, print{})
				turn.Call("printer", print{}, actors.CallOptions{Deadline: actors.DefaultDeadline})
			}
			return err
		})
	}, actortest.WithMessages(types))
	h.Send(add{1})
	h.Send(print{})
	h.WantCalls(actortest.Ask("printer", page{1}), actortest.Ask("printer", print{}))
	h.WantTimer("fleeting", time.Second)
	h.WantTimer("quiet", time.Minute)
	h.Crash()
	h.WantCalls(actortest.Ask("printer", page{1}))
	h.WantNoTimer("fleeting")
	h.WantTimer("quiet", time.Minute)
	asked = nil
	h.Send(add{1})
	if asked[0] != 0 {
		t.Errorf("the field is %d after a crash, want 0", asked[0])
	}
}

func TestCrashBeforeCommitLosesAFleetingMessage(t *testing.T) {
	h := spawn(t)
	h.Send(add{1})
	h.CrashBeforeCommit()
	h.Send(print{})
	h.WantCalls()
	h.Crash()
	h.WantCalls()
}

func TestFailedCommitComesAgain(t *testing.T) {
	h := spawn(t)
	h.Send(add{1})
	h.FailNextCommit()
	h.Send(add{2})
	h.WantSent(actortest.To("listener/a", sum{1}))
	h.Restart()
	h.WantSent(actortest.To("listener/a", sum{3}))
	h.WantCommits(2)
}

func TestFailureComesAgainUntilQuarantine(t *testing.T) {
	h := spawn(t)
	for range 5 {
		h.WantFailure("zero")
	}
	h.Send(add{0})
	h.Send(add{1}) // waits
	h.WantSent()
	h.Advance(time.Minute)
	h.WantDeadLetters(1)
	h.WantSent(actortest.To("listener/a", sum{1}))
}

func TestSendFromNamesTheSenderAndCapturesNothing(t *testing.T) {
	var from []messages.Address
	h := actortest.Spawn(t, func(messages.Address) actors.Actor {
		return actors.Func(func(turn *actors.Turn, m messages.Message) error {
			if _, ok := m.(messages.Started); !ok {
				from = append(from, turn.Cause().From)
			}
			if m == (messages.Message)(add{1}) {
				turn.Send(turn.Self(), add{2})
				turn.Send("actor/other", add{3})
				turn.Send("actor/other", print{})
			}
			return nil
		})
	}, actortest.WithMessages(types))
	h.SendFrom("poller/a", add{1})
	h.SendFrom("actor/test", print{})
	if got, want := fmt.Sprint(from), "[poller/a actor/test actor/test]"; got != want {
		t.Errorf("senders = %s, want %s", got, want)
	}
	h.WantSent(actortest.To("actor/test", add{2}), actortest.To("actor/other", add{3}),
		actortest.To("actor/other", print{}))
}

func TestDurableMessageMustSurviveItsStoredForm(t *testing.T) {
	f := &fake{}
	h := actortest.Spawn(f, func(messages.Address) actors.Actor {
		return actors.Func(func(turn *actors.Turn, m messages.Message) error {
			turn.Send("a/b", leaky{hidden: 1})
			return nil
		})
	}, actortest.WithMessages(messages.Table{messages.Durable[leaky](nil).AboutNobody()}))
	h.Start()
	if want := "not the same after it was stored and read: .hidden: 0, want 1"; len(f.errors) != 1 ||
		!strings.Contains(f.errors[0], want) {
		t.Errorf("failures = %q, want one with %q", f.errors, want)
	}
}

type leaky struct{ Shown, hidden int }

func (leaky) MessageType() messages.Type { return messages.Type{Name: "test_leaky", Version: 1} }

func TestEndlessTurnsFailTheTest(t *testing.T) {
	f := &fake{}
	h := actortest.Spawn(f, func(messages.Address) actors.Actor {
		return actors.Func(func(turn *actors.Turn, m messages.Message) error {
			turn.Send(turn.Self(), print{})
			return nil
		})
	}, actortest.WithMessages(types))
	func() {
		defer func() {
			if r := recover(); r != any(fatal{}) {
				t.Errorf("recovered %v, want a failed test", r)
			}
		}()
		h.Start()
	}()
	if len(f.errors) != 1 || !strings.Contains(f.errors[0], "does actor/test send to itself?") {
		t.Errorf("failures = %q, want the question whether it sends to itself", f.errors)
	}
}

func TestStoreOutlivesAHarness(t *testing.T) {
	store := mem.New()
	spawn(t, actortest.Store(store)).Send(add{5})
	h := spawn(t, actortest.Store(store), actortest.Start(time.Date(2026, 1, 1, 0, 0, 30, 0, time.UTC)))
	h.WantTimer("quiet", 30*time.Second)
	actortest.WantRows(h, sums, map[string]int{"all": 5})
	h.SendOnce("k", add{1})
	h.SendOnce("k", add{1})
	actortest.WantStored(h, sums, "all", 6)
}

func TestAnswersOutOfOrderAndRefusal(t *testing.T) {
	h := spawn(t)
	h.Send(add{1})
	h.Send(print{})
	h.Send(print{})
	calls := h.Calls()
	h.AnswerCall(calls[1].ID, printed{2})
	h.WantPublished(printed{2})
	h.FailCall(messages.FailureError, "no_paper", "the tray is empty")
	h.WantDropped("print", "failed", events.Detail{Code: "no_paper", Note: "error"})
	h.WantNothingDropped()
}
