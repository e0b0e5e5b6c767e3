package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// hint is fleeting; the other types of these tests are durable.
type hint struct{ N int }

func (hint) MessageType() messages.Type { return messages.Type{Name: "test_hint", Version: 1} }

// unlisted is in no table.
type unlisted struct{}

func (unlisted) MessageType() messages.Type { return messages.Type{Name: "test_unlisted", Version: 1} }

var stepTypes = messages.Table{
	messages.Durable[number](nil).AboutNobody(), messages.Durable[ask](nil).AboutNobody(),
	messages.Durable[twice](nil).AboutNobody(), messages.Durable[flush](nil).AboutNobody(),
	messages.Fleeting[hint](),
}

var counts = actors.NewTable[int]("counts")

// receive is an actor's Receive without Started.
type receive func(t *actors.Turn, m messages.Message) error

// step spawns an actor that is one function.
func step(t *testing.T, fn receive, opts ...actortest.Option) *actortest.Harness {
	t.Helper()
	return actortest.Spawn(t, func(messages.Address) actors.Actor {
		return actors.Func(func(turn *actors.Turn, m messages.Message) error {
			if _, ok := m.(messages.Started); ok {
				return nil
			}
			return fn(turn, m)
		})
	}, append(opts, actortest.WithMessages(stepTypes))...)
}

// keys lists the keys of a store that begin with a prefix.
func keys(t *testing.T, s engine.Store, prefix string) (list []string) {
	t.Helper()
	err := s.Scan([]byte(prefix), nil, func(k, _ []byte) bool {
		list = append(list, string(k))
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// all wants everything that a turn can want.
func all(t *actors.Turn, n int) {
	counts.Put(t, "n", n)
	t.Send("other/a", number{n})
	t.Send("other/a", hint{n})
	t.After("durable", time.Hour, flush{})
	t.After("fleeting", time.Hour, hint{})
	t.Call("calc", ask{n}, actors.CallOptions{Deadline: actors.DefaultDeadline})
	t.Call("calc", hint{n}, actors.CallOptions{Deadline: actors.DefaultDeadline})
	t.Drop("test", "dropped", events.Detail{})
	t.Publish(twice{n})
	t.Publish(hint{n})
}

func TestFailingTurnLeavesNoTrace(t *testing.T) {
	const unlistedWords = "add it to a table"
	options := actors.CallOptions{Deadline: time.Second}
	for name, fail := range map[string]struct {
		do   func(*actors.Turn) error
		want string
	}{
		"an error":      {func(*actors.Turn) error { return errors.New("no luck") }, "no luck"},
		"a panic":       {func(*actors.Turn) error { panic("no luck") }, "panic with a string"},
		"a nil pointer": {func(*actors.Turn) error { var p *hint; p.N = 1; return nil }, "nil pointer"},
		"Fail":          {func(t *actors.Turn) error { t.Fail(errors.New("no luck")); return nil }, "no luck"},
		"a bad address": {func(t *actors.Turn) error { t.Send("Other", number{}); return nil }, "want kind/key"},
		"an unlisted message": {func(t *actors.Turn) error { t.Send("other/a", unlisted{}); return nil },
			unlistedWords},
		"an unlisted event": {func(t *actors.Turn) error { t.Publish(unlisted{}); return nil }, unlistedWords},
		"an unlisted timer": {func(t *actors.Turn) error { t.After("k", 0, unlisted{}); return nil }, unlistedWords},
		"an unlisted request": {func(t *actors.Turn) error { t.Call("calc", unlisted{}, options); return nil },
			unlistedWords},
		"a nil event": {func(t *actors.Turn) error { t.Publish(nil); return nil }, "nil message"},
	} {
		t.Run(name, func(t *testing.T) {
			store := mem.New()
			h := step(t, func(turn *actors.Turn, m messages.Message) error {
				all(turn, m.(number).N)
				if m.(number).N > 0 {
					return nil
				}
				return fail.do(turn)
			}, actortest.Store(store))
			for range engine.MaxAttempts {
				h.WantFailure(fail.want)
			}
			h.Send(number{0})
			h.Advance(time.Minute)
			h.WantSent()
			h.WantCalls()
			h.WantPublished()
			h.WantNothingDropped()
			h.WantNoTimer("durable")
			h.WantNoTimer("fleeting")
			actortest.WantRows(h, counts, nil)
			for _, prefix := range []string{"i/", "t/", "c/", "a/", "s/", "e/", "v/"} {
				if got := keys(t, store, prefix); len(got) > 0 {
					t.Errorf("the store holds %q, want nothing under %s", got, prefix)
				}
			}
			h.WantDeadLetters(1)

			h.Send(number{1})
			h.WantSent(actortest.To("other/a", number{1}), actortest.To("other/a", hint{1}))
			h.WantCalls(actortest.Ask("calc", ask{1}), actortest.Ask("calc", hint{1}))
			h.WantPublished(twice{1}, hint{1})
			h.WantDropped("test", "dropped")
			h.WantTimer("durable", time.Hour)
			h.WantTimer("fleeting", time.Hour)
			actortest.WantRows(h, counts, map[string]int{"n": 1})
			h.WantDeadLetters(1)
		})
	}
}

func TestQuarantineAfterFiveAttempts(t *testing.T) {
	store := mem.New()
	var attempts []int
	var ids []string
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		switch m := m.(type) {
		case number:
			if m.N == 13 {
				attempts = append(attempts, turn.Cause().Attempt)
				ids = append(ids, turn.Cause().ID+" "+turn.NewID())
				return errors.New("thirteen")
			}
			turn.Send("other/a", m)
		}
		return nil
	}, actortest.Store(store))
	for range 5 {
		h.WantFailure("thirteen")
	}
	h.SendFrom("poller/a", number{12})
	h.SendFrom("poller/a", number{13})
	h.SendFrom("poller/a", number{14})
	h.WantSent(actortest.To("other/a", number{12}))
	h.Advance(time.Minute)
	h.WantSent(actortest.To("other/a", number{14}))
	if got, want := fmt.Sprint(attempts), "[1 2 3 4 5]"; got != want {
		t.Errorf("attempts = %s, want %s", got, want)
	}
	if slices.Sort(ids); len(slices.Compact(ids)) != 1 {
		t.Errorf("the attempts had the ids %q, want one", ids)
	}
	list := h.DeadLetters()
	if len(list) != 1 {
		t.Fatalf("DeadLetters() = %+v, want one", list)
	}
	d := list[0]
	if d.Actor != "actor/test" || d.From != "poller/a" || d.Type != "test_number" || d.Attempts != 5 ||
		d.Error != "thirteen" || !strings.Contains(string(d.Message), "13") {
		t.Errorf("DeadLetters() = %+v, want the number 13 of poller/a after 5 attempts with its error", d)
	}
	if got := keys(t, store, "a/"); len(got) > 0 {
		t.Errorf("the store holds %q, want no attempts of what is gone", got)
	}
	var quarantined []messages.Message
	for _, m := range h.Reported() {
		if q, ok := m.(events.MessageQuarantined); ok {
			quarantined = append(quarantined, q)
			if q.ID != d.ID || q.Type != "test_number" || q.Reason != "thirteen" {
				t.Errorf("reported %+v, want %s with its type and error", q, d.ID)
			}
		}
	}
	if len(quarantined) != 1 {
		t.Errorf("reported %+v, want one quarantine", quarantined)
	}
}

// torn is an error whose text cannot be had without a value.
type torn struct{ text string }

func (e *torn) Error() string { return e.text }

func TestAnErrorWithoutATextIsQuarantined(t *testing.T) {
	for want, err := range map[string]error{
		"error whose Error() panics: *engine_test.torn": (*torn)(nil),
		"error without a text: *engine_test.torn":       &torn{},
		"… (cut: 9437184 bytes)":                        &torn{strings.Repeat("x", 9<<20)},
	} {
		h := step(t, func(*actors.Turn, messages.Message) error { return err })
		for range 5 {
			h.WantFailure(want)
		}
		h.Send(number{1})
		h.Advance(time.Minute)
		h.WantDeadLetters(1)
		if d := h.DeadLetters()[0]; !strings.Contains(d.Error, want) || len(d.Error) > 4<<10 {
			t.Errorf("Error = %.80q of %d bytes, want %q", d.Error, len(d.Error), want)
		}
	}
}

func TestAttemptsSurviveACrash(t *testing.T) {
	var attempts []int
	h := step(t, func(turn *actors.Turn, _ messages.Message) error {
		attempts = append(attempts, turn.Cause().Attempt)
		return errors.New("never")
	})
	for range 3 {
		h.WantFailure("never")
	}
	h.Send(number{1})
	h.Restart()
	h.Restart()
	h.WantDeadLetters(0)
	h.WantFailure("never")
	h.Crash() // the message comes at once
	h.WantFailure("never")
	h.Restart()
	h.WantDeadLetters(1)
	if got, want := fmt.Sprint(attempts), "[1 2 3 4 5]"; got != want {
		t.Errorf("attempts = %s, want %s", got, want)
	}
}

// A crash before the failure is stored costs no attempt: the turn may have
// been innocent.
func TestCrashIsNoAttempt(t *testing.T) {
	var attempts []int
	h := step(t, func(turn *actors.Turn, _ messages.Message) error {
		attempts = append(attempts, turn.Cause().Attempt)
		counts.Put(turn, "n", len(attempts))
		return nil
	})
	h.CrashBeforeCommit()
	h.Send(number{1})
	h.WantDeadLetters(0)
	if got, want := fmt.Sprint(attempts), "[1 1]"; got != want {
		t.Errorf("attempts = %s, want %s", got, want)
	}
	actortest.WantStored(h, counts, "n", 2)
}

func TestFailedCommitIsNoAttempt(t *testing.T) {
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		if a := turn.Cause().Attempt; a != 1 {
			return fmt.Errorf("attempt %d", a)
		}
		n, _ := counts.Get(turn, "n")
		counts.Put(turn, "n", n+m.(number).N)
		turn.Send("other/a", number{n})
		return nil
	})
	h.FailNextCommit()
	h.Send(number{1})
	for range engine.MaxAttempts + 2 {
		h.FailNextCommit()
		h.Restart()
		h.WantSent()
		actortest.WantRows(h, counts, nil)
	}
	h.Restart()
	h.WantSent(actortest.To("other/a", number{0}))
	actortest.WantStored(h, counts, "n", 1)
	h.WantDeadLetters(0)
}

func TestFleetingMessageIsTriedOnce(t *testing.T) {
	turns := 0
	h := step(t, func(*actors.Turn, messages.Message) error { turns++; return errors.New("no") })
	h.WantFailure("no")
	h.Send(hint{1})
	h.Advance(time.Hour)
	h.WantDeadLetters(0)
	h.WantCommits(0)
	if turns != 1 {
		t.Errorf("the message was tried %d times, want once", turns)
	}
}

// request runs a change of a host that waits for its commit: the harness commits
// it. A canceled context makes the engine hand it over without waiting.
func request(t *testing.T, h *actortest.Harness, fn func(context.Context) error) {
	t.Helper()
	if err := handOver(fn); err != nil {
		t.Fatal(err)
	}
	h.Settle()
}

func handOver(fn func(context.Context) error) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := fn(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func TestRetryAndDiscardDeadLetters(t *testing.T) {
	broken := true
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		if broken {
			return errors.New("broken")
		}
		turn.Send("other/a", m)
		if turn.Cause().From != "poller/a" || turn.Cause().Attempt != 1 {
			return fmt.Errorf("cause %+v, want the first attempt from poller/a", turn.Cause())
		}
		return nil
	})
	for n := range 3 {
		for range 5 {
			h.WantFailure("broken")
		}
		h.SendFrom("poller/a", number{n})
		h.Advance(time.Minute)
	}
	broken = false
	h.WantDeadLetters(3)
	list := h.DeadLetters()
	request(t, h, func(ctx context.Context) error { return h.Engine().RetryDeadLetter(ctx, list[1].ID) })
	h.WantSent(actortest.To("other/a", number{1}))
	request(t, h, func(ctx context.Context) error { return h.Engine().DiscardDeadLetter(ctx, list[0].ID) })
	h.WantSent()
	h.WantDeadLetters(1)
	for _, id := range []string{list[0].ID, list[1].ID, "d999", "x", ""} {
		for name, do := range map[string]func(context.Context, string) error{
			"RetryDeadLetter": h.Engine().RetryDeadLetter, "DiscardDeadLetter": h.Engine().DiscardDeadLetter,
		} {
			if err := do(context.Background(), id); !errors.Is(err, engine.ErrNoDeadLetter) {
				t.Errorf("%s(%q) = %v, want %v", name, id, err, engine.ErrNoDeadLetter)
			}
		}
	}
	h.Crash()
	h.WantSent()
	h.WantDeadLetters(1)
}

// Two people who retry the same dead letter at the same time send it once.
func TestDeadLetterIsRetriedOnce(t *testing.T) {
	fail := true
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		if fail {
			return errors.New("broken")
		}
		turn.Send("other/a", m)
		return nil
	})
	for range 5 {
		h.WantFailure("broken")
	}
	h.Send(number{1})
	h.Advance(time.Minute)
	fail = false
	id := h.DeadLetters()[0].ID
	for _, do := range []func(context.Context, string) error{
		h.Engine().RetryDeadLetter, h.Engine().RetryDeadLetter, h.Engine().DiscardDeadLetter,
	} {
		if err := handOver(func(ctx context.Context) error { return do(ctx, id) }); err != nil {
			t.Fatal(err)
		}
	}
	h.Settle()
	h.WantSent(actortest.To("other/a", number{1}))
	h.WantDeadLetters(0)
}

func TestPanicInNewIsAFailure(t *testing.T) {
	made := 0
	h := actortest.Spawn(t, func(messages.Address) actors.Actor {
		if made++; made < 3 {
			panic("not yet")
		}
		return actors.Func(func(turn *actors.Turn, m messages.Message) error {
			if n, ok := m.(number); ok {
				turn.Send("other/a", n)
			}
			return nil
		})
	}, actortest.WithMessages(stepTypes))
	h.WantFailure("with a string")
	h.WantFailure("with a string")
	h.Send(number{1})
	h.Advance(time.Second)
	h.WantSent(actortest.To("other/a", number{1}))
}

// An actor that kept a turn fails loudly, also if that turn has failed itself.
func TestAKeptTurnFails(t *testing.T) {
	var kept *actors.Turn
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		if kept == nil {
			kept = turn
			return nil
		}
		old := kept
		kept = turn
		counts.Put(old, "late", 1)
		return nil
	})
	h.Send(hint{1})
	h.WantFailure("a Turn was used after its Receive had returned")
	h.Send(hint{2})
	defer func() {
		if got := recover(); got != actors.ErrTurnOver {
			t.Errorf("a turn that failed, used later: panic = %v, want %v", got, actors.ErrTurnOver)
		}
	}()
	counts.Put(kept, "late", 1)
}
