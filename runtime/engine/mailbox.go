package engine

import (
	"errors"
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
	incarnation uint64            // that a fleeting timer or answer belongs to
	job         *Job              // that a report or a fleeting answer is about
	report      bool              // of the worker; its message is the latest when it is handled
	attempt     int               // failures so far, once known
	deaths      int               // of processes, while it was in hand
	dead        *deadLetterChange // moves to the dead letters when it is handled
	stored      bool              // came from the store: attempts may be recorded there
	size        int               // bytes of the inbox entry
	after       uint64            // the newest inbox entry that was there before it; see mailbox
	raw         []byte            // stored form of a message that cannot be decoded
	bad         error             // why not
	// about is the subject of the request to this answer, if it was a dead letter in
	// between: an answer, and especially a failure, need not say whom it is about.
	about messages.ConversationID
}

// Durable reports whether the delivery is acknowledged in the store.
func (e *Envelope) Durable() bool { return e.receipt != "" }

// counts reports whether the mailbox limits the number of such deliveries. Reports are
// limited by the calls under way.
func (e *Envelope) counts() bool { return !e.Durable() && !e.report }

// Overflow says what a full mailbox does with a fleeting message. Durable mail
// is never dropped: what does not fit waits in the store.
type Overflow string

// Policies of a full mailbox.
const (
	DropOldest Overflow = "drop_oldest" // the default: newer messages are worth more
	DropNewest Overflow = "drop_newest"
	// Merge puts the newer message in place of a waiting one of the same type, or else
	// drops the oldest.
	Merge Overflow = "merge"
)

// Bounds of a mailbox.
const (
	mailboxWindow   = 256     // durable messages in memory
	mailboxBytes    = 4 << 20 // of them; a single larger one is admitted
	mailboxFleeting = 256     // fleeting messages, unless the kind says otherwise
)

// mailbox is an actor's queue: fleeting messages, and a window onto the stored
// inbox. It is safe for concurrent use, but only the goroutine that steps the
// actor may pop and reload.
//
// Messages keep the order in which they were pushed, even while they wait in the store: a
// fleeting message remembers the newest inbox entry before it.
type mailbox struct {
	mu       sync.Mutex
	queue    []Envelope
	space    []Envelope // that queue is a part of
	retried  []Envelope // tried again before the queue, in order
	durable  int        // inbox entries in queue
	bytes    int        // of these entries
	fleeting int
	floor    uint64 // no entry up to it was pushed: they are from before the start
	last     uint64 // highest sequence number queued or loaded
	high     uint64 // highest sequence number pushed
	missed   uint64 // highest sequence number that was pushed while entries were loaded
	more     bool   // the store holds entries after last
	held     bool   // the next of them waits for another program; see errHeld
	closed   bool   // its actor sleeps: nothing is taken any more
	behind   bool   // there was more behind what was popped last; not guarded
	limit    int
	overflow Overflow
}

// abandon closes a mailbox and drops what is in it.
func (m *mailbox) abandon() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed, m.queue, m.retried, m.space = true, nil, nil, nil
	m.durable, m.bytes, m.fleeting, m.more = 0, 0, 0, false
}

// push queues an envelope and returns the fleeting message dropped for it. It returns
// false if the mailbox is closed.
func (m *mailbox) push(env *Envelope) (lost *Envelope, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, false
	}
	if env.seq > 0 {
		m.pushEntry(env)
		return nil, true
	}
	if env.counts() {
		if m.fleeting >= m.limit {
			return m.makeRoom(*env), true
		}
		m.fleeting++
	}
	m.add(env).after = m.high
	return nil, true
}

// add appends an envelope. If the first half of the queue's space is free, the queue
// moves there instead of growing.
func (m *mailbox) add(env *Envelope) *Envelope {
	if n := len(m.queue); n == cap(m.queue) && 2*n <= len(m.space) {
		copy(m.space, m.queue)
		clear(m.space[n:])
		m.queue = m.space[:n]
	}
	room := cap(m.queue)
	m.queue = append(m.queue, *env)
	if cap(m.queue) > room {
		m.space = m.queue[:cap(m.queue)]
	}
	return &m.queue[len(m.queue)-1]
}

// close closes an empty mailbox; it returns false if there is something in it.
func (m *mailbox) close() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.queue) > 0 || len(m.retried) > 0 || m.more {
		return false
	}
	m.closed = true
	return true
}

// pushEntry queues an inbox entry if the window has room for it.
func (m *mailbox) pushEntry(env *Envelope) {
	m.high = max(m.high, env.seq)
	full := m.durable >= mailboxWindow || m.durable > 0 && m.bytes+env.size > mailboxBytes
	switch {
	case env.seq <= m.last: // it came with a load
	case m.more || full:
		m.more, m.missed = true, max(m.missed, env.seq)
	default:
		m.last = env.seq
		m.durable++
		m.bytes += env.size
		m.add(env)
	}
}

// makeRoom makes room for a fleeting envelope in a full mailbox, or refuses it.
func (m *mailbox) makeRoom(env Envelope) *Envelope {
	env.after = m.high
	if m.overflow == DropNewest {
		return &env
	}
	if m.overflow == Merge {
		for i := range m.queue {
			if old := m.queue[i]; old.counts() && old.Message.MessageType() == env.Message.MessageType() {
				env.after = old.after
				m.queue[i] = env
				return &old
			}
		}
	}
	for i := range m.queue {
		if old := m.queue[i]; old.counts() {
			copy(m.queue[1:], m.queue[:i]) // the oldest has few before it
			m.queue[0] = Envelope{}
			m.queue = m.queue[1:]
			m.add(&env)
			return &old
		}
	}
	return &env
}

// errHeld says that the next inbox entry has a message of a type that another program in the
// cluster knows and this one does not: it, and all behind it, wait until one owns the actor that does.
var errHeld = errors.New("engine: waits for a program that knows its type")

// loader reads the inbox entries of a range, and says whether it holds more. With errHeld the entries
// count.
type loader func(inboxRange) (envs []Envelope, more bool, err error)

// inboxRange is a part of a stored inbox.
type inboxRange struct {
	after, upTo uint64 // sequence numbers
	n, bytes    int    // the most to read; a single larger entry is read too
}

// pop takes the next envelope. When the window is empty and the store holds more, it
// loads. Others may push meanwhile, mainly the committer.
func (m *mailbox) pop(load loader) (env Envelope, ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.retried) > 0 {
		m.behind = true
		env = m.retried[0]
		m.retried = m.retried[1:]
		return env, true, nil
	}
	if m.durable == 0 && m.more && !m.held {
		if err := m.load(load); err != nil {
			return Envelope{}, false, err
		}
	}
	if len(m.queue) == 0 {
		return Envelope{}, false, nil
	}
	m.behind = len(m.queue) > 1 || m.more && !m.held
	env = m.queue[0]
	m.queue[0] = Envelope{}
	m.queue = rest(m.queue)
	switch {
	case env.seq > 0:
		m.durable--
		m.bytes -= env.size
	case env.counts():
		m.fleeting--
	}
	return env, true, nil
}

// types lists what waits in memory, in order.
func (m *mailbox) types() (list []messages.Type) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, queue := range [2][]Envelope{m.retried, m.queue} {
		for i := range queue {
			if msg := queue[i].Message; msg != nil {
				list = append(list, msg.MessageType())
			}
		}
	}
	return list
}

// prefer has the first message of a type be popped next, if one waits and nothing is to be tried again.
func (m *mailbox) prefer(t messages.Type) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, env := range m.queue {
		if env.Message != nil && env.Message.MessageType() == t {
			copy(m.queue[1:], m.queue[:i])
			m.queue[0] = env
			return
		}
	}
}

// load fills the empty window. The caller holds the lock, which is released while the
// store is read: entries pushed meanwhile stay in the store. Entries that are stored but
// not pushed yet are left for their push, so that nothing overtakes what their sender
// sent before.
func (m *mailbox) load(load loader) error {
	m.missed = 0
	envs, more, err := m.unlocked(load, inboxRange{m.last, max(m.high, m.floor), mailboxWindow, mailboxBytes})
	if m.held = errors.Is(err, errHeld); err != nil && !m.held {
		return err
	}
	for _, env := range envs {
		m.last = env.seq
		m.bytes += env.size
	}
	m.durable = len(envs)
	m.more = more || m.held || m.missed > m.last
	m.merge(envs)
	return nil
}

func (m *mailbox) unlocked(load loader, r inboxRange) ([]Envelope, bool, error) {
	m.mu.Unlock()
	defer m.mu.Lock()
	return load(r)
}

// merge inserts loaded entries into a queue without any, each before what was pushed
// after it.
func (m *mailbox) merge(entries []Envelope) {
	if len(m.queue) == 0 {
		m.queue = entries
		return
	}
	merged := make([]Envelope, 0, len(m.queue)+len(entries))
	for _, env := range m.queue {
		for len(entries) > 0 && entries[0].seq <= max(env.after, m.floor) {
			merged = append(merged, entries[0])
			entries = entries[1:]
		}
		merged = append(merged, env)
	}
	m.queue = append(merged, entries...)
}

// putBack makes an envelope be tried again before all others.
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
	m.durable, m.bytes, m.last, m.more, m.held = 0, 0, 0, true, false
}

// receipts lists the timers and answers that wait, with the generation of each timer.
func (m *mailbox) receipts() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := map[string]string{}
	for _, queue := range [][]Envelope{m.retried, m.queue} {
		for i := range queue {
			if env := &queue[i]; env.Durable() && env.seq == 0 {
				list[env.receipt] = env.gen
			}
		}
	}
	return list
}

// look makes the store be read for entries, up to a number, that may exist without having
// been pushed. It returns false if the mailbox is closed.
func (m *mailbox) look(upTo uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.more, m.high, m.missed = true, max(m.high, upTo), max(m.missed, upTo)
	return true
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
	return len(m.queue) + len(m.retried), m.more && !m.held
}

// rest is a queue without its first entry. An empty queue keeps its space, since most
// queues hold one entry at a time.
func rest[T any](queue []T) []T {
	if len(queue) == 1 {
		return queue[:0]
	}
	return queue[1:]
}
