package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/kehai-run/kehai/messages"
)

// intents are the conversations whose deletion has left its intent in the store.
type intents struct {
	mu sync.RWMutex
	of map[messages.ConversationID]bool
}

func (i *intents) add(c messages.ConversationID) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.of == nil {
		i.of = map[messages.ConversationID]bool{}
	}
	i.of[c] = true
}

func (i *intents) remove(c messages.ConversationID) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.of, c)
}

// forgotten reports whether a row that does not open belongs to a conversation whose
// deletion has destroyed its key and will delete the row: for whoever reads, it is not
// there any more.
func (e *Engine) forgotten(row []byte, why error) bool {
	if e.sealer == nil || !marked(row) || !errors.Is(why, ErrNoKey) {
		return false
	}
	e.intents.mu.RLock()
	defer e.intents.mu.RUnlock()
	for c := range e.intents.of {
		if e.sealer.Under(string(c), row[len(sealMark):]) {
			return true
		}
	}
	return false
}

// begun returns the intent of an earlier attempt, nil if there is none.
func (e *Engine) begun(c messages.ConversationID) (*forgetRecord, error) {
	for _, s := range order {
		raw, ok, err := e.get([]byte(s.key(keyForget + string(c))))
		if err != nil {
			return nil, err
		}
		if ok {
			rec, err := decodeRecord[forgetRecord](raw)
			return &rec, err
		}
	}
	return nil, nil
}

// asked lists the kinds of actors that say whom their rows are about.
func (e *Engine) asked() []string {
	var list []string
	for name, k := range e.kinds {
		if k.asks() {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// knows reports whether this program can check everything that the program could which
// left an intent; the deletion has been collected.
func (d *deletion) knows(begun forgetRecord) bool {
	if begun.Kinds == nil {
		return true
	}
	asked := d.e.asked()
	for _, kind := range begun.Kinds {
		if !slices.Contains(asked, kind) {
			return false
		}
	}
	return d.sum.Unknown <= begun.Unknown
}

// finishForgetting carries out what a crash interrupted.
func (e *Engine) finishForgetting() error {
	left := map[messages.ConversationID]forgetRecord{}
	var bad error
	begun := order[:]
	if e.replica != nil { // the rest once this node takes part
		begun = []Shard{Here}
	}
	for _, s := range begun {
		err := e.scan([]byte(s.key(keyForget)), nil, func(_, v []byte, unopened error) bool {
			rec, err := decodeOpened[forgetRecord](v, unopened)
			left[rec.Conversation] = rec
			bad = err
			return err == nil
		})
		if err = errors.Join(err, bad); err != nil {
			return fmt.Errorf("engine: finish an interrupted deletion: %w", err)
		}
	}
	for c := range left {
		e.intents.add(c)
	}
	for _, c := range slices.Sorted(maps.Keys(left)) {
		d := &deletion{e: e, rec: left[c], bound: e.replica != nil}
		err := d.collect()
		if err == nil && !d.knows(d.rec) {
			continue // a program that knows as much as the one that began finishes it
		}
		if err == nil {
			err = d.destroyKey()
		}
		for more := true; err == nil && more; {
			var b [shards]Batch
			var now slice
			if now, err = d.look(); err == nil {
				b, _, more, err = d.next(now)
			}
			if err == nil {
				_, err = e.apply(b, nil, e.sync)
			}
		}
		if err != nil {
			return fmt.Errorf("engine: finish an interrupted deletion: %w", err)
		}
		e.intents.remove(c)
	}
	return nil
}
