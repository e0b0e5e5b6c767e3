package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// ErrNoDeadLetter says that there is no dead letter with an id.
var ErrNoDeadLetter = errors.New("engine: no such dead letter")

// DeadLetter is a durable message that an actor could not handle, the request of a
// call that ended the process, or an event that a subscription could not handle.
type DeadLetter struct {
	ID       string           `json:"id"`
	Actor    messages.Address `json:"actor"`
	From     messages.Address `json:"from,omitempty"`
	Type     string           `json:"type"`
	Attempts int              `json:"attempts"`
	Error    string           `json:"error"`
	Stack    string           `json:"stack,omitempty"`
	At       time.Time        `json:"at"`
	// Subscription could not handle an event; Actor is "" then.
	Subscription string `json:"subscription,omitempty"`
	// Worker is the worker that Actor had asked when the process ended.
	Worker string `json:"worker,omitempty"`
	// Message is the sealed message: private. Nil if it is not even JSON.
	Message json.RawMessage `json:"message,omitempty"`
}

// DeadLetters lists the dead letters, oldest first.
func (e *Engine) DeadLetters() ([]DeadLetter, error) {
	var list []DeadLetter
	for s := range shards {
		err := e.scan([]byte(s.key(keyDead)), nil, func(k, v []byte, bad error) bool {
			list = append(list, s.deadLetter(k, v, bad))
			return true
		})
		if err != nil {
			return nil, fmt.Errorf("engine: list dead letters: %w", err)
		}
	}
	slices.SortStableFunc(list, func(a, b DeadLetter) int { return a.At.Compare(b.At) })
	return list, nil
}

func (s Shard) deadLetter(k, v []byte, bad error) DeadLetter {
	seq, _ := seqOf(string(k))
	rec, err := decodeOpened[deadRecord](v, bad)
	if err != nil {
		return DeadLetter{ID: s.deadLetterID(seq), Type: "unreadable", Error: err.Error()}
	}
	d := DeadLetter{
		ID: s.deadLetterID(seq), Actor: rec.Actor, From: rec.From, Type: "unreadable", Attempts: rec.Attempts,
		Error: rec.Error, Stack: rec.Stack, At: rec.At, Message: rec.Msg, Subscription: rec.Subscription,
	}
	if rec.Call != nil {
		d.Worker = rec.Call.Worker
	}
	if string(d.Message) == "null" {
		d.Message = nil
	}
	var head struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(rec.Msg, &head) == nil && head.Type != "" {
		d.Type = head.Type
	}
	return d
}

// RetryDeadLetter sends a dead letter to its actor again, as a new message with all its
// attempts. The request of a call is asked again; an event goes to its subscription
// again, out of order.
func (e *Engine) RetryDeadLetter(ctx context.Context, id string) error {
	s, key, rec, err := e.findDead(id)
	if unopened(err) {
		return fmt.Errorf("%w; or discard it", err)
	}
	if err != nil {
		return err
	}
	if rec.Place != nil {
		row, err := e.unseal(rec)
		if err != nil {
			return fmt.Errorf("engine: dead letter %s cannot be sent again: %w; or discard it", id, err)
		}
		rec.Msg = row.Msg
	}
	if rec.Subscription != "" {
		return e.rewriteDead(ctx, id, func(rec *deadRecord) { rec.Retry = true })
	}
	msg, err := e.codec.Decode(rec.Msg)
	if err != nil {
		return fmt.Errorf("engine: dead letter %s cannot be sent again: %w; "+
			"discard it, or run a version that knows its type", id, err)
	}
	r := &hostRequest{missing: gone(id)}
	r.Needs = key
	r.Ops = []Op{{Key: key, Delete: true}}
	r.shard = s // of its actor too, whether this runtime knows its kind or not
	if rec.Call != nil {
		return e.askAgain(ctx, r, rec, msg)
	}
	env := Envelope{
		From: rec.From, To: rec.Actor, Trace: rec.Trace, At: wall(e.clock.Now()), Message: msg, about: rec.About,
	}
	record := encodeRecord(mailRecord{From: env.From, Trace: env.Trace, At: env.At, About: env.about, Msg: rec.Msg})
	r.addMail(s, &env, record, cmp.Or(string(rec.About), e.subject(msg, rec.Actor)), -1)
	return e.request(ctx, r)
}

// unseal opens what a dead letter keeps as it was stored. Timers, calls and events have what they share
// with mail at the same places.
func (e *Engine) unseal(rec deadRecord) (row mailRecord, err error) {
	if e.sealer == nil || !marked(rec.Raw) {
		return row, ErrNoKey
	}
	plain, err := e.sealer.Open(rec.Place, rec.Raw[len(sealMark):])
	if err != nil {
		return row, err
	}
	return decodeRecord[mailRecord](plain)
}

// askAgain asks the request of a dead letter again, as the call that it was; the answer
// goes to the caller.
func (e *Engine) askAgain(ctx context.Context, r *hostRequest, rec deadRecord, request messages.Message) error {
	c := rec.Call
	job := &Job{
		ID: c.ID, Caller: rec.Actor, Worker: c.Worker, Request: request, Attempt: 1, trace: rec.Trace,
		receipt: ofActor(keyCall, rec.Actor, c.ID),
		Options: actors.CallOptions{Deadline: c.Deadline, Retries: c.Retries, Tag: c.Tag},
	}
	r.Ops = append(r.Ops, Op{Key: []byte(job.receipt), Value: encodeRecord(callRecord{
		Worker: c.Worker, Deadline: c.Deadline, Retries: c.Retries, Tag: c.Tag, Trace: rec.Trace,
		At: wall(e.clock.Now()), Msg: rec.Msg,
	})})
	if err := e.request(ctx, r); err != nil {
		return err
	}
	e.submitJob(job)
	return nil
}

// DiscardDeadLetter deletes a dead letter for good, also one that cannot be read, now or any more.
func (e *Engine) DiscardDeadLetter(ctx context.Context, id string) error {
	s, key, _, err := e.findDead(id)
	if err != nil && !unopened(err) && !errors.Is(err, ErrKeyAway) {
		return err
	}
	r := &hostRequest{missing: gone(id)}
	r.shard, r.Needs = s, key
	r.Ops = []Op{{Key: key, Delete: true}}
	return e.request(ctx, r)
}

func gone(id string) error { return fmt.Errorf("%w: %s", ErrNoDeadLetter, id) }

// findDead finds a dead letter. One that cannot be opened has its place and an error.
func (e *Engine) findDead(id string) (Shard, []byte, deadRecord, error) {
	s, seq, err := parseDeadLetterID(id)
	if err != nil {
		return 0, nil, deadRecord{}, fmt.Errorf("%w: %w", ErrNoDeadLetter, err)
	}
	key := s.deadKey(seq)
	raw, ok, err := e.get(key)
	if err != nil {
		return s, key, deadRecord{}, fmt.Errorf("engine: dead letter %s: %w", id, err)
	}
	if !ok {
		return 0, nil, deadRecord{}, gone(id)
	}
	rec, err := decodeRecord[deadRecord](raw)
	if err != nil {
		rec = deadRecord{Error: err.Error()}
	}
	return s, key, rec, nil
}
