package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages/events"
)

// ReadLog yields the durable events after a place in the log, oldest first,
// until yield returns false. An event that cannot be decoded has a nil Message
// and says why in Err; with [ErrKeyAway] it may be read later. ReadLog may be called concurrently with everything.
func (e *Engine) ReadLog(after uint64, yield func(Published) bool) error {
	return e.scanLog(after, func(seq uint64, row []byte, bad error) bool { return yield(e.logged(seq, row, bad)) })
}

func (e *Engine) scanLog(after uint64, yield func(seq uint64, row []byte, bad error) bool) error {
	err := e.scan([]byte(keyLog), []byte(keyLog+seqBytes(after+1)), func(k, v []byte, bad error) bool {
		seq, _ := seqOf(string(k))
		return yield(seq, v, bad)
	})
	if err != nil {
		return fmt.Errorf("engine: read event log: %w", err)
	}
	return nil
}

// logged decodes a row of the log; bad says why it could not be opened.
func (e *Engine) logged(seq uint64, row []byte, bad error) Published {
	p := Published{Seq: seq}
	rec, err := decodeOpened[logRecord](row, bad)
	if err == nil {
		p.From, p.Trace, p.At = rec.From, rec.Trace, rec.At
		p.Message, err = e.codec.Decode(rec.Msg)
	}
	p.Err = err
	return p
}

// Logged returns the numbers of at most n durable events after a place in the log, oldest first. Whoever
// hands them out reads each with [Engine.Event] when its turn comes.
func (e *Engine) Logged(after uint64, n int) (list []uint64, err error) {
	err = e.scanLog(after, func(seq uint64, _ []byte, _ error) bool {
		list = append(list, seq)
		return len(list) < n
	})
	return list, err
}

// Event returns a durable event as it stands in the log now, as [Engine.ReadLog] does. ok is false if it is
// not there any more: it was forgotten, or its time was over.
func (e *Engine) Event(seq uint64) (ev Published, ok bool, err error) {
	row, ok, err := e.get([]byte(keyLog + seqBytes(seq)))
	switch {
	case err != nil && (errors.Is(err, ErrKeyAway) || !unopened(err)):
		return Published{}, false, fmt.Errorf("engine: read event %d: %w", seq, err)
	case err == nil && !ok:
		return Published{}, false, nil
	}
	return e.logged(seq, row, err), true, nil
}

// Cursor returns how far the subscription of a name has acknowledged the event
// log; for a new one what it will not get, see [Engine.Trimmed].
func (e *Engine) Cursor(name string) (uint64, error) {
	before, err := e.Trimmed()
	if err == nil && e.replica != nil { // where the node stood when it was alone
		before, err = e.readCounter(keyCursor+name, before)
	}
	if err != nil {
		return 0, err
	}
	return e.readCounter(e.cursorKey(name), before)
}

// Trimmed is the newest event that [Engine.Trim] has deleted, on any node; 0 if there is none. A
// subscription that has not acknowledged it never got it.
func (e *Engine) Trimmed() (newest uint64, err error) {
	err = e.store.Scan([]byte(keyTrimmed), nil, func(_, v []byte) bool {
		if seq, ok := seqOf(string(v)); ok {
			newest = max(newest, seq)
		}
		return true
	})
	if err != nil {
		return 0, fmt.Errorf("engine: read what was trimmed: %w", err)
	}
	return newest, nil
}

// trimmedKey is where this node keeps what it has trimmed: its row never falls, whatever others trim.
func (e *Engine) trimmedKey() string {
	if e.replica != nil {
		return keyTrimmed + e.replica.Node()
	}
	return keyTrimmed
}

// readerShard has the places of the log's readers, and what they could not handle. In a
// cluster each node has readers of its own, which need no majority to acknowledge.
func (e *Engine) readerShard() Shard {
	if e.replica != nil {
		return Here
	}
	return logShard
}

func (e *Engine) cursorKey(name string) string { return e.readerShard().key(keyCursor) + name }

// SetCursor acknowledges the event log up to and including a place. It changes nothing for a subscription
// that is past it.
func (e *Engine) SetCursor(ctx context.Context, name string, seq uint64) error {
	r := &hostRequest{}
	r.shard, r.Rises = e.readerShard(), true
	r.Ops = []Op{{Key: []byte(e.cursorKey(name)), Value: []byte(seqBytes(seq))}}
	return e.request(ctx, r)
}

// SettingKey is the key of a setting's row, for programs that read a backup.
func SettingKey(name string) []byte { return []byte(keyHost + name) }

// Setting reads a setting of the host, false if there is none.
func (e *Engine) Setting(name string) ([]byte, bool, error) {
	raw, ok, err := e.get(SettingKey(name))
	if err != nil {
		return nil, false, fmt.Errorf("engine: setting %s: %w", name, err)
	}
	return raw, ok, nil
}

// SetSetting stores a setting of the host, nil to remove it.
func (e *Engine) SetSetting(ctx context.Context, name string, value []byte) error {
	return e.write(ctx, Op{Key: SettingKey(name), Value: value, Delete: value == nil})
}

// ReadVerdicts yields the recorded verdicts, oldest first, until yield returns
// false. Two may have the same Seq: one of an actor that is bound to this node,
// and one of an actor that is not.
func (e *Engine) ReadVerdicts(yield func(events.Verdict) bool) error {
	var err error
	var next [shards]func() (events.Verdict, bool)
	var heads [shards]events.Verdict
	var ok [shards]bool
	for s := range shards {
		var stop func()
		next[s], stop = iter.Pull(e.verdicts(s, &err))
		defer stop()
		heads[s], ok[s] = next[s]()
	}
	for err == nil && (ok[Anywhere] || ok[Here]) {
		s := Anywhere
		if !ok[s] || ok[Here] && heads[Here].At.Before(heads[s].At) {
			s = Here
		}
		if !yield(heads[s]) {
			return nil
		}
		heads[s], ok[s] = next[s]()
	}
	if err != nil {
		return fmt.Errorf("engine: read verdicts: %w", err)
	}
	return nil
}

// verdicts yields those of a shard, and sets failed if they cannot be read.
func (e *Engine) verdicts(s Shard, failed *error) iter.Seq[events.Verdict] {
	return func(yield func(events.Verdict) bool) {
		err := e.scan([]byte(s.key(keyVerdict)), nil, func(k, v []byte, bad error) bool {
			rec, err := decodeOpened[verdictRecord](v, bad)
			if err != nil {
				return true
			}
			rec.Seq, _ = seqOf(string(k))
			if rec.Outcome == "" { // from before outcomes had names, when only drops had a reason
				rec.Outcome = events.OutcomePassed
				if rec.Reason != "" {
					rec.Outcome = events.OutcomeDropped
				}
			}
			return yield(events.Verdict(rec))
		})
		if err != nil {
			*failed = err
		}
	}
}

// Cutoffs say how old records may get. What is older than its time is deleted;
// the zero time keeps everything. Whoever makes them of a clock that is ahead deletes more than is old.
type Cutoffs struct {
	// Events go in the order of the log, whatever the clock did while they came: one stays as long
	// as one before it does. An event whose time is unknown, because it cannot be read or is later
	// than now, goes with the next one behind it. Events are kept while a subscription in Served has
	// not acknowledged them, or has yet to begin. Passed is told of the others that will miss events:
	// how many were deleted before they acknowledged them.
	Events      time.Time
	Served      []string
	Passed      func(subscription string, events int)
	Verdicts    time.Time
	Injections  time.Time // keys that make an injection count once
	DeadLetters time.Time
}

// trimBatch bounds one transaction of Trim.
const trimBatch = 1000

// Trim deletes old records and returns how many.
func (e *Engine) Trim(ctx context.Context, c Cutoffs) (int, error) {
	acked, dead := ^uint64(0), map[string]uint64{}
	begun := 0
	err := e.store.Scan([]byte(e.cursorKey("")), nil, func(k, v []byte) bool {
		seq, ok := seqOf(string(v))
		if name := strings.TrimPrefix(string(k), e.cursorKey("")); ok && slices.Contains(c.Served, name) {
			acked, begun = min(acked, seq), begun+1
		} else if ok {
			dead[name] = seq
		}
		return true
	})
	if begun < len(c.Served) && err == nil {
		var trimmed uint64
		trimmed, err = e.Trimmed()
		acked = min(acked, trimmed)
	}
	if err != nil {
		return 0, fmt.Errorf("engine: trim: %w", err)
	}
	passed := map[string]int{}
	defer func() {
		for _, name := range slices.Sorted(maps.Keys(passed)) {
			if c.Passed != nil {
				c.Passed(name, passed[name])
			}
		}
	}()
	note := func(seq uint64) {
		for name, at := range dead {
			if seq > at {
				passed[name]++
			}
		}
	}
	total := 0
	for _, class := range []struct {
		prefix string
		before time.Time
	}{
		{keyLog, c.Events}, {keyInjected, c.Injections},
		{Anywhere.key(keyVerdict), c.Verdicts}, {Here.key(keyVerdict), c.Verdicts},
		{Anywhere.key(keyDead), c.DeadLetters}, {Here.key(keyDead), c.DeadLetters},
	} {
		if class.before.IsZero() {
			continue
		}
		end := ^uint64(0)
		if class.prefix == keyLog {
			if end, err = e.cut(ctx, class.before, acked); err != nil {
				return total, fmt.Errorf("engine: trim: %w", err)
			}
		}
		n, err := e.trim(ctx, class.prefix, class.before, end, note)
		if total += n; err != nil {
			return total, fmt.Errorf("engine: trim: %w", err)
		}
	}
	return total, nil
}

// dated is what all records share that have a time.
type dated struct {
	At time.Time `json:"at"`
}

// cut finds the newest event of the log that may go: it and those before it.
func (e *Engine) cut(ctx context.Context, before time.Time, acked uint64) (end uint64, err error) {
	now, seen := e.clock.Now(), 0
	var ended error
	err = e.scan([]byte(keyLog), nil, func(k, v []byte, bad error) bool {
		if seen++; seen%trimBatch == 0 {
			ended = ctx.Err()
		}
		seq, _ := seqOf(string(k))
		if seq > acked || ended != nil {
			return false
		}
		rec, err := decodeOpened[dated](v, bad)
		switch {
		case err == nil && rec.At.Before(before):
			end = seq
		case err == nil && !rec.At.After(now):
			return false
		}
		return true // one without a known time goes with the next that has one
	})
	return end, errors.Join(err, ended)
}

// trim deletes the old records of a class, and of the log all up to its new end.
func (e *Engine) trim(
	ctx context.Context, prefix string, before time.Time, end uint64, deleted func(event uint64),
) (int, error) {
	total := 0
	newest, err := e.readCounter(e.trimmedKey(), 0)
	if err != nil {
		return 0, err
	}
	var from []byte
	for {
		var ops []Op
		var gone []uint64
		seen := 0
		err := e.scan([]byte(prefix), from, func(k, v []byte, bad error) bool {
			seq, _ := seqOf(string(k))
			if prefix == keyLog && seq > end {
				return false
			}
			rec, err := decodeOpened[dated](v, bad)
			if prefix == keyLog || err == nil && rec.At.Before(before) {
				ops = append(ops, Op{Key: k, Delete: true})
				gone = append(gone, seq)
			}
			from = append(k[:len(k):len(k)], 0)
			seen++
			return seen < trimBatch
		})
		if err != nil {
			return total, err
		}
		if len(ops) > 0 {
			if prefix == keyLog {
				newest = max(newest, slices.Max(gone))
				ops = append(ops, Op{Key: []byte(e.trimmedKey()), Value: []byte(seqBytes(newest))})
			}
			if err := e.write(ctx, ops...); err != nil {
				return total, err
			}
			total += len(gone)
			for _, seq := range gone {
				if prefix == keyLog {
					deleted(seq)
				}
			}
		}
		if seen < trimBatch {
			return total, nil
		}
		if err := ctx.Err(); err != nil {
			return total, err
		}
	}
}
