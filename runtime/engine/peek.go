package engine

import (
	"errors"
	"fmt"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// Row is one stored row of an actor, as its tables decode it.
type Row struct {
	Actor messages.Address
	Table string
	Key   string
	Value []byte
}

// ReadRows yields the stored rows of the actors of a kind, by actor, table and key, until
// yield returns false. Rows that cannot be opened are left out; the error comes at the
// end, unless only keys are missing or out of reach: a conversation without its key holds
// up no reader of the others. Whoever has to know of them reads by [Engine.EachRow]. Turns
// that wait for their commit are not included. It may be called concurrently with everything.
func (e *Engine) ReadRows(kind string, yield func(Row) bool) error {
	err := e.readRows(keyState+kind+"/", kind, yield)
	if keyless(err) {
		return nil
	}
	return err
}

// keyless reports whether an error says of a row only that its key is missing or out of reach.
func keyless(err error) bool { return errors.Is(err, ErrNoKey) || errors.Is(err, ErrKeyAway) }

func (e *Engine) readRows(prefix, kind string, yield func(Row) bool) error {
	var unopened error
	err := e.eachRow(prefix, kind, func(row Row, bad error) bool {
		unopened = worse(unopened, bad)
		return bad != nil || yield(row)
	})
	if err == nil && unopened != nil {
		err = fmt.Errorf("engine: read rows of %s: %w", kind, unopened)
	}
	return err
}

func (e *Engine) eachRow(prefix, kind string, yield func(row Row, bad error) bool) error {
	err := e.scan([]byte(prefix), nil, func(k, v []byte, bad error) bool {
		a, row, ok := splitKey(keyState, string(k))
		if !ok {
			return true
		}
		if bad != nil {
			v = nil
		}
		table, key := actors.SplitRow(row)
		return yield(Row{Actor: a, Table: table, Key: key, Value: v}, bad)
	})
	if err != nil {
		return fmt.Errorf("engine: read rows of %s: %w", kind, err)
	}
	return nil
}

// EachRowOf is [Engine.EachRow] for all tables of the actors of a kind, or of one of them alone.
func (e *Engine) EachRowOf(kind string, one messages.Address, yield func(row Row, bad error) bool) error {
	prefix := keyState + kind + "/"
	if one != "" {
		prefix = stateKey(one, "")
	}
	return e.eachRow(prefix, kind, yield)
}

// worse is the error of a row that cannot be opened that tells more: a missing key less than all else, and one
// out of reach more than that.
func worse(before, now error) error {
	switch {
	case now == nil, before != nil && errors.Is(now, ErrNoKey),
		before != nil && errors.Is(now, ErrKeyAway) && !errors.Is(before, ErrNoKey):
		return before
	}
	return now
}

// ReadTable decodes the rows of one table of a kind's actors, by actor and key, until
// yield fails. A row that cannot be decoded ends it with that error.
func ReadTable[V any](e *Engine, kind string, t actors.Table[V], yield func(messages.Address, string, V) error) error {
	var failed error
	err := e.ReadRowsIn(kind, t.Name(), func(row Row) bool {
		var v V
		if v, failed = t.Decode(row.Value); failed == nil {
			failed = yield(row.Actor, row.Key, v)
		}
		return failed == nil
	})
	return errors.Join(err, failed)
}

// SkimTable is [ReadTable] without the rows that cannot be decoded.
func SkimTable[V any](e *Engine, kind string, t actors.Table[V], yield func(messages.Address, string, V)) error {
	return e.ReadRowsIn(kind, t.Name(), func(row Row) bool {
		if v, err := t.Decode(row.Value); err == nil {
			yield(row.Actor, row.Key, v)
		}
		return true
	})
}

// ReadRow returns one stored row of an actor, as its tables decode it; false if there is
// none. The row is named as Table.Row does. It may be called concurrently with
// everything.
func (e *Engine) ReadRow(a messages.Address, row string) ([]byte, bool, error) {
	raw, ok, err := e.get([]byte(stateKey(a, row)))
	if err != nil {
		return nil, false, fmt.Errorf("engine: read a row of %s: %w", a.Kind(), err)
	}
	return raw, ok, nil
}

// HasRows reports whether an actor has stored rows.
func (e *Engine) HasRows(a messages.Address) (has bool, err error) {
	err = e.store.Scan([]byte(stateKey(a, "")), nil, func(_, _ []byte) bool { has = true; return false })
	if err != nil {
		return false, fmt.Errorf("engine: look for rows of %s: %w", a.Kind(), err)
	}
	return has, nil
}

// FindRow is [Engine.ReadRow] of the first actor of a kind that has such a row.
func (e *Engine) FindRow(kind, row string) (found Row, ok bool, err error) {
	prefix := []byte(keyState + kind + "/")
	for from := prefix; from != nil && !ok; {
		at := from
		from = nil
		var bad error
		err = e.scan(prefix, at, func(k, v []byte, unopened error) bool {
			a, name, whole := splitKey(keyState, string(k))
			switch {
			case !whole:
				return true
			case name < row:
				from = []byte(stateKey(a, row))
			case name > row:
				from = []byte(keyState + string(a) + "\x01") // behind its last row
			default:
				table, key := actors.SplitRow(row)
				found, ok, bad = Row{Actor: a, Table: table, Key: key, Value: v}, true, unopened
			}
			return false
		})
		if err = errors.Join(err, bad); err != nil {
			return Row{}, false, fmt.Errorf("engine: find a row of %s: %w", kind, err)
		}
	}
	return found, ok, nil
}

// ReadRowsOf is [Engine.ReadRows] for one actor.
func (e *Engine) ReadRowsOf(a messages.Address, yield func(Row) bool) error {
	return e.readRows(stateKey(a, ""), a.Kind(), yield)
}

// ReadRowsIn is [Engine.ReadRows] for one table of all actors of a kind. It passes over
// their other rows without reading them.
func (e *Engine) ReadRowsIn(kind, table string, yield func(Row) bool) error {
	var unopened error
	err := e.EachRow(kind, table, func(row Row, bad error) bool {
		unopened = worse(unopened, bad)
		return bad != nil || yield(row)
	})
	if err == nil && unopened != nil && !keyless(unopened) {
		err = fmt.Errorf("engine: read table %s of %s: %w", table, kind, unopened)
	}
	return err
}

// EachRow is [Engine.ReadRowsIn] that yields the rows that cannot be opened, too, each without its value and
// with the reason. What is named by such a row is there all the same.
func (e *Engine) EachRow(kind, table string, yield func(row Row, bad error) bool) error {
	prefix := []byte(keyState + kind + "/")
	for from := prefix; from != nil; {
		at := from
		from = nil
		err := e.scan(prefix, at, func(k, v []byte, bad error) bool {
			a, row, ok := splitKey(keyState, string(k))
			name, key := actors.SplitRow(row)
			switch {
			case !ok:
				return true
			case name < table:
				from = []byte(stateKey(a, table))
				return false
			case name > table:
				from = []byte(keyState + string(a) + "\x01") // behind its last row
				return false
			case bad != nil:
				v = nil
			}
			return yield(Row{Actor: a, Table: name, Key: key, Value: v}, bad)
		})
		if err != nil {
			return fmt.Errorf("engine: read table %s of %s: %w", table, kind, err)
		}
	}
	return nil
}

// ReadMail yields the stored mail that waits to be handled, by actor and then in
// order, until yield returns false. A message that cannot be read is nil; see [Envelope.Away].
func (e *Engine) ReadMail(yield func(Envelope) bool) error {
	err := e.scan([]byte(keyInbox), nil, func(k, v []byte, bad error) bool {
		a, _, ok := splitKey(keyInbox, string(k))
		if !ok {
			return true
		}
		seq, _ := seqOf(string(k))
		env := Envelope{ID: e.shardOf(a).mailID(seq), To: a}
		rec, err := decodeOpened[mailRecord](v, bad)
		if err == nil {
			env.From, env.Trace, env.At = rec.From, rec.Trace, rec.At
			env.Message, err = e.codec.Decode(rec.Msg)
		}
		env.bad = err
		return yield(env)
	})
	if err != nil {
		return fmt.Errorf("engine: read mail: %w", err)
	}
	return nil
}

// Away reports whether the message of [Engine.ReadMail] has a key that is out of reach for now.
func (env *Envelope) Away() bool { return errors.Is(env.bad, ErrKeyAway) }

// EventIsOf reports whether the stored event at a place may be about a conversation, also if it cannot be read:
// one that is sealed for somebody else is not.
func (e *Engine) EventIsOf(c messages.ConversationID, seq uint64) (bool, error) {
	v, ok, err := e.store.Get([]byte(keyLog + seqBytes(seq)))
	if err != nil {
		return false, fmt.Errorf("engine: read an event: %w", err)
	}
	return ok && (e.sealer == nil || !marked(v) || e.sealer.Under(string(c), v[len(sealMark):])), nil
}

// DecodeDeadLetter returns the message of a dead letter, an error if it cannot
// be read.
func (e *Engine) DecodeDeadLetter(d DeadLetter) (messages.Message, error) {
	return e.codec.Decode(d.Message)
}
