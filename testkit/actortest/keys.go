package actortest

import (
	"bytes"
	"fmt"
	"hash/fnv"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Keys are an [engine.Sealer] that hides nothing, and whose keys can be out of reach. Who had one that was destroyed
// gets no other. Make them with [NewKeys].
type Keys struct {
	away map[string]bool
	gone map[string]bool
}

// NewKeys makes keys that are all in reach.
func NewKeys() *Keys { return &Keys{away: map[string]bool{}, gone: map[string]bool{}} }

// TakeAway puts the keys of subjects out of reach. An actor that waits for one fails, see [Harness.WantFailure], and
// goes on later.
func (k *Keys) TakeAway(subjects ...string) {
	for _, s := range subjects {
		k.away[mark(s)] = true
	}
}

// GiveBack puts all keys into reach.
func (k *Keys) GiveBack() { clear(k.away) }

// mark stands before each row of a subject.
func mark(subject string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(subject))
	return string(h.Sum(nil))
}

const markSize = 8

// usable is why a key cannot be used, nil if it can.
func (k *Keys) usable(mark string) error {
	switch {
	case k.away[mark]:
		return fmt.Errorf("a key was taken away: %w", engine.ErrKeyAway)
	case k.gone[mark]:
		return fmt.Errorf("a key was destroyed: %w", engine.ErrNoKey)
	}
	return nil
}

// Ready implements [engine.Sealer].
func (k *Keys) Ready(subject string) error {
	return k.usable(mark(subject))
}

// Seal implements [engine.Sealer].
func (k *Keys) Seal(to []byte, subject string, _, plain []byte) ([]byte, error) {
	if err := k.Ready(subject); err != nil {
		return nil, err
	}
	return append(append(to, mark(subject)...), plain...), nil
}

// Overhead implements [engine.Sealer].
func (k *Keys) Overhead() int { return markSize }

// Open implements [engine.Sealer].
func (k *Keys) Open(_, sealed []byte) ([]byte, error) {
	if len(sealed) < markSize {
		return nil, engine.ErrRecord
	}
	return sealed[markSize:], k.usable(string(sealed[:markSize]))
}

// Under implements [engine.Sealer].
func (k *Keys) Under(subject string, sealed []byte) bool {
	return bytes.HasPrefix(sealed, []byte(mark(subject)))
}

// Destroy implements [engine.Sealer].
func (k *Keys) Destroy(subject string) error {
	if k.away[mark(subject)] {
		return k.usable(mark(subject))
	}
	k.gone[mark(subject)] = true
	return nil
}

// SealedFor makes the store sealed, each row under the key of whom it is about.
func SealedFor(s engine.Sealer, subject func(row string, value []byte) messages.ConversationID) Option {
	return func(o *options) { o.sealer, o.subject = s, subject }
}
