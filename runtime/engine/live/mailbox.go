package live

import (
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/kehai-run/kehai/runtime/engine"
)

// wake is the user message that says: there may be something to do.
type wake struct{}

// errExited is the failure of a run that ended its goroutine.
var errExited = errors.New("the goroutine was ended with runtime.Goexit")

// bug is the reason of a failure that is not an *engine.Failure.
type bug struct {
	value any
	stack []byte
}

func (b *bug) String() string {
	if b.value == any(errExited) {
		return errExited.Error()
	}
	return "panic: " + harmless(b.value)
}

const (
	idle int32 = iota
	scheduled
)

// mailbox is the scheduling state of one protoactor. It is an actor.Mailbox.
//
// No wake-up is lost: a run clears woken before it looks for work, and looks at
// woken again after it has declared itself idle.
type mailbox struct {
	invoker    actor.MessageInvoker
	dispatcher actor.Dispatcher
	activity   *activity
	run        func() // process, as one value

	status    atomic.Int32
	ready     atomic.Bool // Start was called
	woken     atomic.Bool
	suspended atomic.Bool
	dead      atomic.Bool // the protoactor stopped: nothing more is handled
	waiting   atomic.Int32

	mu     sync.Mutex
	system []any
	user   []any

	// Only the goroutine that runs the mailbox uses these.
	more    bool // the last wake left something to do
	served  bool // the last one was a user message: a wake comes next
	again   bool // run once more, behind the others
	current any
}

var _ actor.Mailbox = (*mailbox)(nil)

func newMailbox(a *activity) *mailbox {
	m := &mailbox{activity: a}
	m.run = m.process
	return m
}

// PostUserMessage implements [actor.Mailbox]. Wake-ups are merged.
func (m *mailbox) PostUserMessage(msg any) {
	if _, ok := msg.(wake); ok {
		m.wake()
		return
	}
	m.mu.Lock()
	m.user = append(m.user, msg)
	m.mu.Unlock()
	m.waiting.Add(1)
	m.schedule()
}

// PostSystemMessage implements [actor.Mailbox].
func (m *mailbox) PostSystemMessage(msg any) {
	m.mu.Lock()
	m.system = append(m.system, msg)
	m.mu.Unlock()
	m.waiting.Add(1)
	m.schedule()
}

// RegisterHandlers implements [actor.Mailbox].
func (m *mailbox) RegisterHandlers(invoker actor.MessageInvoker, dispatcher actor.Dispatcher) {
	m.invoker, m.dispatcher = invoker, dispatcher
}

// Start implements [actor.Mailbox].
func (m *mailbox) Start() {
	m.ready.Store(true)
	m.schedule()
}

// UserMessageCount implements [actor.Mailbox].
func (m *mailbox) UserMessageCount() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.user)
}

func (m *mailbox) wake() {
	if !m.woken.Swap(true) {
		m.schedule()
	}
}

func (m *mailbox) schedule() {
	if m.ready.Load() && m.due() && m.status.CompareAndSwap(idle, scheduled) {
		m.dispatcher.Schedule(m.run)
	}
}

// due reports whether a run would find something. A message to a suspended
// protoactor may be a system message, so waiting counts both.
func (m *mailbox) due() bool {
	if m.dead.Load() {
		return false
	}
	if m.suspended.Load() {
		m.mu.Lock()
		defer m.mu.Unlock()
		return len(m.system) > 0
	}
	return m.woken.Load() || m.waiting.Load() > 0
}

func (m *mailbox) process() {
	m.activity.begin()
	defer m.settle() // deferred, because the run may end its goroutine
	m.again = false
	m.handle()
}

func (m *mailbox) settle() {
	if !m.again {
		m.status.Store(idle)
		m.schedule()
	} else {
		m.dispatcher.Schedule(m.run)
	}
	m.activity.end()
}

// handle works until the turns of one run are spent. again says that there is more.
func (m *mailbox) handle() {
	finished := false
	defer func() {
		if !finished {
			m.escalate(recover())
		}
	}()
	for turns := m.dispatcher.Throughput(); !m.dead.Load(); {
		if msg, ok := m.next(&m.system); ok {
			m.invokeSystem(msg)
			continue
		}
		if m.suspended.Load() {
			break
		}
		if turns == 0 {
			m.again = m.more || m.due()
			break
		}
		turns--
		if msg, ok := m.nextUser(); ok {
			m.current = msg
			m.invoker.InvokeUserMessage(msg)
			continue
		}
		if !m.woken.Swap(false) && !m.more {
			break
		}
		m.more, m.current = false, wake{}
		m.invoker.InvokeUserMessage(wake{})
	}
	m.current = nil
	finished = true
}

func (m *mailbox) invokeSystem(msg any) {
	m.current = msg
	switch msg.(type) {
	case *actor.SuspendMailbox:
		m.suspended.Store(true)
	case *actor.ResumeMailbox:
		m.suspended.Store(false)
		m.more = true
	default:
		m.invoker.InvokeSystemMessage(msg)
	}
}

// escalate hands a panic to protoactor's supervision, which first suspends this
// mailbox with a system message.
func (m *mailbox) escalate(reason any) {
	switch reason.(type) {
	case *engine.Failure:
	case nil:
		reason = &bug{value: errExited}
	default:
		reason = &bug{value: reason, stack: debug.Stack()}
	}
	m.more, m.again = false, true
	msg := m.current
	m.current = nil
	m.invoker.EscalateFailure(reason, msg)
}

// nextUser alternates with wakes, so that neither starves the other.
func (m *mailbox) nextUser() (any, bool) {
	if m.served && (m.more || m.woken.Load()) {
		m.served = false
		return nil, false
	}
	msg, ok := m.next(&m.user)
	m.served = ok
	return msg, ok
}

func (m *mailbox) next(queue *[]any) (any, bool) {
	if m.waiting.Load() == 0 {
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(*queue) == 0 {
		return nil, false
	}
	msg := (*queue)[0]
	(*queue)[0] = nil
	if *queue = (*queue)[1:]; len(*queue) == 0 {
		*queue = nil // a crowd that was spawned or stopped has left much room
	}
	m.waiting.Add(-1)
	return msg, true
}

// end makes the mailbox of a stopped protoactor ignore everything: a late restart would
// revive it.
func (m *mailbox) end() {
	m.dead.Store(true)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.system, m.user = nil, nil
}
