package engine

import "github.com/kehai-run/kehai/messages"

// MaxKnown is for tests of what the committer keeps in mind.
const MaxKnown = maxKnown

// Releasing reports whether somebody releases turns of the activation.
func (act *Activation) Releasing() bool {
	if act.release.TryLock() {
		act.release.Unlock()
		return false
	}
	return true
}

// ApplyOfAnother applies what another node has committed. Nothing may commit
// meanwhile.
func (e *Engine) ApplyOfAnother(ops ...Op) error {
	_, err := e.apply([shards]Batch{Anywhere: {Changes: []Change{{Ops: ops}}}}, nil, e.sync)
	return err
}

// Known counts what the committer knows of a store without reading it.
func (e *Engine) Known() (mail, epochs int) {
	return len(e.committer.known.mail), len(e.committer.known.epochs)
}

// ApplyHere applies changes to the shard Here, as the committer does.
func (e *Engine) ApplyHere(changes ...Change) ([]Result, error) {
	done, err := e.apply([shards]Batch{Here: {Changes: changes}}, nil, e.sync)
	return done.results[Here], err
}

// EpochKey is where the ownership of an actor is stored.
func EpochKey(a messages.Address) []byte { return epochKey(a) }

// ForgetLater is Forget without waiting: done is called at the end.
func (e *Engine) ForgetLater(f Forgetting, done func(error)) {
	d := &deletion{e: e, rec: forgetRecord{At: wall(e.clock.Now()), Conversation: f.Conversation}, finished: done}
	d.begin(f)
}

// Voice makes the entries of one start of a node, as it would propose them.
type Voice struct {
	Node, Store string
	Boot, Took  uint64
	Zone        string   // see [ReplicaOptions]
	Zoned       []string // kinds that keep to it
	n           uint64
}

func (v *Voice) say(en entry) []byte {
	v.n++
	en.node, en.boot, en.n, en.took = v.Node, v.Boot, v.n, v.Took
	form, err := en.encode()
	if err != nil {
		panic(err)
	}
	return form
}

// Hello says that the node is there; crossed counts what came over from its store.
func (v *Voice) Hello(crossed uint64) []byte {
	return v.say(entry{kind: entryHello, store: v.Store, crossed: crossed, note: zone{v.Zone, v.Zoned}.form()})
}

// Commit is an entry of turns and requests, and of what crosses over.
func (v *Voice) Commit(batches ...Batch) []byte {
	return v.say(entry{kind: entryCommit, batches: batches})
}

// Down says that a node is not there.
func (v *Voice) Down(node string, boot uint64) []byte {
	return v.say(entry{kind: entryDown, gone: node, goneBoot: boot})
}

// Claim takes actors that nobody owns.
func (v *Voice) Claim(actors ...messages.Address) []byte {
	return v.say(entry{kind: entryClaim, actors: actors})
}

// FromStore is how what crosses over from a store names where it comes from.
func FromStore(node, store string) string { return fromNode(node, store) }

// OutboxKey is where a change waits for the log.
func OutboxKey(n uint64) string { return string(outboxKey(n)) }

// BoxKey is where a change waits for a node.
func BoxKey(node string, n uint64) string { return string(boxKey(node, n)) }

// Begin is what starting an engine on a replica does to it.
func (r *Replica) Begin(boot uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.boot = boot
	r.pump()
}

// Silent reports whether this start of the node takes no part yet.
func (r *Replica) Silent() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.greeted
}

// Receipt is the key of the row that the delivery acknowledges.
func (env *Envelope) Receipt() string { return env.receipt }
