package live

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// tally is a system with a kind that counts its fleeting messages and one
// worker.
type tally struct {
	*System
	polls, made atomic.Int32
	mu          sync.Mutex
	health      []messages.ActorUnhealthy
}

func startTally(t *testing.T) *tally {
	t.Helper()
	codec, err := messages.NewCodec(messages.Core())
	if err != nil {
		t.Fatal(err)
	}
	s := &tally{}
	s.System, err = New(Options{Engine: engine.Options{
		Store: mem.New(), Codec: codec,
		Kinds: []engine.Kind{{Name: "tally", New: func(messages.Address) actors.Actor {
			return actors.Func(func(_ *actors.Turn, m messages.Message) error {
				if _, ok := m.(messages.PollDue); ok {
					s.polls.Add(1)
				}
				return nil
			})
		}}},
		Workers: []engine.WorkerKind{{Name: "hand", New: func() (actors.Worker, error) {
			s.made.Add(1)
			return actors.WorkerFunc(nil), nil
		}}},
		Listener: func(p engine.Published) {
			if h, ok := p.Message.(messages.ActorUnhealthy); ok {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.health = append(s.health, h)
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

// poll injects one fleeting message and waits for what it causes.
func (s *tally) poll(t *testing.T, a messages.Address) {
	t.Helper()
	if err := s.engine.Inject(t.Context(), a, messages.PollDue{}, ""); err != nil {
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
		if got := s.healthOf("tally/a"); !slices.Equal(got, []bool{false, true}) {
			t.Errorf("health reports = %v, want [false true]", got)
		}

		s.pools["hand"].slots[0].box.Load().PostSystemMessage(&actor.Stop{})
		<-time.After(time.Second)
		synctest.Wait()
		if n := s.made.Load(); n != 2 {
			t.Errorf("workers made = %d, want 2", n)
		}
		if got := s.healthOf("hand/1"); !slices.Equal(got, []bool{false, true}) {
			t.Errorf("health reports of the worker = %v, want [false true]", got)
		}
		s.Stop(t.Context())
	})
}

func TestBranchGoesOnAfterItsOwnFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startTally(t)
		s.poll(t, "tally/a")
		s.cells.box.PostUserMessage(spawn{nil}) // fails the branch
		synctest.Wait()
		s.poll(t, "tally/a")
		s.poll(t, "tally/b")
		if n := s.polls.Load(); n != 3 {
			t.Errorf("polls = %d, want 3", n)
		}
		s.Stop(t.Context())
	})
}

func TestNamesAreOneLevelAndDistinct(t *testing.T) {
	seen := map[string]messages.Address{}
	for _, a := range []messages.Address{
		"fusion/line@mac-a", "fusion/line/mac-a", "fusion/line%2Fmac-a", "fusion/$1", "fusion/花", "fusion/ ", "fusion/%", "fusio/n",
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

// stepper is a protoactor that takes one unit of work per wake, as a cell does.
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
