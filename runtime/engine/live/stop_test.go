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

	"go.uber.org/goleak"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// poller sends itself a fleeting message for ever and passes numbers on.
func poller(polls *atomic.Int32) engine.Kind {
	k := kind("poller", func(t *actors.Turn, m messages.Message) error {
		switch m.(type) {
		case messages.Started, fleet:
			n := int(polls.Add(1))
			t.Send("sink/a", number{n - 1})
			t.After("poll", 100*time.Millisecond, fleet{})
		}
		return nil
	})
	k.Source = true
	return k
}

func TestStopEndsSourcesAndDrainsTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var polls atomic.Int32
		b := &bench{do: func(context.Context, int) error { pause(5 * time.Second); return nil }}
		r := start(t, nil, live.Options{
			Engine: engine.Options{
				Kinds:   []engine.Kind{poller(&polls), sink, askerWith(actors.CallOptions{Deadline: time.Minute})},
				Workers: []engine.WorkerKind{b.kind(1)},
			},
			Activate: []messages.Address{"poller/a"},
		})
		for n := range 3 {
			r.inject("asker/a", number{n})
		}
		pass(2 * time.Second)
		began := time.Now()
		r.stop()
		if took := time.Since(began); took != 13*time.Second {
			t.Errorf("Stop() took %v, want the 13s that the calls still needed", took)
		}
		if n := polls.Load(); n != 21 {
			t.Errorf("polls = %d, want 21: none after Stop", n)
		}
		if got := rows(t, r.store, "sink/a", "all"); !slices.Equal(got, upTo(21)) {
			t.Errorf("sink/a = %v, want 0 to 20", got)
		}
		wantAnswers(t, r, upTo(3)...)
	})
}

func TestStopWaitsForTimersWithinTheHorizon(t *testing.T) {
	burst := kind("burst", func(t *actors.Turn, m messages.Message) error {
		switch m := m.(type) {
		case number:
			t.After("due", time.Duration(m.N)*time.Second, due{})
		case due:
			appendTo(t, "all", 1)
		}
		return nil
	})
	for _, c := range []struct {
		seconds int
		want    []int
	}{{3, []int{1}}, {20, nil}} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t, nil, live.Options{Engine: engine.Options{Kinds: []engine.Kind{burst}},
				Horizon: 5 * time.Second})
			r.inject("burst/a", number{c.seconds})
			synctest.Wait()
			r.stop()
			if got := rows(t, r.store, "burst/a", "all"); !slices.Equal(got, c.want) {
				t.Errorf("timer of %ds with a horizon of 5s: rows = %v, want %v", c.seconds, got, c.want)
			}
			again := start(t, r.store.(*mem.Store).Clone(),
				live.Options{Engine: engine.Options{Kinds: []engine.Kind{burst}}})
			pass(time.Minute)
			again.stop()
			if got := rows(t, again.store, "burst/a", "all"); !slices.Equal(got, []int{1}) {
				t.Errorf("timer of %ds after the next start: rows = %v, want [1]", c.seconds, got)
			}
		})
	}
}

func TestStopAtItsDeadlineSaysWhatIsLeftAndTheNextStartGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{do: func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }}
		r := startAsker(t, b, 1, askerWith(actors.CallOptions{Deadline: time.Hour, Retries: 5}))
		r.inject("asker/a", number{7})
		r.inject("asker/a", number{8})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if left, want := r.Stop(ctx), (engine.Left{Calls: 2}); left != want {
			t.Errorf("Stop() = %+v, want %+v", left, want)
		}
		if made, closed, hang := b.made.Load(), b.closed.Load(), r.Abandoned(); made != 1 || closed != 1 || hang != 0 {
			t.Errorf("made %d workers, closed %d, %d calls hang, want 1, 1 and 0", made, closed, hang)
		}
		again := start(t, r.store.(*mem.Store).Clone(), live.Options{Engine: engine.Options{
			Kinds: []engine.Kind{asker}, Workers: []engine.WorkerKind{(&bench{}).kind(1)},
		}})
		again.stop()
		wantAnswers(t, again, 7, 8)
	})
}

func TestStopIsTheSameForEveryCallerAndBeforeStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil, live.Options{Engine: engine.Options{Kinds: []engine.Kind{sink}}})
		r.inject("sink/a", number{0})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(r.stop)
		}
		wg.Wait()
		r.Kill()
		if err := r.Start(); !errors.Is(err, live.ErrStarted) {
			t.Errorf("Start() after Stop = %v, want %v", err, live.ErrStarted)
		}
		if err := r.Engine().Inject(t.Context(), "sink/a", number{1}, ""); !errors.Is(err, engine.ErrStopped) {
			t.Errorf("Inject() after Stop = %v, want %v", err, engine.ErrStopped)
		}
		s, err := live.New(live.Options{Engine: engine.Options{Store: mem.New(), Codec: codec(t),
			Kinds: []engine.Kind{sink}}})
		if err != nil {
			t.Fatal(err)
		}
		s.Stop(t.Context())
		if err := s.Start(); !errors.Is(err, live.ErrStarted) {
			t.Errorf("Start() after an early Stop = %v, want %v", err, live.ErrStarted)
		}
	})
}

func TestLastRunsWhileTheCommitterStillCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *live.System
		var got error
		store := mem.New()
		r := start(t, store, live.Options{
			Engine: engine.Options{Kinds: []engine.Kind{sink}},
			Last:   func(ctx context.Context) { got = s.Engine().SetCursor(ctx, "host", 42) },
		})
		s = r.System
		r.inject("sink/a", number{0})
		r.stop()
		if seq, err := s.Engine().Cursor("host"); got != nil || err != nil || seq != 42 {
			t.Errorf("SetCursor() in Last = %v, Cursor() = %d, %v, want 42", got, seq, err)
		}
	})
}

// tight is a store on a volume that may be full.
type tight struct {
	*mem.Store
	full atomic.Bool
}

func (s *tight) Free() (uint64, error) {
	if s.full.Load() {
		return 0, nil
	}
	return s.Store.Free()
}

// What waits for space when the system stops is written by the stop, if there is
// space by then: nobody else looks again.
func TestStopWritesWhatTheCommitterHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &tight{Store: mem.New()}
		r := start(t, store, live.Options{Engine: engine.Options{Kinds: []engine.Kind{sink},
			MinFree: engine.DefaultMinFree}})
		store.full.Store(true)
		done, err := r.Engine().Post("", "sink/a", number{1}, "")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the committer has seen that there is no space, and rests
		store.full.Store(false)
		over, cancel := context.WithCancel(t.Context())
		cancel() // no time to drain
		r.Stop(over)
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Post() = %v, want it stored", err)
			}
		default:
			t.Error("Post() has no answer after Stop")
		}
		stored := 0
		err = store.Scan([]byte("i/sink/a"), nil, func(_, _ []byte) bool { stored++; return true })
		if stored != 1 || err != nil {
			t.Errorf("%d messages are stored (%v), want 1", stored, err)
		}
	})
}

func TestKillEndsLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil, live.Options{
			Engine: engine.Options{Kinds: []engine.Kind{sink}},
			Last:   func(ctx context.Context) { <-ctx.Done() },
		})
		stopped := make(chan struct{})
		go func() { r.Stop(t.Context()); close(stopped) }()
		synctest.Wait()
		r.Kill()
		<-stopped
	})
}

// An actor and a worker may have the same address.
func TestActorAndWorkerOfOneAddressFailApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		b := &bench{newErr: func(n int32) error {
			if n < 4 {
				return errors.New("broken")
			}
			return nil
		}}
		calc := kind("calc", func(t *actors.Turn, m messages.Message) error {
			if m, ok := m.(number); ok {
				if calls.Add(1) < 4 {
					return errors.New("broken")
				}
				appendTo(t, "all", m.N)
			}
			return nil
		})
		r := start(t, nil, live.Options{Engine: engine.Options{Kinds: []engine.Kind{calc, asker},
			Workers: []engine.WorkerKind{b.kind(1)}}})
		r.inject("calc/1", number{1})
		r.inject("asker/a", number{2})
		r.stop()
		wantAnswers(t, r, 2)
		if got := rows(t, r.store, "calc/1", "all"); !slices.Equal(got, []int{1}) {
			t.Errorf("calc/1 = %v, want [1]", got)
		}
	})
}

func TestKillDuringStopEndsAtOnceAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		b := &bench{do: func(_ context.Context, n int) error {
			if n == 0 {
				<-release // deaf to its context
			}
			return nil
		}}
		r := startAsker(t, b, 1, askerWith(actors.CallOptions{Deadline: time.Hour}))
		for n := range 3 {
			r.inject("asker/a", number{n})
		}
		synctest.Wait()
		stopped := make(chan engine.Left, 1)
		go func() { stopped <- r.Stop(t.Context()) }()
		pass(time.Minute)
		began := time.Now()
		r.Kill()
		if took := time.Since(began); took > time.Second {
			t.Errorf("Kill() took %v, want less than a second", took)
		}
		if left := <-stopped; left.Calls != 3 {
			t.Errorf("Stop() = %+v, want 3 calls left", left)
		}
		if n := r.Abandoned(); n != 1 {
			t.Errorf("Abandoned() = %d, want the call that hangs", n)
		}
		close(release)
		synctest.Wait()
		again := start(t, r.store.(*mem.Store).Clone(), live.Options{Engine: engine.Options{
			Kinds: []engine.Kind{asker}, Workers: []engine.WorkerKind{(&bench{}).kind(2)},
		}})
		again.stop()
		wantAnswers(t, again, upTo(3)...)
	})
}

func TestActorThatBlocksIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		deaf := kind("deaf", func(_ *actors.Turn, m messages.Message) error {
			if _, ok := m.(fleet); ok {
				<-release
			}
			return nil
		})
		r := start(t, nil, live.Options{Engine: engine.Options{Kinds: []engine.Kind{deaf, sink}}, Cores: 1})
		r.inject("deaf/a", fleet{})
		synctest.Wait()
		r.inject("sink/a", number{0}) // the only core is blocked: one more comes
		pass(time.Second)
		if got := rows(t, r.store, "sink/a", "all"); !slices.Equal(got, upTo(1)) {
			t.Errorf("sink/a = %v beside a blocked actor, want [0]", got)
		}
		began := time.Now()
		r.Kill()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("Kill() took %v, want less than 5s", took)
		}
		close(release)
	})
}

func TestNoGoroutineIsLeft(t *testing.T) {
	before := goleak.IgnoreCurrent()
	for range 3 {
		var polls atomic.Int32
		b := &bench{do: func(_ context.Context, n int) error {
			if n%3 == 0 {
				return errors.New("broken")
			}
			return nil
		}}
		var systems []*rig
		for range 2 { // two in one process
			systems = append(systems, start(t, nil, live.Options{
				Engine: engine.Options{Kinds: []engine.Kind{poller(&polls), sink, asker, relay},
					Workers: []engine.WorkerKind{b.kind(2)}},
				Activate: []messages.Address{"poller/a"},
			}))
		}
		for n := range 6 {
			for _, r := range systems {
				r.inject("asker/a", number{n})
				r.inject("relay/b", number{n})
			}
		}
		systems[0].stop()
		systems[1].Kill()
		if got := rows(t, systems[0].store, "sink/b", "all"); !slices.Equal(got, upTo(6)) {
			t.Errorf("sink/b = %v, want 0 to 5", got)
		}
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}
