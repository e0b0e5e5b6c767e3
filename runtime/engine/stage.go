package engine

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// staged is a turn, or a host's wish, on its way through the committer.
type staged struct {
	cell  *Cell // nil for the host and the engine itself
	gen   uint64
	epoch uint64
	inc   uint64 // activation that the turn belongs to

	durable bool // needs the store
	done    bool // committed, or nothing to commit; guarded by cell.mu
	ops     []Op // under their final keys
	mail    []stagedMail
	events  []stagedEvent
	dead    *deadRecord
	deadSeq uint64
	size    int

	deadType string
	cause    actors.Cause
	out      *actors.Outcome
	once     string // host's wish: key that makes it count once
	needs    string // host's wish: key without which it is refused with missing
	missing  error
	finished func(error)  // host's wish: called once
	alone    func() error // host's wish: done by the committer itself, in no batch
}

// stagedMail is a durable send; index is its place in the outcome, -1 for the
// host's.
type stagedMail struct {
	to     messages.Address
	record []byte
	seq    uint64
	index  int
	env    Envelope
}

type stagedEvent struct {
	record []byte
	seq    uint64
	index  int
}

// stage turns an outcome into what the committer writes. Errors are the
// actor's: a type that is in no table, a turn that is too large.
func (e *Engine) stage(c *Cell, env Envelope, cause actors.Cause, out *actors.Outcome) (*staged, error) {
	st := &staged{cell: c, epoch: 1, inc: c.activation(), cause: cause, out: out, ops: e.ack(c.addr, env)}
	for _, w := range out.Writes {
		st.ops = append(st.ops, Op{Key: []byte(stateKey(c.addr, w.Key)), Value: w.Value, Delete: w.Delete})
	}
	for i := range out.Verdicts {
		v := &out.Verdicts[i]
		v.Actor, v.Cause, v.Trace, v.At = c.addr, cause.ID, cause.Trace, cause.Now
	}
	for i, s := range out.Sends {
		raw, durable, err := e.seal(s.Message)
		if err != nil {
			return nil, fmt.Errorf("send to an actor of kind %s: %w", s.To.Kind(), err)
		}
		if durable {
			st.mail = append(st.mail, e.mailOf(s.To, c.addr, cause, s.Message, raw, i))
		}
	}
	for i, ev := range out.Events {
		raw, durable, err := e.seal(ev)
		if err != nil {
			return nil, fmt.Errorf("publish: %w", err)
		}
		if durable {
			rec := encodeRecord(logRecord{From: c.addr, Trace: cause.Trace, At: cause.Now, Msg: raw})
			st.events = append(st.events, stagedEvent{record: rec, index: i})
		}
	}
	if err := e.stageTimers(c, st); err != nil {
		return nil, err
	}
	if err := e.stageCalls(c, st); err != nil {
		return nil, err
	}
	st.durable = len(st.ops)+len(st.mail)+len(st.events) > 0
	for _, op := range st.ops {
		if len(op.Key) > MaxKey { // it would fail every batch it is in, and its neighbours with it
			return nil, fmt.Errorf("%w: a key of %d bytes, at most %d", ErrTooLarge, len(op.Key), MaxKey)
		}
	}
	if st.measure(); st.size > maxTurn {
		return nil, fmt.Errorf("%w: the turn writes %d bytes, at most %d", ErrTooLarge, st.size, maxTurn)
	}
	return st, nil
}

func (e *Engine) stageTimers(c *Cell, st *staged) error {
	for _, t := range st.out.Timers {
		key := ofActor(keyTimer, c.addr, t.Key)
		// The failures of an earlier setting are not those of this one.
		if err := e.stageDelete(c, st, ofActor(keyAttempts, c.addr, key)); err != nil {
			return err
		}
		if t.Cancel {
			if err := e.stageDelete(c, st, key); err != nil {
				return err
			}
			continue
		}
		raw, durable, err := e.seal(t.Message)
		if err != nil {
			return fmt.Errorf("timer with %s: %w", t.Message.MessageType().Name, err)
		}
		if durable {
			st.ops = append(st.ops, Op{Key: []byte(key), Value: encodeRecord(timerRecord{
				Gen: t.Gen, Set: wall(st.cause.Now), Due: wall(st.cause.Now.Add(t.After)), Trace: st.cause.Trace, Msg: raw,
			})})
		} else if err := e.stageDelete(c, st, key); err != nil {
			return err
		}
	}
	return nil
}

// stageDelete deletes a row if there is one, so that cancelling a fleeting timer
// costs no commit.
func (e *Engine) stageDelete(c *Cell, st *staged, key string) error {
	_, ok, err := e.read(c, key)
	if err != nil {
		return err
	}
	for _, op := range st.ops {
		ok = ok || string(op.Key) == key
	}
	if ok {
		st.ops = append(st.ops, Op{Key: []byte(key), Delete: true})
	}
	return nil
}

func (e *Engine) stageCalls(c *Cell, st *staged) error {
	for _, call := range st.out.Calls {
		raw, durable, err := e.seal(call.Request)
		if err != nil {
			return fmt.Errorf("call %s: %w", call.Worker, err)
		}
		if durable {
			st.ops = append(st.ops, Op{Key: []byte(ofActor(keyCall, c.addr, call.ID)), Value: encodeRecord(callRecord{
				Worker: call.Worker, Deadline: call.Options.Deadline, Retries: call.Options.Retries,
				Tag: call.Options.Tag, Trace: st.cause.Trace, At: wall(st.cause.Now), Msg: raw,
			})})
		}
	}
	return nil
}

func (e *Engine) mailOf(to, from messages.Address, cause actors.Cause, msg messages.Message, raw []byte, index int) stagedMail {
	at := wall(cause.Now)
	return stagedMail{
		to: to, index: index,
		record: encodeRecord(mailRecord{From: from, Trace: cause.Trace, At: at, Epoch: 1, Msg: raw}),
		env:    Envelope{From: from, To: to, Trace: cause.Trace, At: at, Message: msg},
	}
}

// seal encodes a message if its type is durable.
func (e *Engine) seal(m messages.Message) (raw json.RawMessage, durable bool, err error) {
	entry, err := e.codec.Lookup(m)
	if err != nil || !entry.Durable {
		return nil, false, err
	}
	raw, err = e.codec.Encode(m)
	return raw, true, err
}

func (st *staged) measure() {
	st.size = 0
	for _, op := range st.ops {
		st.size += len(op.Key) + len(op.Value)
	}
	for _, m := range st.mail {
		st.size += len(m.to) + len(m.record) + 16
	}
	for _, ev := range st.events {
		st.size += len(ev.record) + 16
	}
	for _, v := range st.stored() {
		st.size += len(v.Detail.Note) + len(v.Reason) + 400 + 8*(len(v.Detail.Occurrences)+len(v.Detail.Known))
	}
	if st.dead != nil {
		st.size += len(st.dead.Msg) + len(st.dead.Raw) + len(st.dead.Error) + len(st.dead.Stack) + 256
	}
}

// stored are the turn's verdicts if they are kept: a turn that commits nothing
// else does not commit for them.
func (st *staged) stored() []events.Verdict {
	if st.out == nil || !st.durable {
		return nil
	}
	return st.out.Verdicts
}

// wall strips the monotonic reading, which means nothing to another process.
func wall(t time.Time) time.Time { return t.Round(0).UTC() }

func jsonValid(raw []byte) bool { return len(raw) > 0 && json.Valid(raw) }
