package admin

import (
	"context"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Cluster is the cluster that a running Kehai is a member of.
type Cluster interface {
	control.ClusterBackend
	// Unanswered names the other members that have not yet said that they destroyed keys, and what
	// they kept of the conversations outside their stores.
	Unanswered(ctx context.Context, conversations []string, keys []engine.Key) []string
	// Sharing is what the configurations of the other members say of the memory, as far as they have told.
	Sharing() []cluster.Sharing
	// Belongs reports whether a machine is a member, up or not.
	Belongs(node string) bool
}

// ZoneOf says how near the models of a configuration are: what began where no question leaves the machine
// is not told to models elsewhere, nor to an embedder elsewhere if that was not allowed either.
func ZoneOf(cfg config.Config) string {
	embeds := cfg.Memory.On() && cfg.Memory.Embedding.Tier != config.LLMLocal
	switch {
	case cfg.LLM.Tier != config.LLMLocal:
		return ""
	case embeds:
		return string(config.LLMLocal)
	}
	return string(config.LLMLocal) + " local-embedding"
}

func (b Backend) cluster() (Cluster, error) {
	if b.Live == nil || b.Live.Cluster == nil {
		return nil, control.ErrNoCluster
	}
	return b.Live.Cluster, nil
}

// Cluster implements [control.ClusterBackend].
func (b Backend) Cluster(ctx context.Context) (control.Cluster, error) {
	c, err := b.cluster()
	if err != nil {
		return control.Cluster{}, err
	}
	return c.Cluster(ctx)
}

// Invite implements [control.ClusterBackend].
func (b Backend) Invite(ctx context.Context) (control.Invitation, error) {
	c, err := b.cluster()
	if err != nil {
		return control.Invitation{}, err
	}
	return c.Invite(ctx)
}

// Settle implements [control.ClusterBackend].
func (b Backend) Settle(ctx context.Context) error {
	c, err := b.cluster()
	if err != nil {
		return err
	}
	return c.Settle(ctx)
}

// Stranded implements [control.ClusterBackend].
func (b Backend) Stranded(ctx context.Context, node string) (int, error) {
	c, err := b.cluster()
	if err != nil {
		return 0, err
	}
	return c.Stranded(ctx, node)
}

// Expel implements [control.ClusterBackend].
func (b Backend) Expel(ctx context.Context, node string) error {
	c, err := b.cluster()
	if err != nil {
		return err
	}
	return c.Expel(ctx, node)
}

// unanswered names the other machines that have not yet said that they have forgotten.
func (b Backend) unanswered(ctx context.Context, ids []messages.ConversationID, keys []engine.Key) []string {
	c, err := b.cluster()
	if err != nil { // there are no others
		return nil
	}
	var of []string
	for _, id := range ids {
		of = append(of, string(id))
	}
	return c.Unanswered(ctx, of, keys)
}
