package admin

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/names"
)

// answersEvery is how often the machines that a receipt waits for are asked again.
const answersEvery = time.Minute

// FollowReceipts asks the machines that receipts of forgetting wait for until all have answered, or ctx ends.
func (b Backend) FollowReceipts(ctx context.Context, log zerolog.Logger) error {
	tick := time.NewTicker(answersEvery)
	defer tick.Stop()
	for {
		if err := b.Answers(ctx); err != nil && ctx.Err() == nil {
			log.Warn().Err(err).Msg("receipts_not_followed")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Answers asks once. A machine that is no member any more cannot be asked, and stays on the receipt.
func (b Backend) Answers(ctx context.Context) error {
	open, err := keyring.Unanswered(datadir.Receipts(b.Config))
	if err != nil || len(open) == 0 {
		return err
	}
	e, err := b.Engine()
	if err != nil {
		return err
	}
	now, err := b.Cluster(ctx)
	if err != nil {
		return err
	}
	known, err := names.Known(e)
	if err != nil {
		return err
	}
	for path, r := range open {
		c := messages.ConversationID(r.Conversation)
		silent := b.unanswered(ctx, append(directory.Merged(known, c), c), r.Keys)
		waiting := slices.DeleteFunc(slices.Clone(r.Waiting), func(node string) bool {
			member := slices.ContainsFunc(now.Members, func(m control.ClusterMember) bool { return m.Node == node })
			return member && !slices.Contains(silent, node)
		})
		if len(waiting) < len(r.Waiting) && ctx.Err() == nil {
			err = errors.Join(err, Receipts(b.Config).Answered(r, path, waiting))
		}
	}
	return err
}
