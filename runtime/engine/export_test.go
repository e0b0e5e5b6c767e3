package engine

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
