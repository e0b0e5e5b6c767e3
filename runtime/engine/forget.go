package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Forgetting says what is to be deleted: everything stored of a conversation.
// That are the rows, mail, timers, calls and injections of each actor whose key
// it is, and wherever they stand the mail, events, verdicts and dead letters
// that come from such an actor or whose message has it in a field "conversation".
type Forgetting struct {
	Conversation messages.ConversationID
	// Kinds of actors with other keys whose rows may name the conversation, and
	// the names by which they do: as the key of a row, or as a text in it. Such
	// rows go too.
	Kinds []string
	Names []string
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
	// Purged is set by whoever owns the store's files: the deleted bytes have left
	// them too.
	Purged bool `json:"purged"`
}

// None reports that there was nothing.
func (f Forgotten) None() bool { return f == Forgotten{} }

// forgetRecord is the intent of a deletion that takes several transactions.
type forgetRecord struct {
	At           time.Time               `json:"at"`
	Conversation messages.ConversationID `json:"conversation"`
	Kinds        []string                `json:"kinds,omitempty"`
	Names        []string                `json:"names,omitempty"`
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
	rec := forgetRecord{At: wall(e.clock.Now()), Conversation: f.Conversation, Kinds: f.Kinds, Names: f.Names}
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

// sweep collects the deletions, and whose mail they touch.
func (e *Engine) sweep(rec forgetRecord, touched map[messages.Address]bool) (ops []Op, sum Forgotten, err error) {
	kept := map[string]bool{}
	for _, k := range rec.Keep {
		kept[stateKey(k.Actor, k.Row)] = true
	}
	for _, class := range []struct {
		prefix string
		count  *int
		gone   func(k string, v []byte) bool
	}{
		{keyState, &sum.Rows, func(k string, v []byte) bool { return !kept[k] && rec.ofRow(k, v) }},
		{keyInbox, &sum.Mail, func(k string, v []byte) bool { return rec.ofMail(keyInbox, k, v, touched) }},
		{keyTimer, &sum.Mail, func(k string, v []byte) bool { return rec.ofMail(keyTimer, k, v, touched) }},
		{keyCall, &sum.Mail, func(k string, v []byte) bool { return rec.ofMail(keyCall, k, v, touched) }},
		{keyAttempts, nil, func(k string, _ []byte) bool { return rec.ofActor(keyAttempts, k) }},
		{keyInjected, nil, func(k string, _ []byte) bool { return rec.ofActor(keyInjected, k) }},
		{keyLog, &sum.Events, func(_ string, v []byte) bool { return rec.ofRecord(v) }},
		{keyVerdict, &sum.Verdicts, func(_ string, v []byte) bool { return rec.ofRecord(v) }},
		{keyDead, &sum.DeadLetters, func(_ string, v []byte) bool { return rec.ofRecord(v) }},
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

// concerns reports whether an actor's state may hold something.
func (r *forgetRecord) concerns(a messages.Address) bool {
	return a.Key() == string(r.Conversation) || slices.Contains(r.Kinds, a.Kind())
}

func (r *forgetRecord) ofActor(prefix, key string) bool {
	a, _, ok := splitKey(prefix, key)
	return ok && a.Key() == string(r.Conversation)
}

func (r *forgetRecord) ofRow(key string, value []byte) bool {
	a, row, ok := splitKey(keyState, key)
	switch {
	case !ok:
		return false
	case a.Key() == string(r.Conversation):
		return true
	case !slices.Contains(r.Kinds, a.Kind()):
		return false
	}
	_, name, _ := strings.Cut(row, "\x00")
	for _, n := range append([]string{string(r.Conversation)}, r.Names...) {
		quoted, err := json.Marshal(n)
		if name == n || err == nil && bytes.Contains(value, quoted) {
			return true
		}
	}
	return false
}

func (r *forgetRecord) ofMail(prefix, key string, value []byte, touched map[messages.Address]bool) bool {
	a, _, ok := splitKey(prefix, key)
	if ok && (a.Key() == string(r.Conversation) || r.ofRecord(value)) {
		touched[a] = true
		return true
	}
	return false
}

// ofRecord looks at what all records with a message or a verdict share.
func (r *forgetRecord) ofRecord(value []byte) bool {
	var rec struct {
		Actor  messages.Address `json:"actor"`
		From   messages.Address `json:"from"`
		Detail struct {
			Conversation messages.ConversationID `json:"conversation"`
		} `json:"detail"`
		Msg struct {
			Body struct {
				Conversation messages.ConversationID `json:"conversation"`
			} `json:"body"`
		} `json:"msg"`
	}
	// What does not fit in one place may still tell in another.
	_ = json.Unmarshal(value, &rec)
	c := string(r.Conversation)
	return rec.Actor.Key() == c || rec.From.Key() == c ||
		rec.Detail.Conversation == r.Conversation || rec.Msg.Body.Conversation == r.Conversation
}

// freeze takes back what the actors concerned have under way, and keeps them
// from stepping.
func (e *Engine) freeze(rec forgetRecord) {
	for _, act := range e.live() {
		if rec.concerns(act.addr) {
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
		if !rec.concerns(act.addr) && !touched[act.addr] {
			continue
		}
		act.mu.Lock()
		act.becomeThawed()
		act.mu.Unlock()
		e.driver.Wake(act)
	}
	for _, t := range e.Timers() {
		if t.Actor.Key() == string(rec.Conversation) {
			e.timers.cancel(ofActor(keyTimer, t.Actor, t.Key))
			e.timers.cancel(fleetingTimer(t.Actor, t.Key))
		}
	}
}
