package feed

import (
	"slices"
	"sync"
	"time"
)

// leaseTime is how long a silent tracker keeps another one out. A tracker that
// sends a snapshot every five seconds keeps its lease, and one that takes over
// does so before the classifier's data is too old.
const leaseTime = 10 * time.Second

// lease lets one session through at a time, because the camera summarises a minute of a
// single tracker.
type lease struct {
	mu     sync.Mutex
	holder string // "" for none
	until  time.Time
}

// take reports whether a session may send, and extends its lease.
func (l *lease) take(session string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder != "" && l.holder != session && now.Before(l.until) {
		return false
	}
	l.holder, l.until = session, now.Add(leaseTime)
	return true
}

// end gives up a session's lease, so that the next one need not wait.
func (l *lease) end(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == session {
		l.holder = ""
	}
}

// maxSessions bounds the sessions over HTTP, which never say that they end.
const maxSessions = 8

// sessionCache holds sessions, the most recently used first.
type sessionCache []*session

// of returns the session of a name. It makes a new one for an unknown name, and drops the
// least recently used one if there are too many.
func (k *sessionCache) of(name string) *session {
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
