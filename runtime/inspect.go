package runtime

import (
	"os"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/web"
)

// Inspect describes the runtime at this moment. It works in every state.
func (r *Runtime) Inspect() control.Status {
	e, started := r.core.Now()
	s := control.Status{
		Running: e != nil, Version: r.set.version, Node: r.cfg.Node, PID: os.Getpid(),
		StartedAt: control.Stamp{Time: started}, Problems: r.core.Health.Problems(),
		Captures: control.CapturesOf(r.core.Health.Captures()),
		Windows:  r.plan.windows, Typists: r.plan.drivers.Typists,
	}
	if page := r.pageNow(); page != nil {
		s.Page = "http://" + page.Addr() + "/"
	}
	if s.Running && r.plan.llm != nil {
		s.LLM = r.plan.llm()
	}
	s.Recording = r.recordingNow()
	if s.Running {
		s.Actors, s.Pools = e.Actors(), e.Pools()
		r.admin.Describe(&s)
	}
	s.Healthy = s.Running && len(s.Problems) == 0
	return s
}

// Healthy returns nil while the runtime takes calls and nothing is known to be wrong:
// no actor has spent its restart budget, changes are stored, there is space, text
// can be read, windows can be captured and say whose conversation they show, and
// actors send only to kinds that there are.
// Otherwise the error lists what is wrong; it is [ErrNotRunning] before the store is
// open, and as soon as it is about to be closed.
func (r *Runtime) Healthy() error { return r.core.Healthy() }

// listen is the engine's listener: it hands every event on and keeps what
// Healthy needs.
func (r *Runtime) listen(ev Event) { r.core.Listen(ev, func() { r.tell(ev) }) }

func (r *Runtime) tell(ev Event) {
	for _, fn := range r.plan.listeners {
		fn(ev)
	}
	page := r.pageNow()
	if page == nil {
		return
	}
	if m, ok := ev.Message.(events.FrameSeen); ok {
		shaded, _ := r.seen.Shaded(m)
		ev = Event{From: ev.From, Trace: ev.Trace, At: ev.At, Message: shaded}
	}
	page.Listen(ev)
}

// committed is called for each commit that succeeded.
func (r *Runtime) committed(turns, ops int) {
	r.metrics.OnCommit(turns, ops)
	r.core.Health.Committed()
}

func (r *Runtime) inspectForMetrics() ([]engine.ActorInfo, []engine.PoolInfo) {
	e, err := r.core.Engine()
	if err != nil {
		return nil, nil
	}
	return e.Actors(), e.Pools()
}

// Backend answers the questions of the command line and the page. Its methods
// return [ErrNotRunning] before and after Run.
func (r *Runtime) Backend() control.Backend { return r.admin }

// forgetSeen drops all that is kept in memory of what was on the screen.
func (r *Runtime) forgetSeen() {
	r.seen.Forget()
	r.plan.readings.Clear()
	if rec := r.set.taps.Now(); rec != nil {
		rec.Forgotten()
	}
	if page := r.pageNow(); page != nil {
		page.Forget()
	}
}

// pageNow is the live page, nil while there is none.
func (r *Runtime) pageNow() *web.Server {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.page
}

// LogName is how the log writes a conversation unless debug.text is set, for
// example "line:#4f1c9b02aa17e3d5". It is the same after a restart. Call it when
// the runtime is ready.
func (r *Runtime) LogName(c messages.ConversationID) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.names.Hidden(c)
}
