package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/kehai-run/kehai/messages"
)

// ReviseLog replaces durable events with what change makes of them. Each keeps its place
// in the log, and is sealed for whomever it is then about; if it came from the actor of whom it
// was about, it then comes from that of whom it is about. It returns how many were
// replaced; after an error or a crash it can be called again. An event deleted meanwhile
// stays deleted.
func (e *Engine) ReviseLog(ctx context.Context, change func(messages.Message) (messages.Message, bool)) (int, error) {
	type revised struct {
		at Published
		by messages.Message
	}
	var list []revised
	var away error
	err := e.ReadLog(0, func(p Published) bool {
		if errors.Is(p.Err, ErrKeyAway) { // it may be one to change
			away = p.Err
			return false
		}
		if p.Message != nil {
			if by, ok := change(p.Message); ok {
				list = append(list, revised{p, by})
			}
		}
		return ctx.Err() == nil
	})
	if err = cmp.Or(err, away, ctx.Err()); err != nil {
		return 0, fmt.Errorf("engine: revise the log: %w", err)
	}
	for n, r := range list {
		key := []byte(keyLog + seqBytes(r.at.Seq))
		from := r.at.From
		if was, c := e.codec.About(r.at.Message), e.codec.About(r.by); was != "" && c != "" && keyed(from, was) {
			from = messages.To(from.Kind(), string(c)) // else it would be forgotten with whom it was about
		}
		value, err := e.encodeEvent(from, r.at.Trace, r.at.At, r.by)
		if err != nil {
			return n, fmt.Errorf("engine: revise the log: %w", err)
		}
		req := &hostRequest{changes: changes{shard: e.shardOfKey(string(key)), Change: Change{Needs: key,
			Ops: []Op{{Key: key, Value: value, about: e.subject(r.by, from)}}}}}
		if err := e.request(ctx, req); err != nil {
			return n, fmt.Errorf("engine: revise the log: %w", err)
		}
	}
	return len(list), nil
}
