package journal

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/raft"

	"github.com/kehai-run/kehai/runtime/store/raftlog"
)

// Recover makes the node the only voter, with all that it holds, because the others that
// decided are lost. It is called before Open. Whoever comes back of them must not decide
// any more: its log and this one part here.
func Recover(o Options) error {
	o.Timing.defaults()
	snaps, err := o.snapshots()
	if err != nil {
		return err
	}
	log, err := raftlog.Open(o.Store)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(context.Background())
	defer end()
	fsm := newMachine(ctx, &o)
	_, wires := raft.NewInmemTransport(raft.ServerAddress(o.Address))
	alone := raft.Configuration{Servers: []raft.Server{{
		Suffrage: raft.Voter, ID: raft.ServerID(o.Node), Address: raft.ServerAddress(o.Address),
	}}}
	err = raft.RecoverCluster(o.config(false), fsm, log, log, snaps, wires, alone)
	if err = errors.Join(err, fsm.broken, wires.Close()); err != nil {
		return fmt.Errorf("journal: let this node decide alone: %w", err)
	}
	return nil
}
