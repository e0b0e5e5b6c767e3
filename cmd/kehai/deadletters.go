package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// deadletters is a family of verbs, with the flags of list and retry.
type deadletters struct {
	*app
	asJSON bool
	all    bool
}

func (d *deadletters) command() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the dead letters, oldest first",
		Example: "  kehai deadletters list --json",
		Args:    cobra.NoArgs,
		RunE:    d.withBackend(d.list),
	}
	list.Flags().BoolVar(&d.asJSON, "json", false, "one JSON object a line, without the messages themselves")
	show := &cobra.Command{
		Use: "show ID", Short: "Show one dead letter whole, its message and stack included",
		Example: "  kehai deadletters show d42",
		Args:    cobra.ExactArgs(1),
		RunE:    d.withBackend(d.show),
	}
	retry := &cobra.Command{
		Use: "retry ID|--all", Short: "Send dead letters to their actors again",
		Example: `  kehai deadletters retry d42
  kehai deadletters retry --all`,
		Args: func(_ *cobra.Command, ids []string) error {
			if len(ids) > 1 || d.all == (len(ids) == 1) {
				return errors.New("retry: want an ID or --all")
			}
			return nil
		},
		RunE: d.withBackend(d.retry),
	}
	retry.Flags().BoolVar(&d.all, "all", false, "every dead letter")
	discard := &cobra.Command{
		Use: "discard ID…", Short: "Delete dead letters for good",
		Example: "  kehai deadletters discard d42",
		Args:    cobra.MinimumNArgs(1),
		RunE: d.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
			return d.each(ctx, args, "discarded", b.DiscardDeadLetter)
		}),
	}
	return family(&cobra.Command{
		Use:   "deadletters",
		Short: "List, show, retry or discard messages that an actor could not handle",
		Long: `A durable message whose actor fails on it five times becomes a dead letter: it
is kept with its error, and the actor goes on with the next one. So does an event
that a subscription has parked, and a message or call that ended the process in
five runs.`,
		Example: `  kehai deadletters list
  kehai deadletters retry --all`,
	}, list, show, retry, discard)
}

func (d *deadletters) list(ctx context.Context, b control.Backend, _ []string) error {
	list, err := b.DeadLetters(ctx)
	if err != nil {
		return err
	}
	if d.asJSON {
		for i := range list {
			list[i].Message = nil // private; show prints it
		}
	}
	return printList(d.app, d.asJSON, list, "no dead letters", func(t *table) error {
		t.row("ID", "WHEN", "ACTOR", "TYPE", "TRIES", "ERROR")
		for _, l := range list {
			who := string(l.Actor)
			if l.Subscription != "" {
				who = "subscription " + l.Subscription
			}
			t.row(l.ID, control.Stamp{Time: l.At}, who, l.Type, l.Attempts, l.Error)
		}
		return nil
	})
}

func (d *deadletters) show(ctx context.Context, b control.Backend, args []string) error {
	list, err := b.DeadLetters(ctx)
	if err != nil {
		return err
	}
	for _, l := range list {
		if l.ID == args[0] {
			enc := d.stdout.json()
			enc.SetIndent("", "  ")
			return enc.Encode(l)
		}
	}
	return noDeadLetter(args[0])
}

func (d *deadletters) retry(ctx context.Context, b control.Backend, ids []string) error {
	if d.all {
		list, err := b.DeadLetters(ctx)
		if err != nil {
			return err
		}
		for _, l := range list {
			ids = append(ids, l.ID)
		}
	}
	return d.each(ctx, ids, "sent again", b.RetryDeadLetter)
}

// each handles each dead letter. A failure does not stop the others.
func (d *deadletters) each(
	ctx context.Context, ids []string, done string, do func(ctx context.Context, id string) error,
) error {
	var errs []error
	for _, id := range ids {
		switch err := do(ctx, id); {
		case errors.Is(err, engine.ErrNoDeadLetter):
			errs = append(errs, noDeadLetter(id))
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", id, err))
		default:
			d.stdout.printf("%s %s\n", id, done)
		}
	}
	return errors.Join(errs...)
}

func noDeadLetter(id string) error {
	return fmt.Errorf("no dead letter %s: see `kehai deadletters list`", id)
}
