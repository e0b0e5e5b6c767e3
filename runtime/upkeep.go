package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
)

// upkeepEvery is how often old records are deleted and the store is compacted;
// purgeEvery is how often what was deleted leaves the store's files.
const (
	upkeepEvery = time.Hour
	purgeEvery  = 24 * time.Hour
)

// injectionsKept is how long a host may repeat an injection without effect.
const injectionsKept = 7 * 24 * time.Hour

// upkeep deletes what has outlived its retention, at the start and then now and
// again, and gives its space back.
func (r *Runtime) upkeep(ctx context.Context) error {
	try := func(what string, err error) {
		if err != nil && ctx.Err() == nil {
			r.log.Warn().Err(err).Msg(what)
		}
	}
	var purged time.Time
	for {
		// First what an earlier run has left, or yesterday's trimming: what actors
		// are asked to delete now goes tomorrow.
		if now := time.Now(); now.Sub(purged) >= purgeEvery {
			_, err := r.disk.Purge(ctx)
			try("purge_failed", err)
			purged = now
		}
		try("trim_failed", r.trim(ctx, time.Now()))
		if !sleep(ctx, upkeepEvery) {
			return nil
		}
		try("compact_failed", r.disk.Compact(ctx))
	}
}

// disk is what only a store in files has to do. Store in package store says
// what each method does.
type disk interface {
	Compact(context.Context) error
	PurgeLater() error
	Purge(context.Context) (gone bool, err error)
}

func diskOf(st engine.Store) disk {
	if d, ok := st.(disk); ok {
		return d
	}
	return noDisk{}
}

// noDisk is for a store whose deleted bytes are gone at once.
type noDisk struct{}

func (noDisk) Compact(context.Context) error       { return nil }
func (noDisk) PurgeLater() error                   { return nil }
func (noDisk) Purge(context.Context) (bool, error) { return true, nil }

// trim deletes what is too old at a time.
func (r *Runtime) trim(ctx context.Context, now time.Time) error {
	cut := func(keep config.Duration) time.Time {
		if keep <= 0 {
			return time.Time{}
		}
		return now.Add(-time.Duration(keep))
	}
	old := cut(r.cfg.Retention.Messages)
	n, err := r.engine.Trim(ctx, engine.Cutoffs{
		Events:      old,
		Verdicts:    cut(r.cfg.Retention.Verdicts),
		DeadLetters: cut(r.cfg.Retention.DeadLetters),
		Injections:  cut(config.Duration(injectionsKept)),
	})
	if n > 0 {
		err = errors.Join(err, r.disk.PurgeLater())
	}
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
	if len(list) > 0 {
		err = errors.Join(err, r.disk.PurgeLater())
	}
	for _, a := range list {
		if err == nil {
			err = r.Inject(ctx, a, messages.TrimDue{Before: old}, "")
		}
	}
	return err
}
