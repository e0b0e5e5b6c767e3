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
func (e *Engine) stage(env *Envelope, x effect) (*turn, error) {
	act, cause, out := x.act, x.cause, x.out
	t := newTurn(act, env)
	t.effect, t.space = x, act.space
	e.ack(t, env)
	for _, w := range out.Writes {
		op := Op{Key: bytesOf(stateKey(act.addr, w.Key)), Value: w.Value, Delete: w.Delete}
		if e.sealer != nil && !w.Delete {
			op.about = act.kind.subject(act.addr, w.Key, w.Value)
		}
		t.Ops = append(t.Ops, op)
	}
	for i := range out.Verdicts {
		v := &out.Verdicts[i]
		v.Actor, v.Cause, v.Trace, v.At = act.addr, cause.ID, cause.Trace, cause.Now
	}
	if err := e.stageSends(t); err != nil {
		return nil, err
	}
	if err := e.stageEvents(t); err != nil {
		return nil, err
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
	return t, e.ready(&t.Change)
}

// light reports whether a turn is nothing to the store: it acknowledges and writes nothing,
// and sends and publishes fleeting messages alone. There is nothing to stage then.
func (e *Engine) light(env *Envelope, out *actors.Outcome) bool {
	if env.Durable() || env.dead != nil ||
		len(out.Writes)+len(out.Timers)+len(out.Calls)+len(out.Verdicts) > 0 {
		return false
	}
	for i := range out.Sends {
		if !e.isFleeting(out.Sends[i].Message) {
			return false
		}
	}
	for _, ev := range out.Events {
		if !e.isFleeting(ev) {
			return false
		}
	}
	return true
}

// stageSends adds the durable messages of a turn.
func (e *Engine) stageSends(t *turn) error {
	at := wall(t.cause.Now)
	for i, s := range t.out.Sends {
		durable, err := e.durable(s.Message)
		if durable {
			env := Envelope{From: t.act.addr, To: s.To, Trace: t.cause.Trace, At: at, Message: s.Message}
			var record []byte
			if record, err = e.encodeMail(&env); err == nil {
				t.addMail(e.shardOf(s.To), &env, record, e.subject(s.Message, s.To), i)
			}
		}
		if err != nil {
			return fmt.Errorf("send to an actor of kind %s: %w", s.To.Kind(), err)
		}
	}
	return nil
}

// stageEvents adds the durable events of a turn.
func (e *Engine) stageEvents(t *turn) error {
	for i, ev := range t.out.Events {
		durable, err := e.durable(ev)
		if durable {
			var record []byte
			if record, err = e.encodeEvent(t.act.addr, t.cause.Trace, t.cause.Now, ev); err == nil {
				t.events = append(t.events, storedEvent{index: i})
				t.Records = append(t.Records, Record{
					Class: ClassEvent, Shard: logShard, Value: record, about: e.subject(ev, t.act.addr),
				})
			}
		}
		if err != nil {
			return fmt.Errorf("publish: %w", err)
		}
	}
	return nil
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
		durable, err := e.durable(timer.Message)
		var rec []byte
		if durable {
			rec, err = e.encodeAround(timerRecord{
				Gen: timer.Gen, Set: wall(t.cause.Now), Due: wall(t.cause.Now.Add(timer.After)), Trace: t.cause.Trace,
			}, timer.Message)
		}
		if err != nil {
			return fmt.Errorf("timer with %s: %w", timer.Message.MessageType().Name, err)
		}
		if durable {
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
		durable, err := e.durable(call.Request)
		var rec []byte
		if durable {
			rec, err = e.encodeAround(callRecord{
				Worker: call.Worker, Deadline: call.Options.Deadline, Retries: call.Options.Retries,
				Tag: call.Options.Tag, Trace: t.cause.Trace, At: wall(t.cause.Now),
			}, call.Request)
		}
		if err != nil {
			return fmt.Errorf("call %s: %w", call.Worker, err)
		}
		if durable {
			t.Ops = append(t.Ops, Op{Key: []byte(ofActor(keyCall, act.addr, call.ID)), Value: rec,
				about: e.subject(call.Request, act.addr)})
		}
	}
	return nil
}

// wall strips the monotonic reading, which means nothing to another process.
func wall(t time.Time) time.Time { return t.Round(0).UTC() }

func jsonValid(raw []byte) bool { return len(raw) > 0 && json.Valid(raw) }
