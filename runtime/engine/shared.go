package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// errShared refuses what this node cannot do to what a cluster shares.
var errShared = errors.New("engine: what a cluster shares is written by its log alone: a store of an older version " +
	"has to be opened once by a node that is alone")

// mine reports whether this node may run an actor.
func (e *Engine) mine(a messages.Address) bool {
	return e.replica == nil || e.shardOf(a) == Here || e.replica.mine(a)
}

// StoreOf names the store of the node to which an actor is bound, "" alone, or if that is not known.
func (e *Engine) StoreOf(a messages.Address) string {
	if e.replica == nil {
		return ""
	}
	id, _, err := e.store.Get([]byte(keyStoreOf + e.replica.home(a)))
	if err != nil {
		return ""
	}
	return string(id)
}

// Waits is that of [Replica]; alone nobody does.
func (e *Engine) Waits(a messages.Address) bool { return e.replica != nil && e.replica.Waits(a) }

// Tells is that of [Replica]; alone all is told.
func (e *Engine) Tells(of, to string) (bool, error) {
	if e.replica == nil {
		return true, nil
	}
	return e.replica.Tells(of, to)
}

// floor is a number up to which nothing is pushed into a mailbox that is made now, unless it
// is in the store already.
func (e *Engine) floor(s Shard) uint64 {
	if e.replica == nil || s == Here {
		return e.recovered[s]
	}
	seq, err := e.readCounter(string(s.seqKey()), 0)
	if err != nil {
		return 0 // reading the inbox will fail too
	}
	return seq
}

// commitShared is Commit in a cluster. Changes bound to this node are written at once. The
// rest goes to the log, one batch at a time, and is released when it comes back from there.
func (e *Engine) commitShared(n int) (took int) {
	k := e.committer
	if k.isAlone() {
		return 0
	}
	if bound := k.takeOf(Here, n); len(bound) > 0 {
		took += len(bound)
		e.commit(bound)
	}
	if e.replica.busy() {
		return took
	}
	shared := k.takeOf(Anywhere, n)
	if len(shared) > 0 {
		e.propose(shared)
		return took + len(shared)
	}
	if x := k.takeExclusive(); x != nil {
		took++
		e.commitExclusive(x)
	}
	return took
}

// commitWaits reports whether Commit would take something now.
func (c Control) commitWaits() bool {
	k := c.e.committer
	if c.e.replica == nil {
		return k.waiting() > 0
	}
	shared := !c.e.replica.busy()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.alone {
		return false
	}
	for _, p := range k.queue {
		if w := p.writes(); shared || w != nil && w.shard == Here {
			return true
		}
	}
	return false
}

func (k *committer) isAlone() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.alone
}

// takeOf removes the next batch of a shard from the queue: at most n entries. An exclusive
// entry lets only entries bound to the node pass.
func (k *committer) takeOf(s Shard, n int) (batch []pendingCommit) {
	k.mu.Lock()
	defer k.mu.Unlock()
	size, full := 0, false
	kept := k.queue[:0]
	for _, p := range k.queue {
		w := p.writes()
		full = full || w == nil && s == Anywhere
		if full || w == nil || w.shard != s {
			kept = append(kept, p)
			continue
		}
		if len(batch) == n || len(batch) > 0 && size+w.size > batchBytes {
			full = true // whatever comes later waits, so that it stays in order
			kept = append(kept, p)
			continue
		}
		size += w.size
		batch = append(batch, p)
	}
	clear(k.queue[len(kept):])
	k.queue = kept
	return batch
}

// takeExclusive removes what is exclusive from the front of the queue, nil if that is
// something else, and lets nothing else be committed before it ends.
func (k *committer) takeExclusive() *exclusive {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.queue) == 0 {
		return nil
	}
	x, ok := k.queue[0].(*exclusive)
	if !ok {
		return nil
	}
	k.queue[0] = nil
	k.queue = k.queue[1:]
	k.alone = true
	return x
}

// propose hands turns and requests to the log, and settles them when they come back.
func (e *Engine) propose(waiting []pendingCommit) {
	var live []pendingCommit
	var out leftOut
	b := Batch{Shard: Anywhere}
	for _, p := range waiting {
		if out.admits(e, p) {
			live = append(live, p)
			b.Changes = append(b.Changes, p.writes().Change)
		}
	}
	if len(live) == 0 {
		out.refuse(e)
		return
	}
	proposed := e.replica.proposeTurns(b, func(results []Result, err error) {
		for i, p := range live {
			switch {
			case err != nil:
				p.unknown(e, err)
			case results[i].Status != Committed:
				p.refused(e, results[i].Status, nil)
			default:
				p.writes().number(results[i].First, 0)
				p.committed(e)
			}
		}
		out.refuse(e)
		e.onCommit(len(live), 0)
	})
	if !proposed {
		// The node was said not to be there since Commit has looked: they go first again.
		k := e.committer
		k.mu.Lock()
		k.queue = slices.Concat(live, out.turns, k.queue)
		k.mu.Unlock()
	}
}

// commitExclusive carries out what has to be alone: what is bound to this node first, then
// the rest through the log.
func (e *Engine) commitExclusive(x *exclusive) {
	k := e.committer
	end := func(err error) {
		if err != nil {
			x.finished(err)
		} else {
			x.committed(e)
		}
		k.mu.Lock()
		k.alone = false
		k.mu.Unlock()
		k.poke()
	}
	batches, err := x.prepare()
	if err == nil {
		err = e.sealAll(&batches)
	}
	if err == nil {
		shared := batches[Anywhere]
		batches[Anywhere] = Batch{}
		if _, err = e.apply(batches, nil, true); err == nil && len(shared.Changes) > 0 {
			shared.Shard = Anywhere
			if e.replica.proposeTurns(shared, func(_ []Result, err error) { end(err) }) {
				return
			}
			err = errShared
		}
	}
	end(err)
}

// applyBound writes changes that are bound to this node. In the same write, everything that
// crosses over goes into the outbox, and from there into the log.
func (e *Engine) applyBound(b Batch, extra []Op, sync bool) (done applied, err error) {
	r, k := e.replica, e.committer
	r.mu.Lock()
	defer r.mu.Unlock()
	tx := &transaction{view: e.store, written: map[string]int{}, known: r.known}
	var over []Change
	err = r.view(func(view View) error {
		tx.view = view
		if len(b.Changes) == 0 && b.Floor == 0 {
			return nil
		}
		b.Shard = Here
		results, out, err := tx.apply(b)
		if err != nil {
			return err
		}
		done.results[Here] = results
		for _, o := range out {
			over = append(over, o.Changes...)
		}
		return nil
	})
	if err != nil {
		return applied{}, err
	}
	for _, c := range over {
		form, err := Batch{Shard: Anywhere, Changes: []Change{c}}.AppendBinary(nil)
		if err != nil {
			return applied{}, err
		}
		tx.write(Op{Key: outboxKey(c.Crossed), Value: form})
	}
	if tx.ops = append(tx.ops, extra...); len(tx.ops) == 0 {
		return done, nil
	}
	// The others will count on what has crossed over: a power cut must not take it back.
	sync = sync || over != nil || tx.seq[Here] >= k.synced[Here]+jump/2
	if err := r.write(tx.ops, sync); err != nil {
		if errors.Is(err, ErrUnknown) {
			return applied{}, errors.Join(err, r.readOutbox())
		}
		return applied{}, err
	}
	if sync {
		k.synced[Here] = max(k.synced[Here], tx.seq[Here])
	}
	if d := e.deletion.Load(); d != nil {
		d.watch(tx.ops)
	}
	e.onCommit(len(b.Changes), len(tx.ops))
	r.outbox = append(r.outbox, over...)
	r.pump()
	return done, nil
}

// letGo gives up actors that belong to other nodes now.
func (e *Engine) letGo(gone []messages.Address) {
	for _, a := range gone {
		e.mu.Lock()
		act := e.activations[a]
		e.remove(a)
		e.mu.Unlock()
		if act == nil {
			continue
		}
		act.box.abandon()
		act.mu.Lock()
		act.becomeLost()
		act.mu.Unlock()
		e.driver.Wake(act)
	}
}

// letGoAll gives up all actors that are not bound to this node.
func (e *Engine) letGoAll() {
	var all []messages.Address
	for _, act := range e.live() {
		if e.shardOf(act.addr) == Anywhere {
			all = append(all, act.addr)
		}
	}
	e.letGo(all)
}

// takeOver begins to run actors that this node newly owns: the ones that came, or all of them
// once the node takes part.
func (e *Engine) takeOver(came []messages.Address, all bool) {
	if !all && len(came) == 0 {
		return
	}
	e.background(func() {
		var err error
		if all {
			err = e.recoverShared()
		}
		for _, a := range came {
			err = errors.Join(err, e.rearm(a))
		}
		e.arrived(came)
		begun := came
		if all {
			begun = e.replica.owned()
		}
		err = errors.Join(err, e.goOn(begun))
		if err != nil { // the store says why
			again := e.clock.Now().Add(time.Second)
			e.timers.arm("take over", again, false, func() { e.takeOver(came, all) })
		}
	})
}

// goOn starts those actors that have begun something with which only a start goes on.
func (e *Engine) goOn(owned []messages.Address) error {
	for _, a := range owned {
		row := e.kinds[a.Kind()].Unfinished
		if row == "" || !e.mine(a) {
			continue
		}
		_, begun, err := e.store.Get([]byte(ofActor(keyState, a, row)))
		if err != nil {
			return fmt.Errorf("engine: look at what %s has begun: %w", a, err)
		}
		if begun {
			e.reach(a, func(*Activation) bool { return true })
		}
	}
	return nil
}

// recoverShared is Recover for what this node owns of the shard Anywhere. Actors from before
// the cluster have no owner yet.
func (e *Engine) recoverShared() error {
	addrs, err := e.inboxes()
	if err != nil {
		return err
	}
	free := map[messages.Address]bool{}
	add := func(a messages.Address) {
		if e.shardOf(a) == Anywhere && e.replica.Holder(a) == "" {
			free[a] = true
		}
	}
	for _, prefix := range []string{keyTimer, keyCall} {
		err := e.store.Scan([]byte(prefix), nil, func(k, _ []byte) bool {
			a, _, _ := splitKey(prefix, string(k))
			add(a)
			return true
		})
		if err != nil {
			return err
		}
	}
	for _, a := range addrs {
		add(a)
	}
	if len(free) > 0 {
		e.replica.want(request{entry: entry{kind: entryClaim, actors: slices.Sorted(maps.Keys(free))}})
	}
	e.arrived(addrs)
	return errors.Join(e.forgetOn(), e.recoverStored())
}

// arrived makes actors that have got mail read it, if they are this node's.
func (e *Engine) arrived(mail []messages.Address) {
	var last [shards]uint64
	seen := map[messages.Address]bool{}
	for _, a := range mail {
		if seen[a] || !e.mine(a) {
			continue
		}
		seen[a] = true
		s := e.shardOf(a)
		if last[s] == 0 {
			last[s] = e.upTo(s)
		}
		e.reach(a, func(act *Activation) bool { return act.box.look(last[s]) })
	}
}

// forgetsElsewhere follows a deletion of another node: rows bound to this node are deleted
// here, and actors that remember something restart from the rows that are left.
func (e *Engine) forgetsElsewhere(ops []Op) {
	for _, op := range ops {
		of, found := strings.CutPrefix(string(op.Key), keyForget)
		if c := messages.ConversationID(of); found && op.Delete {
			if !e.intended(c, Here) {
				e.intents.set(c, nil)
			} else { // a rest of this node's own part waits
				e.note(c)
			}
			e.beginAnew(func(act *Activation) bool { return e.concerned(act.addr, c) })
			e.followElsewhere(c)
		} else if found {
			again := e.intents.rests(c)
			if e.note(c); !again || !e.intents.rests(c) { // else its rest has become smaller
				begun, err := e.begun(c, []Shard{Anywhere})
				if err != nil || begun == nil || !begun.Rest { // else its own part has begun before
					e.forgetBound(c)
				}
				e.followElsewhere(c)
			}
		}
	}
}

// followElsewhere has what is outside the store follow a deletion of another node.
func (e *Engine) followElsewhere(c messages.ConversationID) {
	if e.elsewhere != nil {
		e.background(func() { e.elsewhere(c) })
	}
}

// forgetBound deletes what is bound to this node.
func (e *Engine) forgetBound(c messages.ConversationID) {
	d := &deletion{e: e, alone: true, bound: true, rec: forgetRecord{At: wall(e.clock.Now()), Conversation: c}}
	d.finished = func(error) {} // after an error its intent is left, and it goes on by itself or at the next start
	d.begin(Forgetting{Conversation: c})
}

// forgetOn resumes deletions begun by an earlier start of this node, and applies those of other nodes, also those
// which were over before this start could follow them.
func (e *Engine) forgetOn() error {
	due, err := e.due()
	if err != nil {
		return err
	}
	for _, c := range due {
		e.forgetBound(c)
		e.followElsewhere(c)
	}
	if err := e.forgetOwn(); err != nil {
		return err
	}
	return e.store.Scan([]byte(keyForget), nil, func(k, _ []byte) bool {
		c := messages.ConversationID(k[len(keyForget):])
		e.note(c)
		begun, err := e.begun(c, order[:])
		if err != nil { // another node has begun, and finishes
			e.forgetBound(c)
			e.followElsewhere(c)
			return true
		}
		d := &deletion{e: e, alone: true, rec: forgetRecord{At: wall(e.clock.Now()), Conversation: c}}
		d.finished = func(error) {}
		if begun != nil {
			d.follows(*begun)
		}
		d.begin(Forgetting{Conversation: c})
		return true
	})
}

// forgetOwn goes on with own parts whose end a snapshot has overtaken: what the cluster shares of the conversation is
// deleted, and nobody else knows of the intent.
func (e *Engine) forgetOwn() error {
	prefix := Here.key(keyForget)
	return e.store.Scan([]byte(prefix), nil, func(k, _ []byte) bool {
		c := messages.ConversationID(k[len(prefix):])
		if e.intended(c, Anywhere) {
			return true
		}
		begun, err := e.begun(c, []Shard{Here})
		if err == nil && begun != nil && !begun.Rest { // a rest goes on by itself
			e.forgetBound(c) // behind a deletion under way, whose end may be what was overtaken
		}
		return true
	})
}
