package admin

import (
	"context"

	"github.com/kehai-run/kehai/runtime/control"
)

func (b Backend) cluster() (control.ClusterBackend, error) {
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

// Expel implements [control.ClusterBackend].
func (b Backend) Expel(ctx context.Context, node string) error {
	c, err := b.cluster()
	if err != nil {
		return err
	}
	return c.Expel(ctx, node)
}

// Promote implements [control.ClusterBackend].
func (b Backend) Promote(ctx context.Context) error {
	c, err := b.cluster()
	if err != nil {
		return err
	}
	return c.Promote(ctx)
}
