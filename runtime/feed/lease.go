package feed

import (
	"slices"
	"sync"
	"time"
)

// leaseTime is how long a tracker that is silent keeps another one out. One that
// sends a snapshot every five seconds keeps its place, and one that takes over
// does so before what the classifier has is too old.
const leaseTime = 10 * time.Second

// lease hears one session at a time: the camera sums up a minute of one tracker.
type lease struct {
	mu     sync.Mutex
	holder string // "" for none
	until  time.Time
}

// take reports whether a session may be heard, and prolongs its lease.
func (l *lease) take(session string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder != "" && l.holder != session && now.Before(l.until) {
		return false
	}
	l.holder, l.until = session, now.Add(leaseTime)
	return true
}

// end makes room at once for the session after one that ended.
func (l *lease) end(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == session {
		l.holder = ""
	}
}

// maxSessions is how many sessions are known over HTTP, where none ends.
const maxSessions = 8

// known are sessions, the one used last in front.
type known []*session

// of returns the session of a name, a new one for a name that is not known. The
// one that was not used for longest makes room for it.
func (k *known) of(name string) *session {
	list := *k
	i := slices.IndexFunc(list, func(s *session) bool { return s.name == name })
	s := &session{name: name}
	switch {
	case i >= 0:
		s = list[i]
		list = slices.Delete(list, i, i+1)
	case len(list) == maxSessions:
		list = list[:maxSessions-1]
	}
	*k = slices.Insert(list, 0, s)
	return s
}
