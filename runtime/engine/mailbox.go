package engine

import (
	"sync"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Envelope is one delivery.
type Envelope struct {
	ID      string // stays the same when the message is tried again
	From    messages.Address
	To      messages.Address
	Trace   string
	At      time.Time
	Message messages.Message

	receipt     string // store key whose deletion acknowledges; "" if fleeting
	seq         uint64 // of the inbox entry; 0 for timers and calls
	timer       string // key of the timer that fired
	gen         string // of that timer
	call        string // id of the call that this answers
	tag         string
	incarnation uint64 // that a fleeting timer or answer belongs to
	attempt     int    // failures so far, once known
	stored      bool   // came from the store: attempts may be recorded there
	raw         []byte // stored form of a message that cannot be decoded
	bad         error  // why not
}

// Durable reports whether the delivery is acknowledged in the store.
func (e *Envelope) Durable() bool { return e.receipt != "" }

// Overflow says what a full mailbox does with a fleeting message. Durable mail
// is never dropped: what does not fit waits in the store.
type Overflow string

// Policies of a full mailbox.
const (
	DropOldest Overflow = "drop_oldest" // the default: newer messages are worth more
	DropNewest Overflow = "drop_newest"
	Merge      Overflow = "merge" // replace the waiting message of the same type, else drop the oldest
)

// Bounds of a mailbox.
const (
	mailboxWindow   = 256 // durable messages in memory
	mailboxFleeting = 256 // fleeting messages, unless the kind says otherwise
)

// mailbox is an actor's queue: fleeting messages, and a window onto the stored
// inbox. It is safe for concurrent use.
type mailbox struct {
	mu       sync.Mutex
	queue    []Envelope
	retried  []Envelope // tried again before the queue, in order
	durable  int        // inbox entries in queue
	fleeting int
	last     uint64 // highest sequence number queued or loaded
	more     bool   // the store holds entries after last
	limit    int
	overflow Overflow
}

// push queues an envelope and returns the fleeting message that had to go.
func (m *mailbox) push(env Envelope) (lost *Envelope) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if env.seq > 0 {
		if env.seq <= m.last {
			return nil // it came with the reload
		}
		if m.more || m.durable >= mailboxWindow {
			m.more = true
			return nil
		}
		m.last = env.seq
		m.durable++
		m.queue = append(m.queue, env)
		return nil
	}
	if !env.Durable() {
		if m.fleeting >= m.limit {
			return m.makeRoom(env)
		}
		m.fleeting++
	}
	m.queue = append(m.queue, env)
	return nil
}

// makeRoom makes room for a fleeting envelope in a full mailbox, or refuses it.
func (m *mailbox) makeRoom(env Envelope) *Envelope {
	if m.overflow == DropNewest {
		return &env
	}
	if m.overflow == Merge {
		for i := range m.queue {
			if old := m.queue[i]; !old.Durable() && old.Message.MessageType() == env.Message.MessageType() {
				m.queue[i] = env
				return &old
			}
		}
	}
	for i := range m.queue {
		if old := m.queue[i]; !old.Durable() {
			m.queue = append(append(m.queue[:i:i], m.queue[i+1:]...), env)
			return &old
		}
	}
	return &env
}

// loader reads the next n inbox entries after a sequence number, and says whether
// there are more.
type loader func(after uint64, n int) (envs []Envelope, more bool, err error)

// pop takes the next envelope. When the window is empty and the store holds more,
// it loads; load is called with the lock held and must not use the mailbox.
func (m *mailbox) pop(load loader) (env Envelope, ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.retried) > 0 {
		env = m.retried[0]
		m.retried = m.retried[1:]
		return env, true, nil
	}
	if m.durable == 0 && m.more {
		envs, more, err := load(m.last, mailboxWindow)
		if err != nil {
			return Envelope{}, false, err
		}
		m.more = more
		m.durable = len(envs)
		if len(envs) > 0 {
			m.last = envs[len(envs)-1].seq
		}
		m.queue = append(m.queue, envs...)
	}
	if len(m.queue) == 0 {
		return Envelope{}, false, nil
	}
	env = m.queue[0]
	m.queue[0] = Envelope{}
	m.queue = m.queue[1:]
	switch {
	case env.seq > 0:
		m.durable--
	case !env.Durable():
		m.fleeting--
	}
	return env, true, nil
}

// putBack has an envelope tried again before all others.
func (m *mailbox) putBack(env Envelope) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.retried = append([]Envelope{env}, m.retried...)
}

// reload drops all inbox entries from memory, so that they are read again from
// the store. Answers and timers that are not in the inbox stay.
func (m *mailbox) reload() {
	m.mu.Lock()
	defer m.mu.Unlock()
	keep := func(q []Envelope) []Envelope {
		var kept []Envelope
		for _, env := range q {
			if env.seq == 0 {
				kept = append(kept, env)
			}
		}
		return kept
	}
	m.retried, m.queue = keep(m.retried), keep(m.queue)
	m.durable, m.last, m.more = 0, 0, true
}

// clearFleeting drops the fleeting messages and returns how many there were.
func (m *mailbox) clearFleeting() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.fleeting
	var kept []Envelope
	for _, env := range m.queue {
		if env.Durable() {
			kept = append(kept, env)
		}
	}
	m.queue, m.fleeting = kept, 0
	return n
}

// depth counts what waits in memory; more says that the store holds more.
func (m *mailbox) depth() (n int, more bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.queue) + len(m.retried), m.more
}
