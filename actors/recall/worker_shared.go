package recall

import (
	"fmt"
	"sync"
	"time"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/actors/memory/rank"
	"github.com/kehai-run/kehai/messages"
)

// shared is what the routes of one recall need alike, and find out once: how the question
// reads, what its words find, and the rows of events.
type shared struct {
	of     sharedBy
	asking func() rank.Query // the question with how it reads
	words  func() rank.Asked

	mu   sync.Mutex
	rows map[string]row // of events, by docID
}

// row is an event as it was read.
type row struct {
	of messages.ConversationID
	memory.Event
}

// Bounds of the rows that the routes share, and the longest text in one.
const (
	maxRows = 512
	maxText = 4 << 10 // bytes
)

// event returns a stored event, as it was when the first route of this recall read it.
func (s *search) event(id string) (messages.ConversationID, memory.Event, bool) {
	s.mu.Lock()
	is, known := s.rows[id]
	s.mu.Unlock()
	if known {
		return is.of, is.Event, true
	}
	c, e, ok := s.l.event(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok && len(s.rows) < maxRows && len(e.Text) <= maxText {
		s.rows[id] = row{c, e}
	}
	return c, e, ok
}

// sharedBy is what must be equal: the question, its scope, and the index with all that it has.
type sharedBy struct {
	x           *lexical.Index
	version     uint64
	text, scope string
	at          int64
}

// maxShared is how many recalls at the same time have something in common. What an index found
// before it changed is not used again.
const maxShared = 8

// share returns what a search has in common with others of the same recall.
func (l *Library) share(s *search) *shared {
	of := sharedBy{x: s.x, version: s.x.Version(), text: s.q.Text, at: s.q.At.UnixNano(),
		scope: fmt.Sprintf("%q %v %q %d", s.scope.Conversations, s.scope.Conversations == nil, s.scope.Except,
			s.scope.Before.UnixNano())}
	l.sharing.Lock()
	defer l.sharing.Unlock()
	for _, is := range l.shares {
		if is.of == of {
			return is
		}
	}
	is := newShared(of, s.scope, s.q.At.In(l.zone))
	if s.x == l.index.Load() { // nothing of an index that was replaced is kept
		l.shares = append(l.shares, is)
		l.shares = l.shares[max(0, len(l.shares)-maxShared):]
	}
	return is
}

// unshare lets go of all that was found out with an index that is replaced.
func (l *Library) unshare() {
	l.sharing.Lock()
	defer l.sharing.Unlock()
	l.shares = nil
}

func newShared(of sharedBy, scope lexical.Scope, now time.Time) *shared {
	if scope.Before.IsZero() && of.x.Latest().Before(now) {
		scope.Before = now.Add(time.Millisecond) // as package rank does: nothing is later
	}
	q := rank.Query{Text: of.text, Now: now, Scope: scope, K: lexicalHits}
	is := &shared{of: of, rows: map[string]row{}}
	is.asking = sync.OnceValue(func() rank.Query {
		q.Read = rank.Read(of.x, q, rank.Defaults())
		return q
	})
	is.words = sync.OnceValue(func() rank.Asked { return rank.AskedOf(of.x, is.asking()) })
	return is
}
