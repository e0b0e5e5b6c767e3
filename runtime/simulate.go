package runtime

import (
	"errors"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Simulation is a runtime in virtual time, on the goroutine of its caller; see
// [Runtime.Simulate].
type Simulation struct {
	*engine.Sim
	r *Runtime
}

// Simulate takes the place of Run in a replay or a test: it runs the actors of r
// by the clock and the seed of an [engine.Sim]. Nothing else runs, neither
// subscriptions nor services. Of o it uses Seed, Start, Divert, Latency and Trace,
// and of o.Engine the Store, which stays open; the rest is the runtime's. The
// caller closes the simulation.
func (r *Runtime) Simulate(o engine.SimOptions) (*Simulation, error) {
	if err := r.begin(); err != nil {
		return nil, err
	}
	o.Engine.Codec, o.Engine.Kinds, o.Engine.Workers, o.Activate = r.codec, r.plan.kinds,
		r.plan.workers, r.plan.activate
	o.Engine.Listener = func(ev Event) {
		for _, fn := range r.plan.listeners {
			fn(ev)
		}
	}
	s := &Simulation{r: r}
	var err error
	if s.Sim, err = engine.NewSim(o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	r.clock = s.Now
	return s, nil
}

// Close frees what New opened.
func (s *Simulation) Close() error { return s.r.end() }

// Sending is [Runtime.Sending]; it steps until all who read have the text.
func (s *Simulation) Sending(c messages.ConversationID, text messages.Text, trace string) error {
	return s.r.sending(c, text, trace, s.Deliver)
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
