package engine

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kehai-run/kehai/messages"
)

// intents are the conversations whose deletion has left its intent in the store.
type intents struct {
	mu   sync.RWMutex
	of   map[messages.ConversationID]intent
	left atomic.Pointer[rests] // the rows that rests are to look at; nil: none
}

// rests are the rows that the rest of each deletion names: all that could not be read, some about others.
type rests map[messages.ConversationID]sums

// intent says of a deletion that has begun what is left of it.
type intent struct {
	key  string // that it waits for, as people were told; "": for none
	rest bool
	rows sums // of a rest
}

// note notes what the store holds of the intent of a deletion, if there is any.
func (e *Engine) note(c messages.ConversationID) {
	begun, err := e.begun(c, order[:])
	if err == nil && begun == nil {
		return
	}
	now := intent{key: e.intents.told(c)}
	if err == nil && begun.Rest {
		now.rest, now.rows = true, begun.sums()
	}
	e.intents.set(c, &now)
}

// noteIntents notes the intents that an earlier start has left.
func (e *Engine) noteIntents() error {
	for _, s := range order {
		prefix, list := s.key(keyForget), []messages.ConversationID(nil)
		err := e.store.Scan([]byte(prefix), nil, func(k, _ []byte) bool {
			list = append(list, messages.ConversationID(k[len(prefix):]))
			return true
		})
		if err != nil {
			return fmt.Errorf("engine: list what is being forgotten: %w", err)
		}
		for _, c := range list {
			e.note(c)
		}
	}
	return nil
}

// set changes what is known of an intent; nil: it is gone.
func (i *intents) set(c messages.ConversationID, now *intent) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.of == nil {
		i.of = map[messages.ConversationID]intent{}
	}
	if now != nil {
		i.of[c] = *now
	} else {
		delete(i.of, c)
	}
	left := rests{}
	for of, in := range i.of {
		if len(in.rows) > 0 {
			left[of] = in.rows
		}
	}
	if i.left.Store(nil); len(left) > 0 {
		i.left.Store(&left)
	}
}

// tell notes which key people are told that a deletion waits for.
func (i *intents) tell(c messages.ConversationID, key string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if in, ok := i.of[c]; ok {
		in.key = key
		i.of[c] = in
	}
}

// told returns which key people were told that a deletion waits for.
func (i *intents) told(c messages.ConversationID) string {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return i.of[c].key
}

// Forgets reports whether the deletion of a conversation has begun and is not over: all that is stored of it will go.
// Where only a rest is left, what has come since stays.
func (e *Engine) Forgets(c messages.ConversationID) bool {
	return e.intents.stands(c) && !e.intents.rests(c)
}

func (i *intents) stands(c messages.ConversationID) bool {
	i.mu.RLock()
	defer i.mu.RUnlock()
	_, ok := i.of[c]
	return ok
}

// rests reports whether only a rest of a deletion is left.
func (i *intents) rests(c messages.ConversationID) bool {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return i.of[c].rest
}

// hidden reports whether a row is left for a rest to delete. Until it is, it is not there for whoever reads: its
// key may be back before the rest goes on. What it names and is about others stays in sight, and so does, as out of
// reach, what cannot be read yet.
func (e *Engine) hidden(key, row []byte) bool {
	left := e.intents.left.Load()
	if left == nil {
		return false
	}
	for c, rows := range *left {
		if len(rows[string(key)]) == 0 || !rows.has(string(key), row) {
			continue
		}
		d := &deletion{e: e, rec: forgetRecord{Conversation: c}, rest: true}
		if d.matches(string(key), row, false) {
			return true
		}
	}
	return false
}

// hiddenNow is hidden of what is stored under a key.
func (e *Engine) hiddenNow(key []byte) (bool, error) {
	if e.intents.left.Load() == nil {
		return false, nil
	}
	row, there, err := e.store.Get(key)
	return there && e.hidden(key, row), err
}

// sums are digests of rows as they are stored, by their keys. An empty one fits any row: older versions wrote none.
type sums map[string][]byte

// sumOf is the digest of a row.
func sumOf(row []byte) []byte {
	sum := sha256.Sum256(row)
	return sum[:16]
}

// has reports whether a row is one of them, and has not been written since.
func (s sums) has(key string, row []byte) bool {
	sum, ok := s[key]
	return ok && (len(sum) == 0 || bytes.Equal(sum, sumOf(row)))
}

// list is their stored form.
func (s sums) list() (rows, digests [][]byte) {
	for _, k := range slices.Sorted(maps.Keys(s)) {
		rows, digests = append(rows, []byte(k)), append(digests, s[k])
	}
	return rows, digests
}

// sums are the rows that a rest names, nil if there are too many.
func (r forgetRecord) sums() sums {
	if r.Rows == nil {
		return nil
	}
	s := sums{}
	for n, k := range r.Rows {
		if s[string(k)] = nil; n < len(r.Sums) {
			s[string(k)] = r.Sums[n]
		}
	}
	return s
}
