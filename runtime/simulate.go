package runtime

import (
	"context"
	"errors"
	"strconv"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/names"
)

// Simulation is a runtime in virtual time, on the goroutine of its caller; see
// [Runtime.Simulate].
type Simulation struct {
	*engine.Sim
	r *Runtime
}

// Simulate takes the place of Run in replays and tests: it runs the actors of r by the clock and the
// seed of an [engine.Sim]. Nothing else runs, neither subscriptions nor services. From o it uses Seed,
// Start, Divert, Latency, Wait, Turns and Trace, and from o.Engine the Store, which stays open; everything else
// is the runtime's. The caller closes the simulation.
func (r *Runtime) Simulate(o engine.SimOptions) (*Simulation, error) {
	if err := r.core.Begin(); err != nil {
		return nil, err
	}
	r.runs(&o)
	s := &Simulation{r: r}
	var err error
	if s.Sim, err = engine.NewSim(o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	r.clock = s.Now
	if err := r.record(nil); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	r.admin.Memory.Open(admin.Remembered{Engine: s.Control().Engine()})
	return s, nil
}

// Join takes the place of Run in testkit.SimulateCluster, and is for it alone: r becomes the process of
// one simulated machine. Join puts what r is made of into o. The caller builds the machine's engine
// from o, hands it to loaded, and calls end when the process stops or dies. barrier is
// [engine.Replica.Barrier] of the machine.
func (r *Runtime) Join(o *engine.SimOptions, barrier func(context.Context) error) (
	loaded func(*engine.Engine) error, end func() error, err error) {
	if err := r.core.Begin(); err != nil {
		return nil, nil, err
	}
	r.runs(o)
	r.clock, r.barrier = o.Now, barrier
	return func(e *engine.Engine) error {
		r.admin.Engine = func() (*engine.Engine, error) { return e, nil }
		r.admin.Memory.Open(admin.Remembered{Engine: e})
		return nil
	}, r.simulated, nil
}

// runs has a simulation run what r is made of.
func (r *Runtime) runs(o *engine.SimOptions) {
	r.admin.Live.Played = true
	o.Engine.Codec, o.Engine.Kinds, o.Engine.Workers, o.Activate = r.core.Codec, r.plan.kinds,
		r.plan.workers, r.plan.activate
	o.Engine.MinFree = uint64(r.cfg.Store.MinFree)
	o.Engine.Listener = func(ev Event) {
		for _, fn := range r.plan.listeners {
			fn(ev)
		}
	}
	if seed := o.Seed; r.set.seed == "" {
		r.seed = func() string { return strconv.FormatUint(seed, 16) }
	}
}

// Close frees what New opened.
func (s *Simulation) Close() error { return s.r.simulated() }

// simulated ends a simulation of r.
func (r *Runtime) simulated() error {
	r.admin.Memory.Close()
	r.core.End()
	return r.plan.close()
}

// Sending is [Runtime.Sending]; it steps until all readers have the text.
func (s *Simulation) Sending(c messages.ConversationID, text messages.Text, trace string) error {
	app, name, err := names.Resolve(s.Control().Engine(), s.r.cfg.Apps(), &c)
	if err == nil && name != "" {
		c, err = s.Conversation(app, name)
	}
	if err != nil {
		return err
	}
	return s.r.sending(c, text, trace, s.Deliver)
}

// Conversation is [Runtime.Conversation]; it steps until the id is stored.
func (s *Simulation) Conversation(app, name string) (messages.ConversationID, error) {
	return s.r.admin.Book.IntroduceStepping(s.Control().Engine(), app, name, s.Deliver, s.Step)
}

// Called is what people call a conversation, as "line:Hana"; its id if it has no
// name.
func (s *Simulation) Called(c messages.ConversationID) string {
	if label := s.r.admin.Book.Label(s.Control().Engine(), c); label != "" {
		return label
	}
	return string(c)
}

// Deliver is [Runtime.Inject] without a key; it steps until the message is stored.
func (s *Simulation) Deliver(to messages.Address, m messages.Message) error {
	done, err := s.Inject(to, m, "")
	for err == nil {
		select {
		case err := <-done:
			return err
		default:
		}
		if !s.Step() {
			err = errors.New("runtime: simulate: the store takes nothing")
		}
	}
	return err
}
