package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

func (a *app) deadlettersCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "deadletters",
		Short: "List, show, retry or discard messages that an actor could not handle",
		Long: `A durable message whose actor fails on it five times becomes a dead letter: it
is kept with its error, and the actor goes on with the next one.`,
		Example: `  kehai deadletters list
  kehai deadletters retry --all`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.deadList(), a.deadShow(), a.deadRetry(), a.deadDiscard())
	return cmd
}

func (a *app) deadList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the dead letters, oldest first",
		Example: "  kehai deadletters list --json",
		Args:    cobra.NoArgs,
		RunE: a.withBackend(func(ctx context.Context, b control.Backend, _ []string) error {
			list, err := b.DeadLetters(ctx)
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(a.stdout)
				for _, d := range list {
					d.Message = nil // private; show prints it
					if err := enc.Encode(d); err != nil {
						return err
					}
				}
				return nil
			}
			if len(list) == 0 {
				fmt.Fprintln(a.stderr, "no dead letters")
				return nil
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tWHEN\tACTOR\tTYPE\tTRIES\tERROR")
			for _, d := range list {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", d.ID, control.Stamp{Time: d.At}, d.Actor, d.Type, d.Attempts, d.Error)
			}
			return w.Flush()
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line, without the messages themselves")
	return cmd
}

func (a *app) deadShow() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show one dead letter whole, its message and stack included",
		Example: "  kehai deadletters show d42",
		Args:    cobra.ExactArgs(1),
		RunE: a.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
			list, err := b.DeadLetters(ctx)
			if err != nil {
				return err
			}
			for _, d := range list {
				if d.ID != args[0] {
					continue
				}
				enc := json.NewEncoder(a.stdout)
				enc.SetIndent("", "  ")
				return enc.Encode(d)
			}
			return noDeadLetter(args[0])
		}),
	}
}

func (a *app) deadRetry() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "retry ID|--all", Short: "Send dead letters to their actors again",
		Example: `  kehai deadletters retry d42
  kehai deadletters retry --all`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
			if all == (len(args) == 1) {
				return badUsage("retry: want an ID or --all; see `kehai deadletters list`")
			}
			ids := args
			if all {
				list, err := b.DeadLetters(ctx)
				if err != nil {
					return err
				}
				for _, d := range list {
					ids = append(ids, d.ID)
				}
			}
			return a.eachDead(ids, "sent again", func(id string) error { return b.RetryDeadLetter(ctx, id) })
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "every dead letter")
	return cmd
}

func (a *app) deadDiscard() *cobra.Command {
	return &cobra.Command{
		Use: "discard ID…", Short: "Delete dead letters for good",
		Example: "  kehai deadletters discard d42",
		Args:    cobra.MinimumNArgs(1),
		RunE: a.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
			return a.eachDead(args, "discarded", func(id string) error { return b.DiscardDeadLetter(ctx, id) })
		}),
	}
}

// eachDead does something to each dead letter; one that fails does not keep the
// others from it.
func (a *app) eachDead(ids []string, done string, do func(id string) error) error {
	var errs []error
	for _, id := range ids {
		switch err := do(id); {
		case errors.Is(err, engine.ErrNoDeadLetter):
			errs = append(errs, noDeadLetter(id))
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", id, err))
		default:
			fmt.Fprintf(a.stdout, "%s %s\n", id, done)
		}
	}
	return errors.Join(errs...)
}

func noDeadLetter(id string) error {
	return fmt.Errorf("no dead letter %s: see `kehai deadletters list`", id)
}
