package admin

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/insight"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
)

// maintainEvery is how often old records are deleted and the store is compacted;
// purgeEvery is how often what was deleted leaves the store's files.
const (
	maintainEvery = time.Hour
	purgeEvery    = 24 * time.Hour
)

// injectionsKept is how long a host may repeat an injection without effect.
const injectionsKept = 7 * 24 * time.Hour

// Maintain deletes data older than its retention, at the start and every hour, and frees
// the space, until ctx ends.
func (b Backend) Maintain(ctx context.Context, log zerolog.Logger) error {
	disk := b.Disk()
	try := func(what string, err error) {
		if err != nil && ctx.Err() == nil {
			log.Warn().Err(err).Msg(what)
		}
	}
	var purged time.Time
	for {
		// First what an earlier run left, or yesterday's trimming: what actors are asked
		// to delete now is purged tomorrow.
		if now := time.Now(); now.Sub(purged) >= purgeEvery {
			gone, err := disk.Purge(ctx)
			try("purge_failed", err)
			switch {
			case err != nil:
			case gone:
				log.Info().Dur("took", time.Since(now)).Msg("purged") // none of it is in the files
			default:
				log.Info().Str("mend", "the next start goes on").Msg("purge_unfinished")
			}
			purged = now
		}
		try("keys_damaged", b.checkKeys())
		try("trim_failed", b.trim(ctx, log, time.Now()))
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(maintainEvery):
		}
		try("compact_failed", disk.Compact(ctx))
	}
}

// onDisk reports whether what is stored, and with it the keys, is in the data directory.
func (b Backend) onDisk() bool { return b.Disk() != datadir.DiskOf(nil) }

// checkKeys tells people which key cannot be used, before it is needed.
func (b Backend) checkKeys() error {
	if !b.onDisk() || b.Live == nil {
		return nil
	}
	_, err := keyring.Inspect(datadir.Keys(b.Config))
	if err != nil {
		b.Live.Trouble("keys", err.Error())
	} else {
		b.Live.Trouble("keys", "")
	}
	return err
}

// trim deletes what is too old at a time.
func (b Backend) trim(ctx context.Context, log zerolog.Logger, now time.Time) error {
	cut := func(keep time.Duration) time.Time {
		if keep <= 0 {
			return time.Time{}
		}
		return now.Add(-keep)
	}
	e, err := b.Engine()
	if err != nil {
		return err
	}
	old := cut(b.Config.Retention.Messages)
	n, err := b.served().Trim(ctx, engine.Cutoffs{
		Events:      old,
		Verdicts:    cut(b.Config.Retention.Verdicts),
		DeadLetters: cut(b.Config.Retention.DeadLetters),
		Injections:  cut(injectionsKept),
	}, b.following(e, log))
	if n > 0 {
		err = errors.Join(err, b.Disk().PurgeLater())
	}
	if err != nil || old.IsZero() {
		return err
	}
	return b.trimConversations(ctx, e, old)
}

// keepers are the actors of a kind that have a row that is too old.
func keepers[V any](ctx context.Context, e *engine.Engine, kind string, t actors.Table[V],
	old func(V) bool) (list []messages.Address, err error) {
	err = e.ReadRows(kind, func(row engine.Row) bool {
		if n := len(list); row.Table != t.Name() || n > 0 && list[n-1] == row.Actor {
			return ctx.Err() == nil
		}
		if v, err := t.Decode(row.Value); err == nil && old(v) {
			list = append(list, row.Actor)
		}
		return ctx.Err() == nil
	})
	return list, err
}

// trimConversations asks the conversations, their memories and the analyses of interviews to
// delete what is too old: only they may change their rows.
func (b Backend) trimConversations(ctx context.Context, e *engine.Engine, old time.Time) error {
	list, err := keepers(ctx, e, conversation.Kind, conversation.Messages,
		func(m messages.MessageDelivered) bool { return m.DeliveredAt.Before(old) })
	if err != nil {
		return err
	}
	remembering, err := keepers(ctx, e, recall.Kind, recall.Events,
		func(m memory.Event) bool { return m.KeptAt.Before(old) })
	analysing, bad := keepers(ctx, e, insight.Kind, insight.Analyses,
		func(v insight.Analysis) bool { return v.At.Before(old) })
	list, err = append(append(list, remembering...), analysing...), errors.Join(err, bad)
	if len(list) > 0 {
		err = errors.Join(err, b.Disk().PurgeLater())
	}
	for _, a := range list {
		if err == nil {
			err = e.Inject(ctx, a, messages.TrimDue{Before: old}, "")
		}
	}
	return err
}
