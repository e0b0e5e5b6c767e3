package live

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// tally is a system with a kind that counts its fleeting messages and one
// worker.
type tally struct {
	*System
	polls, made, started atomic.Int32
	hang                 chan struct{} // what the worker waits for
	mu                   sync.Mutex
	health               []events.ActorUnhealthy
	calls                []events.CallFinished
}

// startTally runs one on one core, so that runs come in the order of their
// scheduling.
func startTally(t *testing.T) *tally {
	t.Helper()
	codec, err := messages.NewCodec(events.Core())
	if err != nil {
		t.Fatal(err)
	}
	s := &tally{hang: make(chan struct{})}
	s.System, err = New(Options{Cores: 1, Engine: engine.Options{
		Store: mem.New(), Codec: codec,
		Kinds: []engine.Kind{{Name: "tally", New: func(messages.Address) actors.Actor {
			return actors.Func(func(turn *actors.Turn, m messages.Message) error {
				switch m := m.(type) {
				case messages.Started:
					s.started.Add(1)
				case messages.PollDue:
					s.polls.Add(1)
				case messages.ResetBaseline:
					return errors.New("broken")
				case messages.CaptureWindow:
					turn.Call("hand", m, actors.CallOptions{Deadline: time.Second})
				}
				return nil
			})
		}}},
		Workers: []engine.WorkerKind{{Name: "hand", New: func() (actors.Worker, error) {
			s.made.Add(1)
			return actors.WorkerFunc(func(context.Context, messages.Message) (messages.Message, error) {
				<-s.hang
				return nil, errors.New("late")
			}), nil
		}}},
		Listener: func(p engine.Published) {
			s.mu.Lock()
			defer s.mu.Unlock()
			switch m := p.Message.(type) {
			case events.ActorUnhealthy:
				s.health = append(s.health, m)
			case events.CallFinished:
				s.calls = append(s.calls, m)
			}
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *tally) poll(t *testing.T, a messages.Address) {
	t.Helper()
	s.send(t, a, messages.PollDue{})
}

// send injects one fleeting message and waits for what it causes.
func (s *tally) send(t *testing.T, a messages.Address, m messages.Message) {
	t.Helper()
	if err := s.Engine().Inject(t.Context(), a, m, ""); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

// child returns the live child of an actor.
func (s *tally) child(a messages.Address) *child {
	var found *child
	s.children.Range(func(_, v any) bool {
		if c := v.(*child); c.addr == a {
			found = c
		}
		return found == nil
	})
	return found
}

// healthOf returns what was reported of an actor.
func (s *tally) healthOf(a messages.Address) (reports []bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.health {
		if h.Actor == a {
			reports = append(reports, h.Healthy)
		}
	}
	return reports
}

func TestActorThatEndsUnaskedIsReportedAndSpawnedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startTally(t)
		s.poll(t, "tally/a")
		old := s.child("tally/a").box.Load()
		old.PostSystemMessage(&actor.Stop{})
		synctest.Wait()
		s.poll(t, "tally/a") // nobody is there
		if n := s.polls.Load(); n != 1 {
			t.Errorf("polls = %d while the actor is away, want 1", n)
		}
		old.PostSystemMessage(&actor.Restart{}) // too late
		<-time.After(time.Second)
		synctest.Wait()
		if n := s.polls.Load(); n != 2 {
			t.Errorf("polls = %d after the actor came back, want 2", n)
		}
		if n := s.started.Load(); n != 2 {
			t.Errorf("activations = %d, want 2: none by the restart that came too late", n)
		}
		if got := s.healthOf("tally/a"); !slices.Equal(got, []bool{false, true}) {
			t.Errorf("health reports = %v, want [false true]", got)
		}
		s.Stop(t.Context())
	})
}

func TestActorThatEndsWhileItWaitsForItsRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startTally(t)
		s.send(t, "tally/a", messages.ResetBaseline{}) // fails
		s.child("tally/a").box.Load().PostSystemMessage(&actor.Stop{})
		<-time.After(500 * time.Millisecond) // the restart goes to nobody
		synctest.Wait()
		s.poll(t, "tally/a")
		if n := s.polls.Load(); n != 1 {
			t.Errorf("polls = %d, want 1", n)
		}
		s.Stop(t.Context()) // and leaves no goroutine behind
	})
}

func TestWorkerThatEndsUnaskedIsSpawnedAgainAndItsCallAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startTally(t)
		s.send(t, "tally/a", messages.CaptureWindow{})
		s.pools["hand"].slots[0].box.Load().PostSystemMessage(&actor.Stop{})
		<-time.After(time.Second)
		synctest.Wait()
		if n := s.made.Load(); n != 2 {
			t.Errorf("workers made = %d, want 2", n)
		}
		if got := s.healthOf("hand/1"); !slices.Equal(got, []bool{false, true}) {
			t.Errorf("health reports of the worker = %v, want [false true]", got)
		}
		<-time.After(time.Minute) // past the deadline
		s.mu.Lock()
		if len(s.calls) != 1 || s.calls[0].Failure != messages.FailureError {
			t.Errorf("finished calls = %+v, want one that failed with an error", s.calls)
		}
		s.mu.Unlock()
		if n := s.Abandoned(); n != 1 {
			t.Errorf("Abandoned() = %d, want 1", n)
		}
		close(s.hang)
		synctest.Wait()
		if n := s.Abandoned(); n != 0 {
			t.Errorf("Abandoned() = %d after the return, want 0", n)
		}
		s.Stop(t.Context())
	})
}

func TestBranchGoesOnAfterItsOwnFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startTally(t)
		s.poll(t, "tally/a")
		s.actors.box.PostUserMessage(spawn{nil}) // fails the supervisor
		synctest.Wait()
		s.poll(t, "tally/a")
		s.poll(t, "tally/b")
		if n := s.polls.Load(); n != 3 {
			t.Errorf("polls = %d, want 3", n)
		}
		s.Stop(t.Context())
	})
}

func TestBranchThatEndsSpawnsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startTally(t)
		s.poll(t, "tally/a")
		late := s.newChild("tally/late")
		late.runner = s.child("tally/a").runner
		s.dispatcher.Schedule(func() { // on the only core: the supervisor finds both
			s.actors.box.PostUserMessage(end{})
			s.actors.box.PostUserMessage(spawn{late})
		})
		synctest.Wait()
		select {
		case <-s.actors.down:
		default:
			t.Error("the supervisor did not end, want it down: it waits for a child that came too late")
		}
		s.Stop(t.Context())
	})
}

func TestNamesAreOneLevelAndDistinct(t *testing.T) {
	seen := map[string]messages.Address{}
	for _, a := range []messages.Address{
		"fusion/line@mac-a", "fusion/line/mac-a", "fusion/line%2Fmac-a", "fusion/$1", "fusion/花", "fusion/ ",
		"fusion/%", "fusio/n",
	} {
		name := (&child{addr: a}).name()
		if old, ok := seen[name]; ok {
			t.Errorf("name(%q) = %q, want another than that of %q", a, name, old)
		}
		seen[name] = a
		for _, r := range name {
			if r == '/' || r <= ' ' || r > '~' {
				t.Errorf("name(%q) = %q, want no slash and printable ASCII", a, name)
			}
		}
	}
}

func TestDispatcherAddsAWorkerWhenAllBlockAndShrinksBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDispatcher(2, 1)
		d.start()
		release := make(chan struct{})
		var done atomic.Int32
		began := time.Now()
		for range 20 {
			d.Schedule(func() { <-release })
		}
		d.Schedule(func() { done.Add(1) })
		for done.Load() == 0 {
			<-time.After(stuckAfter)
		}
		if took := time.Since(began); took > 30*stuckAfter {
			t.Errorf("a run behind 20 that block began after %v, want at most %v", took, 30*stuckAfter)
		}
		close(release)
		<-time.After(10 * stuckAfter)
		synctest.Wait()
		d.mu.Lock()
		if d.workers != 2 || d.idle != 2 || d.watching {
			t.Errorf("workers = %d, idle = %d, watching = %v, want 2, 2 and false", d.workers, d.idle, d.watching)
		}
		d.mu.Unlock()
		d.close()
		d.Schedule(func() { done.Add(1) })
		<-d.gone
		if n := done.Load(); n != 1 {
			t.Errorf("runs = %d, want none after close", n)
		}
	})
}

func TestMailboxLosesNoWakeUpWhileItGoesIdle(t *testing.T) {
	turns := int64(200_000)
	if testing.Short() {
		turns = 40_000
	}
	d := newDispatcher(2, 1)
	d.start()
	p := &pupil{}
	box := newMailbox(newActivity())
	box.RegisterHandlers(p, d)
	box.Start()
	for n := range turns { // a wake-up that is lost makes this wait for ever
		for spins := 1; p.turns.Load() < n; spins++ {
			if spins%1000 == 0 {
				runtime.Gosched()
			}
		}
		box.wake() // while the run of the one before goes idle
	}
	d.close()
	<-d.gone
}

// Where the committer has much to do, it gets a processor between two runs, and not only once
// nothing is left to run.
func TestCrowdedWorkersLetOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const runs = 1000
	for _, crowded := range []bool{false, true} {
		d, before := newDispatcher(1, 1), runs
		d.crowded = func() bool { return crowded }
		var (
			ran    atomic.Int64
			once   sync.Once
			others = make(chan struct{})
		)
		for range runs {
			d.Schedule(func() {
				once.Do(func() {
					go func() {
						before = int(ran.Load())
						close(others)
					}()
				})
				ran.Add(1)
			})
		}
		d.start()
		<-others
		d.close()
		<-d.gone
		if crowded && before > runs/10 {
			t.Errorf("another one ran after %d of %d runs, want after a few", before, runs)
		}
	}
}

// Whoever posts as fast as its messages are handled keeps no wake from its turn, and
// neither does a child with much to do keep a message waiting.
func TestMailboxTakesTurnsBetweenWakesAndMessages(t *testing.T) {
	d := newDispatcher(1, 1)
	d.start()
	e := &eager{box: newMailbox(newActivity()), both: make(chan struct{})}
	e.box.RegisterHandlers(e, d)
	e.box.Start()
	e.box.PostUserMessage(doze{})
	e.box.wake()
	<-e.both
	d.close()
	<-d.gone
}

// eager answers each message with another and each wake with another, until it has
// had three of both.
type eager struct {
	box          *mailbox
	wakes, dozes int
	both         chan struct{}
}

func (e *eager) InvokeUserMessage(msg any) {
	_, woken := msg.(wake)
	if woken {
		e.wakes++
	} else {
		e.dozes++
	}
	switch {
	case e.wakes > 2 && e.dozes > 2:
		e.box.end()
		close(e.both)
	case woken:
		e.box.wake()
	default:
		e.box.PostUserMessage(msg)
	}
}

func (e *eager) InvokeSystemMessage(any)  {}
func (e *eager) EscalateFailure(_, _ any) {}

// pupil counts its turns.
type pupil struct{ turns atomic.Int64 }

func (p *pupil) InvokeUserMessage(any)    { p.turns.Add(1) }
func (p *pupil) InvokeSystemMessage(any)  {}
func (p *pupil) EscalateFailure(_, _ any) {}

func TestQuietSeesWhatBeginsMeanwhile(t *testing.T) {
	a := newActivity()
	yes := func() bool { return true }
	if !a.quiet(yes) {
		t.Error("quiet() = false before anything, want true")
	}
	a.begin()
	if a.quiet(yes) {
		t.Error("quiet() = true between begin and end, want false")
	}
	a.end()
	if a.quiet(func() bool { a.begin(); a.end(); return true }) {
		t.Error("quiet() = true although something began and ended during the look, want false")
	}
	if !a.quiet(yes) || a.quiet(func() bool { return false }) {
		t.Error("quiet() is not what the look says when nothing goes on")
	}
}

func TestDeadLetterLeavesNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startTally(t)
		s.poll(t, "tally/a")
		ctx := s.child("tally/a").box.Load().invoker.(actor.Context)
		for range 10 {
			ctx.Send(actor.NewPID(ctx.Self().Address, "nobody"), "hello")
		}
		s.Stop(t.Context())
	})
}

// stepper is a protoactor that takes one unit of work per wake, as an actor does.
type stepper struct {
	box                  *mailbox
	work, seen, messages atomic.Int64
}

func (s *stepper) InvokeUserMessage(m any) {
	if _, ok := m.(wake); !ok {
		s.messages.Add(1)
		return
	}
	if s.work.Load() > 0 {
		s.work.Add(-1)
		s.seen.Add(1)
		s.box.more = true
	}
}
func (s *stepper) InvokeSystemMessage(any)  {}
func (s *stepper) EscalateFailure(_, _ any) {}

func TestMailboxLosesNothingUnderLoad(t *testing.T) {
	const boxes, senders, each = 5, 8, 2000
	d := newDispatcher(4, 3)
	d.start()
	a := newActivity()
	a.watched.Store(true)
	var steppers [boxes]*stepper
	var wg sync.WaitGroup
	for b := range steppers {
		s := &stepper{box: newMailbox(a)}
		steppers[b] = s
		s.box.RegisterHandlers(s, d)
		s.box.Start()
		for range senders {
			wg.Go(func() {
				for i := range each {
					s.box.PostUserMessage(i)
					s.work.Add(1)
					s.box.PostUserMessage(wake{})
				}
			})
		}
	}
	wg.Wait()
	// Whatever is lost makes this wait for ever.
	done := func() bool {
		for _, s := range steppers {
			if s.seen.Load() != senders*each || s.messages.Load() != senders*each {
				return false
			}
		}
		return true
	}
	for !a.quiet(done) {
		<-a.poke
	}
	d.close()
	<-d.gone
}
