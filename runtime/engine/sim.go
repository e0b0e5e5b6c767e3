package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// ErrHang makes a simulated worker hang: wrapped in the error of Do, it stands
// for a call that never returns, so the deadline decides.
var ErrHang = errors.New("engine: simulated hang")

// SimOptions configure a simulation. Store and Codec are required; Clock, Driver
// and Rand of Engine are the simulation's own.
type SimOptions struct {
	Engine   Options             // Store, Codec, Kinds, Workers, Sync, MinFree, Listener
	Seed     uint64              // of every choice
	Start    time.Time           // zero means 2026-01-01 00:00 UTC
	Activate []messages.Address  // live from the start, also after a crash
	Divert   func(Envelope) bool // see [Control.Divert]; nil: none
	Latency  time.Duration       // calls take a random time up to this; 0: none
	// Wait says how long it takes until a call that has just been made begins, and then until it ends;
	// nil: see Latency.
	Wait  func(*Job) (begin, took time.Duration)
	Turns Timetable // nil: turns begin as soon as they can
	Doze  float64   // how often, of 1, a step is to put an actor to sleep
	Trace io.Writer // one line per step and event; nil: none

	// begin changes what each start of the process runs; what it returns is called with its engine. Nil:
	// nothing.
	begin func(*SimOptions) (func(*Engine) error, error)
	share func([]Kind) (*Replica, error) // makes the replica of each start; nil: alone
	clock *ManualClock                   // nil: its own
	rng   *rand.Rand                     // nil: its own
}

// Timetable says when turns begin, as on a machine that has more to do.
type Timetable interface {
	// Next says when an actor's next turn begins, and which of the waiting messages it handles, the zero Type for
	// the first.
	Next(now time.Time, actor messages.Address, waiting []messages.Type) (time.Time, messages.Type)
	// Began tells that a turn begins.
	Began(actor messages.Address, handles messages.Type)
}

// timed is an actor whose turns are told to a timetable.
type timed struct {
	actors.Actor
	self  messages.Address
	turns Timetable
}

// Receive implements [actors.Actor].
func (a timed) Receive(turn *actors.Turn, msg messages.Message) error {
	a.turns.Began(a.self, msg.MessageType())
	return a.Actor.Receive(turn, msg)
}

// timedKinds are kinds of such actors.
func timedKinds(kinds []Kind, turns Timetable) []Kind {
	kinds = slices.Clone(kinds)
	for i, k := range kinds {
		kinds[i].New = func(self messages.Address) actors.Actor { return timed{k.New(self), self, turns} }
	}
	return kinds
}

// Now is the time of the machine.
func (o SimOptions) Now() time.Time { return o.clock.Now() }

// Sim runs a whole set of actors in virtual time on one goroutine. The seed
// chooses which of the runnable things comes next: a turn, a commit of some of
// the waiting turns, a call. The same seed gives the same run, byte for byte.
type Sim struct {
	o       SimOptions
	clock   *ManualClock
	rng     *rand.Rand
	engine  Control
	ready   map[*Activation]bool
	resting map[*Activation]bool
	early   map[*Activation]bool       // their turn is not due by the timetable
	workers map[string][]actors.Worker // idle ones
	full    time.Time                  // when the volume was too full for a commit, or too slow for another
	slow    bool
	crashes int
	choices []choice // room for what is runnable

	turning, committing bool
	died                any // what a commit panicked with that a turn has called
}

// NewSim starts a simulation.
func NewSim(o SimOptions) (*Sim, error) {
	if o.Start.IsZero() {
		o.Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	s := &Sim{o: o, clock: o.clock, rng: o.rng}
	if s.clock == nil {
		s.clock, s.rng = NewManualClock(o.Start), rand.New(rand.NewPCG(o.Seed, 0x6b65686169))
	}
	return s, s.boot()
}

func (s *Sim) boot() error {
	loaded := func(*Engine) error { return nil }
	if s.o.begin != nil {
		var err error
		if loaded, err = s.o.begin(&s.o); err != nil {
			return err
		}
	}
	eo := s.o.Engine
	eo.Clock, eo.Driver, eo.Rand = s.clock, s, s.rng
	listener := eo.Listener
	eo.Listener = func(p Published) {
		s.tracef("event %s seq=%d from=%s %s", p.Message.MessageType(), p.Seq, p.From, p.Trace)
		if listener != nil {
			listener(p)
		}
	}
	s.ready, s.resting, s.workers = map[*Activation]bool{}, map[*Activation]bool{}, map[string][]actors.Worker{}
	s.early = map[*Activation]bool{}
	if s.o.Turns != nil {
		eo.Kinds = timedKinds(eo.Kinds, s.o.Turns)
	}
	s.full, s.turning, s.committing, s.died = time.Time{}, false, false, nil
	if s.o.share != nil {
		r, err := s.o.share(eo.Kinds)
		if err != nil {
			return err
		}
		eo.Replica = r
	}
	e, err := New(eo)
	if err != nil {
		return err
	}
	s.engine = e.Control()
	s.engine.Divert(s.o.Divert, nil)
	s.engine.Background(func(fn func()) { fn() })
	if err := loaded(e); err != nil {
		return err
	}
	if err := s.engine.Recover(); err != nil {
		return err
	}
	for _, a := range s.o.Activate {
		if err := e.Activate(a); err != nil {
			return err
		}
	}
	return nil
}

// Engine is the present engine; a crash makes a new one.
func (s *Sim) Engine() *Engine { return s.engine.e }

// Control drives the present engine, for tests that do so by themselves.
func (s *Sim) Control() Control { return s.engine }

// Now is the virtual time.
func (s *Sim) Now() time.Time { return s.clock.Now() }

// Rand is the simulation's source of choices, for tests that make choices of
// their own.
func (s *Sim) Rand() *rand.Rand { return s.rng }

// Wake implements [Driver].
func (s *Sim) Wake(act *Activation) {
	delete(s.early, act)                   // what came may be due before what waited
	if s.ready[act] = true; act.Asleep() { // another node has it
		delete(s.ready, act)
	}
}

// WakeWorkers implements [Driver]; the simulation looks at the pools itself.
func (s *Sim) WakeWorkers(string) {}

// Crash throws everything away that is not in the store, and starts again over the same
// store.
func (s *Sim) Crash() error {
	s.crashes++
	s.tracef("crash %d", s.crashes)
	return s.boot()
}

// choice is one of the things that can be done now: a turn, a call, or else a
// commit.
type choice struct {
	act  *Activation
	pool string
}

// Step does one possible thing. It returns false if there is none. A commit that finds
// the volume too full can be tried again once time has passed.
func (s *Sim) Step() bool {
	if s.o.Doze > 0 && s.rng.Float64() < s.o.Doze {
		s.doze()
	}
	return s.do(s.possible())
}

// possible lists what can be done now.
func (s *Sim) possible() []choice {
	all := s.runnable()
	if s.canCommit() {
		all = append(all, choice{})
	}
	return all
}

func (s *Sim) canCommit() bool { return s.engine.commitWaits() && !s.full.Equal(s.clock.Now()) }

// can reports whether anything is possible.
func (s *Sim) can() bool {
	for act := range s.ready {
		if !s.resting[act] && !s.early[act] {
			return true
		}
	}
	return s.canCommit() || slices.ContainsFunc(s.engine.e.Pools(), PoolInfo.startable)
}

// startable reports whether a worker of the pool can take a job.
func (p PoolInfo) startable() bool { return p.Waiting > 0 && p.Busy < p.Size }

// doze puts an actor to sleep if possible, at any moment.
func (s *Sim) doze() {
	live := s.engine.e.live()
	if len(live) == 0 {
		return
	}
	act := live[s.rng.IntN(len(live))]
	if s.resting[act] || !s.engine.Sleep(act, 0) {
		return
	}
	delete(s.ready, act)
	s.tracef("asleep %s", act.addr)
}

// Turn does one turn or one call, but no commit. It returns false if there is none. A
// store may call it from Apply, since turns run while a commit is written.
func (s *Sim) Turn() bool { return !s.turning && s.do(s.runnable()) }

// Commit writes some of what waits. An actor may call it from its turn, since commits are
// written while turns run. If the store panics, which stands for the death of the
// process, that turn still ends, but changes nothing. During a commit Commit does
// nothing.
func (s *Sim) Commit() {
	if s.committing || s.died != nil {
		return
	}
	s.committing = true
	defer func() {
		s.committing = false
		if s.turning {
			s.died = recover()
		}
	}()
	n, full := s.engine.Commit(1 + s.rng.IntN(8))
	if full || s.slow {
		s.full = s.clock.Now()
	}
	s.tracef("commit %d full=%v", n, full)
}

// runnable lists the turns and the calls, in an order that is always the same.
func (s *Sim) runnable() []choice {
	all := s.choices[:0]
	defer func() { s.choices = all }()
	for act := range s.ready {
		if !s.resting[act] && !s.early[act] {
			all = append(all, choice{act: act})
		}
	}
	slices.SortFunc(all, func(a, b choice) int { return strings.Compare(string(a.act.addr), string(b.act.addr)) })
	for _, p := range s.engine.e.Pools() {
		if p.startable() {
			all = append(all, choice{pool: p.Kind})
		}
	}
	return all
}

func (s *Sim) do(all []choice) bool {
	if len(all) == 0 {
		return false
	}
	pick := all[s.rng.IntN(len(all))]
	if pick == (choice{}) {
		s.Commit()
		return true
	}
	was := s.turning // a worker of a node waits for the others
	s.turning = true
	defer func() { s.turning = was }()
	if pick.act != nil {
		s.stepActor(pick.act)
	} else {
		s.stepPool(pick.pool)
	}
	if s.died != nil {
		panic(s.died)
	}
	return true
}

// Await calls a method of the engine that waits for a commit, such as [Engine.SetCursor]
// or [Engine.Forget]; in a cluster only one for what is bound to the node. While fn waits
// the simulation continues: some turns first, then all commits.
func (s *Sim) Await(fn func(context.Context) error) error {
	return fn(stepping{context.Background(), s})
}

// stepping is a context that never ends. A caller that begins to wait for its end makes
// the simulation continue until nothing waits for the committer any more, and whatever
// else the caller waits for has come.
type stepping struct {
	context.Context
	sim *Sim
}

// Done implements [context.Context].
func (c stepping) Done() <-chan struct{} {
	s := c.sim
	for range s.rng.IntN(8) {
		s.Turn()
	}
	for s.engine.commitWaits() {
		if s.Commit(); s.full.Equal(s.clock.Now()) {
			s.clock.Set(s.clock.Now().Add(10 * time.Millisecond))
		}
	}
	return nil
}

// waits makes an actor wait for its turn by the timetable, and reports whether it has to.
func (s *Sim) waits(act *Activation) bool {
	if s.o.Turns == nil {
		return false
	}
	waiting := act.box.types()
	if act.begins() {
		waiting = []messages.Type{messages.Started{}.MessageType()}
	}
	at, handles := s.o.Turns.Next(s.clock.Now(), act.addr, waiting)
	if wait := at.Sub(s.clock.Now()); wait > 0 {
		s.early[act] = true
		s.engine.After("t"+string(act.addr), wait, func() { delete(s.early, act) })
		return true
	}
	if handles != (messages.Type{}) {
		act.box.prefer(handles)
	}
	return false
}

// begins reports whether the next turn is the first one of an incarnation.
func (act *Activation) begins() bool {
	act.mu.Lock()
	defer act.mu.Unlock()
	return act.state == starting
}

func (s *Sim) stepActor(act *Activation) {
	if s.waits(act) {
		return
	}
	progress, failure := s.engine.Step(act)
	s.tracef("step %s %d", act.addr, progress)
	if failure != nil {
		s.tracef("failed %s: %s", failure.Actor, failure.Reason)
		s.resting[act] = true
		e := s.engine
		e.After("x"+string(act.addr), failure.Delay, func() {
			delete(s.resting, act)
			e.Restart(act)
		})
		return
	}
	if progress != Stepped {
		delete(s.ready, act)
	}
}

func (s *Sim) stepPool(kind string) {
	job := s.engine.TakeJob(kind)
	if job == nil {
		return // nobody wants the results any more
	}
	if s.o.Wait == nil {
		s.serve(job, 0)
		return
	}
	begin, took := s.o.Wait(job)
	if begin <= 0 {
		s.serve(job, took)
		return
	}
	s.engine.After("b"+jobKey(job), begin, func() { s.serve(job, took) })
}

func jobKey(job *Job) string { return fmt.Sprintf("%s\x00%s\x00%d", job.Caller, job.ID, job.Attempt) }

// serve has a worker do a job, which took says how long it takes.
func (s *Sim) serve(job *Job, took time.Duration) {
	kind := job.Worker
	w, err := s.worker(kind)
	slot := messages.To(kind, "sim")
	began := s.clock.Now()
	var result messages.Message
	failure := messages.FailureError
	e := s.engine
	var reports []messages.Message
	if err == nil {
		result, failure, err = perform(context.Background(), w, job, func(m messages.Message) error {
			reports = append(reports, m)
			return e.e.checkReport(job, m)
		})
	}
	s.tracef("call %s %s attempt=%d %s", kind, job.ID, job.Attempt, failure)
	finish := func() {
		if e.FinishJob(job, slot, result, failure, err, s.clock.Now().Sub(began)) {
			return // a failed worker is not used again
		}
		s.workers[kind] = append(s.workers[kind], w)
	}
	var wait time.Duration
	switch {
	case errors.Is(err, ErrHang):
		wait, failure = job.Options.Deadline, messages.FailureTimeout
	case s.o.Wait != nil:
		wait = max(0, took)
	case s.o.Latency > 0:
		wait = time.Duration(s.rng.Int64N(int64(s.o.Latency)))
	default:
		s.report(job, reports, 0)
		finish()
		return
	}
	s.report(job, reports, wait)
	e.After("w"+jobKey(job), wait, finish)
}

// report makes a worker's reports arrive in order, at random times while it works. A
// message that may not be a report fails the call.
func (s *Sim) report(job *Job, reports []messages.Message, within time.Duration) {
	e := s.engine
	at := make([]time.Duration, len(reports))
	for i := range at {
		at[i] = time.Duration(s.rng.Int64N(int64(within) + 1))
	}
	slices.Sort(at)
	for i, m := range reports {
		tell := func() { _ = e.Report(job, m) }
		if within == 0 {
			tell()
			continue
		}
		e.After(fmt.Sprintf("p%s\x00%s\x00%d\x00%d", job.Caller, job.ID, job.Attempt, i), at[i], tell)
	}
}

func (s *Sim) worker(kind string) (actors.Worker, error) {
	if idle := s.workers[kind]; len(idle) > 0 {
		s.workers[kind] = idle[:len(idle)-1]
		return idle[len(idle)-1], nil
	}
	return s.engine.e.pools[kind].kind.New()
}

// Inject is Engine.Inject without waiting: the channel gets the result once the
// commit has run.
func (s *Sim) Inject(to messages.Address, msg messages.Message, key string) (<-chan error, error) {
	return s.engine.e.Post("", to, msg, key)
}

// Settle steps until nothing is possible at this moment.
func (s *Sim) Settle() {
	for s.Step() {
	}
}

// Advance settles, and moves the clock from timer to timer until d has passed.
func (s *Sim) Advance(d time.Duration) {
	end := s.clock.Now().Add(d)
	for {
		s.Settle()
		due, ok := s.engine.NextTimer()
		if !ok || due.After(end) {
			break
		}
		if due.After(s.clock.Now()) {
			s.clock.Set(due)
		}
		s.engine.FireTimers()
	}
	s.clock.Set(end)
	s.engine.FireTimers()
	s.Settle()
}

func (s *Sim) tracef(format string, args ...any) {
	if s.o.Trace != nil {
		fmt.Fprintf(s.o.Trace, "%s "+format+"\n", append([]any{s.clock.Now().Format("15:04:05.000")}, args...)...)
	}
}
