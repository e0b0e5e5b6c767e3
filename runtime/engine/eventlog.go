package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// ReadLog yields the durable events after a place in the log, oldest first,
// until yield returns false. An event of an unknown type has a nil Message. It
// may be called concurrently with everything.
func (e *Engine) ReadLog(after uint64, yield func(Published) bool) error {
	err := e.store.Scan([]byte(keyLog), []byte(keyLog+seqBytes(after+1)), func(k, v []byte) bool {
		seq, _ := seqOf(string(k))
		p := Published{Seq: seq}
		if rec, err := decodeRecord[logRecord](v); err == nil {
			p.From, p.Trace, p.At = rec.From, rec.Trace, rec.At
			p.Message, _ = e.codec.Decode(rec.Msg)
		}
		return yield(p)
	})
	if err != nil {
		return fmt.Errorf("engine: read event log: %w", err)
	}
	return nil
}

// Cursor returns how far the subscription of a name has acknowledged the event
// log; 0 if it is new.
func (e *Engine) Cursor(name string) (uint64, error) { return e.readCounter(keyCursor + name) }

// SetCursor acknowledges the event log up to and including a place.
func (e *Engine) SetCursor(ctx context.Context, name string, seq uint64) error {
	return e.commitWish(ctx, &staged{epoch: 1, durable: true, ops: []Op{{
		Key: []byte(keyCursor + name), Value: []byte(seqBytes(seq)),
	}}})
}

// Verdict is a recorded decision to let something go no further.
type Verdict struct {
	Actor  messages.Address `json:"actor"`
	Stage  string           `json:"stage"`
	Reason string           `json:"reason"`
	Cause  string           `json:"cause"`
	Trace  string           `json:"trace,omitempty"`
	At     time.Time        `json:"at"`
}

// ReadVerdicts yields the recorded verdicts, oldest first, until yield returns
// false.
func (e *Engine) ReadVerdicts(yield func(Verdict) bool) error {
	err := e.store.Scan([]byte(keyVerdict), nil, func(_, v []byte) bool {
		rec, err := decodeRecord[verdictRecord](v)
		if err != nil {
			return true
		}
		return yield(Verdict(rec))
	})
	if err != nil {
		return fmt.Errorf("engine: read verdicts: %w", err)
	}
	return nil
}

// trimBatch bounds one transaction of Trim.
const trimBatch = 1000

// Trim deletes events, verdicts and keys of injections older than a time, and
// returns how many. Events that a known subscription has not acknowledged stay.
func (e *Engine) Trim(ctx context.Context, before time.Time) (int, error) {
	acked := ^uint64(0)
	err := e.store.Scan([]byte(keyCursor), nil, func(_, v []byte) bool {
		if seq, ok := seqOf(string(v)); ok {
			acked = min(acked, seq)
		}
		return true
	})
	if err != nil {
		return 0, fmt.Errorf("engine: trim: %w", err)
	}
	total := 0
	for _, prefix := range []string{keyLog, keyVerdict, keyInjected} {
		for {
			var ops []Op
			err := e.store.Scan([]byte(prefix), nil, func(k, v []byte) bool {
				seq, _ := seqOf(string(k))
				rec, err := decodeRecord[struct {
					At time.Time `json:"at"`
				}](v)
				old := err == nil && rec.At.Before(before)
				switch {
				case old && (prefix != keyLog || seq <= acked):
					ops = append(ops, Op{Key: k, Delete: true})
				case prefix != keyInjected:
					return false // ordered by time
				}
				return len(ops) < trimBatch
			})
			if err != nil {
				return total, fmt.Errorf("engine: trim: %w", err)
			}
			if len(ops) == 0 {
				break
			}
			if err := e.commitWish(ctx, &staged{epoch: 1, durable: true, ops: ops}); err != nil {
				return total, fmt.Errorf("engine: trim: %w", err)
			}
			total += len(ops)
		}
	}
	return total, nil
}
