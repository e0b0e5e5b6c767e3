package engine

import (
	"fmt"
	"strconv"

	"github.com/kehai-run/kehai/messages"
)

// format is the version of the keys that this program writes. It is raised when an
// older program would misread what a newer one wrote.
//
//	1 (no row) one count of numbers, for all actors
//	2 each shard counts for itself, and has its own verdicts and dead letters
//	3 what is private is sealed, if there is a [Sealer]; see sealStored
const format = 3

// migrate brings a store to the present format. A crash in between leaves what
// the next start goes on with: the row of the format is written last.
func (e *Engine) migrate() error {
	raw, ok, err := e.store.Get([]byte(keyMetaFormat))
	if err != nil {
		return fmt.Errorf("engine: read the format: %w", err)
	}
	if ok {
		found, err := strconv.ParseUint(string(raw), 10, 32)
		switch {
		case err != nil:
			return fmt.Errorf("%w: the format is no number: restore the data directory from a backup", ErrRecord)
		case found > format:
			return fmt.Errorf("engine: the store was written in format %d, this program knows %d: upgrade "+
				"this program, or restore a backup made by it: %w", found, format, ErrNewer)
		case found == format:
			return nil
		}
		return e.setFormat(Batch{})
	}
	for _, class := range []string{keyVerdict, keyDead} {
		if err := e.moveHere(class); err != nil {
			return fmt.Errorf("engine: bring the store to format %d: %w", format, err)
		}
	}
	last, err := e.readCounter(keyMetaSeq, 0)
	if err != nil {
		return err
	}
	return e.setFormat(Batch{Floor: last})
}

// setFormat ends a migration; what is in the batch is of the shard Here.
func (e *Engine) setFormat(last Batch) error {
	last.Changes = []Change{{
		Ops: []Op{{Key: []byte(keyMetaFormat), Value: strconv.AppendUint(nil, format, 10)}},
	}}
	var b [shards]Batch
	b[Here] = last
	if _, err := e.apply(b, nil, true); err != nil {
		return fmt.Errorf("engine: bring the store to format %d: %w", format, err)
	}
	return nil
}

// moveHere moves what actors of this node have left in a class to the shard Here,
// under the same numbers.
func (e *Engine) moveHere(class string) error {
	var from []byte
	for more := true; more; {
		var put, gone []Op
		size := 0
		more = false
		err := e.store.Scan([]byte(class), from, func(k, v []byte) bool {
			if len(put) == trimBatch || size >= batchBytes {
				more = true
				return false
			}
			from = append(k[:len(k):len(k)], 0)
			rec, err := decodeRecord[struct {
				Actor messages.Address `json:"actor"`
			}](v)
			if err == nil && e.shardOf(rec.Actor) == Here {
				put = append(put, Op{Key: []byte(Here.key(string(k))), Value: v})
				gone = append(gone, Op{Key: k, Delete: true})
				size += 2*len(k) + len(v)
			}
			return true
		})
		if err != nil {
			return err
		}
		if put == nil {
			continue
		}
		var b [shards]Batch
		b[Here].Changes, b[Anywhere].Changes = []Change{{Ops: put}}, []Change{{Ops: gone}}
		if _, err := e.apply(b, nil, e.sync); err != nil {
			return err
		}
	}
	return nil
}
