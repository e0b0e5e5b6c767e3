package engine

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// read returns the value of a key as the pending turns of an activation have left it.
func (e *Engine) read(act *Activation, key string) ([]byte, bool, error) {
	act.mu.Lock()
	o, pending := act.view[key]
	act.mu.Unlock()
	if pending {
		return o.value, o.ok, nil
	}
	return e.get(bytesOf(key))
}

// rowReader shows an actor its own rows: the store's, under what its pending
// turns have written.
type rowReader struct {
	e    *Engine
	act  *Activation
	told atomic.Bool // that a key is out of reach
}

// Get implements [actors.Reader].
func (r *rowReader) Get(key string) ([]byte, bool, error) {
	full := stateKey(r.act.addr, key)
	v, ok, err := r.e.read(r.act, full)
	if errors.Is(err, ErrNoKey) {
		if raw, there, gerr := r.e.store.Get(bytesOf(full)); gerr == nil && there && r.lost(raw, err) {
			return nil, false, nil
		}
	}
	return v, ok, err
}

// Rows implements [actors.Reader].
func (r *rowReader) Rows(prefix string) (map[string][]byte, error) {
	rows, away, err := r.rows(prefix)
	for _, row := range slices.Sorted(maps.Keys(away)) {
		err = cmp.Or(err, away[row])
	}
	return rows, err
}

// RowsInReach implements [actors.PartialReader]. It tells which key is out of reach, as the actor goes on.
func (r *rowReader) RowsInReach(prefix string) (rows map[string][]byte, away map[string]error, err error) {
	rows, away, err = r.rows(prefix)
	if err != nil || len(away) > 0 == r.told.Load() {
		return rows, away, err
	}
	r.told.Store(len(away) > 0)
	m := events.ActorUnhealthy{Actor: r.act.addr, Healthy: len(away) == 0, At: r.e.clock.Now()}
	for _, row := range slices.Sorted(maps.Keys(away))[:min(1, len(away))] {
		m.Reason, m.Key = cutText(away[row].Error()), KeyAway(away[row])
	}
	r.e.report(m)
	return rows, away, nil
}

// rows reads rows and, apart, why some cannot be read for now. A release may move rows from
// the overlay to the store between the two looks, so it takes the overlay first.
func (r *rowReader) rows(prefix string) (rows map[string][]byte, away map[string]error, err error) {
	full := stateKey(r.act.addr, prefix)
	base := len(full) - len(prefix)
	over := map[string]overlay{}
	r.act.mu.Lock()
	for k, o := range r.act.view {
		if strings.HasPrefix(k, full) {
			over[k[base:]] = o
		}
	}
	r.act.mu.Unlock()
	rows, away = map[string][]byte{}, map[string]error{}
	var bad error
	err = r.e.scan([]byte(full), nil, func(k, v []byte, unopened error) bool {
		if unopened != nil && r.lost(v, unopened) {
			return true
		}
		if errors.Is(unopened, ErrKeyAway) {
			away[string(k[base:])] = unopened
			return true
		}
		rows[string(k[base:])], bad = v, unopened
		return bad == nil
	})
	if err = errors.Join(err, bad); err != nil {
		return nil, nil, err
	}
	for k, o := range over {
		delete(away, k)
		if o.ok {
			rows[k] = o.value
		} else {
			delete(rows, k)
		}
	}
	return rows, away, nil
}

// lost reports that a row of an actor that is about many is sealed under a key of
// another subject that cannot be used: it counts as missing, so that the actor goes
// on with the others. Storing something about that subject then fails.
func (r *rowReader) lost(sealed []byte, why error) bool {
	return r.act.kind.SubjectOf != nil && errors.Is(why, ErrNoKey) && marked(sealed) &&
		!r.e.sealer.Under(r.act.addr.Key(), sealed[len(sealMark):])
}

func stateKey(a messages.Address, row string) string { return ofActor(keyState, a, row) }
