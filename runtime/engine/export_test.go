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

// Hello is the entry with which a node says that it is there.
func Hello(node string, boot, took uint64) []byte {
	en := entry{kind: entryHello, node: node, boot: boot, n: 1, took: took, store: "store"}
	form, err := en.encode()
	if err != nil {
		panic(err)
	}
	return form
}
