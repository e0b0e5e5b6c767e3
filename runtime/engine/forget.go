package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Forgetting says what is to be deleted: everything stored of a conversation.
// That are the rows, mail, timers, calls and injections of each actor whose key
// it is, the rows of other actors of which their [Kind] says so, and wherever
// they stand the mail, timers, calls, events, verdicts and dead letters that come
// from such an actor or whose message has it as its subject.
//
// A message of a type that is not in this runtime's tables has no subject that
// could be asked for. It goes if it names the conversation anywhere; the others
// are counted in [Forgotten], as they might be about it under another name.
type Forgetting struct {
	Conversation messages.ConversationID
	// Keep returns rows to be written when all is gone, such as a mark that there
	// was something; get reads the rows as they stood. nil keeps nothing. It is
	// called only if there is something to delete.
	Keep func(get func(a messages.Address, row string) ([]byte, bool)) []Kept
}

// Kept is a row of an actor that a [Forgetting] writes.
type Kept struct {
	Actor messages.Address `json:"actor"`
	Row   string           `json:"row"` // "table\x00key"
	Value []byte           `json:"value"`
}

// Forgotten counts what was deleted.
type Forgotten struct {
	Rows        int `json:"rows"` // of actors
	Mail        int `json:"mail"` // messages, timers and calls under way
	Events      int `json:"events"`
	Verdicts    int `json:"verdicts"`
	DeadLetters int `json:"dead_letters"`
	// Unknown counts what is left and could not be asked: messages of types that
	// this runtime does not know. Whoever wrote them can forget them.
	Unknown int `json:"unknown,omitempty"`
	// Purged is set by whoever owns the store's files: the deleted bytes have left
	// them too.
	Purged bool `json:"purged"`
}

// None reports that there was nothing.
func (f Forgotten) None() bool { return f == Forgotten{Unknown: f.Unknown} }

// forgetRecord is the intent of a deletion that takes several transactions.
type forgetRecord struct {
	At           time.Time               `json:"at"`
	Conversation messages.ConversationID `json:"conversation"`
	Keep         []Kept                  `json:"keep,omitempty"`
}

// forgetBatch bounds the bytes of one of its transactions.
const forgetBatch = MaxBatch / 4

// Forget deletes what is stored of a conversation, and makes the actors
// concerned begin anew. A crash in between leaves an intent behind, and Recover
// finishes. What is in the committer's queue before it is deleted with it.
func (e *Engine) Forget(ctx context.Context, f Forgetting) (Forgotten, error) {
	if f.Conversation == "" {
		return Forgotten{}, errors.New("engine: forget: want a conversation")
	}
	var sum Forgotten
	x := &exclusive{run: func() (err error) { sum, err = e.forget(f); return err }}
	if err := e.await(ctx, x, &x.finished); err != nil {
		return Forgotten{}, fmt.Errorf("engine: forget: %w", err)
	}
	return sum, nil
}

// forget runs in the committer, so that nothing is written meanwhile. The actors
// concerned do not step until it is done.
func (e *Engine) forget(f Forgetting) (Forgotten, error) {
	rec := forgetRecord{At: wall(e.clock.Now()), Conversation: f.Conversation}
	begun, err := e.begun(f.Conversation)
	if err != nil {
		return Forgotten{}, err
	}
	if begun != nil { // an error stopped it half way: what was to be kept is known
		rec.Keep = begun.Keep
	}
	e.freeze(rec)
	touched := map[messages.Address]bool{}
	defer func() { e.thaw(rec, touched) }()
	ops, sum, err := e.sweep(rec, touched)
	if err != nil || len(ops) == 0 && begun == nil {
		return sum, err
	}
	if f.Keep != nil && begun == nil {
		rec.Keep = f.Keep(func(a messages.Address, row string) ([]byte, bool) {
			raw, ok, gerr := e.store.Get([]byte(stateKey(a, row)))
			if gerr != nil && err == nil {
				err = gerr
			}
			return raw, ok
		})
	}
	if err == nil {
		err = e.carryOut(rec, ops)
	}
	if err == nil {
		for _, op := range ops { // those of timers are what they are armed under
			e.timers.cancel(string(op.Key))
		}
	}
	return sum, err
}

// carryOut writes the intent, deletes, and with the last deletions writes what
// is kept and takes the intent back.
func (e *Engine) carryOut(rec forgetRecord, ops []Op) error {
	intent := []byte(keyForget + string(rec.Conversation))
	if err := e.store.Apply([]Op{{Key: intent, Value: encodeRecord(rec)}}, e.sync); err != nil {
		return err
	}
	size, from := 0, 0
	for i, op := range ops {
		if size += len(op.Key); size > forgetBatch {
			if err := e.store.Apply(ops[from:i], e.sync); err != nil {
				return err
			}
			size, from = len(op.Key), i
		}
	}
	last := slices.Clone(ops[from:])
	for _, k := range rec.Keep {
		last = append(last, Op{Key: []byte(stateKey(k.Actor, k.Row)), Value: k.Value})
	}
	return e.store.Apply(append(last, Op{Key: intent, Delete: true}), e.sync)
}

// begun returns the intent that an earlier attempt has left, nil if there is none.
func (e *Engine) begun(c messages.ConversationID) (*forgetRecord, error) {
	raw, ok, err := e.store.Get([]byte(keyForget + string(c)))
	if err != nil || !ok {
		return nil, err
	}
	rec, err := decodeRecord[forgetRecord](raw)
	return &rec, err
}

// finishForgetting carries out what a crash interrupted.
func (e *Engine) finishForgetting() error {
	var left []forgetRecord
	var bad error
	err := e.store.Scan([]byte(keyForget), nil, func(_, v []byte) bool {
		rec, err := decodeRecord[forgetRecord](v)
		if err != nil {
			bad = err
			return false
		}
		left = append(left, rec)
		return true
	})
	for _, rec := range left {
		var ops []Op
		if err == nil && bad == nil {
			if ops, _, err = e.sweep(rec, map[messages.Address]bool{}); err == nil {
				err = e.carryOut(rec, ops)
			}
		}
	}
	if err = errors.Join(err, bad); err != nil {
		return fmt.Errorf("engine: finish an interrupted deletion: %w", err)
	}
	return nil
}

// sweep collects the deletions, whose mail they touch, and the timers among them.
func (e *Engine) sweep(rec forgetRecord, touched map[messages.Address]bool) (ops []Op, sum Forgotten, err error) {
	kept := map[string]bool{}
	for _, k := range rec.Keep {
		kept[stateKey(k.Actor, k.Row)] = true
	}
	c := rec.Conversation
	mail := func(prefix string) func(k string, v []byte) bool {
		return func(k string, v []byte) bool {
			a, _, ok := splitKey(prefix, k)
			if !ok || !keyed(a, c) && !e.about(c, v, &sum) {
				return false
			}
			touched[a] = true
			// First its attempts, which quote errors: without it nothing leads to them.
			ops = append(ops, Op{Key: []byte(ofActor(keyAttempts, a, k)), Delete: true})
			return true
		}
	}
	actor := func(prefix string) func(k string, _ []byte) bool {
		return func(k string, _ []byte) bool {
			a, _, ok := splitKey(prefix, k)
			return ok && keyed(a, c)
		}
	}
	record := func(_ string, v []byte) bool { return e.about(c, v, &sum) }
	for _, class := range []struct {
		prefix string
		count  *int
		gone   func(k string, v []byte) bool
	}{
		{keyState, &sum.Rows, func(k string, v []byte) bool { return !kept[k] && e.rowAbout(c, k, v) }},
		{keyInbox, &sum.Mail, mail(keyInbox)},
		{keyTimer, &sum.Mail, mail(keyTimer)},
		{keyCall, &sum.Mail, mail(keyCall)},
		{keyAttempts, nil, actor(keyAttempts)},
		{keyInjected, nil, actor(keyInjected)},
		{keyLog, &sum.Events, record},
		{keyVerdict, &sum.Verdicts, record},
		{keyDead, &sum.DeadLetters, record},
	} {
		err = e.store.Scan([]byte(class.prefix), nil, func(k, v []byte) bool {
			if class.gone(string(k), v) {
				ops = append(ops, Op{Key: k, Delete: true})
				if class.count != nil {
					*class.count++
				}
			}
			return true
		})
		if err != nil {
			return nil, Forgotten{}, err
		}
	}
	return ops, sum, nil
}

// keyed reports that an actor's key is the conversation.
func keyed(a messages.Address, c messages.ConversationID) bool { return a.Key() == string(c) }

// concerned reports whether an actor's rows may hold something of a conversation.
func (e *Engine) concerned(a messages.Address, c messages.ConversationID) bool {
	return keyed(a, c) || e.kinds[a.Kind()].About != nil
}

func (e *Engine) rowAbout(c messages.ConversationID, key string, value []byte) bool {
	a, row, ok := splitKey(keyState, key)
	if !ok || keyed(a, c) {
		return ok
	}
	about := e.kinds[a.Kind()].About
	return about != nil && about(c, row, value)
}

// about looks at what all records with a message or a verdict share, and asks
// the message whom it is about.
func (e *Engine) about(c messages.ConversationID, value []byte, sum *Forgotten) bool {
	var rec struct {
		Actor  messages.Address `json:"actor"`
		From   messages.Address `json:"from"`
		Detail events.Detail    `json:"detail"`
		Msg    json.RawMessage  `json:"msg"`
		Raw    []byte           `json:"raw"` // of a dead letter that is no message
	}
	// What does not fit in one place may still tell in another.
	bad := json.Unmarshal(value, &rec)
	if keyed(rec.Actor, c) || keyed(rec.From, c) || rec.Detail.Conversation == c {
		return true
	}
	if bad == nil && len(rec.Msg) == 0 && len(rec.Raw) == 0 { // a verdict
		return false
	}
	if bad == nil && len(rec.Raw) == 0 {
		subject, err := e.codec.Subject(rec.Msg)
		if err == nil {
			return subject == c
		}
	}
	if names(value, c) || names(rec.Raw, c) {
		return true
	}
	sum.Unknown++
	return false
}

// names reports that a conversation is named anywhere in what cannot be decoded.
func names(raw []byte, c messages.ConversationID) bool {
	quoted, _ := json.Marshal(string(c)) // a string always has a JSON form
	return bytes.Contains(raw, []byte(c)) || bytes.Contains(raw, quoted[1:len(quoted)-1])
}

// freeze takes back what the actors concerned have under way, and keeps them
// from stepping.
func (e *Engine) freeze(rec forgetRecord) {
	for _, act := range e.live() {
		if e.concerned(act.addr, rec.Conversation) {
			act.mu.Lock()
			act.becomeFrozen()
			act.mu.Unlock()
		}
	}
}

// thaw makes them, and those that have lost mail or were made meanwhile, begin
// anew from the store.
func (e *Engine) thaw(rec forgetRecord, touched map[messages.Address]bool) {
	for _, act := range e.live() {
		if !e.concerned(act.addr, rec.Conversation) && !touched[act.addr] {
			continue
		}
		act.mu.Lock()
		act.becomeThawed()
		act.mu.Unlock()
		e.driver.Wake(act)
	}
	for _, t := range e.Timers() {
		if keyed(t.Actor, rec.Conversation) {
			e.timers.cancel(ofActor(keyTimer, t.Actor, t.Key))
			e.timers.cancel(fleetingTimer(t.Actor, t.Key))
		}
	}
}
