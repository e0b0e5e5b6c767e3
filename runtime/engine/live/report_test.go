package live_test

import (
	"context"
	"errors"
	"slices"
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

// teller is a worker that reports.
type teller func(ctx context.Context, m messages.Message, report func(messages.Message)) (messages.Message, error)

func (w teller) Do(context.Context, messages.Message) (messages.Message, error) {
	return nil, errors.New("a reporter is asked with reports")
}

func (w teller) DoReporting(
	ctx context.Context, m messages.Message, report func(messages.Message),
) (messages.Message, error) {
	return w(ctx, m, report)
}

// heard is an actor that asks calc: durably for a number, and for a fleet message
// without trace. It gives the last call up for a due.
type heard struct {
	mu   sync.Mutex
	call string
	told []messages.Message
	slow chan struct{} // not nil: a report is handled when it may
}

func (h *heard) receive(t *actors.Turn, m messages.Message) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := actors.CallOptions{Deadline: time.Second, Retries: 1}
	switch m := m.(type) {
	case number:
		h.call = t.Call("calc", ask(m), o)
	case fleet:
		h.call = t.Call("calc", m, o)
	case due:
		t.CancelCall(h.call)
	case messages.Started:
	default:
		h.told = append(h.told, m)
		if h.slow != nil {
			h.mu.Unlock()
			<-h.slow
			h.mu.Lock()
		}
	}
	return nil
}

func (h *heard) want(t *testing.T, want ...messages.Message) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Equal(h.told, want) {
		t.Errorf("told of the call: %v, want %v", h.told, want)
	}
}

func startTeller(t *testing.T, h *heard, w teller) *rig {
	t.Helper()
	return start(t, nil, live.Options{Engine: engine.Options{
		Kinds: []engine.Kind{kind("asker", h.receive)},
		Workers: []engine.WorkerKind{{Name: "calc", New: func() (actors.Worker, error) {
			return w, nil
		}}},
	}})
}

func TestReportsArriveInOrderAndOnlyTheLatestWaits(t *testing.T) {
	for name, request := range map[string]messages.Message{"durable": number{7}, "fleeting": fleet{7}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &heard{slow: make(chan struct{})}
				r := startTeller(t, h, func(_ context.Context, _ messages.Message, report func(messages.Message)) (
					messages.Message, error,
				) {
					report(glimpse{0})
					pause(time.Millisecond) // it is being handled
					for n := range 1000 {
						report(glimpse{n + 1})
					}
					return answer{7}, nil
				})
				r.inject("asker/a", request)
				synctest.Wait()
				pause(10 * time.Millisecond)
				synctest.Wait()
				close(h.slow)
				r.stop()
				h.want(t, glimpse{0}, glimpse{1000}, answer{7})
			})
		})
	}
}

func TestReportsOfAFailedAttemptAreVoid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries atomic.Int32
		h := &heard{slow: make(chan struct{})}
		late := make(chan func(messages.Message), 1)
		r := startTeller(t, h, func(_ context.Context, _ messages.Message, report func(messages.Message)) (
			messages.Message, error,
		) {
			if tries.Add(1) == 1 {
				report(glimpse{1})
				pause(time.Millisecond)
				report(glimpse{2}) // waits when the attempt fails
				late <- report
				panic("broken")
			}
			(<-late)(glimpse{3})
			report(glimpse{4})
			return answer{7}, nil
		})
		r.inject("asker/a", number{7})
		pause(time.Minute)
		close(h.slow)
		r.stop()
		h.want(t, glimpse{1}, glimpse{4}, answer{7})
	})
}

func TestCancelledCallEndsItsWorker(t *testing.T) {
	for name, request := range map[string]messages.Message{"durable": number{7}, "fleeting": fleet{7}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ended atomic.Int32
				h := &heard{}
				r := startTeller(t, h, func(ctx context.Context, _ messages.Message, report func(messages.Message)) (
					messages.Message, error,
				) {
					report(glimpse{1})
					<-ctx.Done()
					ended.Add(1)
					report(glimpse{2})
					return nil, ctx.Err()
				})
				r.inject("asker/a", request)
				synctest.Wait()
				r.inject("asker/a", due{})
				synctest.Wait()
				if n := ended.Load(); n != 1 {
					t.Errorf("%d workers have ended at once, want 1", n)
				}
				h.want(t, glimpse{1})
				finished := of[events.CallFinished](r.events)
				if len(finished) != 1 || finished[0].Failure != messages.FailureCancelled {
					t.Errorf("CallFinished = %+v, want one that is cancelled", finished)
				}
				if n := len(of[events.ActorRestarted](r.events)); n != 0 {
					t.Errorf("%d restarts because of a cancellation, want none", n)
				}
				r.stop()
				h.want(t, glimpse{1})
			})
		})
	}
}

// A call that waits, for a worker or for its next attempt, is never begun.
func TestCancelledCallThatWaitsIsNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		free := make(chan struct{})
		h := &heard{}
		r := startTeller(t, h, func(_ context.Context, m messages.Message, _ func(messages.Message)) (
			messages.Message, error,
		) {
			switch asked.Add(1); m {
			case ask{1}:
				<-free
				return answer{1}, nil
			case ask{3}:
				return nil, errors.New("broken")
			}
			return answer{m.(ask).N}, nil
		})
		r.inject("asker/a", number{1})
		synctest.Wait()
		r.inject("asker/a", number{2})
		r.inject("asker/a", due{})
		synctest.Wait()
		close(free)
		synctest.Wait()
		h.want(t, answer{1})
		r.inject("asker/a", number{3})
		synctest.Wait()
		r.inject("asker/a", due{})
		r.stop()
		h.want(t, answer{1})
		if n := asked.Load(); n != 2 {
			t.Errorf("the worker was asked %d times, want 2: for the first, and once for the third", n)
		}
	})
}

func TestADurableReportFailsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &heard{}
		r := startTeller(t, h, func(_ context.Context, _ messages.Message, report func(messages.Message)) (
			messages.Message, error,
		) {
			report(number{1})
			return answer{7}, nil
		})
		r.inject("asker/a", fleet{7})
		r.stop()
		if len(h.told) != 1 {
			t.Fatalf("told of the call: %v, want that it failed", h.told)
		}
		if f, ok := h.told[0].(messages.CallFailed); !ok || f.Kind != messages.FailureError {
			t.Errorf("told of the call: %+v, want that it failed", h.told[0])
		}
	})
}

// Many workers report while their calls are cancelled, answered and asked again;
// the race detector looks on.
func TestReportsAndCancellationsAtTheSameTime(t *testing.T) {
	var over sync.Map
	wrong := make(chan string, 1)
	asker := kind("asker", func(t *actors.Turn, m messages.Message) error {
		id := t.Cause().Call
		if _, ok := over.Load(id); ok && id != "" {
			select {
			case wrong <- id:
			default:
			}
		}
		switch m := m.(type) {
		case fleet:
			t.Call("calc", m, actors.CallOptions{Deadline: actors.DefaultDeadline, Retries: 1})
		case glimpse:
			if m.N%3 == 0 {
				t.CancelCall(id)
				over.Store(id, true)
			}
		case answer, messages.CallFailed:
			over.Store(id, true)
		}
		return nil
	})
	r := start(t, nil, live.Options{Engine: engine.Options{
		Kinds: []engine.Kind{asker},
		Workers: []engine.WorkerKind{{Name: "calc", Size: 8, Queue: 1000, New: func() (actors.Worker, error) {
			return teller(func(ctx context.Context, m messages.Message, report func(messages.Message)) (
				messages.Message, error,
			) {
				for n := range m.(fleet).N % 5 {
					report(glimpse{n + m.(fleet).N})
				}
				return answer{1}, ctx.Err()
			}), nil
		}}},
	}})
	for n := range 400 {
		r.inject(messages.To("asker", string(rune('a'+n%4))), fleet{n})
	}
	r.stop()
	select {
	case id := <-wrong:
		t.Errorf("call %s is told of after it was over", id)
	default:
	}
}
