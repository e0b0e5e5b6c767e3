package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// pendingCommit waits in the committer's queue: a *turn, a *hostRequest or an
// *exclusive.
type pendingCommit interface {
	// writes is what it adds to a batch; nil if it has to be alone.
	writes() *changes
	// committed is called once the batch is in the store.
	committed(*Engine)
	// refused is called instead when it is not, and will not be.
	refused(*Engine, error)
}

// changes are what a pending commit writes. They are complete but for the
// sequence numbers, which the committer gives out when it joins a batch.
type changes struct {
	ops      []Op // under their final keys
	mail     []storedMail
	events   []storedEvent
	verdicts []events.Verdict
	dead     *deadLetterChange
	size     int // in bytes, about; see measure
}

// storedMail is a durable message to an actor.
type storedMail struct {
	env    Envelope // without its number
	record []byte
	seq    uint64
	index  int // in the outcome of its turn; -1 for a host's
}

// storedEvent is a durable event.
type storedEvent struct {
	record []byte
	seq    uint64
	index  int // in the outcome of its turn
}

// deadLetterChange is a message that moves to the dead letters.
type deadLetterChange struct {
	record   deadRecord
	typeName string
	seq      uint64
}

// measure estimates how much a batch grows by the changes.
func (w *changes) measure() int {
	w.size = 0
	for _, op := range w.ops {
		w.size += len(op.Key) + len(op.Value)
	}
	for _, m := range w.mail {
		w.size += len(m.env.To) + len(m.record) + 16
	}
	for _, ev := range w.events {
		w.size += len(ev.record) + 16
	}
	for _, v := range w.verdicts {
		w.size += len(v.Detail.Note) + len(v.Reason) + 400 + 8*(len(v.Detail.Occurrences)+len(v.Detail.Known))
	}
	if w.dead != nil {
		r := &w.dead.record
		w.size += len(r.Msg) + len(r.Raw) + len(r.Error) + len(r.Stack) + 256
	}
	return w.size
}

// turn is the result of handling one message: an outcome, the record of a failed
// attempt, or the move to the dead letters. Only the first has an out.
type turn struct {
	act         *Activation
	generation  uint64 // of the activation; if that has risen, the turn is void
	incarnation uint64
	cause       actors.Cause
	out         *actors.Outcome
	durable     bool // it writes something
	done        bool // committed, or nothing to commit; guarded by act.mu
	changes
}

func (t *turn) writes() *changes { return &t.changes }

// void reports whether the turn was taken back.
func (t *turn) void() bool {
	t.act.mu.Lock()
	defer t.act.mu.Unlock()
	return t.act.generation != t.generation
}

func (t *turn) committed(e *Engine) {
	t.act.mu.Lock()
	t.done = true
	t.act.mu.Unlock()
	e.releaseReady(t.act)
}

// refused takes the turn back, and with it every later one of the same actor.
func (t *turn) refused(e *Engine, err error) {
	t.act.mu.Lock()
	if t.act.generation == t.generation {
		t.act.takeBack()
		t.act.becomeStale(err)
	}
	t.act.mu.Unlock()
	e.driver.Wake(t.act)
}

// hostRequest is a change that a host asks for.
type hostRequest struct {
	once     string // key that makes it count once; "": it always counts
	needs    string // key without which it is refused with missing; "": none
	missing  error
	finished func(error) // called once
	changes
}

func (r *hostRequest) writes() *changes { return &r.changes }

func (r *hostRequest) committed(e *Engine) {
	for _, m := range r.mail {
		e.deliverStored(m)
	}
	r.finished(nil)
}

func (r *hostRequest) refused(_ *Engine, err error) { r.finished(err) }

// exclusive is an operation that writes the store by itself. The committer runs
// it alone, so that nothing else is written meanwhile.
type exclusive struct {
	run      func() error
	finished func(error) // called once
}

func (x *exclusive) writes() *changes             { return nil }
func (x *exclusive) committed(*Engine)            { x.finished(nil) }
func (x *exclusive) refused(_ *Engine, err error) { x.finished(err) }

// request hands a host's change to the committer and waits for it.
func (e *Engine) request(ctx context.Context, r *hostRequest) error {
	r.measure()
	return e.await(ctx, r, &r.finished)
}

// write is request for plain ops.
func (e *Engine) write(ctx context.Context, ops ...Op) error {
	return e.request(ctx, &hostRequest{changes: changes{ops: ops}})
}

// await hands p to the committer and waits until it has called finished.
func (e *Engine) await(ctx context.Context, p pendingCommit, finished *func(error)) error {
	done := make(chan error, 1)
	*finished = func(err error) { done <- err }
	e.enqueue(p)
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("engine: %w (the change may still be stored)", ctx.Err())
	}
}

// ownerEpoch is stored with mail: it counts the owners of the sending actor. One
// process owns all actors, so it is always the first.
const ownerEpoch = 1

// newMail addresses a durable message; sealed is its stored form.
func newMail(env Envelope, sealed json.RawMessage, index int) storedMail {
	env.At = wall(env.At)
	return storedMail{env: env, index: index, record: encodeRecord(mailRecord{
		From: env.From, Trace: env.Trace, At: env.At, Epoch: ownerEpoch, Msg: sealed,
	})}
}

// seal encodes a message if its type is durable.
func (e *Engine) seal(m messages.Message) (sealed json.RawMessage, durable bool, err error) {
	entry, err := e.codec.Lookup(m)
	if err != nil || !entry.Durable {
		return nil, false, err
	}
	sealed, err = e.codec.Encode(m)
	return sealed, true, err
}
