package live_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
)

// asker asks the pool "calc" about every number and keeps what comes back: the
// answer's number, or minus one and the kind of the failure.
var (
	failures = actors.NewTable[[]string]("failures")
	asker    = askerWith(actors.CallOptions{Deadline: time.Second})
)

func askerWith(o actors.CallOptions) engine.Kind {
	return kind("asker", func(t *actors.Turn, m messages.Message) error {
		switch m := m.(type) {
		case number:
			t.Call("calc", ask(m), o)
		case answer:
			appendTo(t, "all", m.N)
		case messages.CallFailed:
			l, _ := failures.Get(t, "all")
			failures.Put(t, "all", append(l, fmt.Sprintf("%s%s after %d", m.Kind, m.Code, m.Attempts)))
		}
		return nil
	})
}

// failed reads the asker's failures from the store.
func failed(t testing.TB, r *rig) []string {
	t.Helper()
	raw, ok, err := r.store.Get([]byte("s/asker/a\x00failures\x00all"))
	if err != nil || !ok {
		return nil
	}
	v, err := failures.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// bench is a pool whose workers do what the test says.
type bench struct {
	made, closed atomic.Int32
	newErr       func(n int32) error // of the nth New
	do           func(ctx context.Context, n int) error
	isolated     *bench // makes the isolated workers; nil: there are none

	mu   sync.Mutex
	seen []int
}

type benchWorker struct{ *bench }

func (b *bench) kind(size int) engine.WorkerKind {
	k := engine.WorkerKind{Name: "calc", Size: size, New: b.make}
	if b.isolated != nil {
		k.Isolated = b.isolated.make
	}
	return k
}

func (b *bench) make() (actors.Worker, error) {
	n := b.made.Add(1)
	if b.newErr != nil {
		if err := b.newErr(n); err != nil {
			return nil, err
		}
	}
	return benchWorker{b}, nil
}

func (w benchWorker) Do(ctx context.Context, m messages.Message) (messages.Message, error) {
	n := m.(ask).N
	w.mu.Lock()
	w.seen = append(w.seen, n)
	w.mu.Unlock()
	if w.do != nil {
		if err := w.do(ctx, n); err != nil {
			return nil, err
		}
	}
	return answer{n}, nil
}

func (w benchWorker) Close() error {
	w.closed.Add(1)
	return nil
}

func startAsker(t testing.TB, b *bench, size int, k engine.Kind) *rig {
	t.Helper()
	return start(t, nil, live.Options{Engine: engine.Options{Kinds: []engine.Kind{k},
		Workers: []engine.WorkerKind{b.kind(size)}}})
}

func wantFailed(t testing.TB, r *rig, want ...string) {
	t.Helper()
	if got := failed(t, r); !slices.Equal(got, want) {
		t.Errorf("failed calls = %q, want %q", got, want)
	}
}

func wantAnswers(t testing.TB, r *rig, want ...int) {
	t.Helper()
	got := rows(t, r.store, "asker/a", "all")
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("answers = %v, want %v", got, want)
	}
}

func TestWorkersAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{}
		r := startAsker(t, b, 3, asker)
		for n := range 50 {
			r.inject("asker/a", number{n})
		}
		r.stop()
		wantAnswers(t, r, upTo(50)...)
		if made, closed := b.made.Load(), b.closed.Load(); made != 3 || closed != 3 {
			t.Errorf("made %d workers and closed %d, want 3 and 3", made, closed)
		}
	})
}

func TestSlotsWorkAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		b := &bench{do: func(context.Context, int) error { pause(100 * time.Millisecond); return nil }}
		r := startAsker(t, b, 4, asker)
		for n := range 12 {
			r.inject("asker/a", number{n})
		}
		r.stop()
		wantAnswers(t, r, upTo(12)...)
		if took := time.Since(began); took != 300*time.Millisecond {
			t.Errorf("12 calls of 100ms by 4 workers took %v, want 300ms", took)
		}
	})
}

// pause takes time of the bubble, in a worker.
func pause(d time.Duration) { <-time.After(d) }

func TestBrokenWorkerIsReplacedAndTheCallRetried(t *testing.T) {
	for name, fail := range map[string]func(context.Context) error{
		"error": func(context.Context) error { return errors.New("broken") },
		"panic": func(context.Context) error { panic("broken") },
		"deadline": func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int32
				b := &bench{do: func(ctx context.Context, _ int) error {
					if calls.Add(1) <= 2 {
						return fail(ctx)
					}
					return nil
				}}
				r := startAsker(t, b, 1, askerWith(actors.CallOptions{Deadline: time.Second, Retries: 2}))
				r.inject("asker/a", number{7})
				r.stop()
				wantAnswers(t, r, 7)
				if made, closed := b.made.Load(), b.closed.Load(); made != 3 || closed != 3 {
					t.Errorf("made %d workers and closed %d, want 3 and 3", made, closed)
				}
				if n := len(of[events.ActorRestarted](r.events)); n != 2 {
					t.Errorf("restarts of the slot = %d, want 2", n)
				}
			})
		})
	}
}

func TestSpentCallIsAnsweredAsFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{do: func(context.Context, int) error { return errors.New("broken") }}
		r := startAsker(t, b, 1, askerWith(actors.CallOptions{Deadline: time.Second, Retries: 3}))
		r.inject("asker/a", number{7})
		r.stop()
		wantFailed(t, r, "error after 4")
	})
}

// torn is an error whose text cannot be had without a value.
type torn struct{ text string }

func (e *torn) Error() string { return e.text }

func TestAnErrorWithoutATextAnswersTheCall(t *testing.T) {
	for want, err := range map[string]error{
		"error after 2":       (*torn)(nil),
		"errortorn after 1":   actors.Refuse("torn", (*torn)(nil)),
		"errornobody after 1": actors.Refuse("nobody", nil),
	} {
		synctest.Test(t, func(t *testing.T) {
			b := &bench{do: func(context.Context, int) error { return err }}
			r := startAsker(t, b, 1, askerWith(actors.CallOptions{Deadline: time.Second, Retries: 1}))
			r.inject("asker/a", number{7})
			r.stop()
			wantFailed(t, r, want)
		})
	}
}

func TestRefusalIsAnAnswerAndRestartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{do: func(context.Context, int) error {
			return actors.Refuse(messages.CodeWindowGone, errors.New("gone"))
		}}
		r := startAsker(t, b, 1, askerWith(actors.CallOptions{Deadline: actors.DefaultDeadline, Retries: 3}))
		r.inject("asker/a", number{7})
		r.stop()
		wantFailed(t, r, "errorwindow_gone after 1")
		if n := b.made.Load(); n != 1 {
			t.Errorf("made %d workers, want 1", n)
		}
	})
}

func TestHungCallIsAbandonedAndItsLateAnswerChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var calls atomic.Int32
		b := &bench{do: func(context.Context, int) error {
			if calls.Add(1) == 1 {
				<-release
			}
			return nil
		}}
		r := startAsker(t, b, 1, askerWith(actors.CallOptions{Deadline: time.Second, Retries: 1}))
		began := time.Now()
		r.inject("asker/a", number{7})
		pass(1240 * time.Millisecond)
		if n := r.Abandoned(); n != 0 {
			t.Errorf("Abandoned() = %d within the grace, want 0", n)
		}
		pass(time.Minute)
		wantAnswers(t, r, 7)
		if n, closed := r.Abandoned(), b.closed.Load(); n != 1 || closed != 0 {
			t.Errorf("Abandoned() = %d, %d workers closed, want 1 and 0", n, closed)
		}
		finished := of[events.CallFinished](r.events)
		if len(finished) != 2 || finished[0].Failure != messages.FailureTimeout ||
			finished[0].At.Sub(began) != 1250*time.Millisecond {
			t.Errorf("finished calls = %+v, want a timeout after 1.25s and a result", finished)
		}
		close(release)
		synctest.Wait()
		if n, closed := r.Abandoned(), b.closed.Load(); n != 0 || closed != 1 {
			t.Errorf("Abandoned() = %d, %d workers closed after the return, want 0 and 1", n, closed)
		}
		r.stop()
		wantAnswers(t, r, 7)
		if made, closed := b.made.Load(), b.closed.Load(); made != 2 || closed != 2 {
			t.Errorf("made %d workers and closed %d, want 2 and 2", made, closed)
		}
	})
}

func TestThreeHungCallsParkTheirSlotUntilOneReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		b := &bench{do: func(_ context.Context, n int) error {
			if n < 3 {
				<-release
			}
			return nil
		}}
		r := startAsker(t, b, 1, asker)
		for n := range 4 {
			r.inject("asker/a", number{n})
		}
		pass(time.Minute)
		wantFailed(t, r, "timeout after 1", "timeout after 1", "timeout after 1")
		health := of[events.ActorUnhealthy](r.events)
		if n := r.Abandoned(); n != 3 || len(health) != 1 || health[0].Healthy || health[0].Actor != "calc/1" {
			t.Errorf("Abandoned() = %d, health reports = %+v, want 3 and one: calc/1 unhealthy", n, health)
		}
		if left := r.Engine().Left(0); left.Calls != 1 {
			t.Errorf("calls left = %d, want 1 that waits", left.Calls)
		}
		release <- struct{}{}
		pass(time.Second)
		wantAnswers(t, r, 3)
		health = of[events.ActorUnhealthy](r.events)
		if len(health) != 2 || !health[1].Healthy {
			t.Errorf("health reports = %+v, want a second: healthy", health)
		}
		close(release)
		r.stop()
		if made, closed := b.made.Load(), b.closed.Load(); made != closed {
			t.Errorf("made %d workers and closed %d, want as many", made, closed)
		}
	})
}

// hangingPool is a pool whose shared workers hang in asks below limit, and whose
// isolated ones never do.
func hangingPool(limit int) (b *bench, release chan struct{}) {
	release = make(chan struct{})
	return &bench{isolated: &bench{}, do: func(_ context.Context, n int) error {
		if n < limit {
			<-release
		}
		return nil
	}}, release
}

func TestTwoHungCallsMoveThePoolToIsolatedWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, release := hangingPool(99)
		r := startAsker(t, b, 1, askerWith(actors.CallOptions{Deadline: time.Second, Retries: 1}))
		r.inject("asker/a", number{1})
		pass(time.Minute)
		wantFailed(t, r, "timeout after 2")
		for n := range 10 {
			r.inject("asker/a", number{n})
		}
		pass(time.Minute)
		wantAnswers(t, r, upTo(10)...)
		if n, health := r.Abandoned(), of[events.ActorUnhealthy](r.events); n != 2 || len(health) > 0 {
			t.Errorf("Abandoned() = %d, health reports = %+v, want 2 and none", n, health)
		}
		close(release)
		r.stop()
		if made, closed := b.made.Load(), b.closed.Load(); made != 2 || closed != 2 {
			t.Errorf("made %d shared workers and closed %d, want 2 and 2", made, closed)
		}
		if made, closed := b.isolated.made.Load(), b.isolated.closed.Load(); made != 1 || closed != 1 {
			t.Errorf("made %d isolated workers and closed %d, want 1 and 1", made, closed)
		}
	})
}

// While one call hangs and another is under way, a third goes to an isolated
// worker: no more than two may hang, whatever the size of the pool.
func TestNoMoreThanTwoSharedCallsMayHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, release := hangingPool(2)
		r := startAsker(t, b, 3, asker)
		r.inject("asker/a", number{0})
		pass(10 * time.Second)
		for n := range 3 {
			r.inject("asker/a", number{n + 1})
		}
		pass(100 * time.Millisecond)
		wantAnswers(t, r, 2, 3)
		if n := b.isolated.made.Load(); n == 0 {
			t.Error("no isolated worker was made with one call hung and one under way")
		}
		pass(time.Minute)
		wantFailed(t, r, "timeout after 1", "timeout after 1")
		if n := r.Abandoned(); n != 2 {
			t.Errorf("Abandoned() = %d, want 2", n)
		}
		close(release)
		r.stop()
		for name, b := range map[string]*bench{"shared": b, "isolated": b.isolated} {
			if made, closed := b.made.Load(), b.closed.Load(); made != closed {
				t.Errorf("made %d %s workers and closed %d, want as many", made, name, closed)
			}
		}
	})
}

func TestNewThatFailsIsRetriedWithBackoffAndTheCallWaits(t *testing.T) {
	for name, newErr := range map[string]func(n int32) error{
		"error": func(n int32) error { return map[bool]error{true: errors.New("no device")}[n <= 3] },
		"panic": func(n int32) error {
			if n <= 3 {
				panic("no device")
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bench{newErr: newErr}
				r := startAsker(t, b, 1, asker)
				r.inject("asker/a", number{7})
				r.stop()
				wantAnswers(t, r, 7)
				restarts := of[events.ActorRestarted](r.events)
				if len(restarts) != 3 || !near(restarts[2].Delay, 400*time.Millisecond) {
					t.Errorf("restarts = %+v, want three, the last after about 400 ms", restarts)
				}
			})
		})
	}
}

func TestNewThatHangsIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		b := &bench{newErr: func(n int32) error {
			if n == 1 {
				<-release
			}
			return nil
		}}
		r := startAsker(t, b, 1, asker)
		r.inject("asker/a", number{7})
		pass(31 * time.Second)
		wantAnswers(t, r, 7)
		restarts := of[events.ActorRestarted](r.events)
		if n := r.Abandoned(); n != 1 || len(restarts) != 1 || !strings.Contains(restarts[0].Reason, "30s") {
			t.Errorf("Abandoned() = %d, restarts = %+v, want 1 and one for New", n, restarts)
		}
		close(release)
		r.stop()
		if made, closed := b.made.Load(), b.closed.Load(); made != 2 || closed != 2 {
			t.Errorf("made %d workers and closed %d, want 2 and 2", made, closed)
		}
	})
}
