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
	"github.com/kehai-run/kehai/runtime/follow"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/maintenance"
)

// injectionsKept is how long a host may repeat an injection without effect.
const injectionsKept = 7 * 24 * time.Hour

// Maintain deletes data older than its retention, at the start and every hour, and frees
// the space, until ctx ends.
func (b Backend) Maintain(ctx context.Context, log zerolog.Logger) error {
	return maintenance.Loop{
		Disk: b.Disk(), Log: log,
		Keep: maintenance.Retention{Events: b.Config.Retention.Messages, Verdicts: b.Config.Retention.Verdicts,
			DeadLetters: b.Config.Retention.DeadLetters, Injections: injectionsKept},
		Readers: func() (follow.Served, follow.Options, error) {
			e, err := b.Engine()
			return b.served(), b.following(e, log), err
		},
		Also: []maintenance.Task{
			{Failed: "trim_failed", Do: b.trimConversations}, {Failed: "keys_damaged", Do: b.checkKeys},
		},
	}.Run(ctx)
}

// onDisk reports whether what is stored, and with it the keys, is in the data directory.
func (b Backend) onDisk() bool { return b.Disk() != maintenance.DiskOf(nil) }

// checkKeys tells people which key cannot be used, before it is needed.
func (b Backend) checkKeys(context.Context, time.Time) error {
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
func (b Backend) trimConversations(ctx context.Context, now time.Time) error {
	old := maintenance.Before(now, b.Config.Retention.Messages)
	if old.IsZero() {
		return nil
	}
	e, err := b.Engine()
	if err != nil {
		return err
	}
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
