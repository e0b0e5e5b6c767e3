package engine

// Releasing reports whether somebody releases turns of the activation.
func (act *Activation) Releasing() bool {
	if act.release.TryLock() {
		act.release.Unlock()
		return false
	}
	return true
}
