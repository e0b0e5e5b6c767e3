package runtime

import (
	"context"
	"time"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
)

// upkeepEvery is how often old records are deleted and the store is compacted.
const upkeepEvery = time.Hour

// injectionsKept is how long a host may repeat an injection without effect.
const injectionsKept = 7 * 24 * time.Hour

// upkeep deletes what has outlived its retention, at the start and then now and
// again, and gives its space back.
func (r *Runtime) upkeep(ctx context.Context) error {
	for {
		if err := r.trim(ctx, time.Now()); err != nil && ctx.Err() == nil {
			r.log.Warn().Err(err).Msg("trim_failed")
		}
		if !sleep(ctx, upkeepEvery) {
			return nil
		}
		if r.compact != nil {
			if err := r.compact(ctx); err != nil && ctx.Err() == nil {
				r.log.Warn().Err(err).Msg("compact_failed")
			}
		}
	}
}

// trim deletes what is too old at a time.
func (r *Runtime) trim(ctx context.Context, now time.Time) error {
	cut := func(keep config.Duration) time.Time {
		if keep <= 0 {
			return time.Time{}
		}
		return now.Add(-time.Duration(keep))
	}
	old := cut(r.cfg.Retention.Messages)
	_, err := r.engine.Trim(ctx, engine.Cutoffs{
		Events:      old,
		Verdicts:    cut(r.cfg.Retention.Verdicts),
		DeadLetters: cut(r.cfg.Retention.DeadLetters),
		Injections:  cut(config.Duration(injectionsKept)),
	})
	if err != nil || old.IsZero() {
		return err
	}
	return r.trimConversations(ctx, old)
}

// trimConversations asks the conversations that keep something too old to delete
// it: their rows are theirs alone to change.
func (r *Runtime) trimConversations(ctx context.Context, old time.Time) error {
	var list []messages.Address
	err := r.engine.ReadRows(conversation.Kind, func(row engine.Row) bool {
		if n := len(list); row.Table != "messages" || n > 0 && list[n-1] == row.Actor {
			return ctx.Err() == nil
		}
		if m, err := conversation.Messages.Decode(row.Value); err == nil && m.DeliveredAt.Before(old) {
			list = append(list, row.Actor)
		}
		return ctx.Err() == nil
	})
	for _, a := range list {
		if err == nil {
			err = r.Inject(ctx, a, messages.TrimDue{Before: old}, "")
		}
	}
	return err
}
