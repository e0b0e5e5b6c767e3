package actortest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// T is what the kit needs from a test; *testing.T, *testing.B and rapid's T have it.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Harness runs one actor. It is for one goroutine.
type Harness struct {
	t     T
	o     options
	make  func(messages.Address) actors.Actor
	codec *messages.Codec
	clock *engine.ManualClock

	engine  engine.Control
	act     *engine.Activation
	ready   bool
	resting bool
	queue   []bool // what waits for the committer, oldest first: true for a turn

	turn        messages.Message // the last one the actor received, nil if it received none in this step
	stack       string           // of the panic that failed it
	posting     bool             // deliver what the test sends, not what the actor sends
	expected    []string         // announced failures
	failCommit  bool
	crashCommit bool

	seen seen
	open []*engine.Job // calls without an answer, oldest first
	said []Sent        // by partners, to be delivered
}

// seen is what happened and was not asked for yet.
type seen struct {
	sent      []Sent
	calls     []Call
	cancelled []Call
	published []messages.Message
	dropped   []events.Dropped
	lost      []events.MessageOverflowed
	reported  []messages.Message
	commits   int
}

type options struct {
	address messages.Address
	tables  []messages.Table
	start   time.Time
	store   engine.Store
	// partners answer what is sent to actors of a kind
	partners map[string]func(messages.Message) messages.Message
	sealer   engine.Sealer
	subject  func(row string, value []byte) messages.ConversationID
}

// Option changes how Spawn sets up a harness.
type Option func(*options)

// Address names the actor; without it, it is "actor/test".
func Address(a messages.Address) Option { return func(o *options) { o.address = a } }

// WithMessages adds message types to those of messages.Core.
func WithMessages(t messages.Table) Option {
	return func(o *options) { o.tables = append(o.tables, t) }
}

// Start sets the virtual time; without it, it is 2026-01-01 00:00 UTC.
func Start(at time.Time) Option { return func(o *options) { o.start = at } }

// Store sets the store; without it, it is a new one in memory. Give a harness
// the store of an earlier one to test an upgrade.
func Store(s engine.Store) Option { return func(o *options) { o.store = s } }

// Partner stands in for the actors of a kind. answer is called with each message sent to
// them, and what it returns, if anything, comes back once the actor rests. Such messages
// do not appear in [Harness.Sent]. A crash loses an answer under way.
func Partner(kind string, answer func(messages.Message) messages.Message) Option {
	return func(o *options) {
		if o.partners == nil {
			o.partners = map[string]func(messages.Message) messages.Message{}
		}
		o.partners[kind] = answer
	}
}

// Sealed makes the store sealed.
func Sealed(s engine.Sealer) Option { return func(o *options) { o.sealer = s } }

// Spawn sets up an actor. It gets messages.Started before its first message,
// or with [Harness.Start].
func Spawn(t T, constructor func(messages.Address) actors.Actor, opts ...Option) *Harness {
	t.Helper()
	o := options{
		address: "actor/test",
		tables:  []messages.Table{events.Core()},
		start:   time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	for _, opt := range opts {
		opt(&o)
	}
	if o.store == nil {
		o.store = mem.New()
	}
	codec, err := messages.NewCodec(o.tables...)
	if err != nil {
		t.Fatalf("actortest: %v", err)
	}
	if err := o.address.Validate(); err != nil {
		t.Fatalf("actortest: %v", err)
	}
	h := &Harness{t: t, o: o, make: constructor, codec: codec, clock: engine.NewManualClock(o.start)}
	h.boot()
	t.Cleanup(h.finish)
	h.settle()
	return h
}

// boot starts an engine over the store.
func (h *Harness) boot() {
	h.t.Helper()
	h.act, h.ready, h.resting, h.queue, h.open, h.said = nil, false, false, nil, nil, nil
	e, err := engine.New(engine.Options{
		Store: faulty{h.o.store, h}, Sealer: h.o.sealer, Codec: h.codec, Clock: h.clock, Driver: driver{h},
		Kinds:    []engine.Kind{{Name: h.o.address.Kind(), New: h.construct, SubjectOf: h.o.subject}},
		Listener: h.listen, Rand: rand.New(rand.NewPCG(1, 1)), MinFree: engine.DefaultMinFree,
	})
	if err != nil {
		h.t.Fatalf("actortest: %v", err)
	}
	h.engine = e.Control()
	h.engine.Divert(h.divert, h.divertCall)
	h.engine.Background(func(fn func()) { fn() })
	if err := h.engine.Recover(); err != nil {
		h.t.Fatalf("actortest: %v", err)
	}
}

// construct wraps the actor, to know which message it received.
func (h *Harness) construct(a messages.Address) actors.Actor {
	inner := h.make(a)
	return actors.Func(func(turn *actors.Turn, msg messages.Message) error {
		h.turn = msg
		return inner.Receive(turn, msg)
	})
}

// finish fails the test for what was announced and did not happen.
func (h *Harness) finish() {
	h.t.Helper()
	for _, want := range h.expected {
		h.t.Errorf("WantFailure(%q): no turn failed", want)
	}
	if h.failCommit {
		h.t.Errorf("FailNextCommit: no turn needed a commit after it")
	}
	if h.crashCommit {
		h.t.Errorf("CrashBeforeCommit: no turn ran after it")
	}
}

// driver notes that the actor has something to do; the harness runs it.
type driver struct{ h *Harness }

func (d driver) Wake(act *engine.Activation) {
	if act.Address() == d.h.o.address {
		d.h.act, d.h.ready = act, true
	}
}

func (driver) WakeWorkers(string) {}

// faulty is the store as the engine sees it.
type faulty struct {
	engine.Store
	h *Harness
}

var errCommit = errors.New("actortest: this commit was made to fail")

func (s faulty) Apply(ops []engine.Op, sync bool) error {
	if len(s.h.queue) == 0 || !s.h.queue[0] {
		return s.Store.Apply(ops, sync) // not the actor's
	}
	if s.h.failCommit {
		s.h.failCommit = false
		return errCommit
	}
	s.h.seen.commits++
	return s.Store.Apply(ops, sync)
}

// divert captures what the actor sends; only mail to itself is delivered.
func (h *Harness) divert(env engine.Envelope) bool {
	if answer := h.o.partners[env.To.Kind()]; answer != nil && env.From == h.o.address && !h.posting {
		if m := answer(env.Message); m != nil {
			h.said = append(h.said, Sent{To: env.To, Message: m})
		}
		return true
	}
	if env.From == h.o.address && !h.posting {
		h.seen.sent = append(h.seen.sent, Sent{To: env.To, Message: env.Message})
		if env.Durable() {
			h.checkStored(env)
		}
	}
	return env.To != h.o.address
}

// checkStored fails the test if a durable message would differ after a crash, for example
// because of an unexported field.
func (h *Harness) checkStored(env engine.Envelope) {
	h.t.Helper()
	raw, err := h.codec.Encode(env.Message)
	if err == nil {
		var again messages.Message
		if again, err = h.codec.Decode(raw); err == nil {
			if d := diff(again, env.Message); d != "" {
				err = fmt.Errorf("it is not the same after it was stored and read: %s", d)
			}
		}
	}
	if err != nil {
		h.t.Errorf("durable %T sent to %s: %v", env.Message, env.To, err)
	}
}

// divertCall keeps a call open. After a failed commit the engine asks the durable calls
// in the store again; a call that is open is not duplicated.
func (h *Harness) divertCall(job *engine.Job) bool {
	for _, known := range h.open {
		if known.ID == job.ID {
			return true
		}
	}
	h.open = append(h.open, job)
	h.seen.calls = append(h.seen.calls, callOf(job))
	return true
}

func (h *Harness) listen(p engine.Published) {
	h.t.Helper()
	if p.From != "" {
		h.seen.published = append(h.seen.published, p.Message)
		return
	}
	h.seen.reported = append(h.seen.reported, p.Message)
	switch m := p.Message.(type) {
	case events.Dropped:
		if m.Actor == h.o.address {
			h.seen.dropped = append(h.seen.dropped, m)
		}
	case events.MessageOverflowed:
		h.seen.lost = append(h.seen.lost, m)
	case events.MessageFailed:
		h.stack = m.Stack
	}
}
