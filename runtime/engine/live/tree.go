package live

import (
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// runner does the work of a child: it steps an actor or serves a worker's slot. Its
// methods are called by the goroutine that runs its protoactor, except crashed, which is
// called while that is suspended.
type runner interface {
	// started begins an incarnation; again says that it is not the first.
	started(again bool)
	// wake looks for work and reports whether there may be more.
	wake() (more bool)
	// handle passes a message of the system to the runner, and reports whether the child
	// has ended.
	handle(msg any) (end bool)
	// stopping ends the last incarnation.
	stopping()
	// crashed makes a failure of a panic without one.
	crashed(reason string) *engine.Failure
}

// child is a runner's place in the tree. It outlives the protoactors that run it.
type child struct {
	runner
	addr        messages.Address
	box         atomic.Pointer[mailbox]
	supervision *engine.Supervision
	asleep      atomic.Bool // put to sleep: it is not spawned again
	began       bool        // had an incarnation; the runner's goroutine only
	unhealthy   bool        // ended without being asked to; the supervisor's goroutine only
}

func (s *System) newChild(addr messages.Address) *child {
	c := &child{addr: addr, supervision: s.engine.NewSupervision(addr)}
	c.box.Store(newMailbox(s.activity)) // until it is spawned
	return c
}

func (c *child) post(msg any) { c.box.Load().PostUserMessage(msg) }

// name is the child's name in protoactor, where a slash parts the levels.
func (c *child) name() string { return c.addr.Kind() + ":" + url.PathEscape(c.addr.Key()) }

// addressOf undoes name; anything that is not a child has its id as address.
func addressOf(pid *actor.PID) messages.Address {
	id := pid.GetId()
	kind, key, ok := strings.Cut(id[strings.LastIndexByte(id, '/')+1:], ":")
	if !ok {
		return messages.Address(id)
	}
	if plain, err := url.PathUnescape(key); err == nil {
		key = plain
	}
	return messages.To(kind, key)
}

// incarnation is one protoactor of a child.
type incarnation struct {
	child *child
	box   *mailbox
}

// Receive implements [actor.Actor].
func (s *incarnation) Receive(ctx actor.Context) {
	switch msg := ctx.Message().(type) {
	case wake:
		s.box.more = s.child.wake()
	case *actor.Started:
		again := s.child.began
		s.child.began = true
		s.child.started(again)
	case *actor.Stopping:
		s.child.stopping()
	case *actor.Stopped:
		s.box.end()
	case *actor.Restarting:
	default:
		if s.child.handle(msg) {
			ctx.Stop(ctx.Self())
		}
	}
}

// Messages to a supervisor.
type (
	spawn struct{ child *child }
	end   struct{} // stop, children first
)

// doze asks the runner of an actor to sleep.
type doze struct{}

// supervisor spawns children, restarts them and spawns them again.
type supervisor struct {
	sys      *System
	name     string
	box      *mailbox
	first    []*child // spawned at the start
	children map[string]*child
	next     map[string]*child // to be spawned once the child of that name has stopped
	ended    atomic.Bool
	down     chan struct{} // closed when everything below has stopped
}

func (s *System) newSupervisor(name string) *supervisor {
	return &supervisor{
		sys: s, name: name, box: newMailbox(s.activity), children: map[string]*child{},
		next: map[string]*child{}, down: make(chan struct{}),
	}
}

var (
	_ actor.Actor              = (*supervisor)(nil)
	_ actor.SupervisorStrategy = (*supervisor)(nil)
)

// Receive implements [actor.Actor].
func (v *supervisor) Receive(ctx actor.Context) {
	switch msg := ctx.Message().(type) {
	case *actor.Started:
		for _, c := range v.first {
			v.spawn(ctx, c)
		}
	case spawn:
		v.spawn(ctx, msg.child)
	case *actor.Terminated: // the parent is told without watching
		v.terminated(ctx, msg.Who)
	case end:
		ctx.Stop(ctx.Self())
	case *actor.Stopping:
		v.ended.Store(true)
	case *actor.Stopped:
		v.box.end()
		close(v.down)
	}
}

func (v *supervisor) spawn(ctx actor.Context, c *child) {
	if v.ended.Load() {
		return // protoactor would wait for it and never stop
	}
	id := ctx.Self().Id + "/" + c.name()
	if old := v.children[id]; old != nil && old != c { // it has gone to sleep, and stops
		v.next[id] = c
		return
	}
	box := newMailbox(v.sys.activity)
	box.woken.Store(true) // an earlier mailbox may have been woken in vain
	props := actor.PropsFromProducer(func() actor.Actor { return &incarnation{child: c, box: box} },
		actor.WithMailbox(func() actor.Mailbox { return box }), actor.WithDispatcher(v.sys.dispatcher))
	c.box.Store(box)
	pid, err := ctx.SpawnNamed(props, c.name())
	if err != nil {
		v.sys.log.Error().Str("error", v.sys.masked(c.addr, err.Error())).Str("actor", v.sys.o.Name(c.addr)).
			Msg("spawn failed; it is tried again")
		v.spawnLater(c, "spawn failed: "+err.Error())
		return
	}
	v.children[pid.Id] = c
	if c.unhealthy {
		c.unhealthy = false
		v.sys.engine.Unhealthy(c.addr, "")
	}
}

// terminated spawns a child again that ended without being asked to, or the next one of
// its name.
func (v *supervisor) terminated(ctx actor.Context, who *actor.PID) {
	if left := ctx.Children(); len(left) < cap(left) { // the list itself, whose former last entry is still there
		left[:len(left)+1][len(left)] = nil
	}
	c, next := v.children[who.Id], v.next[who.Id]
	delete(v.children, who.Id)
	delete(v.next, who.Id)
	switch {
	case next != nil:
		v.spawn(ctx, next)
	case c != nil && !c.asleep.Load() && !v.ended.Load():
		v.spawnLater(c, "ended without being asked to")
	}
}

func (v *supervisor) spawnLater(c *child, reason string) {
	c.unhealthy = true
	v.sys.engine.Unhealthy(c.addr, reason)
	f := c.supervision.Failed(reason)
	v.sys.engine.After(v.name+" spawn "+string(c.addr), f.Delay, func() { v.box.PostUserMessage(spawn{c}) })
}

// HandleFailure implements [actor.SupervisorStrategy]: the child stays suspended
// for the failure's delay and is then restarted. The engine keeps the budget; a
// spent one never stops the child.
func (v *supervisor) HandleFailure(
	_ *actor.ActorSystem, parent actor.Supervisor, pid *actor.PID, _ *actor.RestartStatistics, reason, _ any,
) {
	c := v.children[pid.Id]
	if c == nil || v.ended.Load() {
		return
	}
	failure, ok := reason.(*engine.Failure)
	if !ok {
		v.sys.logBug(c.addr, reason)
		failure = c.crashed(fmt.Sprint(reason))
	}
	v.sys.engine.After(v.name+" restart "+string(c.addr), failure.Delay, func() {
		if !v.ended.Load() {
			parent.RestartChildren(pid)
		}
	})
}

// guardian is the root. A restart cannot repair a supervisor, which has no state, and
// would stop its children. So the guardian makes a failed supervisor continue with its
// next message.
type guardian struct {
	sys  *System
	box  *mailbox
	down chan struct{}
}

// Receive implements [actor.Actor].
func (g *guardian) Receive(ctx actor.Context) {
	switch ctx.Message().(type) {
	case *actor.Started:
		g.spawnSupervisor(ctx, g.sys.workers)
		g.spawnSupervisor(ctx, g.sys.actors)
	case end:
		ctx.Stop(ctx.Self())
	case *actor.Stopped:
		g.box.end()
		close(g.down)
	}
}

func (g *guardian) spawnSupervisor(ctx actor.Context, v *supervisor) {
	if _, err := ctx.SpawnNamed(propsOf(v, v.box, g.sys.dispatcher), v.name); err != nil {
		panic("live: spawn " + v.name + ": " + err.Error()) // the names are ours alone
	}
}

// HandleFailure implements [actor.SupervisorStrategy], for supervisors and, as the
// strategy above the root, for the guardian itself.
func (g *guardian) HandleFailure(
	_ *actor.ActorSystem, parent actor.Supervisor, pid *actor.PID, _ *actor.RestartStatistics, reason, _ any,
) {
	g.sys.logBug(messages.Address(pid.Id), reason)
	parent.ResumeChildren(pid)
}

func propsOf(a actor.Actor, box *mailbox, d actor.Dispatcher) *actor.Props {
	return actor.PropsFromProducer(func() actor.Actor { return a },
		actor.WithMailbox(func() actor.Mailbox { return box }), actor.WithDispatcher(d))
}

// actorRunner steps one actor.
type actorRunner struct {
	sys    *System
	engine engine.Control
	act    *engine.Activation
	self   *child
}

func (r *actorRunner) started(again bool) {
	if again {
		r.engine.Restart(r.act)
	}
}

func (r *actorRunner) wake() (more bool) {
	progress, failure := r.engine.Step(r.act)
	if failure != nil {
		panic(failure)
	}
	if progress == engine.Idle && r.act.Asleep() { // another node has the actor
		r.self.post(doze{})
	}
	return progress == engine.Stepped && r.act.More()
}

// handle takes doze. Once the actor is asleep nobody finds its child any more.
func (r *actorRunner) handle(any) (end bool) {
	if !r.act.Asleep() && !r.engine.Sleep(r.act, r.engine.IdleAfter()) {
		return false
	}
	r.self.asleep.Store(true)
	r.sys.children.Delete(r.act)
	return true
}

func (r *actorRunner) stopping() {}

func (r *actorRunner) crashed(reason string) *engine.Failure { return r.engine.Crash(r.act, reason) }
