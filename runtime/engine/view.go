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
	// The keys that are out of reach, by the prefixes that were read, and which of them people were told of.
	// Only turns use both.
	away map[string]error
	key  string
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
	if err != nil {
		return nil, nil, err
	}
	delete(r.away, prefix)
	for _, row := range slices.Sorted(maps.Keys(away))[:min(1, len(away))] {
		if r.away == nil {
			r.away = map[string]error{}
		}
		r.away[prefix] = away[row]
	}
	r.tell()
	return rows, away, nil
}

// tell says which key is out of reach, once for each, and when none is any more.
func (r *rowReader) tell() {
	m := events.ActorUnhealthy{Actor: r.act.addr, Healthy: len(r.away) == 0, At: r.e.clock.Now()}
	for _, prefix := range slices.Sorted(maps.Keys(r.away))[:min(1, len(r.away))] {
		m.Reason, m.Key = cutText(r.away[prefix].Error()), KeyAway(r.away[prefix])
	}
	if m.Healthy == r.told.Load() || m.Key != r.key {
		r.told.Store(!m.Healthy)
		r.key = m.Key
		r.e.report(m)
	}
}

// together takes the rows of whom a row out of reach is about, too: the key may have been in reach for a moment,
// and one row would contradict the other. sealed has the rows out of reach.
func (r *rowReader) together(rows map[string][]byte, away map[string]error, sealed map[string][]byte) {
	whose := map[string]error{}
	for row, v := range rows {
		subject := r.e.rowSubject(stateKey(r.act.addr, row), v)
		why, known := whose[subject]
		if !known {
			for other, raw := range sealed {
				if away[other] != nil && r.e.sealer.Under(subject, raw) {
					why = away[other]
				}
			}
			whose[subject] = why
		}
		if why != nil {
			away[row] = why
			delete(rows, row)
		}
	}
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
	sealed := map[string][]byte{}
	var bad error
	err = r.e.scan([]byte(full), nil, func(k, v []byte, unopened error) bool {
		if unopened != nil && r.lost(v, unopened) {
			return true
		}
		if errors.Is(unopened, ErrKeyAway) {
			away[string(k[base:])], sealed[string(k[base:])] = unopened, v[len(sealMark):]
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
	if len(away) > 0 {
		r.together(rows, away, sealed)
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
