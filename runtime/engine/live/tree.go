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

// leaf is what a child of a branch does: a cell or a worker's slot. Its methods
// are called by the goroutine that runs its protoactor, except crashed, which
// is called while that is suspended.
type leaf interface {
	// started begins an incarnation; again says that it is not the first.
	started(again bool)
	// wake looks for work and reports whether there may be more.
	wake() (more bool)
	// handle takes a message that the leaf has sent to itself.
	handle(msg any)
	// stopping ends the last incarnation.
	stopping()
	// crashed makes a failure of a panic that came with none.
	crashed(reason string) *engine.Failure
}

// child is a leaf's place in the tree. It outlives protoactors.
type child struct {
	leaf
	addr   messages.Address
	box    atomic.Pointer[mailbox]
	deaths *engine.Supervision
	began  bool // had an incarnation; the leaf's goroutine only
	ill    bool // ended without being asked to; the branch's goroutine only
}

func (s *System) newChild(addr messages.Address) *child {
	c := &child{addr: addr, deaths: s.engine.NewSupervision(addr)}
	c.box.Store(newMailbox(s.activity)) // until it is spawned
	return c
}

func (c *child) post(msg any) { c.box.Load().PostUserMessage(msg) }

// name is the child's name in protoactor, where a slash parts the levels.
func (c *child) name() string { return c.addr.Kind() + ":" + url.PathEscape(c.addr.Key()) }

// addressOf undoes name; what is no child has its id for an address.
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

// shell is one protoactor of a child.
type shell struct {
	child *child
	box   *mailbox
}

// Receive implements [actor.Actor].
func (s *shell) Receive(ctx actor.Context) {
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
		s.child.handle(msg)
	}
}

// Messages to a branch.
type (
	spawn struct{ child *child }
	end   struct{} // stop, children first
)

// branch is a guardian: it spawns children and is their supervision.
type branch struct {
	sys      *System
	name     string
	box      *mailbox
	first    []*child // spawned at the start
	children map[string]*child
	ended    atomic.Bool
	down     chan struct{} // closed when everything below has stopped
}

func (s *System) newBranch(name string) *branch {
	return &branch{sys: s, name: name, box: newMailbox(s.activity), children: map[string]*child{}, down: make(chan struct{})}
}

var (
	_ actor.Actor              = (*branch)(nil)
	_ actor.SupervisorStrategy = (*branch)(nil)
)

// Receive implements [actor.Actor].
func (b *branch) Receive(ctx actor.Context) {
	switch msg := ctx.Message().(type) {
	case *actor.Started:
		for _, c := range b.first {
			b.spawn(ctx, c)
		}
	case spawn:
		b.spawn(ctx, msg.child)
	case *actor.Terminated: // the parent is told without watching
		b.terminated(msg.Who)
	case end:
		ctx.Stop(ctx.Self())
	case *actor.Stopping:
		b.ended.Store(true)
	case *actor.Stopped:
		b.box.end()
		close(b.down)
	}
}

func (b *branch) spawn(ctx actor.Context, c *child) {
	if b.ended.Load() {
		return // protoactor would wait for it and never stop
	}
	box := newMailbox(b.sys.activity)
	box.woken.Store(true) // whatever was said to an earlier mailbox
	props := actor.PropsFromProducer(func() actor.Actor { return &shell{child: c, box: box} },
		actor.WithMailbox(func() actor.Mailbox { return box }), actor.WithDispatcher(b.sys.dispatcher))
	c.box.Store(box)
	pid, err := ctx.SpawnNamed(props, c.name())
	if err != nil {
		b.sys.log.Error().Str("error", b.sys.masked(c.addr, err.Error())).Str("actor", b.sys.o.Name(c.addr)).Msg("spawn failed; it is tried again")
		b.later(c, "spawn failed: "+err.Error())
		return
	}
	b.children[pid.Id] = c
	if c.ill {
		c.ill = false
		b.sys.engine.Unhealthy(c.addr, "")
	}
}

// terminated spawns a child again that ended without being asked to.
func (b *branch) terminated(who *actor.PID) {
	c := b.children[who.Id]
	delete(b.children, who.Id)
	if c != nil && !b.ended.Load() {
		b.later(c, "ended without being asked to")
	}
}

func (b *branch) later(c *child, reason string) {
	c.ill = true
	b.sys.engine.Unhealthy(c.addr, reason)
	f := c.deaths.Failed(reason)
	b.sys.engine.After(b.name+" spawn "+string(c.addr), f.Delay, func() { b.box.PostUserMessage(spawn{c}) })
}

// HandleFailure implements [actor.SupervisorStrategy]: the child stays
// suspended for the failure's delay and is then restarted. The budget is the
// engine's; it never ends in a stop.
func (b *branch) HandleFailure(_ *actor.ActorSystem, supervisor actor.Supervisor, pid *actor.PID, _ *actor.RestartStatistics, reason, _ any) {
	c := b.children[pid.Id]
	if c == nil || b.ended.Load() {
		return
	}
	failure, ok := reason.(*engine.Failure)
	if !ok {
		b.sys.logBug(c.addr, reason)
		failure = c.crashed(fmt.Sprint(reason))
	}
	b.sys.engine.After(b.name+" restart "+string(c.addr), failure.Delay, func() {
		if !b.ended.Load() {
			supervisor.RestartChildren(pid)
		}
	})
}

// trunk is the root guardian. A branch has no state that a restart could mend,
// and a restart would stop its children, so a branch that failed goes on with
// its next message.
type trunk struct {
	sys  *System
	box  *mailbox
	down chan struct{}
}

// Receive implements [actor.Actor].
func (t *trunk) Receive(ctx actor.Context) {
	switch ctx.Message().(type) {
	case *actor.Started:
		t.grow(ctx, t.sys.workers)
		t.grow(ctx, t.sys.cells)
	case end:
		ctx.Stop(ctx.Self())
	case *actor.Stopped:
		t.box.end()
		close(t.down)
	}
}

func (t *trunk) grow(ctx actor.Context, b *branch) {
	if _, err := ctx.SpawnNamed(propsOf(b, b.box, t.sys.dispatcher), b.name); err != nil {
		panic("live: spawn " + b.name + ": " + err.Error()) // the names are ours alone
	}
}

// HandleFailure implements [actor.SupervisorStrategy], for branches and, as the
// strategy above the root, for the trunk itself.
func (t *trunk) HandleFailure(_ *actor.ActorSystem, supervisor actor.Supervisor, pid *actor.PID, _ *actor.RestartStatistics, reason, _ any) {
	t.sys.logBug(messages.Address(pid.Id), reason)
	supervisor.ResumeChildren(pid)
}

func propsOf(a actor.Actor, box *mailbox, d actor.Dispatcher) *actor.Props {
	return actor.PropsFromProducer(func() actor.Actor { return a },
		actor.WithMailbox(func() actor.Mailbox { return box }), actor.WithDispatcher(d))
}

// cellLeaf steps one cell.
type cellLeaf struct {
	engine *engine.Engine
	cell   *engine.Cell
}

func (l *cellLeaf) started(again bool) {
	if again {
		l.engine.Restart(l.cell)
	}
}

func (l *cellLeaf) wake() (more bool) {
	progress, failure := l.engine.Step(l.cell)
	if failure != nil {
		panic(failure)
	}
	return progress == engine.Stepped
}

func (l *cellLeaf) handle(any) {}

func (l *cellLeaf) stopping() {}

func (l *cellLeaf) crashed(reason string) *engine.Failure { return l.engine.Crash(l.cell, reason) }
