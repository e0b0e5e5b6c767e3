package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
)

// stage turns an outcome into what the committer writes. Errors are the
// actor's: a type that is in no table, a turn that is too large.
func (e *Engine) stage(act *Activation, env Envelope, cause actors.Cause, out *actors.Outcome) (*turn, error) {
	t := newTurn(act, &env)
	t.incarnation, t.cause, t.out = act.currentIncarnation(), cause, out
	t.Ops = e.ack(act.addr, env)
	for _, w := range out.Writes {
		t.Ops = append(t.Ops, Op{Key: []byte(stateKey(act.addr, w.Key)), Value: w.Value, Delete: w.Delete})
	}
	for i := range out.Verdicts {
		v := &out.Verdicts[i]
		v.Actor, v.Cause, v.Trace, v.At = act.addr, cause.ID, cause.Trace, cause.Now
	}
	for i, s := range out.Sends {
		raw, durable, err := e.encode(s.Message)
		if err != nil {
			return nil, fmt.Errorf("send to an actor of kind %s: %w", s.To.Kind(), err)
		}
		if durable {
			env := Envelope{From: act.addr, To: s.To, Trace: cause.Trace, At: cause.Now, Message: s.Message}
			t.addMail(e.shardOf(s.To), env, raw, e.subject(s.Message, s.To), i)
		}
	}
	for i, ev := range out.Events {
		raw, durable, err := e.encode(ev)
		if err != nil {
			return nil, fmt.Errorf("publish: %w", err)
		}
		if durable {
			rec := encodeAround(logRecord{From: act.addr, Trace: cause.Trace, At: cause.Now}, raw)
			t.events = append(t.events, storedEvent{index: i})
			t.Records = append(t.Records, Record{
				Class: ClassEvent, Shard: logShard, Value: rec, about: e.subject(ev, act.addr),
			})
		}
	}
	if err := e.stageTimers(act, t); err != nil {
		return nil, err
	}
	if err := e.stageCalls(act, t); err != nil {
		return nil, err
	}
	if t.durable = len(t.Ops)+len(t.Records) > 0; t.durable { // it does not commit for verdicts alone
		for _, v := range out.Verdicts {
			rec := Record{Class: ClassVerdict, Shard: t.shard, Value: encodeRecord(verdictRecord(v)),
				about: cmp.Or(string(v.Detail.Conversation), act.addr.Key())}
			t.Records = append(t.Records, rec)
		}
	}
	for _, op := range t.Ops {
		if len(op.Key) > MaxKey { // it would fail every batch it is in, and its neighbours with it
			return nil, fmt.Errorf("%w: a key of %d bytes, at most %d", ErrTooLarge, len(op.Key), MaxKey)
		}
	}
	if n := t.measure(); n > maxTurn {
		return nil, fmt.Errorf("%w: the turn writes %d bytes, at most %d", ErrTooLarge, n, maxTurn)
	}
	return t, nil
}

func (e *Engine) stageTimers(act *Activation, t *turn) error {
	for _, timer := range t.out.Timers {
		key := ofActor(keyTimer, act.addr, timer.Key)
		// The failures of an earlier setting are not those of this one.
		if err := e.stageDelete(act, t, ofActor(keyAttempts, act.addr, key)); err != nil {
			return err
		}
		if timer.Cancel {
			if err := e.stageDelete(act, t, key); err != nil {
				return err
			}
			continue
		}
		raw, durable, err := e.encode(timer.Message)
		if err != nil {
			return fmt.Errorf("timer with %s: %w", timer.Message.MessageType().Name, err)
		}
		if durable {
			rec := encodeAround(timerRecord{
				Gen: timer.Gen, Set: wall(t.cause.Now), Due: wall(t.cause.Now.Add(timer.After)), Trace: t.cause.Trace,
			}, raw)
			t.Ops = append(t.Ops, Op{Key: []byte(key), Value: rec, about: e.subject(timer.Message, act.addr)})
		} else if err := e.stageDelete(act, t, key); err != nil {
			return err
		}
	}
	return nil
}

// stageDelete deletes a row if there is one: cancelling a fleeting timer must not
// cost a commit.
func (e *Engine) stageDelete(act *Activation, t *turn, key string) error {
	_, ok, err := e.read(act, key)
	if err != nil {
		return err
	}
	for _, op := range t.Ops {
		ok = ok || string(op.Key) == key
	}
	if ok {
		t.Ops = append(t.Ops, Op{Key: []byte(key), Delete: true})
	}
	return nil
}

func (e *Engine) stageCalls(act *Activation, t *turn) error {
	for _, call := range t.out.Calls {
		if call.Cancel {
			key := ofActor(keyCall, act.addr, call.ID)
			for _, k := range []string{key, ofActor(keyAttempts, act.addr, key)} {
				if err := e.stageDelete(act, t, k); err != nil {
					return err
				}
			}
			continue
		}
		raw, durable, err := e.encode(call.Request)
		if err != nil {
			return fmt.Errorf("call %s: %w", call.Worker, err)
		}
		if durable {
			rec := encodeAround(callRecord{
				Worker: call.Worker, Deadline: call.Options.Deadline, Retries: call.Options.Retries,
				Tag: call.Options.Tag, Trace: t.cause.Trace, At: wall(t.cause.Now),
			}, raw)
			t.Ops = append(t.Ops, Op{Key: []byte(ofActor(keyCall, act.addr, call.ID)), Value: rec,
				about: e.subject(call.Request, act.addr)})
		}
	}
	return nil
}

// wall strips the monotonic reading, which means nothing to another process.
func wall(t time.Time) time.Time { return t.Round(0).UTC() }

func jsonValid(raw []byte) bool { return len(raw) > 0 && json.Valid(raw) }
