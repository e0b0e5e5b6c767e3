package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Recover reads the state of the store, wakes every actor that has mail, arms the durable
// timers and resumes the durable calls. Call it once, first.
func (c Control) Recover() error {
	e := c.e
	if err := e.migrate(); err != nil {
		return err
	}
	if err := e.noteIntents(); err != nil { // what is sealed anew is no more what a rest knows
		return err
	}
	if err := e.sealStored(); err != nil {
		return err
	}
	if err := e.countStart(); err != nil {
		return err
	}
	if err := e.finishForgetting(); err != nil {
		return err
	}
	if err := e.recoverStored(); err != nil {
		return err
	}
	if e.replica != nil {
		e.replica.start(e) // who gets mail is told from now on; what came before is listed
	}
	addrs, err := e.inboxes()
	if err != nil {
		return err
	}
	e.arrived(addrs)
	for _, a := range addrs {
		if e.mine(a) && e.activation(a) == nil {
			e.noActor(events.StageRecover, a, "")
		}
	}
	return nil
}

// jump is how far the numbers jump at a start after one that did not sync every commit: a
// power cut may have undone numbers that were given out. Less than half of it is given
// out between two synced commits.
const jump = 1 << 16

// countStart counts this start, synced so that its number is used once, and makes all numbers
// begin above any that was ever given out.
func (e *Engine) countStart() error {
	boot, err := e.readCounter(keyMetaBoot, 0)
	if err != nil {
		return err
	}
	_, loose, err := e.store.Get([]byte(keyMetaLoose))
	if err != nil {
		return fmt.Errorf("engine: look at the last start: %w", err)
	}
	var floor uint64 // of all shards, because a kind may have moved
	for s := range shards {
		seq, err := e.readCounter(string(s.seqKey()), 0)
		if err != nil {
			return err
		}
		floor = max(floor, seq)
	}
	if loose {
		floor += jump
	}
	e.boot = boot + 1
	var b [shards]Batch
	if e.replica == nil { // else all nodes count alike, and nothing takes back what the log holds
		b[Anywhere].Floor = floor
	}
	b[Here] = Batch{Floor: floor, Changes: []Change{{Ops: []Op{
		{Key: []byte(keyMetaBoot), Value: []byte(seqBytes(e.boot))},
		{Key: []byte(keyMetaLoose), Delete: e.sync},
	}}}}
	if _, err := e.apply(b, nil, true); err != nil {
		return fmt.Errorf("engine: count this start: %w", err)
	}
	for s := range shards {
		e.recovered[s], e.committer.synced[s] = floor, floor
	}
	return nil
}

// readCounter reads a number; without a row it is def.
func (e *Engine) readCounter(key string, def uint64) (uint64, error) {
	return (&transaction{view: e.store}).counter([]byte(key), def)
}

// inboxes lists the actors that have stored mail. It skips from actor to actor.
func (e *Engine) inboxes() ([]messages.Address, error) {
	var addrs []messages.Address
	var from []byte
	for {
		found := false
		err := e.store.Scan([]byte(keyInbox), from, func(k, _ []byte) bool {
			if a, _, ok := splitKey(keyInbox, string(k)); ok {
				addrs, found = append(addrs, a), true
				from = []byte(keyInbox + string(a) + "\x01")
			}
			return false
		})
		if err != nil {
			return nil, fmt.Errorf("engine: list inboxes: %w", err)
		}
		if !found {
			return addrs, nil
		}
	}
}

// loadInbox is a mailbox's loader. An entry that cannot be read comes with its
// error, to be quarantined; one whose key is out of reach waits, and all behind it.
func (e *Engine) loadInbox(a messages.Address, r inboxRange) (envs []Envelope, more bool, err error) {
	prefix := ofActor(keyInbox, a, "")
	held := false
	var away error
	err = e.scan([]byte(prefix), []byte(prefix+seqBytes(r.after+1)), func(k, v []byte, bad error) bool {
		seq, _ := seqOf(string(k))
		if seq > r.upTo {
			return false
		}
		late := errors.Is(bad, ErrKeyAway)
		if len(envs) == r.n || len(envs) > 0 && (late || len(v) > r.bytes) {
			more = true
			return false
		}
		if late {
			away = bad
			return false
		}
		r.bytes -= len(v)
		env := Envelope{ID: e.shardOf(a).mailID(seq), To: a, seq: seq, receipt: string(k), stored: true, size: len(v)}
		rec, err := decodeOpened[mailRecord](v, bad)
		if err == nil {
			env.From, env.Trace, env.At, env.about = rec.From, rec.Trace, rec.At, rec.About
			env.Message, err = e.codec.Decode(rec.Msg)
		}
		if held = e.waits(err); held {
			e.drop(events.StageDeliver, events.RuleNewerType, a, env.ID)
			return false
		}
		if err != nil { // only the dead letters need its stored form
			env.bad, env.raw = err, rec.Msg
			if rec.Msg == nil {
				env.raw = v
			}
		}
		envs = append(envs, env)
		return true
	})
	if held && err == nil {
		err = errHeld
	}
	return envs, more, cmp.Or(err, away)
}

// waits reports whether what cannot be decoded stays as it is: in a cluster another program may
// have written it, and will come to read it.
func (e *Engine) waits(err error) bool {
	return e.replica != nil && errors.Is(err, messages.ErrUnknownType)
}

// recoverStored arms the stored timers and asks again what was asked.
func (e *Engine) recoverStored() error { return e.resume(keyTimer, keyCall) }

// rearm resumes an actor's timers and calls whose messages a failed commit took back.
func (e *Engine) rearm(a messages.Address) error {
	return e.resume(ofActor(keyTimer, a, ""), ofActor(keyCall, a, ""))
}

// resume arms the stored timers under a prefix that are not armed, and asks again what was asked under another one
// and not yet answered. What has rung or was answered, but not handled, is left alone: it is in a mailbox. What
// needs a key that is out of reach is tried again by itself; see [unread].
func (e *Engine) resume(timers, calls string) error {
	r := e.resuming()
	err := e.scan([]byte(timers), nil, func(k, v []byte, bad error) bool { r.timer(k, v, bad); return true })
	if err != nil {
		err = fmt.Errorf("engine: read timers: %w", err)
	}
	cerr := e.scan([]byte(calls), nil, func(k, v []byte, bad error) bool { r.call(k, v, bad); return true })
	if cerr != nil {
		r.jobs, r.damaged = nil, nil
		err = errors.Join(err, fmt.Errorf("engine: read calls: %w", cerr))
	}
	r.submit()
	e.keepUnread(r.away)
	return err
}

// rearmAnew arms a timer that was set anew: where the old one rings that was read from the store before, it may
// have taken the place of the new one. One that is not committed yet is armed then.
func (e *Engine) rearmAnew(old *Envelope, gen string) error {
	if !old.stored {
		return nil
	}
	row := []byte(old.receipt)
	v, ok, err := e.get(row)
	if err != nil || !ok {
		return err
	}
	if rec, err := decodeRecord[timerRecord](v); err == nil && rec.Gen == gen {
		e.resuming().timer(row, v, nil)
	}
	return nil
}

// resuming brings stored timers and calls back to work.
type resuming struct {
	e       *Engine
	now     time.Time
	jobs    []*Job
	damaged []Envelope // calls
	away    map[messages.Address]*unread
	looked  messages.Address  // into whose mailbox
	queued  map[string]string // what is there
}

func (e *Engine) resuming() *resuming {
	return &resuming{e: e, now: e.clock.Now(), away: map[messages.Address]*unread{}}
}

// queuedNow reports whether a timer, or the answer of a call, is in its actor's mailbox.
func (r *resuming) queuedNow(env *Envelope) bool {
	if r.looked != env.To {
		r.looked, r.queued = env.To, nil
		r.e.mu.RLock()
		act := r.e.activations[env.To]
		r.e.mu.RUnlock()
		if act != nil {
			r.queued = act.box.receipts()
		}
	}
	gen, ok := r.queued[env.receipt]
	return ok && gen == env.gen
}

// timer arms a timer. It never waits longer than it was set for, even if the clock went back.
func (r *resuming) timer(k, v []byte, bad error) {
	addr, key, ok := splitKey(keyTimer, string(k))
	if errors.Is(bad, ErrKeyAway) {
		r.leave(addr, k, bad)
		return
	}
	if !ok {
		return
	}
	env := Envelope{To: addr, receipt: string(k), timer: key, stored: true}
	rec, err := decodeOpened[timerRecord](v, bad)
	due := r.now
	if err == nil {
		env.ID, env.gen, env.Trace, env.At = rec.Gen, rec.Gen, rec.Trace, rec.Set
		env.Message, err = r.e.codec.Decode(rec.Msg)
		wait := min(rec.Due.Sub(r.now), rec.Due.Sub(rec.Set))
		due = r.now.Add(max(wait, 0))
	}
	if r.e.waits(err) || r.queuedNow(&env) {
		return
	}
	if err != nil {
		env.bad, env.raw = err, rec.Msg
		if rec.Msg == nil {
			env.raw = v
		}
	}
	r.e.armDurable(env, due)
}

// call notes a call to be asked again.
func (r *resuming) call(k, v []byte, bad error) {
	addr, id, ok := splitKey(keyCall, string(k))
	if errors.Is(bad, ErrKeyAway) {
		r.leave(addr, k, bad)
		return
	}
	if !ok {
		return
	}
	env := Envelope{ID: id, To: addr, receipt: string(k), call: id, raw: v, stored: true}
	rec, err := decodeOpened[callRecord](v, bad)
	var req messages.Message
	if err == nil {
		env.raw = rec.Msg
		req, err = r.e.codec.Decode(rec.Msg)
	}
	if r.e.waits(err) || r.queuedNow(&env) {
		return
	}
	if err != nil {
		env.bad = err
		r.damaged = append(r.damaged, env)
		return
	}
	r.jobs = append(r.jobs, &Job{
		ID: id, Caller: addr, Worker: rec.Worker, Request: req, Attempt: 1, receipt: string(k), trace: rec.Trace,
		Options: actors.CallOptions{Deadline: rec.Deadline, Retries: rec.Retries, Tag: rec.Tag},
	})
}

// submit asks again what was noted. What is still under way is recognised by its receipt.
func (r *resuming) submit() {
	for _, j := range r.jobs {
		r.e.submitJob(j)
	}
	for i := range r.damaged {
		r.e.deliver(&r.damaged[i])
	}
}

// live returns the activations, sorted by address.
func (e *Engine) live() []*Activation {
	return e.those(func(*Activation) bool { return true })
}

// those returns the activations that which selects, sorted by address.
func (e *Engine) those(which func(*Activation) bool) []*Activation {
	var list []*Activation
	e.mu.RLock()
	for _, act := range e.activations {
		if which(act) {
			list = append(list, act)
		}
	}
	e.mu.RUnlock()
	slices.SortFunc(list, func(a, b *Activation) int { return strings.Compare(string(a.addr), string(b.addr)) })
	return list
}
