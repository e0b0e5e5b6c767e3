package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrNoSubscription says that no subscription of a name has a place in the event
// log.
var ErrNoSubscription = errors.New("engine: no such subscription")

// ErrPassed says that a subscription is past an event that was to be put aside.
var ErrPassed = errors.New("engine: the subscription has passed the event already: look at its place and at the " +
	"dead letters")

// errEventGone says that an event was deleted while it was being put aside.
var errEventGone = errors.New("engine: the event is gone")

// Subscription is a reader of the event log, as it stands in the store.
type Subscription struct {
	Name     string `json:"name"`
	Position uint64 `json:"position"` // acknowledged up to and including it
	// Behind counts the events after it, at most MaxBehind.
	Behind int `json:"behind"`
	// Error is why its handler failed on the next event; "" if it did not, or if
	// nothing runs that could tell.
	Error string `json:"error,omitempty"`
	// Served says that the running program has such a subscription.
	Served bool `json:"served"`
}

// MaxBehind is how far Subscriptions counts.
const MaxBehind = 100_000

// Subscriptions lists those that have acknowledged something, sorted by name.
func (e *Engine) Subscriptions() ([]Subscription, error) {
	var list []Subscription
	err := e.store.Scan([]byte(e.cursorKey("")), nil, func(k, v []byte) bool {
		if seq, ok := seqOf(string(v)); ok {
			list = append(list, Subscription{Name: strings.TrimPrefix(string(k), e.cursorKey("")), Position: seq})
		}
		return true
	})
	for i := range list {
		if err != nil {
			break
		}
		s := &list[i]
		err = e.store.Scan([]byte(keyLog), []byte(keyLog+seqBytes(s.Position+1)), func(_, _ []byte) bool {
			s.Behind++
			return s.Behind < MaxBehind
		})
	}
	if err != nil {
		return nil, fmt.Errorf("engine: list subscriptions: %w", err)
	}
	return list, nil
}

// DropSubscription deletes the place of a subscription in the event log, and what it has
// parked. A later one of that name begins at the first event that is kept.
func (e *Engine) DropSubscription(ctx context.Context, name string) error {
	key := []byte(e.cursorKey(name))
	r := &hostRequest{missing: fmt.Errorf("%w: %s", ErrNoSubscription, name)}
	r.shard, r.Needs = e.readerShard(), key
	r.Ops = []Op{{Key: key, Delete: true}}
	err := e.eachParked(name, func(key []byte, _ deadRecord) {
		r.Ops = append(r.Ops, Op{Key: key, Delete: true})
	})
	if err != nil {
		return err
	}
	return e.request(ctx, r)
}

// Park moves an event that a subscription cannot handle to the dead letters, and
// acknowledges it. One that cannot be read, as its key is lost or its row is damaged, is kept as
// it is stored: it can be sent again once its key is back. Of many calls for one event, one puts it
// aside; the others fail with [ErrPassed], as does a call for one that was acknowledged.
func (e *Engine) Park(ctx context.Context, name string, seq uint64, attempts int, reason string) error {
	err := errEventGone
	for errors.Is(err, errEventGone) { // then nothing is kept of it
		err = e.park(ctx, name, seq, attempts, reason)
	}
	return err
}

// park is Park of an event as it is stored now.
func (e *Engine) park(ctx context.Context, name string, seq uint64, attempts int, reason string) error {
	rec := deadRecord{
		Attempts: attempts, Error: cutText(reason), At: wall(e.clock.Now()), Subscription: name, Event: seq,
	}
	ok, err := e.keepEvent(&rec)
	if err != nil {
		return fmt.Errorf("engine: park event %d: %w", seq, err)
	}
	r := &hostRequest{used: fmt.Errorf("%w: subscription %s, event %d", ErrPassed, name, seq), missing: errEventGone}
	r.shard, r.Rises = e.readerShard(), true
	r.Ops = []Op{{Key: []byte(e.cursorKey(name)), Value: []byte(seqBytes(seq))}}
	if ok { // else it was forgotten meanwhile
		r.Needs = []byte(keyLog + seqBytes(seq))
		r.dead = &deadLetterChange{}
		r.Records = []Record{{Class: ClassDeadLetter, Shard: r.shard, Value: encodeRecord(rec)}}
	}
	return e.request(ctx, r)
}

// keepEvent puts what is stored of an event into the dead letter that names it, false if there is
// nothing.
func (e *Engine) keepEvent(rec *deadRecord) (ok bool, err error) {
	key := []byte(keyLog + seqBytes(rec.Event))
	raw, ok, bad := e.get(key)
	if err = bad; unopened(bad) {
		raw, ok, err = e.store.Get(key)
	}
	if err != nil || !ok {
		return false, err
	}
	if ev, err := decodeRecord[logRecord](raw); err == nil && bad == nil {
		rec.From, rec.Trace, rec.EventAt, rec.Msg = ev.From, ev.Trace, ev.At, ev.Msg
		return true, nil
	}
	if rec.Raw = raw[:min(len(raw), maxRaw)]; len(raw) > maxRaw {
		rec.Error += fmt.Sprintf("; %d of its %d bytes are kept", maxRaw, len(raw))
	}
	if marked(raw) {
		rec.Place = place(key)
	}
	return true, nil
}

// Parked is an event that was sent to a subscription again.
type Parked struct {
	ID    string // of the dead letter
	Event Published
}

// Retried lists the parked events of a subscription that are to be handled once
// more, oldest first. Where it leaves some out whose keys are out of reach for now, the error wraps
// [ErrKeyAway] beside the list.
func (e *Engine) Retried(name string) ([]Parked, error) {
	var list []Parked
	var away error
	err := e.eachParked(name, func(key []byte, rec deadRecord) {
		if !rec.Retry {
			return
		}
		seq, _ := seqOf(string(key))
		p := Published{Seq: rec.Event, From: rec.From, Trace: rec.Trace, At: rec.EventAt}
		if rec.Place != nil {
			var row mailRecord
			row, p.Err = e.unseal(rec)
			p.From, p.Trace, p.At, rec.Msg = row.From, row.Trace, row.At, row.Msg
		}
		if p.Err == nil {
			p.Message, p.Err = e.codec.Decode(rec.Msg)
		}
		if errors.Is(p.Err, ErrKeyAway) {
			away = p.Err
			return
		}
		list = append(list, Parked{ID: e.readerShard().deadLetterID(seq), Event: p})
	})
	return list, cmp.Or(err, away)
}

// Retries reports whether a parked event is still to be handled once more: it may have been forgotten
// or discarded since [Engine.Retried].
func (e *Engine) Retries(id string) (bool, error) {
	_, _, rec, err := e.findDead(id)
	if errors.Is(err, ErrNoDeadLetter) {
		return false, nil
	}
	return rec.Retry, err
}

// ParkAgain keeps a parked event among the dead letters because it failed once
// more.
func (e *Engine) ParkAgain(ctx context.Context, id string, attempts int, reason string) error {
	return e.rewriteDead(ctx, id, func(rec *deadRecord) {
		rec.Retry, rec.At = false, wall(e.clock.Now())
		rec.Attempts += attempts
		rec.Error = cutText(reason)
	})
}

// rewriteDead changes a dead letter that is there.
func (e *Engine) rewriteDead(ctx context.Context, id string, change func(*deadRecord)) error {
	s, key, rec, err := e.findDead(id)
	if err != nil {
		return err
	}
	change(&rec)
	r := &hostRequest{missing: gone(id)}
	r.shard, r.Needs = s, key
	r.Ops = []Op{{Key: key, Value: encodeRecord(rec)}}
	return e.request(ctx, r)
}

// eachParked fails in the end if there are dead letters whose keys are out of reach: they may be parked events.
func (e *Engine) eachParked(name string, do func(key []byte, rec deadRecord)) error {
	var away error
	err := e.scan([]byte(e.readerShard().key(keyDead)), nil, func(k, v []byte, bad error) bool {
		if errors.Is(bad, ErrKeyAway) {
			away = bad
		}
		if rec, err := decodeOpened[deadRecord](v, bad); err == nil && rec.Subscription == name {
			do(k, rec)
		}
		return true
	})
	if err = cmp.Or(err, away); err != nil {
		return fmt.Errorf("engine: parked events of subscription %s: %w", name, err)
	}
	return nil
}
