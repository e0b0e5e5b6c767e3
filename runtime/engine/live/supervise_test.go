package live_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// failing is the sink, but the attempts of number 1 up to a count end in fail.
func failing(attempts int, fail func() error) engine.Kind {
	return kind("sink", func(t *actors.Turn, m messages.Message) error {
		n, ok := m.(number)
		if !ok {
			return nil
		}
		appendTo(t, "all", n.N)
		if n.N == 1 && t.Cause().Attempt <= attempts {
			return fail()
		}
		return nil
	})
}

// near reports whether d is want give or take the backoff's jitter.
func near(d, want time.Duration) bool {
	return d >= want*8/10 && d <= want*12/10
}

func TestFailedTurnIsTriedAgainAfterBackoffOnTheSameState(t *testing.T) {
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("broken") },
		"panic": func() error { panic("broken") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				r := start(t, nil, live.Options{Engine: engine.Options{Kinds: []engine.Kind{failing(2, fail)}}})
				for n := range 3 {
					r.inject("sink/a", number{n})
				}
				r.stop()
				if got := rows(t, r.store, "sink/a", "all"); !slices.Equal(got, upTo(3)) {
					t.Errorf("sink/a = %v, want [0 1 2]", got)
				}
				restarts := of[events.ActorRestarted](r.events)
				if len(restarts) != 2 || !near(restarts[0].Delay, 100*time.Millisecond) ||
					!near(restarts[1].Delay, 200*time.Millisecond) {
					t.Errorf("restarts = %+v, want two, after about 100 ms and 200 ms", restarts)
				}
				// 1 is tried at 0, 100 and 300 ms.
				if took := time.Since(began); !near(took, 300*time.Millisecond) {
					t.Errorf("it took %v, want about 300ms", took)
				}
				if n := len(of[events.ActorStarted](r.events)); n != 3 {
					t.Errorf("activations = %d, want 3", n)
				}
			})
		})
	}
}

func TestMessageIsQuarantinedAfterFiveAttemptsAndTheActorGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fail := func() error { return errors.New("broken") }
		r := start(t, nil, live.Options{Engine: engine.Options{Kinds: []engine.Kind{failing(1000, fail)}}})
		for n := range 4 {
			r.inject("sink/a", number{n})
		}
		r.stop()
		if got, want := rows(t, r.store, "sink/a", "all"), []int{0, 2, 3}; !slices.Equal(got, want) {
			t.Errorf("sink/a = %v, want %v", got, want)
		}
		dead, err := r.Engine().DeadLetters()
		if err != nil || len(dead) != 1 || dead[0].Attempts != engine.MaxAttempts || dead[0].Error != "broken" {
			t.Errorf("DeadLetters() = %+v, %v, want the one message with 5 attempts", dead, err)
		}
	})
}

// An actor that ends its goroutine has failed like one that panics.
func TestAMessageThatEndsTheGoroutineIsQuarantined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil, live.Options{Engine: engine.Options{Kinds: []engine.Kind{
			failing(5, func() error { runtime.Goexit(); return nil }),
		}}, Cores: 2})
		r.inject("sink/a", number{1})
		r.inject("sink/a", number{8})
		pass(time.Minute)
		r.stop()
		if got := rows(t, r.store, "sink/a", "all"); !slices.Equal(got, []int{8}) {
			t.Errorf("sink/a = %v, want [8]", got)
		}
		for _, f := range of[events.MessageFailed](r.events) {
			if !strings.Contains(f.Reason, "Goexit") || !strings.Contains(f.Stack, "supervise_test.go") {
				t.Errorf("reported %+v, want what it did, and where", f)
			}
		}
		if n := len(of[events.MessageQuarantined](r.events)); n != 1 {
			t.Errorf("%d messages quarantined, want 1", n)
		}
	})
}

func TestSpentBudgetIsReportedAndTheActorIsRetriedSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		moody := kind("moody", func(t *actors.Turn, m messages.Message) error {
			if n, ok := m.(fleet); ok && n.N%2 == 1 {
				return errors.New("broken")
			}
			return nil
		})
		r := start(t, nil, live.Options{Engine: engine.Options{Kinds: []engine.Kind{moody}}})
		for n := range 22 { // 11 failures, each with a success before
			r.inject("moody/a", fleet{n})
			pass(time.Second)
		}
		if got := of[events.ActorUnhealthy](r.events); len(got) != 1 || got[0].Healthy {
			t.Errorf("health reports = %+v, want one: unhealthy", got)
		}
		restarts := of[events.ActorRestarted](r.events)
		if last := restarts[len(restarts)-1]; len(restarts) != 11 || last.Delay != 30*time.Second {
			t.Errorf("%d restarts, the last after %v, want 11 and 30s", len(restarts), last.Delay)
		}
		r.inject("moody/a", fleet{22})
		pass(30 * time.Second)
		if got := of[events.ActorUnhealthy](r.events); len(got) != 2 || !got[1].Healthy {
			t.Errorf("health reports = %+v, want a second: healthy", got)
		}
		r.stop()
	})
}

// badStore fails the operations that the test names.
type badStore struct {
	engine.Store
	failApply atomic.Int32 // how many more batches fail that begin with a turn on mail
	panicGet  atomic.Int32 // how many more reads of a timer's receipt panic
	exitGet   atomic.Int32 // how many more of them end their goroutine
	low       atomic.Bool
}

func (s *badStore) Apply(batch []engine.Op, sync bool) error {
	if bytes.HasPrefix(batch[0].Key, []byte("i/")) && batch[0].Delete && s.failApply.Add(-1) >= 0 {
		return errors.New("disk on fire")
	}
	return s.Store.Apply(batch, sync)
}

func (s *badStore) Get(key []byte) ([]byte, bool, error) {
	if strings.HasPrefix(string(key), "t/") {
		if s.panicGet.Add(-1) >= 0 {
			panic("bug in the store")
		}
		if s.exitGet.Add(-1) >= 0 {
			runtime.Goexit()
		}
	}
	return s.Store.Get(key)
}

func (s *badStore) Free() (uint64, error) {
	if s.low.Load() {
		return 1, nil
	}
	return s.Store.Free()
}

func TestFailedCommitTakesBackItsTurnsAndTheirMessagesComeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &badStore{Store: mem.New()}
		r := start(t, store, live.Options{Engine: engine.Options{Kinds: []engine.Kind{relay, sink}}})
		for n := range 20 {
			if n%5 == 4 {
				synctest.Wait()
				store.failApply.Store(2)
			}
			for r.Engine().Inject(t.Context(), "relay/a", number{n}, fmt.Sprint(n)) != nil {
				synctest.Wait() // it was in the batch that failed
			}
		}
		r.stop()
		if got := rows(t, r.store, "sink/a", "all"); !slices.Equal(got, upTo(20)) {
			t.Errorf("sink/a = %v, want 0 to 19 in order", got)
		}
		if len(of[events.CommitFailed](r.events)) == 0 {
			t.Error("no CommitFailed was reported")
		}
		for _, f := range of[events.MessageFailed](r.events) {
			t.Errorf("a failed commit counted against a message: %+v", f)
		}
	})
}

func TestCrashOutsideTheTurnLosesNothing(t *testing.T) {
	// Each number becomes a durable timer, which is kept when it fires.
	timed := kind("sink", func(t *actors.Turn, m messages.Message) error {
		switch m := m.(type) {
		case number:
			t.After(fmt.Sprint(m.N), time.Second, ask(m))
		case ask:
			appendTo(t, "all", m.N)
		}
		return nil
	})
	for name, hurt := range map[string]func(*badStore){
		"panic":       func(s *badStore) { s.panicGet.Store(3) },
		"lost thread": func(s *badStore) { s.exitGet.Store(3) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &badStore{Store: mem.New()}
				r := start(t, store, live.Options{Engine: engine.Options{Kinds: []engine.Kind{timed}}, Cores: 2})
				for n := range 10 {
					r.inject("sink/a", number{n})
				}
				hurt(store)
				pass(time.Minute)
				began := time.Now()
				r.stop()
				if took := time.Since(began); took != 0 {
					t.Errorf("Stop() took %v, want it to wait for nothing", took)
				}
				got := rows(t, r.store, "sink/a", "all")
				slices.Sort(got)
				if !slices.Equal(got, upTo(10)) {
					t.Errorf("sink/a = %v, want 0 to 9", got)
				}
				if n := len(of[events.ActorRestarted](r.events)); n != 3 {
					t.Errorf("restarts = %d, want 3", n)
				}
			})
		})
	}
}

func TestFullVolumePausesAndGoesOnByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &badStore{Store: mem.New()}
		r := start(t, store, live.Options{Engine: engine.Options{Kinds: []engine.Kind{sink},
			MinFree: engine.DefaultMinFree}})
		store.low.Store(true)
		done := make(chan error, 1)
		go func() { done <- r.Engine().Inject(t.Context(), "sink/a", number{0}, "") }()
		pass(10 * time.Second)
		select {
		case err := <-done:
			t.Errorf("Inject() = %v on a full volume, want it to wait", err)
		default:
		}
		store.low.Store(false)
		pass(time.Second)
		if err := <-done; err != nil {
			t.Errorf("Inject() = %v, want nil", err)
		}
		r.stop()
		if low, ok := len(of[events.StoreLow](r.events)), len(of[events.StoreRecovered](r.events)); low != 1 ||
			ok != 1 {
			t.Errorf("StoreLow %d times, StoreRecovered %d times, want 1 and 1", low, ok)
		}
	})
}

func TestPanicOfAListenerHurtsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil, live.Options{Engine: engine.Options{
			Kinds: []engine.Kind{relay, sink}, Listener: func(engine.Published) { panic("host") },
		}})
		r.inject("relay/a", number{0})
		r.stop()
		if got := rows(t, r.store, "sink/a", "all"); !slices.Equal(got, upTo(1)) {
			t.Errorf("sink/a = %v, want [0]", got)
		}
	})
}

func TestPanicInNewIsSupervised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		k := sink
		k.New = func(a messages.Address) actors.Actor {
			if made.Add(1) <= 2 {
				panic("not yet")
			}
			return sink.New(a)
		}
		r := start(t, nil, live.Options{Engine: engine.Options{Kinds: []engine.Kind{k}}})
		r.inject("sink/a", number{0})
		r.stop()
		if got := rows(t, r.store, "sink/a", "all"); !slices.Equal(got, upTo(1)) {
			t.Errorf("sink/a = %v, want [0]", got)
		}
	})
}
