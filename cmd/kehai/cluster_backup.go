package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/cluster/identity"
	"github.com/kehai-run/kehai/runtime/cluster/seat"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
)

func (v *clusterVerb) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Write all that the cluster has stored into a file",
		Long: `Writes what kehai backup writes, once this member has everything that the cluster
accepted before: without a majority there is no such backup, and kehai backup writes what
this machine has. No key is in the file: kehai key backup writes those.`,
		Example: "  kehai cluster backup kehai-2026-11-23.backup",
		Args:    cobra.ExactArgs(1),
		RunE: v.asking(func(ctx context.Context, c control.ClusterBackend, args []string) error {
			b, ok := c.(control.Backend)
			if !ok {
				return errors.New("this Kehai writes no backups")
			}
			if err := c.Settle(ctx); err != nil {
				return err
			}
			return (&backupVerb{v.app}).run(ctx, b, args)
		}),
	}
}

func (v *clusterVerb) restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore FILE",
		Short: "Let the cluster begin anew with a backup, on this machine",
		Long: `Puts a backup into the place of what this member, on which no Kehai may run, has stored,
and lets it decide from its next kehai run on. What it had stored is put aside in
DATA/aside-…; its keys stay, so that what was forgotten since stays forgotten. The others
went on without the backup: they refuse to run once they meet this machine, and come back
with kehai cluster leave --force there, kehai cluster remove here, and a new code.

If all members are lost: kehai restore and kehai key restore on a new machine, then
kehai cluster init.`,
		Example: "  kehai cluster restore kehai-2026-11-23.backup",
		Args:    cobra.ExactArgs(1),
		RunE:    v.restore,
	}
}

func (v *clusterVerb) restore(cmd *cobra.Command, args []string) error {
	o, err := v.atRest(cmd)
	if err != nil {
		return err
	}
	if !identity.Exists(o.Data) {
		return identity.ErrNone
	}
	cfg, err := v.load()
	if err != nil {
		return err
	}
	f, err := openInput(cmd, "cluster restore", args[0])
	if err != nil {
		return badUsage("%w", err)
	}
	defer f.Close()
	aside, err := seat.Restore(o, func() error { return datadir.Restore(cfg, v.quiet(cfg), f) })
	if errors.Is(err, engine.ErrInUse) {
		return fmt.Errorf("a Kehai runs on %s: stop it first: %w", cfg.Data, err)
	}
	if err != nil {
		return err
	}
	if err := v.stdout.printf("restored into %s; what was stored lies in %s\nthis machine decides from its next kehai "+
		"run on, and the others have to join it again\n", cfg.Data, aside); err != nil {
		return err
	}
	return v.tellLacking(cfg)
}
