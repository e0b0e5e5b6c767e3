package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// subscriptions is a family of verbs, with the flag of list.
type subscriptions struct {
	*app
	asJSON bool
}

func (s *subscriptions) command() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List who reads the events, how far each has come and why it does not go on",
		Example: "  kehai subscriptions list --json",
		Args:    cobra.NoArgs,
		RunE:    s.withBackend(s.list),
	}
	list.Flags().BoolVar(&s.asJSON, "json", false, "one JSON object a line")
	drop := &cobra.Command{
		Use: "drop NAME…", Short: "Forget how far a reader has come, and what it has parked",
		Long: `Forgets how far a reader has come that no program serves any more, and the
events that it has parked. One of that name that comes later begins at the
oldest event that is kept.`,
		Example: "  kehai subscriptions drop old-host",
		Args:    cobra.MinimumNArgs(1),
		RunE:    s.withBackend(s.drop),
	}
	park := &cobra.Command{
		Use: "park NAME…", Short: "Put the event aside at which a reader has stopped, as it cannot be read",
		Long: `Puts the next event of a reader aside, as a dead letter, if this program cannot
read it because its type or its key is gone for good. The reader goes on behind
it. The dead letter says what is missing; once that is back, kehai deadletters
retry gives the event to the reader after all.`,
		Example: "  kehai subscriptions park old-host",
		Args:    cobra.MinimumNArgs(1),
		RunE:    s.withBackend(s.park),
	}
	return family(&cobra.Command{
		Use:   "subscriptions",
		Short: "List and drop the readers of what was delivered",
		Long: `A program reads deliveries by a subscription: its name keeps the place up to
which it has taken them, across restarts. Retention keeps what a subscription of
the running program has not taken yet, and no other.`,
		Example: `  kehai subscriptions list
  kehai subscriptions drop old-host`,
	}, list, drop, park)
}

func (s *subscriptions) list(ctx context.Context, b control.Backend, _ []string) error {
	list, err := b.Subscriptions(ctx)
	if err != nil {
		return err
	}
	return printList(s.app, s.asJSON, list, "no subscriptions", func(t *table) error {
		t.row("NAME", "POSITION", "BEHIND", "SERVED", "LAST ERROR")
		for _, l := range list {
			behind, served := fmt.Sprint(l.Behind), "no"
			if l.Behind == engine.MaxBehind {
				behind += "+"
			}
			if l.Served {
				served = "yes"
			}
			t.row(l.Name, l.Position, behind, served, l.Error)
		}
		return nil
	})
}

func (s *subscriptions) drop(ctx context.Context, b control.Backend, names []string) error {
	return s.each(ctx, names, b.DropSubscription, "%s dropped\n")
}

func (s *subscriptions) park(ctx context.Context, b control.Backend, names []string) error {
	return s.each(ctx, names, b.ParkEvent, "%s goes on behind the event, which is a dead letter now: "+
		"`kehai deadletters list` says what is missing\n")
}

func (s *subscriptions) each(
	ctx context.Context, names []string, do func(context.Context, string) error, done string,
) error {
	var errs []error
	for _, name := range names {
		switch err := do(ctx, name); {
		case errors.Is(err, engine.ErrNoSubscription):
			errs = append(errs, fmt.Errorf("no subscription %s: see `kehai subscriptions list`", name))
		case err != nil:
			errs = append(errs, err)
		default:
			s.stdout.printf(done, name)
		}
	}
	return errors.Join(errs...)
}
